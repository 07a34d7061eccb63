"""MNN's session API on Arenite's engine: ``import arenite.mnn as MNN``.

Names, steps and spelling are those of MNN's Python package (and, where that lacks them, of
its C++ ``Interpreter``). ``docs/mnn.md`` compares the two, name by name.
"""

from arenite.mnn.constants import (
    API_VERSION,
    ErrorCode,
    Halide_Type_Double,
    Halide_Type_Float,
    Halide_Type_Int,
    Halide_Type_Int8,
    Halide_Type_Int64,
    Halide_Type_String,
    Halide_Type_Uint8,
    HalideType,
    SessionInfoCode,
    SessionMode,
    Tensor_DimensionType_Caffe,
    Tensor_DimensionType_Caffe_C4,
    Tensor_DimensionType_Tensorflow,
)
from arenite.mnn.content import Path, content_of_file
from arenite.mnn.file_loader import FileLoader
from arenite.mnn.interpreter import Interpreter
from arenite.mnn.op_info import OpInfo
from arenite.mnn.session import Session
from arenite.mnn.storage import AutoStorage
from arenite.mnn.tensor import Tensor

__all__ = [
    "AutoStorage",
    "ErrorCode",
    "FileLoader",
    "HalideType",
    "Halide_Type_Double",
    "Halide_Type_Float",
    "Halide_Type_Int",
    "Halide_Type_Int8",
    "Halide_Type_Int64",
    "Halide_Type_String",
    "Halide_Type_Uint8",
    "Interpreter",
    "OpInfo",
    "Session",
    "SessionInfoCode",
    "SessionMode",
    "Tensor",
    "Tensor_DimensionType_Caffe",
    "Tensor_DimensionType_Caffe_C4",
    "Tensor_DimensionType_Tensorflow",
    "get_model_uuid",
    "version",
]


def version() -> str:
    """The MNN whose API and schema this is, such as ``"3.6.1"``."""
    return API_VERSION


def get_model_uuid(path: Path) -> str:
    """The ``mnn_uuid`` of a model file; empty if it has none.

    Raises:
        OSError, ModelError: See :class:`Interpreter`.
    """
    return content_of_file(path).uuid
