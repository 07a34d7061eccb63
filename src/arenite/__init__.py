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
    EvaluateError,
    KernelBuildError,
    KernelError,
    LoopLimitError,
    MemoryLimitError,
    ModelError,
    OptimizationError,
    PlanError,
    PlanWarning,
    PredictError,
    QuantizationError,
    ShapeError,
    StateError,
    UndefinedWarning,
    UnsupportedOperatorError,
)

if TYPE_CHECKING:
    from arenite.analysis.batch_predictor import BatchPredictor
    from arenite.analysis.bench import bench
    from arenite.analysis.compare import compare
    from arenite.analysis.evaluate import evaluate
    from arenite.analysis.evaluation.chunks import Spread
    from arenite.analysis.evaluation.data import Reading
    from arenite.analysis.evaluation.targets import Scoring
    from arenite.analysis.explanation import explanation as explain
    from arenite.analysis.fit import fit
    from arenite.analysis.inputs.values import Pixels
    from arenite.analysis.model_cost import model_cost as cost
    from arenite.analysis.which.explained import which
    from arenite.boards import find_board
    from arenite.firmware.board import Board
    from arenite.firmware.export import export
    from arenite.formats import load
    from arenite.kernels.compile import compile_kernels
    from arenite.memory.abi import Struct
    from arenite.memory.allocator import MicroAllocator
    from arenite.memory.budget import memory_limit, set_memory_limit
    from arenite.model import Model, ModelBuilder, OptionsTable, slot
    from arenite.ops import AllOpsResolver, MutableOpResolver, Registration
    from arenite.ops.overlap import Clearance
    from arenite.optimize.optimizer import optimize
    from arenite.quantize.quantizer import quantize
    from arenite.report.page.make import report
    from arenite.runtime.allocation import smallest_arena
    from arenite.runtime.heap_host import HeapInterpreter
    from arenite.runtime.interpreter import Interpreter
    from arenite.runtime.micro_interpreter import MicroInterpreter
    from arenite.runtime.profiler import MicroProfiler
    from arenite.target import Target

__version__ = "0.1.0"

__all__ = [
    "AllOpsResolver",
    "ArenaError",
    "AreniteError",
    "BatchPredictor",
    "Board",
    "BoardError",
    "Clearance",
    "CompareError",
    "ConstraintError",
    "DTypeError",
    "EvaluateError",
    "HeapInterpreter",
    "Interpreter",
    "KernelBuildError",
    "KernelError",
    "LoopLimitError",
    "MemoryLimitError",
    "MicroAllocator",
    "MicroInterpreter",
    "MicroProfiler",
    "Model",
    "ModelBuilder",
    "ModelError",
    "MutableOpResolver",
    "OptimizationError",
    "OptionsTable",
    "Pixels",
    "PlanError",
    "PlanWarning",
    "PredictError",
    "QuantizationError",
    "Reading",
    "Registration",
    "Scoring",
    "ShapeError",
    "Spread",
    "StateError",
    "Struct",
    "Target",
    "UndefinedWarning",
    "UnsupportedOperatorError",
    "__version__",
    "bench",
    "compare",
    "compile_kernels",
    "cost",
    "evaluate",
    "explain",
    "export",
    "find_board",
    "fit",
    "load",
    "memory_limit",
    "optimize",
    "quantize",
    "report",
    "set_memory_limit",
    "slot",
    "smallest_arena",
    "which",
]


#: Where names are found when they are asked for: errors alone are here from the beginning.
_HOMES = {
    "arenite.analysis.batch_predictor": ("BatchPredictor",),
    "arenite.analysis.bench": ("bench",),
    "arenite.analysis.compare": ("compare",),
    "arenite.analysis.evaluate": ("evaluate",),
    "arenite.analysis.evaluation.chunks": ("Spread",),
    "arenite.analysis.evaluation.data": ("Reading",),
    "arenite.analysis.evaluation.targets": ("Scoring",),
    "arenite.analysis.explanation": ("explain",),
    "arenite.analysis.fit": ("fit",),
    "arenite.analysis.inputs.values": ("Pixels",),
    "arenite.analysis.model_cost": ("cost",),
    "arenite.analysis.which.explained": ("which",),
    "arenite.boards": ("find_board",),
    "arenite.firmware": ("Board", "export"),
    "arenite.formats": ("load",),
    "arenite.kernels.compile": ("compile_kernels",),
    "arenite.memory.abi": ("Struct",),
    "arenite.memory.allocator": ("MicroAllocator",),
    "arenite.memory.budget": ("memory_limit", "set_memory_limit"),
    "arenite.model": ("Model", "ModelBuilder", "OptionsTable", "slot"),
    "arenite.ops": ("AllOpsResolver", "MutableOpResolver", "Registration"),
    "arenite.ops.overlap": ("Clearance",),
    "arenite.runtime.allocation": ("smallest_arena",),
    "arenite.runtime.heap_host": ("HeapInterpreter",),
    "arenite.runtime.interpreter": ("Interpreter",),
    "arenite.runtime.micro_interpreter": ("MicroInterpreter",),
    "arenite.runtime.profiler": ("MicroProfiler",),
    "arenite.target": ("Target",),
}
_LATE = {name: module for module, names in _HOMES.items() for name in names}
#: Names that are others where they are at home.
_ELSEWHERE = {"cost": "model_cost", "explain": "explanation"}
#: Rooms that are here without an import of their own. ``optimize``, ``quantize`` and ``report``
#: can be called.
_ROOMS = (
    *("files", "formats", "memory", "model", "native", "numeric", "ops", "optimize", "runtime"),
    *("quantize", "report", "target"),
)


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"arenite.{name}")
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(_LATE[name])
    globals()[name] = found = getattr(module, _ELSEWHERE.get(name, name))
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE, *_ROOMS})
