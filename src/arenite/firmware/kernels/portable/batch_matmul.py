"""BATCH_MATMUL: products of matrices, either of which may be transposed, of batches that broadcast.

Nothing is transposed in memory: operands are read in steps. Facts: TFLM
``reference/batch_matmul.h``.
"""

from __future__ import annotations

from collections.abc import Sequence

from arenite.c_text import fill, templates
from arenite.firmware.kernels.portable.elements import clamped, is_float, require_numbers
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.loops import broadcast_strides, nested, offset
from arenite.firmware.kernels.portable.sums import Sums, plus, with_offset
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import Layer, Value
from arenite.ops.tflite.batch_matmul import BatchMatMulParams

_C = templates(__name__)


def batch_matmul(layer: Layer[BatchMatMulParams]) -> Work:
    """All products of a batch, one after the other."""
    require_numbers(layer)
    a, b, y, p = layer.input(0), layer.input(1), layer.output, layer.params
    rows, columns = y.shape[-2:]
    depth = a.shape[-2 if p.adj_x else -1]
    row_step, left_step = (1, rows) if p.adj_x else (depth, 1)
    column_step, right_step = (depth, 1) if p.adj_y else (1, columns)
    sums = _sums(layer)
    left = f"a[left + row * {row_step} + c * {left_step}]"
    right = f"b[right + column * {column_step} + c * {right_step}]"
    batches = y.shape[:-2]
    text = fill(
        _C["product"],
        **{"rows": rows, "columns": columns, "depth": depth, "total": sums.total},
        left=_start(a, batches),
        right=_start(b, batches),
        add=sums.add(plus(left, p.lhs_offset), plus(right, p.rhs_offset)),
        result=sums.finish,
    )
    return work_of(layer, nested(batches, text), {"a": a, "b": b})


def _sums(layer: Layer[BatchMatMulParams]) -> Sums:
    """Sums, and the way to outputs, with one scale for all."""
    p = layer.params
    if is_float(layer.output):
        return Sums("float", "0.0f", "sum", is_packed=False)
    rescale, total = "ar_rescale", "int32_t"
    if p.accumulates_64_bits:
        rescale, total = "ar_rescale_wide", "int64_t"
    scaled = f"{rescale}(sum, {p.output_multiplier}, {p.output_shift})"
    return Sums(total, "0", clamped(layer, with_offset(scaled, p.output_offset)), is_packed=False)


def _start(value: Value, batches: Sequence[int]) -> str:
    """Where an operand's matrix of the current batch begins."""
    own, matrix = value.shape[:-2], value.shape[-2] * value.shape[-1]
    return offset([step * matrix for step in broadcast_strides(own, batches)])


KERNELS = {"BATCH_MATMUL": batch_matmul}
