"""Bytes of scratch memory that ESP-NN's kernels ask for, by chip and release, part by part.

Facts: esp-nn ``esp_nn_get_conv_scratch_size_*`` and ``esp_nn_get_depthwise_conv_scratch_size_*`` in
``src/convolution/*.c``, ``esp_nn_get_softmax_scratch_size_*`` in ``src/softmax/*.c``, releases
1.1.0 to 1.2.3 and 1.2.6. A function here holds for the releases that its first line names.
"""

from __future__ import annotations

from arenite.libraries.esp_nn.dispatch.versions import since
from arenite.libraries.shapes import ConvShape
from arenite.memory.abi import align_up
from arenite.target import Target

#: What for, and bytes, in the order in which they lie.
Parts = dict[str, int]
#: Data of convolutions that the P4 works on at a time (``L1D_BUDGET``).
_P4_BUDGET = 32 * 1024
#: From here on the S3 copies an image strip by strip, not as a whole.
_S3_STRIP, _S3_TILE = 40 * 1024, 48 * 1024


def size(parts: Parts) -> int:
    """All of them."""
    return sum(parts.values())


def is_pointwise(conv: ConvShape) -> bool:
    """1x1 filters with steps of 1 and no padding."""
    taps, stride, pad = conv.filter, conv.stride, conv.padding
    return (taps.h, taps.w, stride.h, stride.w, pad.h, pad.w) == (1, 1, 1, 1, 0, 0)


def has_short_rows(conv: ConvShape) -> bool:
    """Whether a filter's row is shorter than a vector, and the whole window is not."""
    row = conv.filter.w * conv.input.c
    return row < 16 <= row * conv.filter.h


def overhang(conv: ConvShape) -> tuple[int, int]:
    """By how many rows and columns the last windows leave the image, as ESP-NN counts them."""
    down = conv.output.h * conv.stride.h + conv.filter.h - 1 - conv.input.h
    right = conv.output.w * conv.stride.w + conv.filter.w - 1 - conv.input.w
    return down, right


def padding_behind(conv: ConvShape) -> tuple[int, int]:
    """Rows below and columns at the right that the last windows need."""
    pad, stride, taps = conv.padding, conv.stride, conv.filter
    below = (conv.output.h - 1) * stride.h + taps.h - pad.h - conv.input.h
    right = (conv.output.w - 1) * stride.w + taps.w - pad.w - conv.input.w
    return max(0, below), max(0, right)


def conv_2d(conv: ConvShape, target: Target) -> Parts:
    """A convolution, on any chip; generic C takes none."""
    if target.instructions == "pie":
        return _conv_s3(conv, target)
    if target.instructions == "pie_rv32":
        return _conv_p4(conv) if since(target, "1.2.3") else _conv_until_1_2_0(conv)
    return {}


def depthwise_conv_2d(conv: ConvShape, target: Target) -> Parts:
    """A depthwise convolution; only the S3's kernels take any."""
    if target.instructions != "pie":
        return {}
    return _depthwise(conv) if since(target, "1.2.1") else _depthwise_until_1_2_0(conv, target)


def softmax(shape: tuple[int, ...]) -> Parts:
    """An exponential for each of as many values as the second dimension has."""
    return {"exponentials": 4 * shape[1]}


# -- convolutions --------------------------------------------------------------------------


def _conv_s3(conv: ConvShape, target: Target) -> Parts:
    if not since(target, "1.2.1"):
        return _conv_until_1_2_0(conv)
    margin = 64 if since(target, "1.2.3") else 32
    if is_pointwise(conv):
        return _pointwise(conv, margin)
    if has_short_rows(conv):
        return _im2col(conv, margin)
    if since(target, "1.2.6"):
        return _padded_once(conv)
    parts = _conv_until_1_2_0(conv)
    parts["filters' rows in 16 bytes"] = _rows_in_16(conv)
    down, right = (max(0, steps) for steps in overhang(conv))
    if down or right:
        parts["image with its overhang"] = _image(conv, down, right)
    return {**parts, "margin": margin}


