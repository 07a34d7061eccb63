"""MNN's constants under the names of its Python package, and the enumerations behind them.

Facts: MNN 3.6.1 ``pymnn/src/MNN.cc``, ``include/MNN/Tensor.hpp``, ``Interpreter.hpp``,
``ErrorCode.hpp``, ``MNNForwardType.h``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from arenite.model import TensorType

#: The MNN whose API this is.
API_VERSION = "3.6.1"


@dataclass(frozen=True)
class HalideType:
    """An element type: ``Halide_Type_Float`` and its like.

    ``dtype`` is None for strings, which no tensor here holds.
    """

    name: str
    dtype: np.dtype[Any] | None

    def __repr__(self) -> str:
        return f"Halide_Type_{self.name}"


Halide_Type_Float = HalideType("Float", np.dtype(np.float32))
#: As in MNN, a tensor that is made with this type holds float32 and says Float.
Halide_Type_Double = HalideType("Double", np.dtype(np.float64))
Halide_Type_Int = HalideType("Int", np.dtype(np.int32))
Halide_Type_Int64 = HalideType("Int64", np.dtype(np.int64))
Halide_Type_Uint8 = HalideType("Uint8", np.dtype(np.uint8))
Halide_Type_String = HalideType("String", None)
#: Not in MNN, which answers None for such tensors and cannot fill them from Python.
Halide_Type_Int8 = HalideType("Int8", np.dtype(np.int8))

_TYPES = (
    Halide_Type_Float,
    Halide_Type_Int,
    Halide_Type_Int64,
    Halide_Type_Uint8,
    Halide_Type_Int8,
)


def halide_type(type_: TensorType) -> HalideType | None:
    """The type of a session's tensor, or None where MNN has no name for it either."""
    return next((known for known in _TYPES if known.dtype == type_.dtype), None)


class DimensionType(IntEnum):
    """``Tensor::DimensionType``: the order of a tensor's axes, and of its elements.

    ``CAFFE_C4`` has the shape of ``CAFFE``; its elements lie in blocks of four channels.
    """

    TENSORFLOW = 0
    CAFFE = 1
    CAFFE_C4 = 2


Tensor_DimensionType_Tensorflow = int(DimensionType.TENSORFLOW)
Tensor_DimensionType_Caffe = int(DimensionType.CAFFE)
Tensor_DimensionType_Caffe_C4 = int(DimensionType.CAFFE_C4)


class ErrorCode(IntEnum):
    """Answer of a run."""

    NO_ERROR = 0
    NOT_SUPPORT = 2
    CALL_BACK_STOP = 11


class SessionInfoCode(IntEnum):
    """Question to ``getSessionInfo``."""

    MEMORY = 0
    FLOPS = 1
    BACKENDS = 2
    RESIZE_STATUS = 3
    THREAD_NUMBER = 4


class SessionMode(IntEnum):
    """Mode for ``setSessionMode``; all but the ones that docs/mnn.md names change nothing."""

    Session_Debug = 0
    Session_Release = 1
    Session_Input_Inside = 2
    Session_Input_User = 3
    Session_Output_Inside = 4
    Session_Output_User = 5
    Session_Resize_Direct = 6
    Session_Resize_Defer = 7
    Session_Backend_Fix = 8
    Session_Backend_Auto = 9
    Session_Memory_Collect = 10
    Session_Memory_Cache = 11
    Session_Codegen_Disable = 12
    Session_Codegen_Enable = 13
    Session_Resize_Check = 14
    Session_Resize_Fix = 15
    Module_Forward_Separate = 16
    Module_Forward_Combine = 17


#: ``Interpreter::HintMode`` goes from 0 to this.
LAST_HINT = 18
#: ``MNN_FORWARD_CPU``
CPU = 0
