"""What the glue of AVERAGE_POOL_2D and MAX_POOL_2D shares: TFLM ``cmsis_nn/pooling.cc``."""

from __future__ import annotations

from arenite.cmsis_nn.path import Path, path_to, path_to_reference
from arenite.memory.abi import Struct
from arenite.model import TensorType
from arenite.ops.shared.pooling import OP_DATA as REFERENCE_OP_DATA

#: ``OpData``: the reference's, and the index of a scratch buffer.
OP_DATA = Struct("OpData", (REFERENCE_OP_DATA, "int"))


def path_by_type(type_: TensorType, cmsis_nn: str, tflm: str) -> Path:
    """To ``cmsis_nn`` with the type's suffix for integers, else to TFLM's ``tflm``."""
    if type_ is TensorType.FLOAT32:
        return path_to_reference(tflm)
    return path_to(f"{cmsis_nn}_{'s16' if type_ is TensorType.INT16 else 's8'}", ())
