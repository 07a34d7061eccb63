"""TensorFlow Lite Micro in Python: the device's bits, its arena, the reason for every byte."""

from arenite.cmsis_nn.resolver import resolver_for as _cmsis_nn
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
from arenite.runtime.allocation import smallest_arena
from arenite.runtime.backends import register_library as _register_library
from arenite.runtime.heap import HeapInterpreter
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.runtime.profiler import MicroProfiler

__version__ = "0.1.0"

# Neither of the two knows the other.
_register_library("cmsis_nn", _cmsis_nn)

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
