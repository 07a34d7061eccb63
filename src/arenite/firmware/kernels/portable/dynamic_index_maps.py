"""Moves whose beginnings, paddings, blocks or axes are fed: the places are computed while they run.

What does not fit the tensors, which the engine refuses, reads the nearest element, or is 0. Facts:
TFLM ``micro/kernels/reverse.cc``, ``mirror_pad.cc``, ``space_to_batch_nd.cc``,
``batch_to_space_nd.cc``.
"""

from __future__ import annotations

from arenite.c_text import fill, templates, with_lines
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.loops import axis_names, nested, offset, strides_of
from arenite.firmware.kernels.portable.needs import require_some
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.ops.shared.batch_space import as_image
from arenite.ops.tflite.mirror_pad import MirrorPadParams

_C = templates(__name__)

_MIRRORED = """\
const int32_t $axis = $index - (int32_t)paddings[$left];
const int32_t at_$axis = ar_clamp(
    $axis < 0 ? $before - $axis : $axis < $n ? $axis : $behind - $axis, 0, $last);"""

_TO_IMAGES = """\
const int32_t place = (i + top) % rows * columns + (j + left) % columns;
const int32_t n = place * $batches + b;
const int32_t row = (i + top) / rows, column = (j + left) / columns;"""
_TO_BATCHES = """\
const int32_t place = b / $in_batches, n = b % $in_batches;
const int32_t row = i * rows + place / columns - top;
const int32_t column = j * columns + place % columns - left;"""


def reverse(layer: AnyLayer) -> Work:
    """Axes from end to beginning."""
    x = layer.input(0)
    terms = [
        f"(turned[{axis}] ? {size - 1} - {name} : {name}) * {step}"
        for axis, (name, size, step) in enumerate(
            zip(axis_names(len(x.shape)), x.shape, strides_of(x.shape), strict=True)
        )
        if size > 1
    ]
    loops = nested(x.shape, f"*y++ = x[{' + '.join(terms) or '0'}];")
    text = fill(_C["reverse"], rank=len(x.shape), count=layer.input(1).size, loops=loops)
    return _work(layer, text, "axes", stem="reverse")


def mirror_pad(layer: Layer[MirrorPadParams]) -> Work:
    """A border that mirrors what is inside."""
    x, edge = layer.input(0), layer.params.edge
    lines, terms, names = [], [], axis_names(len(x.shape))
    for axis, (n, step) in enumerate(zip(x.shape, strides_of(x.shape), strict=True)):
        name, index = f"place{axis}", names[axis] if layer.output.shape[axis] > 1 else "0"
        lines.append(
            fill(
                _MIRRORED,
                axis=name,
                index=index,
                left=2 * axis,
                before=edge - 1,
                behind=2 * n - 1 - edge,
                n=n,
                last=n - 1,
            )
        )
        terms.append(f"at_{name} * {step}")
    lines.append(f"*y++ = x[{' + '.join(terms) or '0'}];")
    return _work(layer, nested(layer.output.shape, "\n".join(lines)), "paddings")


def blocks(layer: AnyLayer) -> Work:
    """Images as batches of their parts, or back."""
    to_images = layer.name == "BATCH_TO_SPACE_ND"
    x, y = as_image(layer.input(0).shape), as_image(layer.output.shape)
    is_line = len(layer.input(0).shape) == 3
    text = fill(
        with_lines(_C["blocks"], place=_TO_IMAGES if to_images else _TO_BATCHES),
        rows="sizes[0] < 1 ? 1 : sizes[0]",
        columns="1" if is_line else "sizes[1] < 1 ? 1 : sizes[1]",
        top="ar_clamp(margins[0], 0, 1 << 20)",
        left="0" if is_line else "ar_clamp(margins[2], 0, 1 << 20)",
        batches=y[0],
        height=y[1],
        width=y[2],
        depth=x[3],
        in_batches=x[0],
        in_height=x[1],
        in_width=x[2],
    )
    return _work(layer, text, "sizes", "margins")


def box(layer: AnyLayer) -> Work:
    """A box of the input, moved to lie inside."""
    x, sizes = layer.input(0), layer.output.shape
    steps = strides_of(x.shape)
    terms = [
        f"ar_clamp((int32_t)begins[{axis}], 0, {n - size}) * {step}"
        for axis, (n, size, step) in enumerate(zip(x.shape, sizes, steps, strict=True))
        if n > size
    ]
    unused = "" if terms else "(void)begins;\n"
    inner = [step if size > 1 else 0 for size, step in zip(sizes, steps, strict=True)]
    loops = nested(sizes, f"*y++ = x[{offset(inner)}];")
    return _work(layer, f"{unused}x += {' + '.join(terms) or '0'};\n{loops}", "begins")


def _work(layer: AnyLayer, text: str, *names: str, stem: str = "") -> Work:
    require_some(layer.input(0), layer.output)
    read = {name: layer.input(number) for number, name in enumerate(("x", *names))}
    return work_of(layer, text, read, stem=stem)


#: How an operator is done whose inputs behind the first are not all constants.
FED = {
    "REVERSE_V2": reverse,
    "MIRROR_PAD": mirror_pad,
    "BATCH_TO_SPACE_ND": blocks,
    "SPACE_TO_BATCH_ND": blocks,
}
