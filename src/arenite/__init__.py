"""TensorFlow Lite Micro in Python: the device's bits, its arena, the reason for every byte."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from arenite.errors import (
    ArenaError,
    AreniteError,
    BoardError,
    CompareError,
    ConstraintError,
    DTypeError,
    MemoryLimitError,
    ModelError,
    OptimizationError,
    PlanError,
    PlanWarning,
    PredictError,
    ShapeError,
    StateError,
    UndefinedWarning,
    UnsupportedOperatorError,
)
from arenite.formats import load
from arenite.memory.allocator import MicroAllocator
from arenite.memory.budget import memory_limit, set_memory_limit
from arenite.model import Model, ModelBuilder
from arenite.ops import AllOpsResolver, MutableOpResolver, Registration
from arenite.runtime.allocation import smallest_arena
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.runtime.profiler import MicroProfiler
from arenite.target import Target

if TYPE_CHECKING:
    from arenite.analysis.compare import compare
    from arenite.analysis.fit import fit
    from arenite.firmware.board import Board
    from arenite.firmware.export import export
    from arenite.optimize.optimizer import optimize
else:
    from arenite import optimize  # the room, which can be called

__version__ = "0.1.0"

__all__ = [
    "AllOpsResolver",
    "ArenaError",
    "AreniteError",
    "Board",
    "BoardError",
    "CompareError",
    "ConstraintError",
    "DTypeError",
    "HeapInterpreter",
    "Interpreter",
    "MemoryLimitError",
    "MicroAllocator",
    "MicroInterpreter",
    "MicroProfiler",
    "Model",
    "ModelBuilder",
    "ModelError",
    "MutableOpResolver",
    "OptimizationError",
    "PlanError",
    "PlanWarning",
    "PredictError",
    "Registration",
    "ShapeError",
    "StateError",
    "Target",
    "UndefinedWarning",
    "UnsupportedOperatorError",
    "__version__",
    "compare",
    "export",
    "fit",
    "load",
    "memory_limit",
    "optimize",
    "set_memory_limit",
    "smallest_arena",
]


#: What an inference does without, and where it is found when it is asked for.
_LATE = {
    "Board": "arenite.firmware",
    "compare": "arenite.analysis.compare",
    "export": "arenite.firmware",
    "fit": "arenite.analysis.fit",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)
