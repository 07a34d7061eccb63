"""Loops of SVDF and UNIDIRECTIONAL_SEQUENCE_LSTM.

Facts: CMSIS-NN ``Source/SVDFunctions``, ``LSTMFunctions``, and of
``NNSupportFunctions`` ``arm_nn_lstm_*.c`` and ``arm_nn_vec_mat_mul_result_acc_s*.c``; TFLM
``micro/kernels/svdf_common.cc``, ``lstm_eval.h``.
"""

from __future__ import annotations

from dataclasses import dataclass

from arenite.libraries.cmsis_nn.cost.loops.copies import memcpy, memset, move
from arenite.libraries.cmsis_nn.cost.loops.kind import kernel_of, loops
from arenite.libraries.cmsis_nn.cost.loops.products import arm_nn_vec_mat_mult_t, sums
from arenite.libraries.cmsis_nn.cost.loops.wide import products
from arenite.libraries.costs import Loop
from arenite.ops.constraints import NodeView
from arenite.ops.tflite.unidirectional_sequence_lstm import HIDDEN_STATE, INPUT
from arenite.target import Target


@dataclass(frozen=True)
class SvdfShape:
    """An SVDF layer: ``units`` of ``rank`` filters, each with ``memory`` states."""

    batches: int
    inputs: int
    units: int
    rank: int
    memory: int
    has_bias: bool

    @property
    def filters(self) -> int:
        """All filters."""
        return self.units * self.rank


def svdf_of(view: NodeView) -> SvdfShape:
    """The sizes of an SVDF."""
    batches, inputs = view.input(0).shape
    rank = view.options.rank
    return SvdfShape(
        batches=batches,
        inputs=inputs,
        units=view.input(1).shape[0] // rank,
        rank=rank,
        memory=view.input(2).shape[1],
        has_bias=view.inputs[3] is not None,
    )


def svdf(layer: SvdfShape, target: Target, name: str) -> list[Loop]:
    """The state moves by one, features become states, states become sums, sums outputs."""
    product = "arm_nn_vec_mat_mult_t_s8"
    if name == "arm_svdf_state_s16_s8":
        product = "arm_nn_vec_mat_mult_t_svdf_s8"
    filters = layer.batches * layer.filters
    states = filters * layer.memory
    moved = states * (2 if name == "arm_svdf_state_s16_s8" else 1)
    return [
        Loop(name, "call", 1),
        *move(name, moved, target),
        *arm_nn_vec_mat_mult_t(product, layer.batches, layer.filters, layer.inputs, target),
        Loop(name, "batch", layer.batches),
        *_states(name, filters, layer.memory, target),
        Loop(name, "unit", layer.batches * layer.units),
        Loop(name, "unit, filter", 0 if layer.rank == 1 and layer.has_bias else filters),
    ]


def _states(name: str, filters: int, memory: int, target: Target) -> list[Loop]:
    """Sums over every filter's memory: of int16 by two and of int8 by four, with DSP."""
    if target.instructions != "dsp":
        return [Loop(name, "filter", filters), Loop(name, "filter, state", filters * memory)]
    sizes = (2, 1) if name == "arm_svdf_state_s16_s8" else (4, 1)
    return sums(name, "filter", filters, memory, sizes=sizes, what="state")


@dataclass(frozen=True)
class LstmShape:
    """An LSTM over ``steps`` time steps."""

    batches: int
    steps: int
    inputs: int
    units: int
    time_major: bool


def lstm_of(view: NodeView) -> LstmShape:
    """The sizes of a UNIDIRECTIONAL_SEQUENCE_LSTM."""
    first, second, inputs = view.input(INPUT).shape
    time_major = bool(view.options.time_major)
    steps, batches = (first, second) if time_major else (second, first)
    return LstmShape(batches, steps, inputs, view.input(HIDDEN_STATE).shape[1], time_major)


