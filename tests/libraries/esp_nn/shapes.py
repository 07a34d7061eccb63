"""Convolutions by a few numbers."""

from arenite.libraries.shapes import ConvShape, Dims, Pair


def conv(  # noqa: PLR0917 - geometry
    image: tuple[int, int, int],
    taps: tuple[int, int],
    channels: int = 8,
    stride: tuple[int, int] = (1, 1),
    pad: tuple[int, int] = (0, 0),
    ch_mult: int = 1,
) -> ConvShape:
    """``image`` is height, width, channels; the output is what padding on both sides gives."""
    height, width, depth = image
    rows, columns = (
        (size + 2 * pad[axis] - taps[axis]) // stride[axis] + 1
        for axis, size in enumerate((height, width))
    )
    return ConvShape(
        Dims(1, height, width, depth),
        Dims(1, *taps, depth),
        Dims(1, rows, columns, channels),
        Pair(*stride),
        Pair(*pad),
        ch_mult=ch_mult,
    )
