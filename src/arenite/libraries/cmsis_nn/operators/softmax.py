"""SOFTMAX: TFLM ``micro/kernels/cmsis_nn/softmax.cc``.

The quotient of a row of one int16 is 32,768. The reference cuts it to 32,767, ``arm_softmax_s16``
(``SoftmaxFunctions/arm_softmax_s16.c``) to 16 bits, which makes it -32,768. In longer rows every
exponential is at least 1, and no quotient reaches that.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.libraries.cmsis_nn.decisions.softmax import decide, overlap
from arenite.libraries.glue import Glue, OwnBits
from arenite.libraries.path import Path
from arenite.memory.abi import Struct
from arenite.ops.constraints import NodeView
from arenite.ops.tflite.softmax import OP_DATA as REFERENCE_OP_DATA
from arenite.ops.tflite.softmax import SoftmaxParams

OP_DATA = Struct("CMSISNNSoftmaxParams", (REFERENCE_OP_DATA, "int32", "int32"))


def own(view: NodeView, params: SoftmaxParams, path: Path) -> SoftmaxParams:
    """Quotients keep their low 16 bits."""
    return replace(params, keeps_low_bits=path.function == "arm_softmax_s16")


GLUE = Glue(decide, op_data=OP_DATA, bits=OwnBits(SoftmaxParams, own), overlap=overlap)