def arm_lstm_unidirectional_s8(layer: LstmShape, target: Target) -> list[Loop]:
    """Four gates of two products each at every step, of one where there is no state yet.

    TFLM hands over no hidden state: a sequence begins with none.
    """
    name = "arm_lstm_unidirectional_s8"
    together = layer.batches if layer.time_major else 1
    steps = layer.steps * layer.batches // together
    values = steps * together * layer.units
    product = "arm_nn_vec_mat_mul_result_acc_s8_s16"
    gates = 4 * steps
    later = gates - 4 * layer.batches // together
    return [
        Loop(name, "call", 1),
        Loop(name, "step", steps),
        Loop("arm_nn_lstm_step_s8", "call", steps),
        Loop("arm_nn_lstm_calculate_gate_s8_s16", "call", gates),
        *memset(1, 2 * layer.batches * layer.units),
        *memset(gates, 2 * together * layer.units),
        Loop(product, "product", gates + later),
        *arm_nn_vec_mat_mult_t(product, gates * together, layer.units, layer.inputs, target),
        *arm_nn_vec_mat_mult_t(product, later * together, layer.units, layer.units, target),
        Loop("arm_nn_activation_s16", "call", 5 * steps),
        Loop("arm_nn_activation_s16", "value", 5 * values),
        *_products("arm_elementwise_mul_s16", steps, 1, together * layer.units, target),
        *_products("arm_elementwise_mul_acc_s16", steps, 1, together * layer.units, target),
        *_products("arm_elementwise_mul_s16_s8", steps, together, layer.units, target),
    ]


def lstm_s16(view: NodeView, target: Target) -> list[Loop]:
    """As of int8: four gates of two products each at every step, without a state at the first."""
    layer, kernel = lstm_of(view), kernel_of(view)
    together = layer.batches if layer.time_major else 1
    steps = layer.steps * layer.batches // together
    values = steps * together * layer.units
    gates = 4 * steps
    later = gates - 4 * layer.batches // together
    given = products(gates * together, layer.units, layer.inputs, target)
    own = products(later * together, layer.units, layer.units, target)
    times = {"step": steps, "value": values, "product": gates + later}
    times["row"] = (gates + later) * together
    times |= {step: given[step] + own[step] for step in given}
    return [
        *loops(kernel, times),
        *memset(1, 2 * layer.batches * layer.units),
        *memset(gates, 2 * together * layer.units),
        Loop("arm_nn_activation_s16", "call", 5 * steps),
        Loop("arm_nn_activation_s16", "value", 5 * values),
        *_products("arm_elementwise_mul_s16", steps, 1, together * layer.units, target),
        *_products("arm_elementwise_mul_acc_s16", steps, 1, together * layer.units, target),
    ]


def lstm_of_floats(view: NodeView) -> list[Loop]:
    """TFLM's own kernel: a fully connected layer each for a gate's input and its state."""
    layer = lstm_of(view)
    together = layer.batches if layer.time_major else 1
    steps = layer.steps * layer.batches // together
    values = steps * together * layer.units
    clipped = values if view.options.cell_clip > 0 else 0
    return [
        *loops(
            kernel_of(view),
            {
                "step": steps,
                "row": steps * together,
                "value": values,
                "product": 4 * values * (layer.inputs + layer.units),
                "value that is clipped": clipped,
            },
        ),
        *memcpy(steps, 4 * together * layer.units),
    ]


def svdf_of_floats(view: NodeView) -> list[Loop]:
    """TFLM's own kernel: the state moves by one, then sums over inputs, memory and rank."""
    layer = svdf_of(view)
    filters = layer.batches * layer.filters
    return loops(
        kernel_of(view),
        {
            "batch": layer.batches,
            "filter": filters,
            "product": filters * layer.inputs,
            "state": filters * layer.memory,
            "unit": layer.batches * layer.units,
        },
    )


def _products(name: str, calls: int, rows: int, size: int, target: Target) -> list[Loop]:
    """int16 times int16, two at a time, or four in a vector."""
    if target.instructions == "mve":
        return [Loop(name, "call", calls), Loop(name, "4 values", calls * rows * -(-size // 4))]
    return [
        Loop(name, "call", calls),
        Loop(name, "2 values", calls * rows * (size // 2)),
        Loop(name, "value", calls * rows * (size % 2)),
    ]


KERNELS = {"SVDF": svdf_of_floats, "UNIDIRECTIONAL_SEQUENCE_LSTM": lstm_of_floats}
FUNCTIONS = {"arm_lstm_unidirectional_s16": lstm_s16}
