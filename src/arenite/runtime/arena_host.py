"""A kernel's host in the arena.

Facts: TFLM ``micro_interpreter_context.cc``, ``micro_context.cc``.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from operator import is_

import numpy as np

from arenite.errors import DeclaredShapeError, PlanWarning
from arenite.memory.abi import Struct, align_up
from arenite.memory.allocator import MicroAllocator
from arenite.memory.arena import ARENA_ALIGNMENT, Bytes
from arenite.memory.budget import Budget
from arenite.memory.liveness import MAX_BYTES
from arenite.memory.overlap import Order, Sharing, check_operands
from arenite.memory.plan import MemoryPlan
from arenite.model import Model, Operator, Subgraph, TensorType
from arenite.model.offline_plan import OFFLINE_METADATA, origin_in
from arenite.ops import EvalTensor, Registration, TfLiteTensor, builtin, places_operands
from arenite.ops.context import Array, Declared
from arenite.runtime.graph import Graph
from arenite.runtime.host import HostContext
from arenite.runtime.loop_order import order_of, runs_in_place
from arenite.runtime.state import InterpreterState

INIT, PREPARE = InterpreterState.INIT, InterpreterState.PREPARE
PLANNING, INVOKE = InterpreterState.MEMORY_PLANNING, InterpreterState.INVOKE


class MicroInterpreterContext(HostContext):
    """Gives kernels their memory from the arena, each call in its phase only.

    ``shrinks``: the allocator's arena has no end, and gets the smallest one that works.
    """

    def __init__(
        self,
        allocator: MicroAllocator,
        model: Model,
        *,
        shrinks: bool = False,
        regions: Sequence[Bytes] = (),
    ) -> None:
        super().__init__(model, allocator.target)
        self._allocator, self._arena = allocator, allocator.arena
        self.shrinks = shrinks
        #: Where everything is, once that is decided.
        self.memory_plan: MemoryPlan | None = None
        self._scratch: list[Bytes] = []
        # What full tensors take of temporary memory, by subgraph.
        self._blocks = [
            allocator.tensor_blocks([full.scale_count for full in fulls]) for fulls in self._fulls
        ]
        # Operators whose output reaches into an input, and which get a copy of that.
        self._sharing: tuple[Sharing, ...] = ()
        #: Alternate memory for decompressed tensors, and how much of it is in use.
        self.regions = tuple(regions)
        self._region_used = [0] * len(self.regions)
        # Lists of states, numbers in them, and how far from the arena's end that state begins.
        self._state_places: list[tuple[list[Bytes], int, int]] = []

    # -- callbacks for kernels

    def get_tensor(self, index: int) -> TfLiteTensor:
        """A full tensor on temporary memory, which the end of ``prepare`` returns."""
        if self.state is not PREPARE and self.state is not INIT:
            self.require("get_tensor", INIT, PREPARE)
        if not 0 <= index < len(self._full):
            self._check_index(index)
        self._arena.touch_temp(self._blocks[self.subgraph][index])
        return self._full[index]

    def resize_tensor(
        self, index: int, shape: tuple[int, ...], declared: Declared = "kept"
    ) -> None:
        """See an output in this shape while this node runs; all others see the model's.

        Only where TFLM writes dimensions, or the model leaves one open (-1) or writes a scalar
        as ``[0]``, others see the new shape as well.

        Raises:
            ShapeError: The shape is not the model's, or has another number of elements where
                other dimensions do not matter.
            ConstraintError: An earlier node was prepared for another shape of the tensor.
        """
        if self.state is not PREPARE:
            self.require("resize_tensor", PREPARE)
        if not 0 <= index < len(self._current):
            self._check_index(index)
        tensor, shape = self._current[index], tuple(shape)
        if shape == tensor.shape:
            return
        is_open = -1 in tensor.shape or (tensor.shape, shape) == ((0,), ())
        is_as_large = prod(shape) == tensor.size
        has_room = declared == "replaced" and len(shape) <= len(tensor.shape)
        if is_open or (is_as_large and has_room):
            self.settle(index, shape)
        elif is_as_large and declared == "kept":
            self.own_tensors[self.subgraph, self.operator, index] = EvalTensor(tensor.type, shape)
        else:
            raise self._declared_otherwise(index, shape)

    def _declared_otherwise(self, index: int, shape: tuple[int, ...]) -> DeclaredShapeError:
        """The error of an output whose shape the file does not say."""
        tensor = self._current[index]
        signature = self.model.subgraphs[self.subgraph].tensors[index].shape_signature
        is_open = -1 in (signature or ())
        why = " and leaves open" if is_open else ""
        reason = (
            f"expected an output of shape {list(tensor.shape)} as the model says{why}, got "
            f"{list(shape)}: TFLM believes the model, and leaves a larger output partly unwritten "
            "or writes beyond a smaller one, so that what it computes is nonsense; state the shape "
            "that is computed. The arena cannot resize tensors (HeapInterpreter can)"
        )
        return DeclaredShapeError(f"{self.place()}: {reason}.", reason=reason)

    def allocate_persistent_buffer(self, size: int, purpose: str = "") -> Bytes:
        """``size`` zeroed bytes in the tail, aligned to 16."""
        if self.state is not PREPARE and self.state is not INIT:
            self.require("allocate_persistent_buffer", INIT, PREPARE)
        if not 0 <= size <= MAX_BYTES:
            self._check_size(size)
        asking = self.operators, self.operator
        return self._allocator.allocate_persistent_buffer(size, purpose, asking)

    def reserve_persistent_buffer(self, size: int, purpose: str = "") -> None:
        """The same room, where nobody looks at the bytes."""
        if self.state is not PREPARE and self.state is not INIT:
            self.require("reserve_persistent_buffer", INIT, PREPARE)
        if not 0 <= size <= MAX_BYTES:
            self._check_size(size)
        asking = self.operators, self.operator
        self._allocator.reserve_persistent_buffer(size, purpose, asking)

    def allocate_state(self, size: int, purpose: str = "") -> Bytes:
        """A persistent buffer that :meth:`state_buffers` finds again."""
        buffer = self.allocate_persistent_buffer(size, purpose)
        states, arena = self.keep_state(buffer), self._allocator.arena
        self._state_places.append((states, len(states) - 1, arena.buffer_tail - arena.tail))
        return buffer

    def allocate_decompression_memory(self, size: int) -> Bytes | None:
        """The first region with room gives it, aligned to 16."""
        self.require("allocate_decompression_memory", PREPARE)
        for number, region in enumerate(self.regions):
            start = align_up(self._region_used[number], ARENA_ALIGNMENT)
            if start + size <= region.nbytes:
                self._region_used[number] = start + size
                return region[start : start + size]
        return None

    def reset_decompression_memory(self) -> None:
        """All regions are free again."""
        self._region_used = [0] * len(self.regions)

    def request_scratch_buffer_in_arena(self, size: int, purpose: str = "") -> int:
        """Ask for ``size`` bytes in the head while this node runs."""
        self.require("request_scratch_buffer_in_arena", PREPARE)
        self._check_size(size)
        return self._allocator.request_scratch_buffer_in_arena(
            size, self.subgraph, self.operator, purpose
        )

    def get_scratch_buffer(self, handle: int) -> Bytes:
        """The memory behind a scratch handle."""
        self.require("get_scratch_buffer", INVOKE)
        if not 0 <= handle < len(self._scratch):
            self.report_error(f"expected one of {len(self._scratch)} scratch handles, got {handle}")
        return self._scratch[handle]

    def allocate_temp_buffer(self, size: int, alignment: int) -> Bytes:
        """Bytes above the head, until the end of ``prepare``."""
        self.require("allocate_temp_buffer", PREPARE)
        self._check_size(size)
        arena = self._allocator.arena
        offset = arena.allocate_temp(size, alignment)
        arena.deallocate_temp(offset)  # whoever is strict keeps account itself
        return arena.view(offset, size)

    def _check_size(self, size: int) -> None:
        if not 0 <= size <= MAX_BYTES:
            self.report_error(f"expected a buffer size from 0 to {MAX_BYTES}, got {size}")

    # -- what the graph and the interpreter use

    @property
    def shows_all_tensors(self) -> bool:
        """Whether all tensors keep their values, or a plan in the file may say anything."""
        return self._allocator.preserves_all_tensors or OFFLINE_METADATA in self.model.metadata

    @property
    def budget(self) -> Budget:
        """The arena's."""
        return self._allocator.arena.budget

    def _home_of_variables(self) -> MicroAllocator:
        """The allocator for the table of variables: the common one, or one of its own."""
        size = self.target.variables_arena
        return MicroAllocator.create(size, target=self.target) if size else self._allocator

    def begin(self, graph: Graph) -> None:
        """TFLM's structs for the model, and its operators' options."""
        super().begin(graph)
        if graph.resource_variables is not None:
            self._home_of_variables().allocate_resource_variables(
                graph.resource_variables.max_variable_count
            )
        if self.regions:
            size = self.abi.pointer * len(self.regions)
            self._allocator.reserve_persistent_buffer(size, "decompression memory")
        self._allocator.start_model_allocation(self.model)
        allocate = self._allocator.allocate_builtin_data
        for subgraph, entries in zip(self.model.subgraphs, graph.nodes, strict=True):
            operators = subgraph.operators
            for number, entry in enumerate(entries):
                struct = builtin_data(operators[number], entry.registration)
                if struct is not None:
                    allocate(struct, (operators, number))
        self._allocator.note_peak("start")

    def finish_init(self) -> None:
        """The most memory that ``init`` took is known."""
        self._allocator.note_peak("init")

    def finish_prepare_node(self) -> None:
        """Check the outputs' shapes and return temporary memory."""
        current = self._current
        for index in self.operators[self.operator].outputs:
            shape = current[index].shape if index >= 0 else ()
            # A dimension of 0 alone is how old converters wrote scalars.
            if shape and min(shape) < 1 and shape != (0,):
                self.report_error(
                    f"output tensor {index} has the dynamic shape {list(shape)}; every dimension "
                    "must be at least 1"
                )
        self._allocator.finish_prepare_node_allocations()
        self._allocator.note_peak("prepare", (self.operators, self.operator))

    def plan(self, graph: Graph) -> None:
        """Plan the head, and allocate what an interpreter keeps of inputs and outputs."""
        allocator, model = self._allocator, self.model
        self.memory_plan = plan = allocator.finish_model_allocation(
            self._resized_model(), self.placed
        )
        self._sharing = ()
        if OFFLINE_METADATA in model.metadata:
            self._sharing = self._check_offline_plan(graph, plan)
        allocator.note_peak("planning")
        for name, tensors in (("inputs", model.inputs), ("outputs", model.outputs)):
            allocator.allocate_tensor_pointers(len(tensors), name)
            for tensor in tensors:
                allocator.allocate_persistent_tflite_tensor(tensor)
        allocator.note_peak("ports")

    def _check_offline_plan(self, graph: Graph, plan: MemoryPlan) -> tuple[Sharing, ...]:
        """Check that the target's kernels read all that they overwrite before they do."""
        from arenite.memory.offline import is_made_for  # noqa: PLC0415 - few models have a plan

        def order(subgraph: int, operator: int, position: int) -> Order | None:
            self.enter_node(subgraph, operator)
            return order_of(self, graph.nodes[subgraph][operator], position)

        origin = origin_in(self.model.metadata)
        hint = "" if origin is None else f"; the plan was made for {origin}"
        shared = check_operands(self.model, plan.buffers, order, hint, places_operands)
        sharing = tuple(one for one in shared if not self._runs_in_place(graph, one))
        target = self._allocator.target
        if origin is not None and not is_made_for(origin, target):
            warnings.warn(
                f"the model's memory plan was made for {origin}, and is used for {target}: its "
                "bits are the same, another plan may take less",
                PlanWarning,
                stacklevel=2,
            )
        return sharing

    def _runs_in_place(self, graph: Graph, sharing: Sharing) -> bool:
        """Whether the operator itself reads its input where its output is."""
        if sharing.distance:
            return False
        self.enter_node(sharing.subgraph, sharing.operator)
        entry = graph.nodes[sharing.subgraph][sharing.operator]
        return runs_in_place(self, entry, sharing.input)

    def _copy_shared_inputs(self) -> None:
        """Kernels of the host read copies of what their outputs overwrite."""
        for subgraph, operator, _, index, _ in self._sharing:
            tensor = self.tensors[subgraph][index]
            assert tensor.data is not None
            self.budget.take(tensor.data.nbytes, "copies of inputs under outputs")
            copy = np.empty_like(tensor.data)
            own = EvalTensor(tensor.type, tensor.shape, copy)
            self.own_tensors[subgraph, operator, index] = own
            copies = self.input_copies.setdefault((subgraph, operator), [])
            copies.append((tensor.data, copy))

    def _resized_model(self) -> Model:
        """The model with the shapes that ``prepare`` gave to tensors of open size."""
        if not self._has_other_shapes:
            return self.model
        pairs = zip(self.model.subgraphs, self.tensors, strict=True)
        subgraphs = tuple(_resized(subgraph, tensors) for subgraph, tensors in pairs)
        if all(map(is_, subgraphs, self.model.subgraphs)):
            return self.model
        return replace(self.model, subgraphs=subgraphs)

    def commit(self) -> None:
        """Point all tensors and scratch handles to their memory."""
        assert self.memory_plan is not None
        if self.shrinks:
            self.memory_plan = self._allocator.shrink(self.memory_plan)
            self._move_states()
        plan = self.memory_plan
        arena, placed = self._arena, self.placed
        scratch = {}
        for buffer in plan.buffers:
            if buffer.kind == "scratch":
                scratch[buffer.index] = arena.view(buffer.offset, buffer.size)
                continue
            if placed and (buffer.subgraph, buffer.index) in placed:
                continue  # a variable, whose memory nobody looks at
            tensor = self.tensors[buffer.subgraph][buffer.index]
            type_ = tensor.type
            if type_.bits == 8 * type_.dtype.itemsize:
                tensor.data = arena.array(buffer.offset, type_.dtype, tensor.shape)
            else:
                memory = arena.view(buffer.offset, buffer.size)
                tensor.data = shaped(memory, type_, tensor.shape)
        self._scratch = [scratch[handle] for handle in sorted(scratch)]
        for tensors in self.tensors:
            for tensor in tensors:
                if tensor.data is None and not tensor.size:
                    tensor.data = shaped(arena.view(0, 0), tensor.type, tensor.shape)
        for (subgraph, _, index), own in self.own_tensors.items():
            data = self.tensors[subgraph][index].data
            own.data = None if data is None else data.reshape(own.shape)
        self._copy_shared_inputs()

    def _move_states(self) -> None:
        """The arena has got memory, which takes what ``init`` and ``prepare`` wrote."""
        arena = self._allocator.arena
        for states, number, from_end in self._state_places:
            moved = arena.view(arena.buffer_tail - from_end, states[number].nbytes)
            moved[...] = states[number]
            states[number] = moved


def builtin_data(operator: Operator, registration: Registration) -> Struct | None:
    """The struct into which TFLM parses an operator's options.

    That follows the operator's code (``flatbuffer_conversions.cc``), whoever's kernel runs it.
    """
    own = None if operator.is_custom else builtin(operator.name)
    return registration.builtin_data if own is None else own.builtin_data


def _resized(subgraph: Subgraph, current: Sequence[EvalTensor]) -> Subgraph:
    tensors = tuple(
        tensor if tensor.size == now.size else replace(tensor, shape=now.shape)
        for tensor, now in zip(subgraph.tensors, current, strict=True)
    )
    if all(map(is_, tensors, subgraph.tensors)):
        return subgraph
    return replace(subgraph, tensors=tensors)


def shaped(memory: Bytes, type_: TensorType, shape: tuple[int, ...]) -> Array:
    """Bytes as a tensor's array; flat bytes for types that NumPy does not have."""
    size = type_.nbytes(prod(shape))
    if len(memory) != size:
        memory = memory[:size]
    if type_.dtype.itemsize * 8 != type_.bits:
        return memory
    return memory.view(type_.dtype).reshape(shape)
