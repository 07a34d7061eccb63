"""The structs that TFLM's runtime itself keeps in the arena, measured per target.

Facts: TFLM ``lite/core/c/common.h`` (the ``TF_LITE_STATIC_MEMORY`` variants),
``micro_allocator.h``, ``recording_micro_allocator.h``, ``micro_allocation_info.h``,
``arena_allocator/*.h``, ``memory_planner/*.h``, ``micro_resource_variable.h``. A class with
virtual functions begins with a pointer to its table, one per base that has them.
"""

from __future__ import annotations

from functools import lru_cache

from arenite.memory.abi import Abi, Blocks, Struct
from arenite.model import Model, Tensor

P = "pointer"

# -- the three layers that build themselves into the tail

_SINGLE_ARENA = (P, P, P, P, P, P, P, "size_t", "int")
SINGLE_ARENA_BUFFER_ALLOCATOR = Struct("SingleArenaBufferAllocator", _SINGLE_ARENA)
RECORDING_SINGLE_ARENA_BUFFER_ALLOCATOR = Struct(
    "RecordingSingleArenaBufferAllocator", (*_SINGLE_ARENA, *("size_t",) * 4)
)

#: Of an allocator on two arenas; both structs lie in the arena of the tail.
PERSISTENT_ARENA_BUFFER_ALLOCATOR = Struct("PersistentArenaBufferAllocator", (P, P, P, P))
NON_PERSISTENT_ARENA_BUFFER_ALLOCATOR = Struct(
    "NonPersistentArenaBufferAllocator", (P, P, P, P, P, P, "int", "bool")
)

_GREEDY = (P, "int", "int", P, P, P, P, "int", "int", P, "bool")
GREEDY_MEMORY_PLANNER = Struct("GreedyMemoryPlanner", _GREEDY)
LINEAR_MEMORY_PLANNER = Struct("LinearMemoryPlanner", (P, ("size_t", 1024), "int", "size_t"))

_MICRO_ALLOCATOR = Struct("MicroAllocator", (P, P, P, P, P, "bool", "size_t", P, "size_t"))
_RECORDED_ALLOCATION = Struct("RecordedAllocation", ("size_t", "size_t", "size_t"))
_RECORDING_MICRO_ALLOCATOR = Struct(
    "RecordingMicroAllocator",
    (_MICRO_ALLOCATOR, P, (_RECORDED_ALLOCATION, 7)),
    compression=(_RECORDED_ALLOCATION,),
)


def buffer_allocator_structs(abi: Abi, *, is_parted: bool = False) -> tuple[Struct, ...]:
    """The buffer allocator's object, or the two of an arena in two parts."""
    if is_parted:
        return PERSISTENT_ARENA_BUFFER_ALLOCATOR, NON_PERSISTENT_ARENA_BUFFER_ALLOCATOR
    if abi.recording:
        return (RECORDING_SINGLE_ARENA_BUFFER_ALLOCATOR,)
    return (SINGLE_ARENA_BUFFER_ALLOCATOR,)


def micro_allocator_struct(abi: Abi) -> Struct:
    """The allocator's object."""
    return _RECORDING_MICRO_ALLOCATOR if abi.recording else _MICRO_ALLOCATOR


# -- what a model needs

BUILTIN_DATA_ALLOCATOR = Struct("MicroBuiltinDataAllocator", (P, P))
SUBGRAPH_ALLOCATIONS = Struct("SubgraphAllocations", (P, P), compression=(P,))
EVAL_TENSOR = Struct("TfLiteEvalTensor", (P, P, "enum"))
_NODE = Struct(
    "TfLiteNode",
    (P, P, P, P, P, P, "int"),
    dynamic=(P, P, P, P, P, P, P, "int", P, "bool"),
)
NODE_AND_REGISTRATION = Struct("NodeAndRegistration", (_NODE, P))
_QUANTIZATION = Struct("TfLiteQuantization", ("int", P))  # declared as an enum of type int
_QUANTIZATION_PARAMS = Struct("TfLiteQuantizationParams", ("float", "int32"))
TENSOR = Struct(
    "TfLiteTensor",
    (_QUANTIZATION, _QUANTIZATION_PARAMS, P, P, "size_t", "enum", "enum", "bool"),
    dynamic=(
        *("enum", P, P, _QUANTIZATION_PARAMS, "enum", "size_t", P, P, P),
        *("int", "bool", "bool", _QUANTIZATION, P, P),
    ),
)
AFFINE_QUANTIZATION = Struct("TfLiteAffineQuantization", (P, P, "int32"))
TENSOR_POINTER = Struct("TfLiteTensor*", (P,))
SCRATCH_BUFFER_REQUEST = Struct("ScratchBufferRequest", ("size_t", "int", "int"))
SCRATCH_BUFFER_HANDLE = Struct("ScratchBufferHandle", (P,))

# -- what planning needs for a moment

SUBGRAPH_OFFSET = Struct("size_t", ("size_t",))
ALLOCATION_INFO = Struct("AllocationInfo", ("size_t", P, "int", "int", "int32", "bool"))
_BUFFER_REQUIREMENTS = Struct("BufferRequirements", ("int",) * 4)
_LIST_ENTRY = Struct("ListEntry", ("int",) * 3)
#: Bytes of workspace per buffer: ``GreedyMemoryPlanner::per_buffer_size``.
GREEDY_PER_BUFFER = Struct(
    "per_buffer_size", (_BUFFER_REQUIREMENTS, "int", "int", _LIST_ENTRY, "int")
)


def planning_structs(model: Model, scratch_buffers: int) -> tuple[tuple[Struct, int], ...]:
    """The structs that describe tensors and scratch buffers to a planner, and their numbers."""
    tensors = sum(len(subgraph.tensors) for subgraph in model.subgraphs)
    return (SUBGRAPH_OFFSET, len(model.subgraphs)), (ALLOCATION_INFO, tensors + scratch_buffers)


# -- resource variables

_RESOURCE_VARIABLE = Struct("MicroResourceVariable", (P, P, P, "size_t", "int8"))
RESOURCE_VARIABLES = Struct("MicroResourceVariables", (P, "int", "int"))


def resource_variable_array(count: int) -> Struct:
    """The table of ``count`` resource variables."""
    return Struct("MicroResourceVariable[]", ((_RESOURCE_VARIABLE, count),))


@lru_cache(maxsize=1024)
def int_array(count: int) -> Struct:
    """A ``TfLiteIntArray`` of ``count`` values behind their number."""
    return Struct("TfLiteIntArray", ("int", ("int", count)))


def scale_count(tensor: Tensor) -> int:
    """The number of scales of a full tensor; 0 without scales and zero points."""
    quantization = tensor.quantization
    if quantization is None or not len(quantization.zero_point):
        return 0
    return len(quantization.scale)


def tensor_structs(zero_points: int) -> list[Struct]:
    """A full tensor, and its quantisation if it has scales and zero points."""
    if not zero_points:
        return [TENSOR]
    return [TENSOR, AFFINE_QUANTIZATION, int_array(zero_points)]


@lru_cache(maxsize=1024)
def tensor_blocks(zero_points: int, abi: Abi) -> Blocks:
    """The same as temporary memory."""
    return Blocks.of(*(struct.layout(abi) for struct in tensor_structs(zero_points)))
