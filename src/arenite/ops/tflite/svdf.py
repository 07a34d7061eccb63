"""SVDF: a singular value decomposition filter, a fully connected layer with memory.

Each filter weighs the input (``weights_feature``), keeps its last results in the
activation state, weighs those over time (``weights_time``) and is summed with the other
filters of its unit. Facts: TFLM ``micro/kernels/svdf_common.cc``, ``svdf.h`` and
``activation_utils.h``.

Undefined in TFLM: weights with a zero point. They are computed with as if it were 0, with a
warning.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT16, INT32
from arenite.numeric.fixedpoint import wrap_int32
from arenite.numeric.product import matrix_product
from arenite.ops import Array, Context, Node, Registration, Struct, TfLiteTensor, Traits
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.kernel_util import Activation
from arenite.ops.scheme import Bias, Scheme, State, Weights
from arenite.ops.shared.rescaling import Rescaling

INPUT, WEIGHTS_FEATURE, WEIGHTS_TIME, BIAS, STATE = range(5)


class SVDFOptions(OptionsTable, union=6):
    """``table SVDFOptions``."""

    rank: int = slot(0, "int32")
    fused_activation_function: int = slot(1, "int8")
    asymmetric_quantize_inputs: bool = slot(2, "bool", False)


@dataclass(frozen=True)
class SvdfParams:
    """Sizes; for integers offsets, two requantisations and the state's range.

    ``feature_*`` scales a filter's product, to which ``filter_bias`` is added, to the state,
    ``time_*`` a unit's sum to the output.
    """

    batches: int
    filters: int
    memory: int
    rank: int
    activation: int
    input_zero_point: int
    state_zero_point: int
    output_zero_point: int
    feature_multiplier: int
    feature_shift: int
    time_multiplier: int
    time_shift: int
    state_min: int
    state_max: int
    filter_scratch: int
    unit_scratch: int
    filter_bias: int = 0


OP_DATA = Struct("OpDataSvdf", ("int32", "int32", *("int",) * 7))


def types_match(node: c.NodeView) -> bool:
    """All tensors are float32, or all are integers.

    Integers are an int8 input, feature weights and output, an int32 bias, and time weights
    and a state that are both int8 or both int16.
    """
    types = [tensor.type for tensor in (*node.inputs, *node.outputs) if tensor]
    if types[INPUT] is FLOAT32:
        return set(types) == {FLOAT32}
    return (
        types[WEIGHTS_TIME] in (INT8, INT16)
        and types[STATE] is types[WEIGHTS_TIME]
        and types[BIAS] is INT32
        and types[:2] == [INT8] * 2
        and types[-1] is INT8
    )


def rank_divides(node: c.NodeView) -> bool:
    """The rank is at least 1 and divides the number of filters."""
    filters: int = node.input(WEIGHTS_FEATURE).shape[0]
    return bool(node.options.rank >= 1) and filters % node.options.rank == 0


def shapes_match(node: c.NodeView) -> bool:
    """The shapes fit each other.

    They are input [batches, inputs], feature weights [filters, inputs], time weights
    [filters, memory], bias [units], state [batches, filters * memory] and output
    [batches, units], with at least 1 filter and 1 step of memory.
    """
    batches, inputs = node.input(INPUT).shape
    filters, memory = node.input(WEIGHTS_TIME).shape
    units = filters // node.options.rank
    return (
        min(filters, memory) >= 1
        and node.input(WEIGHTS_FEATURE).shape == (filters, inputs)
        and node.input(BIAS).shape[:1] == (units,)
        and node.input(BIAS).size >= units
        and node.input(STATE).shape == (batches, filters * memory)
        and node.output(0).shape == (batches, units)
    )


def state_is_variable(node: c.NodeView) -> bool:
    """The activation state (input 4) is a variable tensor."""
    return node.input(STATE).is_variable


def prepare(context: Context, node: Node) -> SvdfParams:
    """Requantisation, and scratch for one int32 or float per filter and per unit."""
    options: SVDFOptions = node.options
    tensors = [util.input_tensor(context, node, index) for index in range(5)]
    inp, weights_feature, weights_time, _, state = tensors
    output = util.output_tensor(context, node)
    batches, filters = inp.shape[0], weights_feature.shape[0]
    units = filters // options.rank
    context.resize_tensor(output.index, (batches, units), "refused")

    is_float = inp.type is FLOAT32
    feature = time = (0, 0)
    if not is_float:
        util.warn_of_zero_points(context, weights_feature, weights_time)
        feature, time = _multipliers(context, tensors, output)
    filter_scratch = context.request_scratch_buffer_in_arena(4 * batches * filters, "filters")
    unit_scratch = -1
    if not is_float:
        unit_scratch = context.request_scratch_buffer_in_arena(4 * batches * units, "units")
    low, high = util.QUANTIZED_RANGE.get(state.type, (0, 0))
    return SvdfParams(
        batches=batches,
        filters=filters,
        memory=weights_time.shape[1],
        rank=options.rank,
        activation=options.fused_activation_function,
        input_zero_point=inp.zero_point,
        state_zero_point=state.zero_point,
        output_zero_point=output.zero_point,
        feature_multiplier=feature[0],
        feature_shift=feature[1],
        time_multiplier=time[0],
        time_shift=time[1],
        state_min=low,
        state_max=high,
        filter_scratch=filter_scratch,
        unit_scratch=unit_scratch,
    )


def _multipliers(
    context: Context, tensors: list[TfLiteTensor], output: TfLiteTensor
) -> tuple[tuple[int, int], tuple[int, int]]:
    """The two real multipliers, computed as doubles as TFLM's package does, quantised."""
    inp, feature, time, bias, state = (tensor.scale for tensor in tensors)
    if abs(bias - state * time) >= 1e-5:
        context.report_error(
            "the bias's scale must be the state's scale times the time weights' scale = "
            f"{state * time:.6g} (to within 1e-5), got {bias:.6g}"
        )
    to_state = util.scale_ratio(inp * feature, state)
    to_output = util.scale_ratio(state * time, output.scale)
    return (
        util.requantization(context, to_state, "input * feature weights / state"),
        util.requantization(context, to_output, "state * time weights / output"),
    )


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    params: SvdfParams = node.params
    x, weights_feature, weights_time, bias, state = (
        util.input_array(context, node, index) for index in range(5)
    )
    out = util.output_array(context, node)
    history = state.reshape(params.batches, params.filters, params.memory)
    history[..., :-1] = history[..., 1:]
    if x.dtype == np.float32:
        svdf_float(params, x, weights_feature, weights_time, bias, state=history, out=out)
        return
    kernel = node.host.get("kernel")
    if kernel is None:
        kernel = node.host["kernel"] = IntegerSvdf(params)
    feature = _float_constant(node, "feature", weights_feature)
    time = _float_constant(node, "time", weights_time)
    kernel.step(x, feature, time, bias, state=history, out=out)


