"""Reductions as loops over the axes that stay and, inside of them, over those that go.

Axes are known at export, or fed: then every loop has two sizes, one of which is 1. Axes that do not
give the output's size, which the engine refuses, give zeros.
"""

from __future__ import annotations

from arenite.c_text import fill, indented, templates
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.loops import axis_names, nested, offset, strides_of
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import AnyLayer, Layer, Value
from arenite.ops.shared.reduction import ReductionParams

_C = templates(__name__)
_SIZES = "const int32_t stay_$name = gone[$axis] ? 1 : $size, go_$name = gone[$axis] ? $size : 1;"


def reduction(
    layer: Layer[ReductionParams | None],
    stem: str,
    first: str,
    step: str,
    last: str,
    *,
    mask: int | None = None,
) -> Work:
    """The work that does ``first``, ``step`` and ``last`` for every element of the output.

    ``step`` is done for every element that goes into it, which it calls ``$x``; neither tensor
    is empty. ``mask`` are the axes that go, by default those of the layer's parameters.
    """
    x, fed = layer.input(0), mask is None and is_fed(layer)
    if fed:
        text = _fed(layer, first, step, last)
    else:  # a layer without axes has none that goes
        if mask is None:
            mask = max(layer.params.axis_mask, 0) if layer.params is not None else 0
        text = _known(x, mask, first, step, last)
    read = {"x": x, "axes": layer.input(1)} if fed else {"x": x}
    return work_of(layer, text, read, stem=stem)


def is_fed(layer: Layer[ReductionParams | None]) -> bool:
    """Whether the axes are computed or fed; a number has none."""
    axes, params = layer.input(1), layer.params
    return bool(params and params.axis_mask < 0 and layer.input(0).shape and axes.size)


def count_of(layer: AnyLayer) -> int:
    """The number of elements that make one of the output, of which it has some."""
    return max(layer.input(0).size // layer.output.size, 1)


def _known(x: Value, mask: int, first: str, step: str, last: str) -> str:
    going = [size if mask >> axis & 1 else 1 for axis, size in enumerate(x.shape)]
    staying = [1 if mask >> axis & 1 else size for axis, size in enumerate(x.shape)]
    place = f"x[{offset(strides_of(x.shape))}]"
    inner = nested(going, step.replace("$x", place))
    return nested(staying, "\n".join([first, inner, last]))


def _fed(layer: AnyLayer, first: str, step: str, last: str) -> str:
    x = layer.input(0)
    names = axis_names(len(x.shape))
    sizes = [
        fill(_SIZES, name=name, axis=axis, size=size)
        for axis, (name, size) in enumerate(zip(names, x.shape, strict=True))
        if size > 1
    ]
    inner = _nested(x, names, "go", step.replace("$x", _place(x, names)))
    return fill(
        _C["fed"],
        rank=len(names),
        count=layer.input(1).size,
        sizes="\n".join(sizes),
        kept=" * ".join(f"stay_{n}" for n, size in zip(names, x.shape, strict=True) if size > 1)
        or "1",
        size=layer.output.size,
        loops=_nested(x, names, "stay", "\n".join([first, inner, last])),
    )


def _place(x: Value, names: list[str]) -> str:
    terms = [
        f"({name} + in_{name}) * {step}"
        for name, step in zip(names, strides_of(x.shape), strict=True)
        if step
    ]
    return f"x[{' + '.join(terms) or '0'}]"


def _nested(x: Value, names: list[str], kind: str, body: str) -> str:
    """``body`` in a loop for every axis, over what stays of it or what goes."""
    for name, size in reversed(list(zip(names, x.shape, strict=True))):
        if size == 1:
            continue
        i = name if kind == "stay" else f"in_{name}"
        body = f"for (int32_t {i} = 0; {i} < {kind}_{name}; ++{i}) {{\n{indented(body)}\n}}"
    return body
