"""UNIDIRECTIONAL_SEQUENCE_LSTM: a standard LSTM (Keras' layer) over a sequence.

The hidden and the cell state are variable tensors: the next inference goes on where this
one ended.

Undefined in TFLM: the output of a model whose hidden or cell state has a scale of 0, or none. Here
it is the hidden state's zero point, as in TFLM's package.

Facts: TFLM ``micro/kernels/unidirectional_sequence_lstm.cc``,
``lstm_shared.h``, ``lstm_eval_common.cc`` and ``fully_connected_common.cc``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT16, INT32, INT64
from arenite.ops import Array, Context, Node, Registration, Struct, TfLiteTensor, Traits
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.kernel_util import Activation
from arenite.ops.scheme import Bias, Scheme, State, Weights
from arenite.ops.shared.convolution import accumulates_64_bits
from arenite.ops.shared.lstm import (
    GateParams,
    IntegerLstm,
    LstmParams,
    LstmWeights,
    ProductParams,
    run_float,
)
from arenite.ops.shared.sigmoid import checked_log2

# Positions among the 24 inputs; a gate has an input weight, a recurrent weight and a bias.
INPUT, HIDDEN_STATE, CELL_STATE = 0, 18, 19
INPUT_GATE, FORGET_GATE, CELL_GATE, OUTPUT_GATE = (1, 5, 12), (2, 6, 13), (3, 7, 14), (4, 8, 15)
GATES = (FORGET_GATE, INPUT_GATE, OUTPUT_GATE, CELL_GATE)
WEIGHTS, BIASES = range(1, 9), range(12, 16)
#: Peepholes, projection and layer normalisation, which TFLM does not run.
VARIANTS = frozenset({*range(9, 12), *range(16, 18), *range(20, 24)})

GATE_SCALE = 2.0**-12
UNIT_SCALE = 2.0**-15


class UnidirectionalSequenceLSTMOptions(OptionsTable, union=71):
    """``table UnidirectionalSequenceLSTMOptions``."""

    fused_activation_function: int = slot(0, "int8")
    cell_clip: float = slot(1, "float32", 0.0)
    proj_clip: float = slot(2, "float32", 0.0)
    time_major: bool = slot(3, "bool", False)
    asymmetric_quantize_inputs: bool = slot(4, "bool", False)
    diagonal_recurrent_tensors: bool = slot(5, "bool", False)


_FULLY_CONNECTED = Struct(
    "FullyConnectedParams",
    (*("int32",) * 4, "int", "int32", "int32", "float", "float", "bool", "bool", "uint8"),
)
_ARITHMETIC = Struct(
    "ArithmeticParams",
    (
        *("uint8", "int32", "int32", "int32", "int32", "int"),
        *("int", "int32", "int", "int32", "int"),
        *("int32", "int32", "float", "float", "int64", "int64", "int16", "int16"),
        ("int", 5),
    ),
)
OP_DATA = Struct(
    "OpDataLSTM",
    (
        Struct("LstmSizeInfo", ("bool", *("int",) * 4)),
        Struct("CellStateInfo", ("float", "int16", "int32")),
        "enum",
        (_FULLY_CONNECTED, 8),
        (_ARITHMETIC, 3),
        ("int", 4),
    ),
)
BUILTIN_DATA = Struct(
    "TfLiteUnidirectionalSequenceLSTMParams",
    ("enum", "float", "float", "bool", "bool", "bool"),
)


def standard_lstm(node: c.NodeView) -> bool:
    """It is a standard LSTM: without peepholes, projection and layer normalisation.

    Inputs 9 to 11, 16, 17 and 20 to 23 are absent.
    """
    return all(node.inputs[index] is None for index in VARIANTS)


def types_match(node: c.NodeView) -> bool:
    """All tensors are float32, or activations int8 or int16 and weights int8.

    Then the cell state is int16 and biases are int32 for int8 activations, int64 for int16.
    """
    kind = node.input(INPUT).type
    expected = {
        FLOAT32: (FLOAT32, FLOAT32, FLOAT32),
        INT8: (INT8, INT32, INT16),
        INT16: (INT8, INT64, INT16),
    }.get(kind)
    if expected is None:
        return False
    weights, bias, cell = expected
    return (
        node.output(0).type is kind
        and node.input(HIDDEN_STATE).type is kind
        and node.input(CELL_STATE).type is cell
        and all(node.input(index).type is weights for index in WEIGHTS)
        and all(node.input(index).type is bias for index in BIASES)
    )


def states_are_variable(node: c.NodeView) -> bool:
    """The hidden and the cell state (inputs 18 and 19) are variable tensors."""
    return node.input(HIDDEN_STATE).is_variable and node.input(CELL_STATE).is_variable


def shapes_match(node: c.NodeView) -> bool:
    """The shapes fit each other.

    They are input [batches, steps, inputs] (steps first if time_major), hidden state
    [batches, units], input weights [units, inputs], recurrent weights [units, units], biases
    [units], as many cells as hidden values, output [.., .., units] like the input.
    """
    shape, hidden = node.input(INPUT).shape, node.input(HIDDEN_STATE)
    if len(hidden.shape) < 2:
        return False
    batches, units = shape[1 if node.options.time_major else 0], hidden.shape[1]
    return (
        all(node.input(index).shape == (units, shape[2]) for index in range(1, 5))
        and all(node.input(index).shape == (units, units) for index in range(5, 9))
        and all(node.input(index).shape == (units,) for index in BIASES)
        and hidden.size == node.input(CELL_STATE).size == batches * units
        and len(node.output(0).shape) == 3
        and node.output(0).shape[2] == units
    )


def weights_have_one_scale(node: c.NodeView) -> bool:
    """Each weight tensor has one scale, not one per channel."""
    tensors = (node.input(index) for index in WEIGHTS)
    return not any(t.quantization and t.quantization.is_per_channel for t in tensors)


def prepare(context: Context, node: Node) -> LstmParams:
    """Sizes, requantisation of all products, four scratch buffers of one state each."""
    options: UnidirectionalSequenceLSTMOptions = node.options
    tensors = [util.optional_input_tensor(context, node, index) for index in range(24)]
    output = util.output_tensor(context, node)
    x, hidden, cell = (_present(tensors[index]) for index in (INPUT, HIDDEN_STATE, CELL_STATE))
    batches, steps = x.shape[:2]
    if options.time_major:
        batches, steps = steps, batches
    units = hidden.shape[1]
    context.resize_tensor(output.index, (*x.shape[:2], units), "refused")

    gates: tuple[GateParams, ...] = (_NO_GATE,) * 4
    products = (_NO_PRODUCT,) * 3
    scale_power = clip = 0
    if x.type is not FLOAT32:
        gates = tuple(_gate(context, tensors, gate) for gate in GATES)
        products = _products(context, hidden, cell)
        scale_power, clip = _cell_state(context, cell.scale, options.cell_clip)
    size = batches * units * cell.type.dtype.itemsize
    return LstmParams(
        time_major=options.time_major,
        batches=batches,
        steps=steps,
        inputs=x.shape[2],
        units=units,
        input_offset=-x.zero_point,
        hidden_offset=-hidden.zero_point,
        gates=gates,
        forget_times_cell=products[0],
        input_times_cell=products[1],
        tanh_times_output=products[2],
        cell_gate_tanh=options.fused_activation_function == Activation.TANH,
        accumulates_64_bits=x.type is INT16,
        cell_scale_power=scale_power,
        cell_clip=options.cell_clip,
        quantized_cell_clip=clip,
        scratch=tuple(
            context.request_scratch_buffer_in_arena(size, f"gate {number}") for number in range(4)
        ),
    )


_NO_GATE = GateParams(0, 0, 0, 0, 0, 0)
_NO_PRODUCT = ProductParams(0, 0, 0, 0, 0)


def _present(tensor: TfLiteTensor | None) -> TfLiteTensor:
    assert tensor is not None
    return tensor


def _gate(
    context: Context, tensors: list[TfLiteTensor | None], gate: tuple[int, int, int]
) -> GateParams:
    """A gate's two requantisations; TFLM's package multiplies the scales as doubles.

    Those of 64-bit sums are refused where C does not define them.
    """
    fields: list[int] = []
    for source, weights in ((INPUT, gate[0]), (HIDDEN_STATE, gate[1])):
        x, w = _present(tensors[source]), _present(tensors[weights])
        formula = f"of {x.name!r} * {w.name!r} / 2**-12"
        fields += (
            -w.zero_point,
            *util.requantization(context, x.scale * w.scale / GATE_SCALE, formula),
        )
    shifts = np.array(fields[2::3])
    accumulates_64_bits(context, _present(tensors[INPUT]).type, None, shifts)
    return GateParams(*fields)


def _products(
    context: Context, hidden: TfLiteTensor, cell: TfLiteTensor
) -> tuple[ProductParams, ProductParams, ProductParams]:
    """Forget gate * cell state, input gate * cell gate, tanh(cell state) * output gate."""

    def product(real: float, formula: str, output: TfLiteTensor, offset: int) -> ProductParams:
        pair = util.requantization(context, real, formula)
        return ProductParams(*pair, offset, *util.QUANTIZED_RANGE[output.type])

    unit, squared = UNIT_SCALE * cell.scale, UNIT_SCALE * UNIT_SCALE
    of_cell, of_hidden = (f"2**-30 / {state.name!r}" for state in (cell, hidden))
    return (
        product(util.scale_ratio(unit, cell.scale), f"2**-15 * {cell.name!r} / itself", cell, 0),
        product(util.scale_ratio(squared, cell.scale), of_cell, cell, 0),
        product(util.scale_ratio(squared, hidden.scale), of_hidden, hidden, hidden.zero_point),
    )


def _cell_state(context: Context, scale: float, clip: float) -> tuple[int, int]:
    """The cell state's scale as the nearest power of two, and the quantised clip.

    Without a scale the state stays 0, whose tanh is 0 at every power.
    """
    if not scale:
        return 0, 32767 if clip > 0 else 0
    power, _ = checked_log2(scale)
    if not -43 <= power <= 17:
        context.report_error(
            f"the cell state's scale must be between 2**-43 and 2**17, got {scale:.6g}"
        )
    return power, int(min(clip / scale, 32767.0)) if clip > 0 else 0


def invoke(context: Context, node: Node) -> None:
    """Order the sequence by time and dispatch on the element type."""
    params: LstmParams = node.params
    x, out = util.input_array(context, node, INPUT), util.output_array(context, node)
    shape = (params.batches, params.units)
    hidden = util.input_array(context, node, HIDDEN_STATE).reshape(shape)
    cell = util.input_array(context, node, CELL_STATE).reshape(shape)
    if not params.time_major:
        x, out = x.swapaxes(0, 1), out.swapaxes(0, 1)
    weights = _weights(context, node)
    if x.dtype == np.float32:
        with np.errstate(all="ignore"):
            run_float(params, weights, x, hidden=hidden, cell=cell, out=out)
        return
    kernel = node.host.get("kernel")
    if kernel is None:
        kernel = node.host["kernel"] = IntegerLstm(params)
    kernel.run(weights, x, hidden, cell, out)


def _weights(context: Context, node: Node) -> LstmWeights:
    """The weights as the kernels take them; constants are converted once."""
    kept: LstmWeights | None = node.host.get("weights")
    if kept is not None:
        return kept
    params: LstmParams = node.params
    inputs, recurrent, bias = (
        [util.input_array(context, node, gate[position]) for gate in GATES] for position in range(3)
    )
    weights = LstmWeights(
        inputs=_matrix(inputs, [gate.input_weights_offset for gate in params.gates]),
        recurrent=_matrix(recurrent, [gate.recurrent_weights_offset for gate in params.gates]),
        bias=np.concatenate([b if b.dtype == np.float32 else b.astype(np.int64) for b in bias]),
    )
    if not any(array.flags.writeable for array in (*inputs, *recurrent, *bias)):
        node.host["weights"] = weights
    return weights


def _matrix(gates: list[Array], offsets: list[int]) -> Array:
    """Weights ``(units, inputs)`` of all gates as one ``(inputs, gates * units)`` matrix."""
    rows = [np.add(w, offset, dtype=np.float64) for w, offset in zip(gates, offsets, strict=True)]
    return np.ascontiguousarray(np.concatenate(rows).T)


def cell_states(
    inputs: Sequence[Array], options: UnidirectionalSequenceLSTMOptions
) -> Mapping[int, Array]:
    """The cell state after every step of an inference on floats, for :attr:`Scheme.inner`."""
    x = inputs[INPUT] if options.time_major else inputs[INPUT].swapaxes(0, 1)
    shape = (x.shape[1], -1)
    hidden, cell = inputs[HIDDEN_STATE].reshape(shape), inputs[CELL_STATE].reshape(shape)
    seen = []
    for step in x:
        forget, write, read, new = (
            step @ inputs[w].T + hidden @ inputs[r].T + inputs[b] for w, r, b in GATES
        )
        candidate = np.tanh(new) if options.fused_activation_function == Activation.TANH else new
        cell = cell / (1 + np.exp(-forget)) + candidate / (1 + np.exp(-write))
        if options.cell_clip > 0:
            cell = np.clip(cell, -options.cell_clip, options.cell_clip)
        hidden = np.tanh(cell) / (1 + np.exp(-read))
        seen.append(cell)
    return {CELL_STATE: np.stack(seen)}


REGISTRATION = Registration(
    init=util.allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    options=UnidirectionalSequenceLSTMOptions,
    builtin_data=BUILTIN_DATA,
    constraints=(
        c.inputs_between(24, 24, optional=VARIANTS),
        c.outputs_exactly(1),
        standard_lstm,
        types_match,
        c.rank(INPUT, 3),
        states_are_variable,
        shapes_match,
        weights_have_one_scale,
    ),
)

TRAITS = Traits(effect="state", drawn="dense", takes_decoded=True)

SCHEME = Scheme(
    weights={
        **{index: Weights() for index in WEIGHTS},
        **{gate[0]: Weights(columns=1) for gate in GATES},
    },
    biases={gate[2]: Bias(INPUT, gate[0]) for gate in GATES},
    states={HIDDEN_STATE: State(like=0), CELL_STATE: State(power_of_two=True)},
    inner=cell_states,
    activations=(Activation.TANH,),
)
