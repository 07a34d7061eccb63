"""UNIDIRECTIONAL_SEQUENCE_LSTM: TFLM ``libraries/cmsis_nn/unidirectional_sequence_lstm.cc``.

Structs: CMSIS-NN ``Include/arm_nn_types.h``. Integers are computed as
``arm_lstm_unidirectional_s8`` and ``_s16`` do (``arm_nn_lstm_step_*.c``); TFLM gives them no hidden
state:

- both states begin empty in every inference, and the model's state tensors stay as they are;
- what the hidden state adds to a gate is added before int16 clips the sum, not clipped by itself
  (``arm_nn_vec_mat_mul_result_acc_s8_s16.c``, ``..._s16.c``);
- nor is what the input gate lets through cut by itself (``arm_elementwise_mul_acc_s16.c``), and a
  clip of the cell that is less than a step does not clip (there as well);
- a cell gate whose activation is not TANH has a sigmoid;
- weights have no zero points;
- sums of int16 are rescaled to 31 bits, as :mod:`arenite.libraries.cmsis_nn.operators._narrow`
  says.

Floats are TFLM's ``EvalLstm``, whose states live on.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.libraries.cmsis_nn.decisions.unidirectional_sequence_lstm import decide
from arenite.libraries.glue import Glue, OwnBits
from arenite.libraries.path import Path
from arenite.memory.abi import Struct
from arenite.model import TensorType
from arenite.numeric.fixedpoint import NARROW
from arenite.ops import Context, Node, NodeView
from arenite.ops.kernel_util import optional_input_tensor, output_tensor, warn_of_zero_points
from arenite.ops.shared.lstm import LstmParams
from arenite.ops.tflite.unidirectional_sequence_lstm import HIDDEN_STATE, INPUT
from arenite.ops.tflite.unidirectional_sequence_lstm import OP_DATA as REFERENCE_OP_DATA

_SOURCE = ("int32", "int32", "pointer", "pointer")
_GATE = Struct("cmsis_nn_lstm_gate", (*_SOURCE, *_SOURCE, "pointer", "enum"))
_PARAMS = Struct("cmsis_nn_lstm_params", (*("int32",) * 15, (_GATE, 4)))
OP_DATA = Struct("OpData", (REFERENCE_OP_DATA, _PARAMS))
#: Weights and biases: sums of them are made before anything runs.
_CONSTANTS = (*range(1, 9), *range(12, 16))
_GATES = ("input", "forget", "cell", "output")


def allocate(context: Context, node: Node, path: Path) -> None:
    """Tensors; for integers the sums of every gate's weights, as wide as a bias."""
    tensors = [optional_input_tensor(context, node, index) for index in range(24)]
    output_tensor(context, node)
    x, hidden = tensors[INPUT], tensors[HIDDEN_STATE]
    assert x is not None
    assert hidden is not None
    for index, tensor in enumerate(tensors):
        if index in _CONSTANTS and tensor is not None and not tensor.is_constant:
            context.report_error(f"with CMSIS-NN weights and biases are constants: input {index}")
    if x.type is TensorType.FLOAT32:
        return
    warn_of_zero_points(context, *tensors[1:9])
    width = 8 if x.type is TensorType.INT16 else 4
    for source in ("data", "hidden"):
        for gate in _GATES:
            context.reserve_persistent_buffer(width * hidden.shape[1], f"{gate} {source} sums")


def own(view: NodeView, params: LstmParams, path: Path) -> LstmParams:
    """The reference's parameters, and CMSIS-NN's ways with integers."""
    if not path.is_library:
        return params
    bits = NARROW * params.accumulates_64_bits
    gates = (
        replace(
            gate,
            input_weights_offset=0,
            recurrent_weights_offset=0,
            input_shift=gate.input_shift + bits,
            recurrent_shift=gate.recurrent_shift + bits,
        )
        for gate in params.gates
    )
    # What is cut to int16 behind the sum needs no cut before; nor may it leave int32.
    added = replace(params.input_times_cell, output_min=-(1 << 30), output_max=1 << 30)
    clip = params.cell_clip if params.quantized_cell_clip > 0 else 0.0
    return replace(
        params, gates=tuple(gates), input_times_cell=added, cell_clip=clip, is_cmsis_nn=True
    )


GLUE = Glue(
    decide,
    op_data=OP_DATA,
    allocate=allocate,
    bits=OwnBits(LstmParams, own),
)