def _padded_once(conv: ConvShape) -> Parts:
    """The S3's from 1.2.6 on: one image, padded in front and behind as the output needs it."""
    pad, behind = conv.padding, padding_behind(conv)
    parts: Parts = {}
    if any((pad.h, pad.w, *behind)):
        parts["padded image"] = _image(conv, pad.h + behind[0], pad.w + behind[1])
    return {
        **parts,
        "filters in 16 channels": _filters(conv),
        **_sums(conv),
        "filters' rows in 16 bytes": _rows_in_16(conv),
        "margin": 64,
    }


def _conv_until_1_2_0(conv: ConvShape) -> Parts:
    """The S3's until 1.2.0, the P4's until 1.2.2."""
    if is_pointwise(conv):
        return _pointwise(conv, 32)
    parts: Parts = {}
    if conv.padding.h or conv.padding.w:
        parts["padded image"] = _image(conv, 2 * conv.padding.h, 2 * conv.padding.w)
    return {**parts, "filters in 16 channels": _filters(conv), **_sums(conv), "margin": 32}


def _pointwise(conv: ConvShape, margin: int) -> Parts:
    """Channels come by eight, in filters and, unless they do, in a copy of the image."""
    channels, pixels = align_up(conv.input.c, 8), conv.input.w * conv.input.h
    parts: Parts = {}
    if conv.input.c % 8:
        parts["image in 8 channels"] = pixels * channels
    parts["filters in 8 channels"] = channels * conv.output.c
    if pixels >= 8:
        parts["8 pixels transposed"] = 16 * channels
    return {**parts, "margin": margin}


def _im2col(conv: ConvShape, margin: int) -> Parts:
    window = align_up(conv.filter.w * conv.filter.h * conv.input.c, 16)
    filters = {"filters as windows": conv.output.c * window + 16}
    return {**_sums(conv), **filters, "im2col": window + 16, "margin": margin}


def _conv_p4(conv: ConvShape) -> Parts:
    """From 1.2.3 on."""
    channels = conv.input.c
    if is_pointwise(conv):
        if channels >= 16:
            return _pointwise(conv, 32)
        filters = {"filters in 16 channels": 16 * conv.output.c}
        return {**_sums(conv), **filters, "pixel in 16 channels": 32, "margin": 32}
    row, padded = conv.filter.w * channels, bool(conv.padding.h or conv.padding.w)
    if not padded and row >= 16:
        return {"filters in 16 channels": _filters(conv), "margin": 32, **_sums(conv)}
    if row * conv.filter.h >= 16:
        return {**_sums(conv), "im2col": row * conv.filter.h, "margin": 32}
    if not padded:
        wide = _wide_channels(conv)
        image = conv.input.w * conv.input.h * wide
        return {**_sums(conv), **_widened(conv, wide), "image, widened": image, "margin": 32}
    return {**_tiled_p4(conv), "margin": 32, **_sums(conv)}


def _tiled_p4(conv: ConvShape) -> Parts:
    """Windows of less than 16 bytes over a padded image, whole or by rows that the cache holds."""
    pad, sums = conv.padding, 4 * conv.output.c
    whole = _image(conv, 2 * pad.h, 2 * pad.w)
    if whole + sums <= _P4_BUDGET:
        return {"padded image": whole, "filters in 16 channels": _filters(conv)}
    wide = _wide_channels(conv)
    filters = _widened(conv, wide)
    row = (conv.input.w + 2 * pad.w) * wide
    budget = _P4_BUDGET - sums - size(filters)
    at_once = 1
    if 0 < budget >= conv.filter.h * row:
        more = (budget - conv.filter.h * row) // (conv.stride.h * row)
        at_once = min(more + 1, conv.output.h)
    rows = (at_once - 1) * conv.stride.h + conv.filter.h + 2 * pad.h
    return {"rows of the padded image": rows * row, **filters}


