"""The arithmetic of a standard LSTM over a sequence, on integers and on floats.

Facts: TFLM ``micro/kernels/lstm_eval.h`` and ``lstm_eval.cc``. TFLM runs one gate after
the other; here the four gates' weights stand side by side, and the input's part of all
time steps is one matrix product. No result depends on that order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from arenite.numeric import lut
from arenite.numeric.fixedpoint import Int64Array, wrap_int32
from arenite.numeric.product import matrix_product
from arenite.ops.context import Array
from arenite.ops.kernel_util import FLOAT32_LOWEST, FLOAT32_MAX
from arenite.ops.shared.rescaling import Rescaling

INT16_MIN, INT16_MAX = -32768, 32767


@dataclass(frozen=True)
class GateParams:
    """Requantisation of a gate's two matrix products to units of ``2**-12``."""

    input_weights_offset: int
    input_multiplier: int
    input_shift: int
    recurrent_weights_offset: int
    recurrent_multiplier: int
    recurrent_shift: int


@dataclass(frozen=True)
class ProductParams:
    """Requantisation of an elementwise product, and its result's range."""

    multiplier: int
    shift: int
    output_offset: int
    output_min: int
    output_max: int


@dataclass(frozen=True)
class LstmParams:
    """Parameters of the kernels. The gates are forget, input, output and cell, in this order.

    ``cell_scale_power`` is the cell state's scale as a power of two, ``cell_clip`` the
    bound of its magnitude if positive (``quantized_cell_clip`` for integers). The cell gate
    goes through tanh or, like release builds of TFLM with any other activation, through
    nothing (debug builds abort). What ``is_cmsis_nn`` changes says
    ``libraries/cmsis_nn/operators/unidirectional_sequence_lstm.py``.
    """

    time_major: bool
    batches: int
    steps: int
    inputs: int
    units: int
    input_offset: int
    hidden_offset: int
    gates: tuple[GateParams, ...]
    forget_times_cell: ProductParams
    input_times_cell: ProductParams
    tanh_times_output: ProductParams
    cell_gate_tanh: bool
    accumulates_64_bits: bool
    cell_scale_power: int
    cell_clip: float
    quantized_cell_clip: int
    scratch: tuple[int, ...]
    is_cmsis_nn: bool = False


@dataclass(frozen=True)
class LstmWeights:
    """The gates' weights side by side, offsets added, as float64; one bias for each.

    ``inputs`` is ``(inputs, 4 * units)``, ``recurrent`` ``(units, 4 * units)``.
    """

    inputs: Array
    recurrent: Array
    bias: Array


class IntegerLstm:
    """An LSTM on int8 or int16 activations with int8 weights and an int16 cell state."""

    def __init__(self, params: LstmParams) -> None:
        self._params = params
        wide, units = params.accumulates_64_bits, params.units

        def gates(multiplier: str, shift: str) -> Rescaling:
            pairs = [(getattr(g, multiplier), getattr(g, shift)) for g in params.gates]
            multipliers, shifts = np.repeat(np.array(pairs, np.int64), units, axis=0).T
            return Rescaling(multipliers, shifts, wide)

        self._rescale_input = gates("input_multiplier", "input_shift")
        self._rescale_hidden = gates("recurrent_multiplier", "recurrent_shift")
        self._forget_times_cell = _product(params.forget_times_cell)
        self._input_times_cell = _product(params.input_times_cell)
        self._tanh_times_output = _product(params.tanh_times_output)
        self._cell_tanh = int16_table("tanh", *tanh_scaling(params.cell_scale_power))
        self._cell_range = INT16_MIN, INT16_MAX
        if params.cell_clip > 0:
            self._cell_range = -params.quantized_cell_clip, params.quantized_cell_clip

    def run(self, weights: LstmWeights, x: Array, hidden: Array, cell: Array, out: Array) -> None:
        """All time steps of ``x`` ``(steps, batches, inputs)``.

        Updates ``hidden`` and ``cell`` ``(batches, units)`` and fills ``out`` ``(steps,
        batches, units)``. Sums of products are exact in float64 up to 2**53.
        """
        params, units = self._params, self._params.units
        sigmoid, tanh = int16_table("logistic", 0, 0), int16_table("tanh", 0, 0)
        low, high = self._cell_range
        shifted = np.add(x, params.input_offset, dtype=np.float64)
        acc = matrix_product(shifted, weights.inputs).astype(np.int64) + weights.bias
        from_input = _clip_int16(self._rescale_input(self._accumulated(acc)))
        if params.is_cmsis_nn:
            cell[...], hidden[...] = 0, -params.hidden_offset
        state = cell.astype(np.int64)
        centred = np.add(hidden, params.hidden_offset, dtype=np.float64)
        for step in range(params.steps):
            acc = self._accumulated(matrix_product(centred, weights.recurrent).astype(np.int64))
            gates = self._rescale_hidden(acc)
            if not params.is_cmsis_nn:
                gates = _clip_int16(gates)
            gates += from_input[step]
            gates = _clip_int16(gates)
            # A negative index counts from the table's end, which is where it belongs.
            opened = sigmoid[gates[:, : 3 * units]]
            candidate = gates[:, 3 * units :]
            if params.cell_gate_tanh:
                candidate = tanh[candidate]
            elif params.is_cmsis_nn:
                candidate = sigmoid[candidate]
            state = self._forget_times_cell(opened[:, :units] * state)
            state += self._input_times_cell(opened[:, units : 2 * units] * candidate)
            state = np.minimum(np.maximum(state, low), high)
            result = self._tanh_times_output(self._cell_tanh[state] * opened[:, 2 * units :])
            out[step] = result
            np.add(result, params.hidden_offset, out=centred)
        if params.is_cmsis_nn:
            return
        cell[...] = state
        hidden[...] = centred - params.hidden_offset

    def _accumulated(self, acc: Int64Array) -> Int64Array:
        return acc if self._params.accumulates_64_bits else wrap_int32(acc)


