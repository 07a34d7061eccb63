"""UNIDIRECTIONAL_SEQUENCE_LSTM: TFLM ``libraries/cmsis_nn/unidirectional_sequence_lstm.cc``."""

from __future__ import annotations

from arenite.libraries.path import Path, Scratch, path_to, path_to_reference
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.ops.tflite.unidirectional_sequence_lstm import CELL_STATE, HIDDEN_STATE, INPUT
from arenite.target import Target


def decide(view: NodeView, target: Target) -> Path:
    """By the type of activations; three buffers of one cell state each, four for floats."""
    match view.input(INPUT).type:
        case TensorType.FLOAT32:
            return path_to_reference("EvalLstm", _gates(view, 4))
        case TensorType.INT16:
            function, step = "arm_lstm_unidirectional_s16", "arm_nn_lstm_step_s16"
        case _:
            function, step = "arm_lstm_unidirectional_s8", "arm_nn_lstm_step_s8"
    return path_to(function, step, scratch=_gates(view, 3))


def _gates(view: NodeView, count: int) -> tuple[Scratch, ...]:
    hidden, cell = view.input(HIDDEN_STATE), view.input(CELL_STATE)
    batches = view.input(INPUT).shape[1 if view.options.time_major else 0]
    size = batches * hidden.shape[1] * cell.type.dtype.itemsize
    return tuple(Scratch(size, f"gate {number}") for number in range(count))
