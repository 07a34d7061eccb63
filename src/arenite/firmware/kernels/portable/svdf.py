"""SVDF: every filter weighs the input, remembers its last results and weighs those over time.

Facts: TFLM ``micro/kernels/svdf_common.cc`` and ``activation_utils.h``. The state moves up by one
place per inference; it lies in the arena as a variable tensor.
"""

from __future__ import annotations

from arenite.c_text import fill, templates
from arenite.firmware.kernels.portable.elements import is_float
from arenite.firmware.kernels.portable.elementwise_loop import c_type, work_of
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.kernels.portable.sums import plus, with_offset
from arenite.firmware.network.kernel import UnsupportedError, Work
from arenite.firmware.network.layers import Layer
from arenite.model import TensorType
from arenite.ops.kernel_util import Activation
from arenite.ops.tflite.svdf import SvdfParams

#: The input that it remembers by.
_STATE = 4

_C = templates(__name__)

#: Activations of floats, of which other operators know fewer.
_ACTIVATIONS: dict[int, str] = {
    Activation.NONE: "sum",
    Activation.RELU: "sum > 0.0f ? sum : 0.0f",
    Activation.RELU_N1_TO_1: "sum > 1.0f ? 1.0f : sum > -1.0f ? sum : -1.0f",
    Activation.RELU6: "sum > 6.0f ? 6.0f : sum > 0.0f ? sum : 0.0f",
    Activation.TANH: "ar_tanh(sum)",
    Activation.SIGN_BIT: "(float)(ar_bits_of_float(sum) >> 31)",
}


def svdf(layer: Layer[SvdfParams]) -> Work:
    """One step in time."""
    require_elements(layer)
    p, x = layer.params, layer.input(0)
    if x.type not in (TensorType.INT8, TensorType.FLOAT32):
        raise UnsupportedError(f"expected int8 or float32, got a tensor of {x.type}")
    text = fill(
        _C["step"],
        **{"batches": p.batches, "inputs": x.shape[1], "units": p.filters // p.rank},
        **{"rank": p.rank, "memory": p.memory},
        **(_of_floats(layer) if is_float(x) else _of_integers(layer)),
    )
    names = ("x", "feature", "time", "bias")
    arrays = {name: layer.input(i) for i, name in enumerate(names)}
    state = layer.input(_STATE)
    return work_of(layer, text, {**arrays, f"{c_type(state)} *state": state})


def _of_floats(layer: Layer[SvdfParams]) -> dict[str, str]:
    return {
        "total": "float",
        "weigh_input": fill("newest += x[i] * feature[f * $n + i];", n=layer.input(0).shape[1]),
        "stored": "newest",
        "weigh_time": fill("filtered += state[m] * time[f * $n + m];", n=layer.params.memory),
        "add": "sum += filtered;",
        "result": _ACTIVATIONS.get(layer.params.activation, "sum"),
    }


def _of_integers(layer: Layer[SvdfParams]) -> dict[str, str]:
    p, state = layer.params, c_type(layer.input(_STATE))
    x = plus("x[i]", -p.input_zero_point)
    weight = fill("feature[f * $n + i]", n=layer.input(0).shape[1])
    scaled = f"ar_rescale(newest, {p.feature_multiplier}, {p.feature_shift})"
    newest = f"ar_clamp({scaled}, {p.state_min}, {p.state_max})"
    kept = plus("state[m]", -p.state_zero_point)
    time = fill("time[f * $n + m]", n=p.memory)
    result = f"ar_rescale(sum, {p.time_multiplier}, {p.time_shift})"
    return {
        "total": "int32_t",
        "weigh_input": f"newest = ar_add(newest, ar_multiply({x}, {weight}));",
        "stored": f"({state})({plus(newest, p.state_zero_point)})",
        "weigh_time": f"filtered = ar_add(filtered, ar_multiply({kept}, {time}));",
        "add": "sum = ar_add(sum, filtered);",
        "result": f"(int8_t)ar_clamp({with_offset(result, p.output_zero_point)}, -128, 127)",
    }


KERNELS = {"SVDF": svdf}