def _product(params: ProductParams) -> Callable[[Int64Array], Int64Array]:
    rescale = Rescaling(params.multiplier, params.shift, wide=False)

    def product(x: Int64Array) -> Int64Array:
        scaled = wrap_int32(rescale(x) + params.output_offset)
        return np.minimum(np.maximum(scaled, params.output_min), params.output_max)

    return product


def _clip_int16(x: Int64Array) -> Int64Array:
    np.maximum(x, INT16_MIN, out=x)
    return np.minimum(x, INT16_MAX, out=x)


def tanh_scaling(scale_power: int) -> tuple[int, int]:
    """Multiplier and shift with which TFLM's int16 tanh reads scale ``2**scale_power``."""
    shift = 12 + scale_power
    return (0, shift) if shift >= 0 else (3, -shift)


@cache
def int16_table(function: str, multiplier: int, shift: int) -> Int64Array:
    """A function of :mod:`arenite.numeric.lut` for 0 .. 32767, then for -32768 .. -1."""
    x = np.arange(1 << 16, dtype=np.uint16).view(np.int16)
    table: Int64Array = getattr(lut, f"{function}_int16")(x, multiplier, shift)
    table.flags.writeable = False
    return table


def run_float(
    params: LstmParams, weights: LstmWeights, x: Array, *, hidden: Array, cell: Array, out: Array
) -> None:
    """All time steps on float32; see :meth:`IntegerLstm.run` for the shapes.

    Matrix products are summed in float64, all else is float32 as in TFLM.
    """
    units = params.units
    from_input = _finite(matrix_product(x, weights.inputs) + weights.bias)
    for step in range(params.steps):
        gates = _finite(matrix_product(hidden, weights.recurrent))
        gates += from_input[step]
        opened = _logistic(gates[:, : 3 * units])
        candidate = gates[:, 3 * units :]
        if params.cell_gate_tanh:
            candidate = np.tanh(candidate)
        cell[...] = _finite(opened[:, :units] * cell)
        cell += _finite(opened[:, units : 2 * units] * candidate)
        if params.cell_clip > 0:
            clip = np.float32(params.cell_clip)
            np.maximum(np.fmin(clip, cell), -clip, out=cell)
        hidden[...] = _finite(np.tanh(cell) * opened[:, 2 * units :])
        out[step] = hidden


def _finite(x: Array) -> npt.NDArray[np.float32]:
    """As float32, infinities clamped as TFLM's "no activation" range does."""
    clamped: npt.NDArray[np.float32] = np.clip(
        x.astype(np.float32), np.float32(FLOAT32_LOWEST), np.float32(FLOAT32_MAX)
    )
    return clamped


def _logistic(x: Array) -> Array:
    """TFLM's float logistic (``reference/logistic.h``): ``exp(x)`` below -9."""
    return np.where(x < -9, np.exp(x), 1 / (1 + np.exp(-x)))
