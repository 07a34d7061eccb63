"""The end of U85's operations: scale and rounding, limits, tables.

Facts: Vela 5.2.0 regor ``ethos_u85_register_cs_generator.cpp`` (``GenerateActivation``,
``GenerateScalingForElementwise``), ``ethos_u85_interface.hpp``; ``tflite_graph_optimiser.cpp``
(``ConvertTanhSigmoidToLUT16``).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from arenite.npu.constants import SHARED_BUFFER
from arenite.npu.feature_map import Shape
from arenite.npu.layers import MOST_SHIFT, ONE_SCALE, PAIRS, TABLES, block_of
from arenite.npu.operations import Operand, Result, Rounding, Scale
from arenite.npu.registers import Registers
from arenite.npu.stream import StreamError
from arenite.npu.u85.maps import Reading, kept_sums, output_map
from arenite.numeric.lut import sigmoid_table

Int64 = npt.NDArray[np.int64]
#: Height and width of what the units compute at once, by ACC_FORMAT.
_UNITS = ((1, 1), (1, 2), (1, 4), (2, 2), (2, 4), (4, 4))
Curve = Literal["", "tanh", "logistic"]
#: By code.
_ROUNDINGS: tuple[Rounding, ...] = (
    *("double", "natural", "asymmetric"),
    *("symmetric", "truncate", "lower"),
)
_INPUT_ROUNDINGS: tuple[Literal["double", "natural"], ...] = ("double", "natural")
#: Functions of ACTIVATION by code: the type of an index and that of a value.
_FUNCTIONS = {
    **{1: ("uint8", "uint8"), 4: ("int8", "int8"), 5: ("int8", "int16"), 7: ("int8", "int32")},
    **{8: ("int16", "int16"), 10: ("int16", "int16"), 11: ("int16", "int16")},
}
_CURVES: dict[int, Curve] = {10: "tanh", 11: "logistic"}
#: Limits are those of the type.
_NO_LIMITS = 1 << 12
#: A half of what logistic tables hold.
_HALF = 1 << 15


def unit_of(reading: Reading) -> Shape:
    """Height, width and output channels that the units compute at once."""
    code = reading.registers.short("ACC_FORMAT") >> 8 & 7
    if code >= len(_UNITS):
        raise StreamError(f"expected units of 0 to {len(_UNITS) - 1}, got {code}")
    (height, width), accelerator = _UNITS[code], reading.accelerator
    depth = accelerator.macs // 8 // (height * width)
    return height, width, max(depth, 4 * accelerator.cores)


def operand(registers: Registers, name: str) -> Operand:
    """The scale of an input: shifted left first, and right by so much more."""
    multiplier, shift, left, rounding = _scale(registers, name)
    if rounding >= len(_INPUT_ROUNDINGS):
        raise StreamError(f"{name}: expected a rounding of 0 or 1, got {rounding}")
    if multiplier == 1 << shift:
        return Operand(1)
    return Operand(multiplier, shift + left, left, _INPUT_ROUNDINGS[rounding])


def _scale(registers: Registers, name: str) -> tuple[int, int, int, int]:
    """Multiplier, shift, shift to the left, and rounding."""
    how, multiplier = registers.long(name)
    if multiplier >> 31:
        raise StreamError(f"{name}: expected a multiplier of 31 bits, got {multiplier}")
    return multiplier, how & MOST_SHIFT, how >> 6 & 31, how >> 13


def result(reading: Reading, shape: Shape) -> Result:
    """Scale, zero point, limits, function and place of an output; or sums as they are."""
    registers = reading.registers
    kept = kept_sums(reading, shape)
    if kept is not None:
        info = np.iinfo(kept.dtype)
        limits = int(info.min), int(info.max)
        how = block_of(registers), True, unit_of(reading)
        return Result(kept, "natural", Scale(1, 0), 0, limits, "", None, 0, *how)
    target = output_map(reading, shape)
    multiplier, shift, left, rounding = _scale(registers, "OFM_SCALE")
    if rounding >= len(_ROUNDINGS) or left:
        raise StreamError(
            f"OFM_SCALE: expected a rounding of 0 to {len(_ROUNDINGS) - 1} and no shift to the "
            f"left, got {rounding} and {left}"
        )
    is_one = registers.short("OFM_PRECISION") & ONE_SCALE
    scale = Scale(multiplier, shift) if is_one else None
    limits, first, curve, table = _function(reading, target.dtype)
    # Inferred: int32 has no zero point unless through a table, as U55.
    is_narrow = target.dtype.itemsize < 4 or table is not None
    return Result(
        *(target, _ROUNDINGS[rounding], scale, target.zero_point if is_narrow else 0, limits),
        *(curve, table, first, block_of(registers), registers.short("ACC_FORMAT", 0) & 3 == 1),
        unit=unit_of(reading),
    )


def _function(
    reading: Reading, dtype: np.dtype[Any]
) -> tuple[tuple[int, int], int, Curve, Int64 | None]:
    """Limits before a table, what its first value is for, a curve, a table."""
    activation = reading.registers.short("ACTIVATION")
    code, number = activation & 31, activation >> 5 & 7
    index = dtype
    if code:
        if code not in _FUNCTIONS:
            codes = ", ".join(map(str, _FUNCTIONS))
            raise StreamError(f"expected a function of 0, {codes}, got {code}")
        index, value = map(np.dtype, _FUNCTIONS[code])
        if dtype != value:
            raise StreamError(f"expected {value} of function {code}, got {dtype}")
    limits = _limits(reading.registers, index, is_limited=not activation & _NO_LIMITS)
    first = int(np.iinfo(index).min)
    if not code:
        return limits, first, "", None
    if code in _CURVES:
        _check_curve(reading, _CURVES[code])
        return limits, first, _CURVES[code], None
    return limits, first, "", _table(reading, number, index, dtype)


def _limits(registers: Registers, dtype: np.dtype[Any], *, is_limited: bool) -> tuple[int, int]:
    info = np.iinfo(dtype)
    low, high = int(info.min), int(info.max)
    if not is_limited:
        return low, high
    read = registers.signed if low < 0 else registers.short
    low, high = max(low, read("ACTIVATION_MIN")), min(high, read("ACTIVATION_MAX"))
    if low > high:
        raise StreamError(f"expected a lower limit below the upper one, got {low} and {high}")
    return low, high


def _table(reading: Reading, number: int, index: np.dtype[Any], dtype: np.dtype[Any]) -> Int64:
    """Values, or pairs of base and slope."""
    if index.itemsize == 2:
        return _pairs(reading, number)
    size = 256 * dtype.itemsize
    begin, what = number * size, f"table {number}"
    if begin + size > TABLES:
        raise StreamError(f"{what}: bytes {begin} to {begin + size} are outside of {TABLES}")
    raw = reading.known.take(SHARED_BUFFER, begin, size, what)
    values: Int64 = raw.view(dtype.newbyteorder("<")).astype(np.int64)
    return values


def _pairs(reading: Reading, number: int) -> Int64:
    if number:
        raise StreamError(f"expected table 0 of pairs, got {number}")
    raw = reading.known.take(SHARED_BUFFER, 0, TABLES, "table 0")
    return raw.view("<i2").reshape(PAIRS, 2).astype(np.int64)


def _check_curve(reading: Reading, curve: Curve) -> None:
    """Tables of TANH and SIGMOID are TFLite's, between whose values is interpolated.

    The first slope is for what TFLite takes for the least, and not looked at.
    """
    place = np.arange(-(PAIRS // 2), PAIRS // 2)
    values, behind = (_table_of_curves(np.clip(place + step, -255, 255)) for step in (0, 1))
    slopes = np.maximum(behind - values, 0)
    found = _pairs(reading, 0)
    if (found[:, 0] != values).any() or (found[1:, 1] != slopes[1:]).any():
        raise StreamError(f"expected TFLite's table of {curve}, got another")


def _table_of_curves(place: Int64) -> Int64:
    """Values of the table's curves: those below 0 mirror those above."""
    half = np.asarray(sigmoid_table(), np.int64) - _HALF
    values: Int64 = np.sign(place) * half[np.abs(place)]
    return values
