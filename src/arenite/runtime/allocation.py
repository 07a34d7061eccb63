"""A model's allocation from start to finish, and how large an arena it takes.

Facts: TFLM ``micro_interpreter.cc`` (``AllocateTensors``).
"""

from __future__ import annotations

from arenite.errors import ArenaError, AreniteError
from arenite.memory.abi import ABIS, ILP32, LP64, Abi, AbiName
from arenite.memory.allocator import MicroAllocator
from arenite.memory.arena import Memory
from arenite.memory.liveness import OFFLINE_METADATA
from arenite.memory.overlap import check_operands
from arenite.memory.plan import MemoryPlan
from arenite.memory.planners import planner_for
from arenite.memory.recording import Allocations, Peak
from arenite.model import Model
from arenite.ops import AllOpsResolver, OpResolver
from arenite.runtime.arena_host import MicroInterpreterContext
from arenite.runtime.backends import Kernels, resolver_for
from arenite.runtime.graph import Graph
from arenite.runtime.state import InterpreterState


def allocate_model(
    allocator: MicroAllocator, context: MicroInterpreterContext, graph: Graph
) -> MemoryPlan:
    """``AllocateTensors`` up to the point where memory is looked at."""
    model = graph.model
    allocator.start_model_allocation(model)
    _allocate_builtin_data(allocator, graph)
    allocator.note_peak("start")
    graph.init_subgraphs()
    allocator.note_peak("init")
    context.set_state(InterpreterState.PREPARE)
    graph.prepare_subgraphs()
    context.set_state(InterpreterState.MEMORY_PLANNING)
    plan = allocator.finish_model_allocation(context.resized_model())
    if OFFLINE_METADATA in model.metadata:
        nodes = graph.nodes
        check_operands(model, plan.buffers, lambda s, n: nodes[s][n].registration.in_place)
    allocator.note_peak("planning")
    for name, tensors in (("inputs", model.inputs), ("outputs", model.outputs)):
        allocator.allocate_tensor_pointers(len(tensors), name)
        for tensor in tensors:
            allocator.allocate_persistent_tflite_tensor(tensor)
    allocator.note_peak("ports")
    return plan


def _allocate_builtin_data(allocator: MicroAllocator, graph: Graph) -> None:
    for entries in graph.nodes:
        for number, entry in enumerate(entries):
            struct = entry.registration.builtin_data
            if struct is not None:
                allocator.allocate_builtin_data(struct, f"#{number} {entry.node.name}")


def smallest_arena(
    model: Model,
    resolver: OpResolver | None = None,
    *,
    planner: str = "greedy",
    preserve_all_tensors: bool = False,
    abi: AbiName | Abi | None = None,
    kernels: Kernels = "reference",
    target: str | None = None,
) -> int:
    """Bytes of the smallest arena in which the model can be allocated, a multiple of 16.

    Runs all allocations once in an arena without memory and end, and looks at the most
    that was in use at any moment. That calls ``init`` and ``prepare`` of the operators.

    Args:
        model: The model.
        resolver: Finds the operators; by default all that Arenite has.
        planner: Name of the memory planner.
        preserve_all_tensors: As for :class:`MicroInterpreter`.
        abi: Whose struct sizes count. ``"lp64"`` gives the size that the PyPI package
            accepts, ``"ilp32"`` what firmware needs; see :class:`MicroInterpreter` for the
            default.
        kernels: ``"cmsis_nn"`` for firmware built with CMSIS-NN; the other kernels take
            the same memory.
        target: The processor that ``"cmsis_nn"`` is built for, by default a Cortex-M4.
    """
    planner = planner_for(planner, preserve_all_tensors=preserve_all_tensors)
    peak = arena_peak(model, resolver, planner=planner, abi=abi, kernels=kernels, target=target)
    return peak.smallest_arena


def arena_peak(
    model: Model,
    resolver: OpResolver | None = None,
    *,
    planner: str = "greedy",
    abi: AbiName | Abi | None = None,
    kernels: Kernels = "reference",
    target: str | None = None,
) -> Peak:
    """What makes :func:`smallest_arena` as large as it is; it takes the same arguments."""
    unlimited = MicroAllocator.create(None, planner=planner, abi=find_abi(abi, kernels, target))
    operators = resolver_for(kernels, resolver or AllOpsResolver(), target)
    return dry_run(model, operators, unlimited).peak


def find_abi(abi: AbiName | Abi | None, kernels: Kernels, target: str | None) -> Abi:
    """An ABI by name; by default a Cortex-M's for what is built for one, else the package's.

    Raises:
        ValueError: There is none of that name.
    """
    if abi is None:
        return ILP32 if kernels == "cmsis_nn" or target is not None else LP64
    if isinstance(abi, Abi):
        return abi
    if abi not in ABIS:
        raise ValueError(f"expected an abi of {', '.join(ABIS)}, got {abi!r}")
    return ABIS[abi]


def dry_run(model: Model, resolver: OpResolver, unlimited: MicroAllocator) -> Allocations:
    """What a model allocates, in an arena without memory and end."""
    context = MicroInterpreterContext(unlimited, model)
    graph = Graph(model, context)
    graph.resolve(resolver)
    try:
        allocate_model(unlimited, context, graph)
    finally:
        graph.free_subgraphs()
    return unlimited.allocations()


def create_allocator(
    model: Model, resolver: OpResolver, arena: Memory | int | None, planner: str, abi: Abi
) -> MicroAllocator:
    """An allocator on an arena.

    Raises:
        ArenaError: The arena does not even hold the allocator; ``needed`` is for the model.
    """
    try:
        return MicroAllocator.create(arena, planner=planner, abi=abi)
    except ArenaError as error:
        unlimited = MicroAllocator.create(None, planner=planner, abi=abi)
        raise with_needed(error, model, resolver, unlimited) from None


def with_needed(
    error: ArenaError, model: Model, resolver: OpResolver, unlimited: MicroAllocator
) -> ArenaError:
    """The same error with the size that works, where one does."""
    try:
        needed = dry_run(model, resolver, unlimited).peak.smallest_arena
    except AreniteError:
        return error
    return ArenaError(
        f"{error}; the smallest arena that works is {needed} bytes",
        requested=error.requested,
        available=error.available,
        needed=needed,
    )
