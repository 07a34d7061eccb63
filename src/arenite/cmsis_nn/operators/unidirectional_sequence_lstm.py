"""UNIDIRECTIONAL_SEQUENCE_LSTM: TFLM ``cmsis_nn/unidirectional_sequence_lstm.cc``.

Structs: CMSIS-NN ``Include/arm_nn_types.h``.
"""

from __future__ import annotations

from arenite.cmsis_nn.glue import Glue, Scratch
from arenite.cmsis_nn.path import Path, path_to, path_to_reference
from arenite.cmsis_nn.targets import Target
from arenite.memory.abi import Struct
from arenite.model import TensorType
from arenite.ops import Context, Node
from arenite.ops.constraints import NodeView
from arenite.ops.kernel_util import optional_input_tensor, output_tensor
from arenite.ops.tflite.unidirectional_sequence_lstm import CELL_STATE, HIDDEN_STATE, INPUT
from arenite.ops.tflite.unidirectional_sequence_lstm import OP_DATA as REFERENCE_OP_DATA

_SOURCE = ("int32", "int32", "pointer", "pointer")
_GATE = Struct("cmsis_nn_lstm_gate", (*_SOURCE, *_SOURCE, "pointer", "enum"))
_PARAMS = Struct("cmsis_nn_lstm_params", (*("int32",) * 15, (_GATE, 4)))
OP_DATA = Struct("OpData", (REFERENCE_OP_DATA, _PARAMS))
_GATES = ("input", "forget", "cell", "output")


def path(view: NodeView, target: Target) -> Path:
    """By the type of activations."""
    match view.input(INPUT).type:
        case TensorType.FLOAT32:
            return path_to_reference("EvalLstm")
        case TensorType.INT16:
            return path_to("arm_lstm_unidirectional_s16", (), "arm_nn_lstm_step_s16")
    return path_to("arm_lstm_unidirectional_s8", (), "arm_nn_lstm_step_s8")


def scratch(view: NodeView, target: Target) -> tuple[Scratch, ...]:
    """Three buffers of one cell state each; four for floats."""
    hidden, cell = view.input(HIDDEN_STATE), view.input(CELL_STATE)
    batches = view.input(INPUT).shape[1 if view.options.time_major else 0]
    size = batches * hidden.shape[1] * cell.type.dtype.itemsize
    count = 4 if view.input(INPUT).type is TensorType.FLOAT32 else 3
    return tuple(Scratch(size, f"gate {number}") for number in range(count))


def allocate(context: Context, node: Node, target: Target) -> None:
    """Tensors; for integers the sums of every gate's weights, as wide as a bias."""
    tensors = [optional_input_tensor(context, node, index) for index in range(24)]
    output_tensor(context, node)
    x, hidden = tensors[INPUT], tensors[HIDDEN_STATE]
    assert x is not None
    assert hidden is not None
    if x.type is TensorType.FLOAT32:
        return
    width = 8 if x.type is TensorType.INT16 else 4
    for source in ("data", "hidden"):
        for gate in _GATES:
            context.allocate_persistent_buffer(width * hidden.shape[1], f"{gate} {source} sums")


GLUE = Glue(path=path, op_data=OP_DATA, allocate=allocate, scratch=scratch)
