"""Loops of TFLM's own kernels that reduce: sums, extremes, normalisations.

Facts: TFLM ``kernels/internal/reference/reduce.h``, ``arg_min_max.h``, ``cumsum.h``,
``softmax.h``, ``log_softmax.h``, ``l2normalization.h``.
"""

from __future__ import annotations

from math import prod

from arenite.libraries.cmsis_nn.cost.loops.kind import kernel_of, loops
from arenite.libraries.costs import Loop
from arenite.model import TensorType
from arenite.ops.constraints import NodeView


def reduce(view: NodeView) -> list[Loop]:
    """Every input value finds its sum through an index that counts up dimension by dimension."""
    shape, axes = view.input(0).shape, _axes(view)
    kernel, size, rank = kernel_of(view), view.input(0).size, len(shape)
    if _is_mean_over_an_image(view, axes):
        return loops(f"{kernel}, of images", {"value": size, "result": view.output(0).size})
    carries = sum(prod(shape[:axis]) for axis in range(rank))
    return loops(
        kernel,
        {
            "axis": len(axes),
            "result": view.output(0).size,
            "value": size,
            "value, dimension": size * rank,
            "value, axis": size * len(axes),
            "value, kept dimension": size * (rank - len(set(axes))),
            "carry": carries,
        },
    )


def _axes(view: NodeView) -> list[int]:
    data, rank = view.input(1).data, max(len(view.input(0).shape), 1)
    return [] if data is None else [int(axis) % rank for axis in data.ravel()]


def _is_mean_over_an_image(view: NodeView, axes: list[int]) -> bool:
    """float32 MEAN over height and width has loops of its own."""
    is_float = view.input(0).type is TensorType.FLOAT32
    of_image = len(view.input(0).shape) == 4 and sorted(axes) == [1, 2]
    return view.name == "MEAN" and is_float and of_image and bool(view.options.keep_dims)


def along_an_axis(view: NodeView) -> list[Loop]:
    """Line by line along one axis."""
    shape, data = view.input(0).shape, view.input(1).data
    axis = 0 if data is None or not shape else int(data.ravel()[0]) % len(shape)
    outer, inner = prod(shape[:axis]), prod(shape[axis + 1 :])
    times = {"block": outer, "line": outer * inner, "value": view.input(0).size}
    return loops(kernel_of(view), {**times, "dimension": len(shape)})


def extreme(view: NodeView) -> list[Loop]:
    """ARG_MAX, ARG_MIN: of n values in random order 1 + 1/2 + ... + 1/n are a new extreme."""
    shape = view.input(0).shape
    found = along_an_axis(view)
    lines = next(loop.times for loop in found if loop.step == "line")
    size = view.input(0).size // max(lines, 1) if shape else 1
    records = round(lines * sum(1 / n for n in range(1, size + 1)))
    return [*found, Loop(kernel_of(view), "new extreme", records)]


def of_rows(view: NodeView) -> list[Loop]:
    """Row by row, each in several passes."""
    shape = view.input(0).shape
    rows = view.input(0).size // max(shape[-1], 1) if shape else 1
    return loops(kernel_of(view), {"row": rows, "value": view.input(0).size})


KERNELS = {
    **dict.fromkeys(("MEAN", "SUM", "REDUCE_ALL", "REDUCE_MAX", "REDUCE_MIN"), reduce),
    **dict.fromkeys(("ARG_MAX", "ARG_MIN"), extreme),
    "CUMSUM": along_an_axis,
    **dict.fromkeys(("SOFTMAX", "LOG_SOFTMAX", "L2_NORMALIZATION"), of_rows),
}
