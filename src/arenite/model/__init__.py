"""The model as frozen dataclasses, and a builder for it."""

from arenite.model.builder import ModelBuilder
from arenite.model.builtin import BuiltinOperator
from arenite.model.model import (
    Array,
    Model,
    Operator,
    Quantization,
    SignatureDef,
    Subgraph,
    Tensor,
)
from arenite.model.options import OptionsTable, RawOptions, Slot, slot
from arenite.model.types import TensorType

__all__ = [
    "Array",
    "BuiltinOperator",
    "Model",
    "ModelBuilder",
    "Operator",
    "OptionsTable",
    "Quantization",
    "RawOptions",
    "SignatureDef",
    "Slot",
    "Subgraph",
    "Tensor",
    "TensorType",
    "slot",
]
