"""MNN's session API on Arenite's engine: ``import arenite.mnn as MNN``.

Names, steps and spelling are those of MNN's Python package (and, where that lacks them, of
its C++ ``Interpreter``). ``docs/mnn.md`` compares the two, name by name. Names come when they are
asked for: whoever loads a ``.mnn`` file needs no session.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arenite.mnn.session.constants import (
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
    from arenite.mnn.session.content import get_model_uuid
    from arenite.mnn.session.file_loader import FileLoader
    from arenite.mnn.session.interpreter import Interpreter
    from arenite.mnn.session.op_info import OpInfo
    from arenite.mnn.session.session import Session
    from arenite.mnn.session.storage import AutoStorage
    from arenite.mnn.session.tensor import Tensor

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

#: Where names are found that are not constants.
_LATE = {
    "AutoStorage": "storage",
    "FileLoader": "file_loader",
    "Interpreter": "interpreter",
    "OpInfo": "op_info",
    "Session": "session",
    "Tensor": "tensor",
    "get_model_uuid": "content",
}


def version() -> str:
    """The MNN whose API and schema this is, such as ``"3.6.1"``."""
    return str(__getattr__("API_VERSION"))


def __getattr__(name: str) -> Any:
    if name not in __all__ and name != "API_VERSION":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"arenite.mnn.session.{_LATE.get(name, 'constants')}")
    globals()[name] = found = getattr(module, name)
    return found
