"""TensorFlow Lite Micro in Python: the device's bits, its arena, the reason for every byte."""

from arenite.errors import (
    ArenaError,
    AreniteError,
    ConstraintError,
    DTypeError,
    ModelError,
    PlanError,
    PredictError,
    ShapeError,
    StateError,
    UnsupportedOperatorError,
)
from arenite.formats import load
from arenite.memory.allocator import MicroAllocator
from arenite.model import Model, ModelBuilder
from arenite.ops import AllOpsResolver, MutableOpResolver, Registration
from arenite.runtime.heap import HeapInterpreter
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.micro_interpreter import MicroInterpreter, smallest_arena
from arenite.runtime.profiler import MicroProfiler

__version__ = "0.1.0"

__all__ = [
    "AllOpsResolver",
    "ArenaError",
    "AreniteError",
    "ConstraintError",
    "DTypeError",
    "HeapInterpreter",
    "Interpreter",
    "MicroAllocator",
    "MicroInterpreter",
    "MicroProfiler",
    "Model",
    "ModelBuilder",
    "ModelError",
    "MutableOpResolver",
    "PlanError",
    "PredictError",
    "Registration",
    "ShapeError",
    "StateError",
    "UnsupportedOperatorError",
    "__version__",
    "load",
    "smallest_arena",
]