def _wide_channels(conv: ConvShape) -> int:
    """Channels that make a filter's row at least 16 bytes, in sixteens."""
    return align_up(-(-16 // conv.filter.w), 16)


def _widened(conv: ConvShape, channels: int) -> Parts:
    return {"filters, widened": conv.filter.w * conv.filter.h * channels * conv.output.c}


def _filters(conv: ConvShape) -> int:
    return conv.filter.w * conv.filter.h * align_up(conv.input.c, 16) * conv.output.c


def _rows_in_16(conv: ConvShape) -> int:
    return align_up(conv.filter.w * conv.input.c, 16) * conv.filter.h * conv.output.c


def _sums(conv: ConvShape) -> Parts:
    return {"sums of filters": 4 * conv.output.c}


def _image(conv: ConvShape, rows: int, columns: int) -> int:
    """The image with some more rows and columns."""
    return (conv.input.h + rows) * (conv.input.w + columns) * conv.input.c


# -- depthwise convolutions ----------------------------------------------------------------


def _depthwise_until_1_2_0(conv: ConvShape, target: Target) -> Parts:
    gap = 32 if since(target, "1.2.0") else 16
    channels = conv.input.c
    if conv.ch_mult == 1 and channels % 8 == 0 and _is_3x3(conv):
        return _depthwise_16(conv, strips=False) if channels % 16 == 0 else _in_int16(conv, gap)
    return _in_int16(conv, gap) if conv.ch_mult % 4 == 0 else {"margin": 32}


def _depthwise(conv: ConvShape) -> Parts:
    """From 1.2.1 on."""
    channels = conv.input.c
    if conv.ch_mult != 1:
        return _in_int16(conv, 32) if conv.ch_mult % 4 == 0 else {"margin": 32}
    if channels % 8:
        return _padded_channels(conv) if channels > 3 else {"margin": 32}
    if not _is_3x3(conv):
        whole = _in_int16(conv, 32)
        if size(whole) - 32 <= _S3_TILE:
            return whole
        rows = 2 * conv.input.w * conv.filter.h * channels
        return {"filters in int16": 2 * _weights(conv), "rows in int16": rows, "margin": 32}
    if channels % 16 == 0:
        return _depthwise_16(conv, strips=True)
    return _compacted(conv) if channels >= 12 else _in_int16(conv, 32)


def _depthwise_16(conv: ConvShape, *, strips: bool) -> Parts:
    """3x3 filters over channels by sixteen: a padded image, from 1.2.1 on rows of a large one."""
    down, right = 2 * conv.padding.h, 2 * conv.padding.w
    if not (down or right):
        down, right = overhang(conv)
    parts = {"filters": _weights(conv)}
    if down or right:
        image = _image(conv, down, right)
        if strips and image > _S3_STRIP:
            image = (conv.input.w + right) * conv.filter.h * conv.input.c
        parts["padded image"] = image
    return {**parts, "margin": 16}


def _compacted(conv: ConvShape) -> Parts:
    """3x3 filters over channels that eight divides and sixteen does not."""
    channels = align_up(conv.input.c, 16)
    down, right = overhang(conv)
    rows = conv.input.h + 2 * conv.padding.h + max(0, down)
    columns = conv.input.w + 2 * conv.padding.w + max(0, right)
    return {
        "filters in 16 channels": 9 * channels,
        "padded image in 16 channels": rows * columns * channels,
        "output in 16 channels": conv.output.w * conv.output.h * channels,
        "margin": 64,
    }


def _padded_channels(conv: ConvShape) -> Parts:
    channels = align_up(conv.input.c, 8)
    ends = [align_up(2 * conv.filter.w * conv.filter.h * channels, 16)]
    ends.append(align_up(ends[-1] + 2 * conv.input.w * conv.input.h * channels, 16))
    ends.append(align_up(ends[-1] + conv.output.w * conv.output.h * channels, 16))
    return {
        "filters in int16": ends[0],
        "image in int16": ends[1] - ends[0],
        "output in 8 channels": ends[2] - ends[1],
        "bias, shifts, multipliers": 12 * channels,
        "margin": 16,
    }


def _in_int16(conv: ConvShape, gap: int) -> Parts:
    image = 2 * conv.input.w * conv.input.h * conv.input.c
    return {"filters in int16": 2 * _weights(conv), "image in int16": image, "margin": gap}


def _weights(conv: ConvShape) -> int:
    return conv.filter.w * conv.filter.h * conv.input.c * conv.ch_mult


def _is_3x3(conv: ConvShape) -> bool:
    return (conv.filter.h, conv.filter.w) == (3, 3)
