"""UNIDIRECTIONAL_SEQUENCE_LSTM: a standard LSTM, whose states are variable tensors of the arena.

A unit's four gates are computed one after the other. What a step gives is the hidden state of the
next one, so that is read from the output, and there is no scratch memory. Facts: TFLM
``micro/kernels/lstm_eval.h`` and ``lstm_eval_common.cc``.
"""

from __future__ import annotations

from collections.abc import Callable

from arenite.c_text import fill, float_literal, templates
from arenite.firmware.kernels.portable.activation import sigmoid_table
from arenite.firmware.kernels.portable.elements import is_float, require_numbers
from arenite.firmware.kernels.portable.elementwise_loop import c_type, work_of
from arenite.firmware.kernels.portable.sums import Sums, plus
from arenite.firmware.network.kernel import Arrays, Work
from arenite.firmware.network.layers import Layer
from arenite.ops.shared.lstm import GateParams, LstmParams, ProductParams, tanh_scaling

INPUT, HIDDEN, CELL = 0, 18, 19
#: Inputs of the gates in the order of the parameters: weights, recurrent weights, bias.
GATES = {"forget": (2, 6, 13), "input": (1, 5, 12), "output": (4, 8, 15), "update": (3, 7, 14)}

_C = templates(__name__)


def lstm(layer: Layer[LstmParams]) -> Work:
    """All time steps of all batches."""
    require_numbers(layer, inputs=1)
    p: LstmParams = layer.params
    gates, update = _float_parts(layer) if is_float(layer.output) else integer_parts(layer, _sums)
    body = fill(
        _C["sequence"],
        element=c_type(layer.output),
        place=f"(t * {p.batches} + b)" if p.time_major else f"(b * {p.steps} + t)",
        gates=gates,
        update=update,
        **{"batches": p.batches, "steps": p.steps, "inputs": p.inputs, "units": p.units},
    )
    arrays: Arrays = {"x": layer.input(INPUT)}
    for gate, positions in GATES.items():
        for position, role in zip(positions, ("weights", "recurrent", "bias"), strict=True):
            arrays[f"{gate}_{role}"] = layer.input(position)
    if not is_float(layer.output):
        arrays["table"] = sigmoid_table()
    for name, state in (("hidden", layer.input(HIDDEN)), ("cell", layer.input(CELL))):
        arrays[f"{c_type(state)} *{name}"] = state
    return work_of(layer, body, arrays, stem="lstm")


def _gate(p: LstmParams, gate: str, sums: Sums, numbers: GateParams) -> str:
    """The two sums of a gate."""
    is_integer = sums.total != "float"
    x = plus("now[i]", p.input_offset) if is_integer else "now[i]"
    hidden = plus("last[i]", p.hidden_offset) if is_integer else "last[i]"
    w = plus(f"{gate}_weights[u * {p.inputs} + i]", numbers.input_weights_offset)
    r = plus(f"{gate}_recurrent[u * {p.units} + i]", numbers.recurrent_weights_offset)
    return fill(
        _C["gate"],
        gate=gate,
        total=sums.total,
        start=f"{gate}_bias[u]" if is_integer else "0.0f",
        add_input=sums.add(x, w, f"{gate}_now"),
        add_hidden=sums.add(hidden, r, f"{gate}_last"),
        **{"inputs": p.inputs, "units": p.units},
    )


# -- floats -------------------------------------------------------------------------------


def _float_parts(layer: Layer[LstmParams]) -> tuple[str, str]:
    """The gates and the update of a unit."""
    p: LstmParams = layer.params
    lines = []
    for gate, numbers in zip(GATES, p.gates, strict=True):
        lines.append(_gate(p, gate, Sums("float", "", ""), numbers))
        total = f"ar_finite({gate}_now + {gate}_bias[u]) + ar_finite({gate}_last)"
        if gate == "update":
            opened = f"ar_tanh({total})" if p.cell_gate_tanh else total
        else:
            opened = f"ar_logistic({total})"
        lines.append(f"const float opened_{gate} = {opened};")
    clip = "/* the state is not clipped */"
    if p.cell_clip > 0:
        most = float_literal(p.cell_clip)
        clip = f"state = ar_clamp_float(state, -{most}, {most});"
    return "\n".join(lines), fill(_C["float_update"], units=p.units, clip=clip)


# -- integers -----------------------------------------------------------------------------


def _sums(p: LstmParams, gate: str, numbers: GateParams) -> str:
    total = "int64_t" if p.accumulates_64_bits else "int32_t"
    return _gate(p, gate, Sums(total, "", ""), numbers)


def integer_parts(
    layer: Layer[LstmParams], sums: Callable[[LstmParams, str, GateParams], str]
) -> tuple[str, str]:
    """The gates, in units of 2^-15, and the update of a unit.

    ``sums`` gives the lines that declare a gate's two sums: ``forget_now``, ``forget_last``.
    """
    p: LstmParams = layer.params
    rescale = "ar_rescale_wide" if p.accumulates_64_bits else "ar_rescale"
    lines = []
    for gate, numbers in zip(GATES, p.gates, strict=True):
        lines.append(sums(p, gate, numbers))
        now = f"{rescale}({gate}_now, {numbers.input_multiplier}, {numbers.input_shift})"
        last = f"{rescale}({gate}_last, {numbers.recurrent_multiplier}, {numbers.recurrent_shift})"
        total = _int16(f"{_int16(now)} + {_int16(last)}")
        if gate != "update":
            opened = f"ar_logistic_int16(table, {total} * 3)"
        else:
            opened = f"ar_tanh_int16(table, {total} * 3)" if p.cell_gate_tanh else total
        lines.append(f"const int32_t opened_{gate} = {opened};")
    low, high = -32768, 32767
    if p.cell_clip > 0:
        low, high = -p.quantized_cell_clip, p.quantized_cell_clip
    multiplier, shift = tanh_scaling(p.cell_scale_power)
    update = fill(
        _C["integer_update"],
        **{"units": p.units, "element": c_type(layer.output), "low": low, "high": high},
        **{"multiplier": multiplier, "shift": shift},
        forget_times_cell=_product(p.forget_times_cell, f"opened_forget * cell[b * {p.units} + u]"),
        input_times_cell=_product(p.input_times_cell, "opened_input * opened_update"),
        tanh_times_output=_product(p.tanh_times_output, "squashed * opened_output"),
    )
    return "\n".join(lines), update


def _int16(text: str) -> str:
    return f"ar_clamp({text}, -32768, 32767)"


def _product(p: ProductParams, text: str) -> str:
    scaled = f"ar_rescale({text}, {p.multiplier}, {p.shift})"
    return f"ar_clamp_offset({scaled}, {p.output_offset}, {p.output_min}, {p.output_max})"


KERNELS = {"UNIDIRECTIONAL_SEQUENCE_LSTM": lstm}
