"""UNIDIRECTIONAL_SEQUENCE_LSTM: TFLM ``cmsis_nn/unidirectional_sequence_lstm.cc``.

Structs: CMSIS-NN ``Include/arm_nn_types.h``.
"""

from __future__ import annotations

from arenite.cmsis_nn.decisions.path import Path
from arenite.cmsis_nn.decisions.unidirectional_sequence_lstm import decide
from arenite.cmsis_nn.glue import Glue
from arenite.memory.abi import Struct
from arenite.model import TensorType
from arenite.ops import Context, Node
from arenite.ops.kernel_util import optional_input_tensor, output_tensor
from arenite.ops.tflite.unidirectional_sequence_lstm import HIDDEN_STATE, INPUT
from arenite.ops.tflite.unidirectional_sequence_lstm import OP_DATA as REFERENCE_OP_DATA

_SOURCE = ("int32", "int32", "pointer", "pointer")
_GATE = Struct("cmsis_nn_lstm_gate", (*_SOURCE, *_SOURCE, "pointer", "enum"))
_PARAMS = Struct("cmsis_nn_lstm_params", (*("int32",) * 15, (_GATE, 4)))
OP_DATA = Struct("OpData", (REFERENCE_OP_DATA, _PARAMS))
_GATES = ("input", "forget", "cell", "output")


def allocate(context: Context, node: Node, path: Path) -> None:
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


GLUE = Glue(decide, op_data=OP_DATA, allocate=allocate)
