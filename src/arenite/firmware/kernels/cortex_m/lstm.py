"""UNIDIRECTIONAL_SEQUENCE_LSTM of int8: sums of a unit's four gates at once.

The gates are the four filters of a row of inputs (:mod:`arenite.firmware.kernels.cortex_m.row`),
once for what comes in and once for the hidden state; what becomes of the sums is plain C.
"""

from __future__ import annotations

import numpy as np

from arenite.c_text import fill, templates
from arenite.firmware.kernels.cortex_m.row import sums_code
from arenite.firmware.kernels.cortex_m.sums import Int64s, Words, halfwords, words
from arenite.firmware.kernels.portable.activation import sigmoid_table
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.lstm import CELL, GATES, HIDDEN, INPUT, integer_parts
from arenite.firmware.kernels.portable.needs import constant_of, require_elements, require_types
from arenite.firmware.network.kernel import (
    Arrays,
    Constant,
    Routine,
    Scratch,
    UnsupportedError,
    Work,
)
from arenite.firmware.network.layers import Layer
from arenite.model import TensorType
from arenite.ops.shared.lstm import GateParams, LstmParams

_C = templates(__name__)
#: What is summed in the upper bytes of a word has 24 bits.
_REACH = 1 << 23


def lstm(layer: Layer[LstmParams]) -> Work:
    """The kernel for constant weights without zero points."""
    require_types(layer, TensorType.INT8, inputs=1)
    require_elements(layer)
    p = layer.params
    if any(one.input_weights_offset or one.recurrent_weights_offset for one in p.gates):
        raise UnsupportedError("weights with a zero point have no such kernel")
    biases = np.stack([_constant(layer, at[2]) for at in GATES.values()])
    now = _stream(_matrix(layer, 0), p.input_offset, biases.reshape(4, -1))
    last = _stream(_matrix(layer, 1), p.hidden_offset, np.zeros((4, p.units), np.int64))
    gates, update = integer_parts(layer, _sums)
    body = fill(
        _C["sequence"],
        place=f"(t * {p.batches} + b)" if p.time_major else f"(b * {p.steps} + t)",
        gates=gates,
        update=update,
        now_words=len(now) // p.units,
        last_words=len(last) // p.units,
        more=_padded(p.inputs),
        **{"batches": p.batches, "steps": p.steps, "inputs": p.inputs, "units": p.units},
    )
    return _work(layer, body, now, last)


def _work(layer: Layer[LstmParams], body: str, now: Words, last: Words) -> Work:
    inputs, units = _padded(layer.params.inputs), _padded(layer.params.units)
    parts = (("now", _four_sums(inputs)), ("last", _four_sums(units)))
    arrays: Arrays = {
        "x": layer.input(INPUT),
        "now_weights": Constant("weights", now),
        "last_weights": Constant("recurrent", last),
        "table": sigmoid_table(),
        "int16_t *wide": Scratch(2 * (inputs + units)),
        "int8_t *hidden": layer.input(HIDDEN),
        "int16_t *cell": layer.input(CELL),
    }
    return work_of(layer, body, arrays, stem="lstm", parts=parts)


def _four_sums(depth: int) -> Routine:
    parameters = ("const int16_t *x", "const uint32_t *stream", "int32_t *sums")
    about = f"{depth} inputs times the weights of four gates"
    return Routine("four_sums", parameters, sums_code(depth), language="s", about=about)


def _padded(count: int) -> int:
    """Inputs are read four at a time; what is behind them meets weights of 0."""
    return -(-count // 4) * 4


def _constant(layer: Layer[LstmParams], position: int) -> Int64s:
    values: Int64s = constant_of(layer.input(position), "weights").astype(np.int64)
    return values


def _matrix(layer: Layer[LstmParams], kind: int) -> Int64s:
    """Weights ``(gates, units, inputs)``: of what comes in, or of the hidden state."""
    units = layer.params.units
    found = [_constant(layer, at[kind]).reshape(units, -1) for at in GATES.values()]
    return np.stack(found)


def _stream(weights: Int64s, offset: int, biases: Int64s) -> Words:
    """Per unit four first sums and the weights of its gates, two gates in a halfword."""
    gates, units, count = weights.shape
    sums = biases + offset * weights.sum(axis=2)
    # The gates in the upper bytes of a word: whatever an int8 does to them.
    reach = (np.abs(sums) + 128 * np.abs(weights).sum(axis=2))[1::2].max()
    if reach >= _REACH:
        raise UnsupportedError(f"sums reach {reach}")
    padded = np.pad(weights, ((0, 0), (0, 0), (0, _padded(count) - count)))
    pairs = 256 * padded[1::2] + padded[0::2]
    if pairs.min() < -32768 or pairs.max() > 32767:
        raise UnsupportedError("two weights of -128 are neighbours")
    # (units, steps, pairs of gates, 2 inputs)
    steps = pairs.reshape(gates // 2, units, -1, 2).transpose(1, 2, 0, 3)
    parts = []
    for unit in range(units):
        low, high = sums[0::2, unit], sums[1::2, unit]
        parts += [words([*(256 * high + low).tolist(), *low.tolist()]), halfwords(steps[unit])]
    return np.concatenate(parts)


def _sums(p: LstmParams, gate: str, numbers: GateParams) -> str:
    at = list(GATES).index(gate)
    return f"const int32_t {gate}_now = sums[{at}], {gate}_last = sums[{at + 4}];"
