"""Lifetimes of the tensors and scratch buffers of a model.

Facts: TFLM ``micro_allocation_info.cc``. Time counts scopes: 0 when the inference begins,
then one more for every operator and for every call of a subgraph, in execution order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from arenite.errors import ModelError
from arenite.model import Model, Operator, Tensor, TensorType
from arenite.model.calls import calls_of, check_inference
from arenite.model.offline_plan import OFFLINE_METADATA

#: The offset that leaves a buffer to the planner (``kOnlinePlannedBuffer``).
ONLINE = -1
#: TFLM's planners count bytes in an ``int``.
MAX_BYTES = 2**31 - 1


class ScratchRequest(NamedTuple):
    """A scratch buffer that an operator asked for in ``prepare``."""

    size: int
    subgraph: int
    operator: int
    purpose: str = ""


@dataclass
class Lifetime:
    """First and last scope that needs a buffer, inclusive as TFLM counts; -1 is never."""

    first_created: int = -1
    last_used: int = -1


class Lifetimes(NamedTuple):
    """Lifetimes by subgraph and tensor index, and by scratch handle."""

    tensors: list[list[Lifetime]]
    scratch: list[Lifetime]


class Spans(NamedTuple):
    """First and last scopes of buffers, see :class:`Lifetime`."""

    first: list[int]
    last: list[int]

    @classmethod
    def of(cls, count: int) -> Spans:
        """Those of so many buffers that are never needed."""
        return cls([-1] * count, [-1] * count)

    def note(self, number: int, first: int, last: int) -> None:
        """A buffer is written in one scope, and needed in another."""
        if self.first[number] < 0:
            self.first[number] = first
        self.last[number] = last

    def lifetimes(self) -> list[Lifetime]:
        """The same, one by one."""
        return list(map(Lifetime, self.first, self.last))


def lifetimes(model: Model, scratch: Sequence[ScratchRequest] = ()) -> Lifetimes:
    """Walk the model as an inference does and note when buffers are needed.

    Raises:
        ModelError: See :func:`check_inference`.
    """
    tensors, of_scratch = spans(model, scratch)
    return Lifetimes([one.lifetimes() for one in tensors], of_scratch.lifetimes())


def spans(model: Model, scratch: Sequence[ScratchRequest] = ()) -> tuple[list[Spans], Spans]:
    """The same as numbers: of each subgraph's tensors, and of scratch buffers.

    Raises:
        ModelError: See :func:`lifetimes`.
    """
    check_inference(model)
    walk = _Walk(model, scratch)
    walk.subgraph(0)
    return walk.tensors, walk.scratch


class _Walk:
    """One pass over the main subgraph and all that it calls."""

    def __init__(self, model: Model, scratch: Sequence[ScratchRequest]) -> None:
        self.tensors = [Spans.of(len(subgraph.tensors)) for subgraph in model.subgraphs]
        self.scratch = Spans.of(len(scratch))
        self._model = model
        self._scope = 0
        self._handles: Mapping[tuple[int, int], list[int]] = defaultdict(list)
        for handle, request in enumerate(scratch):
            self._handles[request.subgraph, request.operator].append(handle)
        self._calls = len(model.subgraphs) > 1  # who calls one calls another

    def subgraph(self, index: int) -> None:
        subgraph, spans = self._model.subgraphs[index], self.tensors[index]
        first, last = spans
        for i in subgraph.inputs:
            spans.note(i, self._scope, self._scope)
        for number, operator in enumerate(subgraph.operators):
            self._scope += 1
            start, outputs = self._scope, operator.outputs
            for i in outputs:
                if i >= 0 and first[i] < 0:
                    first[i] = start
            if self._calls:
                self._call(operator)
            end = self._scope
            for i in operator.inputs + outputs:
                if i >= 0:
                    last[i] = end
            if self._handles:  # scratch memory of a caller lives through all that it calls
                for handle in self._handles.get((index, number), ()):
                    self.scratch.note(handle, start, end)
        for i in subgraph.outputs:
            spans.note(i, self._scope, self._scope)

    def _call(self, operator: Operator) -> None:
        for called in calls_of(operator):
            self._scope += 1
            self.subgraph(called)


class Moment(NamedTuple):
    """Event of a moment: an operator runs, or, with -1, a subgraph gets its inputs."""

    subgraph: int
    operator: int


def moments(model: Model) -> list[Moment]:
    """Events by the numbers of :func:`lifetimes`.

    Raises:
        ModelError: See :func:`check_inference`.
    """
    check_inference(model)
    found: list[Moment] = []

    def visit(number: int) -> None:
        found.append(Moment(number, -1))
        for position, operator in enumerate(model.subgraphs[number].operators):
            found.append(Moment(number, position))
            for called in calls_of(operator):
                visit(called)

    visit(0)
    return found


def tensor_bytes(tensor: Tensor) -> int:
    """Bytes of the arena that a tensor takes: TFLM keeps int4 activations one per byte.

    ``memory_helpers.cc``, ``TfLiteTypeSizeOf``.

    Raises:
        ModelError: A dimension is negative, TFLM has no size for the type, or the tensor is
            too large for it.
    """
    shape = tensor.shape
    if shape and min(shape) < 0:
        raise ModelError(f"tensor {tensor.name!r} has the unknown shape {list(shape)}")
    element = ELEMENT_BYTES.get(tensor.type)
    if element is None:
        raise ModelError(f"tensor {tensor.name!r}: TFLM does not run type {tensor.type}")
    size = prod(shape) * element
    if size > MAX_BYTES:
        raise ModelError(f"tensor {tensor.name!r} takes {size} bytes, TFLM counts to {MAX_BYTES}")
    return size


#: Bytes of an element in the arena, for the types that TFLM has a size for.
ELEMENT_BYTES = {
    **{
        type_: type_.bits // 8
        for type_ in TensorType
        if type_.bits >= 8 and not type_.name.startswith("FLOAT8")
    },
    TensorType.INT4: 1,
}


def offline_offsets(model: Model) -> list[list[int]] | None:
    """Offsets from the metadata ``OfflineMemoryAllocation`` by subgraph and tensor, or None.

    The metadata holds int32: version, subgraph, count, then one offset per tensor of all
    subgraphs, -1 where the planner decides.

    Raises:
        ModelError: The metadata is too short, or its count is not the number of tensors.
    """
    data = model.metadata.get(OFFLINE_METADATA)
    if data is None:
        return None
    path = f"$.metadata[{OFFLINE_METADATA!r}]"
    values = np.frombuffer(bytes(data)[: len(data) // 4 * 4], "<i4")
    count = sum(len(subgraph.tensors) for subgraph in model.subgraphs)
    if len(values) < 3 or int(values[2]) != count or len(values) < 3 + count:
        stated = int(values[2]) if len(values) >= 3 else 0
        raise ModelError(
            f"expected {count} offline offsets, one per tensor, got {max(len(values) - 3, 0)} "
            f"of {stated}",
            path=path,
        )
    offsets = values[3 : 3 + count].tolist()
    if min(offsets, default=0) < ONLINE:
        raise ModelError(f"offline offset {min(offsets)} is negative", path=path)
    rest = iter(offsets)
    return [[next(rest) for _ in subgraph.tensors] for subgraph in model.subgraphs]