class IntegerSvdf:
    """The kernel for int8 input with an int8 or int16 state."""

    def __init__(self, params: SvdfParams) -> None:
        self._params = params
        self._to_state = Rescaling(params.feature_multiplier, params.feature_shift)
        self._to_output = Rescaling(params.time_multiplier, params.time_shift)

    def step(
        self, x: Array, feature: Array, time: Array, bias: Array, *, state: Array, out: Array
    ) -> None:
        """One step; sums of products are exact in float64 up to 2**53.

        ``state`` is ``(batches, filters, memory)``, oldest first, with room for the newest
        value at its end; where the zero point carries that over the type's range it wraps.
        """
        params = self._params
        centred = np.subtract(x, params.input_zero_point, dtype=np.float64)
        sums = matrix_product(centred, feature.T).astype(np.int64) + params.filter_bias
        newest = self._to_state(wrap_int32(sums))
        newest = np.minimum(np.maximum(newest, params.state_min), params.state_max)
        state[..., -1] = (newest + params.state_zero_point).astype(state.dtype)

        centred = np.subtract(state, params.state_zero_point, dtype=np.float64)
        filtered = np.einsum("bfm,fm->bf", centred, time).astype(np.int64)
        units = filtered.reshape(params.batches, -1, params.rank).sum(axis=2)
        units += bias.reshape(-1)[: units.shape[1]]
        scaled = wrap_int32(self._to_output(wrap_int32(units)) + params.output_zero_point)
        out[...] = np.minimum(np.maximum(scaled, -128), 127)


def svdf_float(
    params: SvdfParams,
    x: Array,
    feature: Array,
    time: Array,
    bias: Array,
    *,
    state: Array,
    out: Array,
) -> None:
    """One step on floats; see :meth:`IntegerSvdf.step`.

    Sums are float32 and in TFLM's order: a sum near zero shows every rounding.
    """
    with np.errstate(all="ignore"):
        state[..., -1] = _sum(x[:, None, :] * feature)
        filtered = _sum(state * time).reshape(params.batches, -1, params.rank)
        start = np.broadcast_to(
            bias.reshape(-1)[: filtered.shape[1], None], filtered[..., :1].shape
        )
        out[...] = _activate(params.activation, _sum(np.concatenate([start, filtered], axis=2)))


def _sum(x: Array) -> Array:
    """The sum over the last axis, one number after the other in the type of ``x``."""
    total: Array = np.add.accumulate(x, axis=-1)[..., -1]
    return total


def _activate(activation: int, x: Array) -> Array:
    """``ActivationValFloat``: it knows more functions than other fused activations do."""
    match activation:
        case Activation.RELU:
            return np.fmax(x, 0)
        case Activation.RELU_N1_TO_1:
            return np.fmax(np.fmin(x, 1), -1)
        case Activation.RELU6:
            return np.fmax(np.fmin(x, 6), 0)
        case Activation.TANH:
            return np.tanh(x)
        case Activation.SIGN_BIT:
            return np.signbit(x)
        case _:
            return x


def _float_constant(node: Node, key: str, weights: Array) -> Array:
    """Weights as float64; constants are converted once."""
    kept: Array | None = node.host.get(key)
    if kept is not None:
        return kept
    converted = weights.astype(np.float64)
    if not weights.flags.writeable:
        node.host[key] = converted
    return converted


REGISTRATION = Registration(
    init=util.allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    options=SVDFOptions,
    builtin_data=Struct("TfLiteSVDFParams", ("int", "enum", "bool")),
    constraints=(
        *c.counts(5, 1),
        types_match,
        c.rank(INPUT, 2),
        c.rank(WEIGHTS_FEATURE, 2),
        c.rank(WEIGHTS_TIME, 2),
        rank_divides,
        shapes_match,
        state_is_variable,
    ),
)

TRAITS = Traits(effect="state", drawn="dense", takes_decoded=True)

SCHEME = Scheme(
    types=(INT8,),
    weights={
        WEIGHTS_FEATURE: Weights(columns=1),
        WEIGHTS_TIME: Weights(types=(INT16,)),
    },
    biases={BIAS: Bias(STATE, WEIGHTS_TIME)},
    states={STATE: State()},
    # Integers know no activation: what clamps is the output's range.
    activations=(Activation.NONE, Activation.RELU, Activation.RELU_N1_TO_1, Activation.RELU6),
)
