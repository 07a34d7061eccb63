"""From a model to a plan of its head: which buffers, when, where.

Facts: TFLM ``micro_allocation_info.cc`` and ``MicroAllocator::CommitStaticMemoryPlan``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, NamedTuple

from arenite.callable_modules import html_of
from arenite.errors import ModelError
from arenite.memory.abi import align_up
from arenite.memory.arena import ARENA_ALIGNMENT
from arenite.memory.liveness import ONLINE, ScratchRequest, spans, tensor_bytes
from arenite.memory.planners import find_planner, plan
from arenite.memory.problem import Buffer, Problem
from arenite.model import Model, Tensor
from arenite.model.fast_init import quick
from arenite.model.text import printable

#: Offsets by subgraph and tensor, or None where the model brings no offline plan.
OfflineOffsets = list[list[int]] | None


@quick
@dataclass(frozen=True)
class PlannedBuffer:
    """A place in the arena for a tensor or a scratch buffer.

    Attributes:
        name: The tensor's name, or the operator and purpose of scratch memory.
        kind: ``"tensor"`` and ``"scratch"`` are in the head, ``"variable"`` in the tail.
        subgraph: The subgraph it belongs to.
        index: Index of the tensor, or handle of the scratch buffer.
        offset: First byte, from the arena's start.
        size: Bytes.
        begin: First moment of the half-open lifetime: 0 is the beginning of an inference,
            n + 1 the run of operator n (where no subgraphs are called), -1 is never.
        end: First moment after the lifetime.
        offline_offset: The offset that the model's own plan demands, or None.
    """

    name: str
    kind: Literal["tensor", "scratch", "variable"]
    subgraph: int
    index: int
    offset: int
    size: int
    begin: int
    end: int
    offline_offset: int | None = None


class MemoryPlan(NamedTuple):
    """Where everything of one model is. ``head`` is the size of the plan in bytes."""

    buffers: tuple[PlannedBuffer, ...]
    head: int
    planner: str

    def with_variables_lower(self, by: int) -> MemoryPlan:
        """The plan with its variables so many bytes nearer to the arena's start."""
        if "variable" not in {b.kind for b in self.buffers}:
            return self
        buffers = (
            replace(b, offset=b.offset - by) if b.kind == "variable" else b for b in self.buffers
        )
        return self._replace(buffers=tuple(buffers))

    def _repr_html_(self) -> str:
        return html_of(self)

    def __repr__(self) -> str:
        lines = [
            f"plan: {len(self.buffers)} buffers, head {self.head} bytes, {self.planner} planner"
        ]
        lines += [
            f"  {b.kind:8s}  offset {b.offset:8d}  size {b.size:8d}  "
            f"from {b.begin:3d} to {b.end:3d}  {b.name}"
            for b in self.buffers
        ]
        return "\n".join(map(printable, lines))


def head_buffers(
    model: Model,
    scratch: Sequence[ScratchRequest],
    offline: OfflineOffsets,
    placed: Collection[tuple[int, int]] = (),
) -> list[PlannedBuffer]:
    """All buffers of the head in TFLM's order (it decides ties), offsets still open.

    ``placed`` are the tensors that have memory of another kind.

    Raises:
        ModelError: See :func:`spans` and :func:`tensor_bytes`; or an operator has an
            intermediate tensor with a size, which TFLM has no memory for.
    """
    _check_intermediates(model)
    alive, of_scratch = spans(model, scratch)
    buffers = []
    for subgraph, content in enumerate(model.subgraphs):
        first, last = alive[subgraph]
        for index, tensor in enumerate(content.tensors):
            if tensor.data is not None and not tensor.is_variable:
                continue
            offset = ONLINE if offline is None else offline[subgraph][index]
            if (tensor.is_variable and offset == ONLINE) or (subgraph, index) in placed:
                continue
            size = tensor_bytes(tensor)
            if size:
                place = None if offset == ONLINE else offset
                begin, end = first[index], last[index] + 1
                name = tensor.name
                buffers.append(
                    PlannedBuffer(name, "tensor", subgraph, index, 0, size, begin, end, place)
                )
    for handle, (request, begin, last_used) in enumerate(zip(scratch, *of_scratch, strict=True)):
        operator = model.subgraphs[request.subgraph].operators[request.operator]
        name = f"#{request.operator} {operator.name} {request.purpose or 'scratch'}"
        where = request.subgraph, handle, 0
        buffers.append(PlannedBuffer(name, "scratch", *where, request.size, begin, last_used + 1))
    return buffers


def tail_variables(model: Model, offline: OfflineOffsets) -> Iterator[tuple[int, int, Tensor]]:
    """Subgraph, index and tensor of the variables that get memory in the tail.

    ``MicroAllocator::AllocateVariables`` looks at the offsets of the first subgraph's tensors,
    whatever the subgraph: others may have memory in the head as well, which they use then.

    Raises:
        ModelError: A variable would have no memory at all.
    """
    flat = None if offline is None else list(chain(*offline))
    variables = [
        (subgraph, index, tensor)
        for subgraph, content in enumerate(model.subgraphs)
        for index, tensor in enumerate(content.tensors)
        if tensor.is_variable
    ]
    for subgraph, index, tensor in variables:
        if offline is None or flat is None or flat[index] == ONLINE:
            yield subgraph, index, tensor
        elif offline[subgraph][index] == ONLINE:
            raise ModelError(
                f"variable {tensor.name!r} gets no memory: TFLM looks for its offset at that of "
                f"tensor {index} of the first subgraph",
                path=f"$.subgraphs[{subgraph}].tensors[{index}]",
            )


def solve(buffers: Sequence[PlannedBuffer], planner: str) -> tuple[list[PlannedBuffer], int]:
    """The same buffers with their offsets, and the size of the head in bytes.

    Raises:
        PlanError: The planner cannot plan this.
    """
    scratch = unplanned(buffers) if find_planner(planner).is_for_models else ()
    solution = plan(problem_of(buffers), planner, scratch)
    pairs = zip(buffers, solution.offsets, strict=True)
    return [b if b.offset == offset else _placed(b, offset) for b, offset in pairs], solution.size


def problem_of(buffers: Sequence[PlannedBuffer]) -> Problem:
    """Problem that a planner is to solve: sizes as TFLM rounds them up."""
    return Problem(
        tuple(
            Buffer(
                align_up(b.size, ARENA_ALIGNMENT), b.begin, b.end, ARENA_ALIGNMENT, b.offline_offset
            )
            for b in buffers
        )
    )


def unplanned(buffers: Sequence[PlannedBuffer]) -> frozenset[int]:
    """Numbers of the buffers that a plan in the model has no places for: scratch, never alive."""
    return frozenset(n for n, b in enumerate(buffers) if b.kind == "scratch" or b.begin < 0)


def _placed(b: PlannedBuffer, offset: int) -> PlannedBuffer:
    # `replace`, written out: every load does this for all tensors.
    return PlannedBuffer(
        b.name, b.kind, b.subgraph, b.index, offset, b.size, b.begin, b.end, b.offline_offset
    )


def _check_intermediates(model: Model) -> None:
    for number, subgraph in enumerate(model.subgraphs):
        for position, operator in enumerate(subgraph.operators):
            for index in operator.intermediates:
                if index >= 0 and tensor_bytes(subgraph.tensors[index]):
                    raise ModelError(
                        f"intermediate tensor {subgraph.tensors[index].name!r} has a size, "
                        "TFLM supports empty ones only",
                        path=f"$.subgraphs[{number}].operators[{position}]",
                    )
