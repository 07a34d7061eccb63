"""Every allocation that TFLM makes for a model, in its order and with its sizes.

Facts: TFLM ``micro_allocator.cc``, ``recording_micro_allocator.cc`` and
``micro_interpreter.cc`` (``AllocateTensors``).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from arenite.errors import ConstraintError, StateError
from arenite.memory import structs
from arenite.memory.abi import Blocks, Struct, abi_of, recording
from arenite.memory.arena import (
    ARENA_ALIGNMENT,
    Bytes,
    Checkpoint,
    Memory,
    SingleArenaBufferAllocator,
)
from arenite.memory.liveness import ScratchRequest, offline_offsets, tensor_bytes
from arenite.memory.plan import MemoryPlan, PlannedBuffer, head_buffers, solve, tail_variables
from arenite.memory.planners import find_planner
from arenite.memory.recording import Allocations, Asking, Category, Ledger
from arenite.memory.two_arenas import TwoArenas
from arenite.model import Model, Tensor
from arenite.native.turn import new_turn
from arenite.target import Target, find_target

#: ``kMaxScratchBuffersPerOp``: what the head has room for while an operator is prepared.
MAX_SCRATCH_BUFFERS_PER_OP = 12
#: What operators ask for: as an enumeration's attribute each takes CPython 3.11 as long as a call.
_PERSISTENT_BUFFER, _BUILTIN_DATA = Category.PERSISTENT_BUFFER, Category.BUILTIN_DATA
#: End of a lifetime that outlasts every inference.
FOREVER = 1 << 31


class AllocatorCheckpoint(NamedTuple):
    """The state of an allocator before a model, to return to when the model fails."""

    arena: Checkpoint
    records: int
    max_head_buffer_usage: int
    model_is_allocating: bool


class MicroAllocator:
    """Allocates for one model, or for several that share an arena.

    Several models share the head (it is as large as the largest needs) and stack up in the
    tail. Use :meth:`create`.
    """

    def __init__(
        self,
        arena: SingleArenaBufferAllocator,
        planner: str,
        target: Target,
        *,
        is_recording: bool = False,
    ) -> None:
        self.arena = arena
        self.planner = planner
        self.target = target
        self.abi = recording(abi_of(target)) if is_recording else abi_of(target)
        #: Holds a token while nobody works in the arena.
        self.turn = new_turn()
        self._ledger = Ledger()
        self._max_head_buffer_usage = 0
        self._model_is_allocating = False
        self._scratch: list[ScratchRequest] = []
        self._scratch_before_node = 0
        self._scratch_head = 0

    @classmethod
    def create(
        cls,
        memory: Memory | int | None,
        non_persistent: Memory | int | None = None,
        *,
        planner: str = "greedy",
        target: Target | str | None = None,
        is_parted: bool = False,
        is_recording: bool = False,
    ) -> MicroAllocator:
        """Build the three layers into the arena's tail: allocator, planner, coordinator.

        Args:
            memory: See :class:`SingleArenaBufferAllocator`; with ``non_persistent`` what lives as
                long as the interpreter.
            non_persistent: A second arena for tensors, scratch and temporary memory: a writable
                buffer or a size in bytes (TFLM's ``Create`` with four arguments).
            planner: Name of a planner.
            target: The firmware, whose struct sizes and arena address count; by default
                TFLM's own package on this machine.
            is_parted: Take in one arena what TFLM takes with two, as ``non_persistent`` does.
            is_recording: It is a ``RecordingMicroAllocator``, which takes more for itself; that of
                TFLM's package always is.

        Raises:
            ArenaError: The arena is too small even for that.
            ValueError: There is no planner or target of that name.
        """
        memory_planner, found = find_planner(planner), find_target(target)
        if non_persistent is None:
            arena = SingleArenaBufferAllocator(memory, address=found.arena_address)
        else:
            if memory is None:
                raise ValueError("expected a persistent arena beside the non-persistent one")
            arena, is_parted = TwoArenas(memory, non_persistent), True
        self = cls(arena, planner, found, is_recording=is_recording)
        layers = (
            *structs.buffer_allocator_structs(self.abi, is_parted=is_parted),
            memory_planner.struct,
            structs.micro_allocator_struct(self.abi),
        )
        for struct in layers:
            self._allocate(struct, Category.ALLOCATOR)
        self.note_peak("creation")
        return self

    @property
    def persistent_buffer_allocator(self) -> SingleArenaBufferAllocator:
        """Giver of memory that lives as long as the interpreter (``IPersistentBufferAllocator``).

        One object does this and the other with one arena and with two.
        """
        return self.arena

    @property
    def non_persistent_buffer_allocator(self) -> SingleArenaBufferAllocator:
        """Giver of tensors, scratch and temporary memory (``INonPersistentBufferAllocator``)."""
        return self.arena

    @property
    def preserves_all_tensors(self) -> bool:
        """Whether every tensor keeps its value until the end of an inference."""
        return find_planner(self.planner).preserves_all_tensors

    def __repr__(self) -> str:
        return (
            f"<MicroAllocator: {self.planner} planner, structs of {self.abi.name}, "
            f"head {self.arena.head_used}, tail {self.arena.tail_used} bytes>"
        )

    # -- a model's allocation, from start to finish

    def start_model_allocation(self, model: Model) -> None:
        """Allocate the structs of all subgraphs, tensors and nodes.

        Raises:
            StateError: Another model's allocation is not finished.
            ArenaError: The arena is too small.
        """
        if self._model_is_allocating:
            raise StateError("another model's allocation was started and is not finished")
        self._model_is_allocating = True
        self._allocate(structs.BUILTIN_DATA_ALLOCATOR, Category.ALLOCATOR)
        self._scratch, self._scratch_before_node = [], 0
        request = structs.SCRATCH_BUFFER_REQUEST
        self._scratch_head = self.arena.allocate_resizable_buffer(
            request.size(self.abi) * MAX_SCRATCH_BUFFERS_PER_OP, request.alignment(self.abi)
        )
        subgraphs = model.subgraphs
        self._allocate(structs.SUBGRAPH_ALLOCATIONS, Category.SUBGRAPH, len(subgraphs))
        for subgraph in subgraphs:
            self._allocate(structs.EVAL_TENSOR, Category.EVAL_TENSOR, len(subgraph.tensors))
        for subgraph in subgraphs:
            self._allocate(
                structs.NODE_AND_REGISTRATION,
                Category.NODE_AND_REGISTRATION,
                len(subgraph.operators),
            )

    def allocate_builtin_data(self, struct: Struct, operator: Asking | None) -> None:
        """Room for an operator's parsed options."""
        size, alignment = struct.layout(self.abi)
        self._tail(size, alignment, _BUILTIN_DATA, 1, struct.name, operator=operator)

    def allocate_persistent_buffer(
        self, size: int, purpose: str = "", operator: Asking | None = None
    ) -> Bytes:
        """``size`` zeroed bytes in the tail, aligned to 16."""
        offset = self._tail(
            size, ARENA_ALIGNMENT, Category.PERSISTENT_BUFFER, 1, purpose, operator=operator
        )
        return self.arena.zeroed_view(offset, size)

    def reserve_persistent_buffer(
        self, size: int, purpose: str = "", operator: Asking | None = None
    ) -> None:
        """The same where nobody looks at the bytes."""
        arena, category = self.arena, _PERSISTENT_BUFFER
        before = arena.tail  # as `_tail` has it: operators ask for most of what there is
        start = arena.allocate_persistent_buffer(size)
        place = start - arena.buffer_tail
        self._ledger.rows.append((category, size, before - start, place, 1, purpose, operator))

    def allocate_temp_tflite_tensor(self, tensor: Tensor) -> None:
        """Room for a full ``TfLiteTensor`` on temporary memory, until the next reset.

        Raises:
            ArenaError: The arena is too small.
        """
        (blocks,) = self.tensor_blocks([structs.scale_count(tensor)])
        self.arena.touch_temp(blocks)

    def tensor_blocks(self, scale_counts: Sequence[int]) -> list[Blocks]:
        """Bytes of full ``TfLiteTensor``s of so many scales until the current node is prepared."""
        blocks = {count: structs.tensor_blocks(count, self.abi) for count in set(scale_counts)}
        return [blocks[count] for count in scale_counts]

    def request_scratch_buffer_in_arena(
        self, size: int, subgraph: int, operator: int, purpose: str = ""
    ) -> int:
        """Note that an operator needs ``size`` bytes while it runs; returns a handle.

        Raises:
            ConstraintError: The operator has made 12 requests already.
            ValueError: The size is negative.
        """
        if size < 0:
            raise ValueError(f"expected a size of 0 or more bytes, got {size}")
        request = ScratchRequest(size, subgraph, operator, purpose)
        if len(self._scratch) - self._scratch_before_node >= MAX_SCRATCH_BUFFERS_PER_OP:
            raise ConstraintError(
                f"an operator may request {MAX_SCRATCH_BUFFERS_PER_OP} scratch buffers, "
                f"operator {operator} of subgraph {subgraph} requests more"
            )
        self._scratch.append(request)
        return len(self._scratch) - 1

    def finish_prepare_node_allocations(self) -> None:
        """Return the node's temporary memory; make room for the next node's requests."""
        self.arena.reset_temp_allocations()
        if len(self._scratch) == self._scratch_before_node:
            return  # there is as much room as before
        self._scratch_before_node = len(self._scratch)
        size, alignment = structs.SCRATCH_BUFFER_REQUEST.layout(self.abi)
        requests = len(self._scratch) + MAX_SCRATCH_BUFFERS_PER_OP
        self.arena.resize_buffer(self._scratch_head, size * requests, alignment)

    def finish_model_allocation(
        self, model: Model, placed: Collection[tuple[int, int]] = ()
    ) -> MemoryPlan:
        """Plan the head, allocate variables, commit.

        ``placed`` are the tensors, by subgraph and index, that have memory already.

        Raises:
            StateError: No model's allocation was started.
            ArenaError: The arena is too small.
            ModelError: The offline plan or the model's tensors are malformed.
            PlanError: The planner cannot plan this model.
        """
        if not self._model_is_allocating:
            raise StateError("start_model_allocation() comes before finish_model_allocation()")
        if self._scratch:
            count = len(self._scratch)
            self._allocate(structs.SCRATCH_BUFFER_HANDLE, Category.SCRATCH_HANDLE, count)
        result = self._commit_static_memory_plan(model, placed)
        self._model_is_allocating = False
        return result

    def allocate_persistent_tflite_tensor(self, tensor: Tensor) -> None:
        """Room for the full ``TfLiteTensor`` of an input or output."""
        first, *quantization = structs.tensor_structs(structs.scale_count(tensor))
        self._allocate(first, Category.PERSISTENT_TENSOR, purpose=tensor.name)
        for struct in quantization:
            self._allocate(struct, Category.QUANTIZATION, purpose=tensor.name)

    def allocate_tensor_pointers(self, count: int, purpose: str) -> None:
        """Room for the pointers to all inputs or outputs."""
        self.reserve_persistent_buffer(structs.TENSOR_POINTER.size(self.abi) * count, purpose)

    def allocate_resource_variables(self, count: int) -> None:
        """Room for ``MicroResourceVariables`` and its table of ``count`` variables."""
        for struct in (structs.RESOURCE_VARIABLES, structs.resource_variable_array(count)):
            self.reserve_persistent_buffer(struct.size(self.abi), struct.name)

    # -- what was allocated, and undoing it

    def allocations(self) -> Allocations:
        """The arena's use: TFLM's table, and every block in the tail."""
        return self._ledger.allocations(self.arena)

    def note_peak(self, moment: str, operator: Asking | None = None) -> None:
        """Say what the last allocations were for; see :class:`Peak` for the words."""
        self._ledger.note_peak(self.arena.high_water, moment, operator)

    def checkpoint(self) -> AllocatorCheckpoint:
        """The state as it is."""
        return AllocatorCheckpoint(
            self.arena.checkpoint(),
            len(self._ledger.rows),
            self._max_head_buffer_usage,
            self._model_is_allocating,
        )

    def rollback(self, checkpoint: AllocatorCheckpoint) -> None:
        """Forget everything since the checkpoint."""
        self.arena.rollback(checkpoint.arena)
        del self._ledger.rows[checkpoint.records :]
        self._max_head_buffer_usage = checkpoint.max_head_buffer_usage
        self._model_is_allocating = checkpoint.model_is_allocating

    def unlimited(self) -> MicroAllocator:
        """An allocator in the same state on an arena without memory and end."""
        twin = MicroAllocator(
            self.arena.unlimited(), self.planner, self.target, is_recording=self.abi.recording
        )
        twin._max_head_buffer_usage = self._max_head_buffer_usage
        twin.note_peak("creation")
        return twin

    def shrink(self, plan: MemoryPlan) -> MemoryPlan:
        """Turn an arena without end into the smallest in which all this could be allocated.

        Views of the tail that were handed out before are not part of it.

        Returns:
            The plan of the one model there is, with the places of its variables.
        """
        moved = self.arena.shrink()
        return plan.with_variables_lower(moved)

    # -- inside

    def _allocate(
        self,
        struct: Struct,
        category: Category,
        count: int = 1,
        *,
        purpose: str = "",
        operator: Asking | None = None,
    ) -> int:
        size, alignment = struct.layout(self.abi)
        return self._tail(
            size * count, alignment, category, count, purpose or struct.name, operator=operator
        )

    def _tail(
        self,
        size: int,
        alignment: int,
        category: Category,
        count: int,
        purpose: str,
        *,
        operator: Asking | None = None,
    ) -> int:
        arena = self.arena
        before = arena.tail
        offset = arena.allocate_persistent_buffer(size, alignment)
        place = offset - arena.buffer_tail
        row = category, size, before - offset, place, count, purpose, operator
        self._ledger.rows.append(row)
        return offset

    def _commit_static_memory_plan(
        self, model: Model, placed: Collection[tuple[int, int]]
    ) -> MemoryPlan:
        """Plan with temporary structs above the requests; then the head takes their place."""
        held = [
            self.arena.allocate_temp(struct.size(self.abi) * count, struct.alignment(self.abi))
            for struct, count in structs.planning_structs(model, len(self._scratch))
        ]
        offline = offline_offsets(model)
        variables = [
            self._allocate_variable(subgraph, index, tensor)
            for subgraph, index, tensor in tail_variables(model, offline)
        ]
        wanted = head_buffers(model, self._scratch, offline, placed)
        held.append(self._allocate_planner_workspace(len(wanted)))
        buffers, size = solve(wanted, self.planner)
        for offset in held:
            self.arena.deallocate_temp(offset)
        self.arena.reset_temp_allocations()
        self.arena.deallocate_resizable_buffer(self._scratch_head)
        self._max_head_buffer_usage = max(self._max_head_buffer_usage, size)
        self.arena.reserve_non_persistent_overlay_memory(self._max_head_buffer_usage)
        if offline is not None:  # which may place a variable that has got memory in the tail
            planned = {(b.subgraph, b.index) for b in buffers if b.kind == "tensor"}
            variables = [v for v in variables if (v.subgraph, v.index) not in planned]
        return MemoryPlan((*buffers, *variables), size, self.planner)

    def _allocate_variable(self, subgraph: int, index: int, tensor: Tensor) -> PlannedBuffer:
        size = tensor_bytes(tensor)
        offset = self._tail(size, ARENA_ALIGNMENT, Category.VARIABLE, 1, tensor.name)
        return PlannedBuffer(tensor.name, "variable", subgraph, index, offset, size, 0, FOREVER)

    def _allocate_planner_workspace(self, buffers: int) -> int:
        # TFLM hands all whole 16-byte blocks up to the tail to the planner; what counts is
        # that they are enough.
        slack = self.arena.tail % ARENA_ALIGNMENT
        size = find_planner(self.planner).workspace(buffers, self.abi)
        return self.arena.allocate_temp(size + slack, ARENA_ALIGNMENT)
