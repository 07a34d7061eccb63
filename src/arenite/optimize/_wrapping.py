"""Whether an element-wise operator's or a reduction's 32-bit integers may wrap.

Where they cannot, ADD, SUB, MUL, MEAN and SUM rise or fall with each of their inputs: products and
sums do, and so does a product with a multiplier from 0, rounded in whatever way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arenite.numeric.fixedpoint import bare_shift
from arenite.ops.shared.add_sub import AddSubParams
from arenite.ops.shared.mul_div import MulDivParams
from arenite.ops.shared.reduction import ReductionParams
from arenite.optimize._intervals import Interval

_LIMIT = 2.0**31


def may_wrap(params: Any, operands: Sequence[Interval], count: int) -> bool:
    """Whether anything wraps, or falls where it should rise.

    ``params`` are the prepared node's, ``count`` the inputs that are summed to one output.
    Operators whose parameters are no such record only compare and move values.
    """
    if isinstance(params, AddSubParams | MulDivParams) and len(operands) != 2:
        return True  # floats have no ranges
    if isinstance(params, AddSubParams):
        return _add_sub_wraps(params, operands)
    if isinstance(params, MulDivParams):
        return _mul_wraps(params, operands)
    if isinstance(params, ReductionParams):
        return _reduction_wraps(params, operands, count)
    return False


def _add_sub_wraps(params: AddSubParams, operands: Sequence[Interval]) -> bool:
    scales = (
        (params.input1_multiplier, params.input1_shift),
        (
            params.input2_multiplier,
            params.input2_shift,
        ),
    )
    offsets = (params.input1_offset, params.input2_offset)
    largest = (_largest(*pair) for pair in zip(operands, offsets, strict=True))
    shifted = [size * 2.0**params.left_shift for size in largest]
    total = sum(_scaled(size, *scale) for size, scale in zip(shifted, scales, strict=True))
    result = _scaled(total, params.output_multiplier, params.output_shift)
    is_negative = min(params.output_multiplier, *(multiplier for multiplier, _ in scales)) < 0
    return is_negative or max(*shifted, total, result + abs(params.output_offset)) >= _LIMIT


def _mul_wraps(params: MulDivParams, operands: Sequence[Interval]) -> bool:
    first, second = operands
    product = _largest(first, params.input1_offset) * _largest(second, params.input2_offset)
    return _requantisation_wraps(
        product, params.output_multiplier, params.output_shift, params.output_offset
    )


def _reduction_wraps(params: ReductionParams, operands: Sequence[Interval], count: int) -> bool:
    total = _largest(operands[0], -params.input_zero_point) * count
    return params.multiplier < 0 or _requantisation_wraps(
        total, params.multiplier, params.shift, params.output_zero_point
    )


def _requantisation_wraps(largest: float, multiplier: int, shift: int, zero_point: int) -> bool:
    left = largest * 2.0 ** max(int(bare_shift(shift)), 0)
    return max(largest, left, _scaled(largest, multiplier, shift) + abs(zero_point)) >= _LIMIT


def _largest(operand: Interval, offset: int) -> float:
    """Largest magnitude of a value and its offset; 0 of an empty tensor."""
    if operand.low.size == 0:
        return 0.0
    low, high = int(operand.low.min()) + offset, int(operand.high.max()) + offset
    return float(max(abs(low), abs(high)))


def _scaled(largest: float, multiplier: int, shift: int) -> float:
    """At least as large as the rounded product."""
    return float(np.ldexp(largest * abs(multiplier), int(bare_shift(shift)) - 31)) + 2
