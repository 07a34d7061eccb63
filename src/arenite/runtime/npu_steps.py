"""A verified NPU program as steps of the native engine.

Maps lie in memory in bricks and tiles; kernels want rows. So an operation is: copies of its inputs
to rows, where they lie otherwise; a kernel; a copy of its output to its place. Convolutions whose
numbers are TFLite's are the engine's own kernels, functions of one byte are tables that the
reference has computed, and all else goes to the kernels of ``csrc/portable/npu*.c``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.model import TensorType
from arenite.native.steps import Step
from arenite.npu.constants import FAST, WORK
from arenite.npu.feature_map import INSIDE, FeatureMap, Piece
from arenite.npu.lifetimes import Spans, all_ones, read_unwritten, unread
from arenite.npu.operations import (
    Convolution,
    Copy,
    Elementwise,
    Gather,
    Operation,
    Pool,
    Product,
    Program,
    Resize,
    Result,
)
from arenite.npu.reference import computed
from arenite.npu.stream import StreamError
from arenite.ops.context import EvalTensor, Node
from arenite.ops.custom import ethos_u
from arenite.ops.shared.npu_records import (
    NpuMoveParams,
    NpuTableParams,
    convolution_params,
    elementwise_params,
    pool_params,
    resize_params,
)
from arenite.runtime.graph import GraphHost
from arenite.runtime.npu_layers import Layer, as_layer

Bytes = npt.NDArray[np.uint8]
Array = npt.NDArray[Any]
_TYPES = {
    "int8": TensorType.INT8,
    "uint8": TensorType.UINT8,
    "int16": TensorType.INT16,
    "uint16": TensorType.UINT16,
    "int32": TensorType.INT32,
    "uint32": TensorType.UINT32,
}
#: Both inputs and the output of an operation as rows, and the output of the one before.
_ROWS = 4


class Steps(NamedTuple):
    """All steps in order, and memory beside the arena that they work in."""

    steps: tuple[Step, ...]
    private: tuple[Array, ...]


def native_steps(host: GraphHost, node: Node) -> Steps | None:
    """An operator's commands as steps; None where only Python can run it, or say what is wrong.

    Raises:
        MemoryLimitError: The rows that they work in are beyond the budget.
    """
    try:
        program, memory = ethos_u.verified(host, node)
    except StreamError:
        return None
    inside = sum(size for region, size in program.sizes.items() if region >= INSIDE)
    host.budget.take(_ROWS * _largest(program) + inside, "an NPU's maps as rows")
    return steps_of(program, memory, *ethos_u.spans(host, node, memory[WORK]))


def steps_of(
    program: Program, memory: Mapping[int, Bytes], inputs: Spans, outputs: Spans
) -> Steps | None:
    """The steps of a program over ``memory``: bytes of its regions, as many as were verified.

    None where it reads fast memory before anything was written there: what it finds then depends on
    former inferences; where two elements of an output lie at one place; and where sums go on from
    one operation to the next, weights are computed, or rows are copied by indices.
    """
    if not all(map(_is_native, program.operations)):
        return None
    memory = {**memory, **program.inside()}
    stale = read_unwritten(program, inputs)
    targets = (operation.writes for operation in program.operations)
    if FAST in stale or not all(target is None or _is_apart(target) for target in targets):
        return None
    every = _Lowering(program, memory)
    steps = every.all()
    if stale:
        return steps
    return _Lowering(program, memory, unread(program, every.reads, outputs)).all()


class _Lowering:
    """Steps in the order in which they are added, and rows of memory that they share."""

    def __init__(
        self, program: Program, memory: Mapping[int, Bytes], unread: Set[int] = frozenset()
    ) -> None:
        self._program, self._memory, self._unread = program, memory, unread
        #: What operations read in memory, by their numbers.
        self.reads: dict[int, list[FeatureMap]] = {}
        self._rows = [np.zeros(_largest(program), np.uint8) for _ in range(_ROWS)]
        self._steps: list[Step] = []
        #: A map that lies in one of the rows as well, just as it is in memory.
        self._kept: tuple[FeatureMap, int] | None = None
        self._taken: set[int] = set()

    def all(self) -> Steps:
        """Those of all operations."""
        for operation in self._program.operations:
            self._taken = set() if self._kept is None else {self._kept[1]}
            if isinstance(operation, Copy):
                self._copy(operation)
            else:
                self.reads[operation.number] = []
                self._operation(operation)
        own = tuple(
            memory
            for region, memory in self._memory.items()
            if region >= INSIDE or (region == FAST and not self._program.is_shared)
        )
        return Steps(tuple(self._steps), (*own, *self._rows))

    def _add(self, kernel: str, params: Any, target: EvalTensor, *sources: EvalTensor) -> None:
        self._steps.append(Step(kernel, params, (target,), sources))

    # -- memory

    def _region(self, number: int) -> EvalTensor:
        memory = self._memory[number]
        return EvalTensor(TensorType.UINT8, memory.shape, memory)

    def _seen(self, region: int) -> int:
        return 1 if self._program.is_shared and region == 2 else region

    def _row(self, one: FeatureMap, number: int) -> EvalTensor:
        """A map's elements in a row of memory."""
        return _tensor(one, self._rows[number][: one.size * one.dtype.itemsize])

    def _free_row(self) -> int:
        number = min(set(range(_ROWS)) - self._taken)
        self._taken.add(number)
        return number

    def _in_place(self, one: FeatureMap) -> EvalTensor | None:
        """A map where it lies in memory, if that is one row of elements."""
        if not _is_row(one):
            return None
        begin = one.pieces[0].offset
        found = _tensor(
            one, self._memory[one.region][begin : begin + one.size * one.dtype.itemsize]
        )
        assert found.data is not None
        return found if found.data.flags.aligned else None

    def _read(self, one: FeatureMap, number: int) -> EvalTensor:
        """A map as a row of elements, which is copied there first unless it lies so."""
        if self._kept is not None and _is_same(self._kept[0], one):
            return self._row(one, self._kept[1])
        self.reads[number].append(one)
        found = self._in_place(one)
        if found is not None:
            return found
        row = self._row(one, self._free_row())
        for piece, place, steps in _moves(one):
            params = NpuMoveParams(
                piece.shape, piece.offset, piece.strides, place, steps, one.dtype.itemsize
            )
            self._add("NPU_MOVE", params, _as_bytes(row), self._region(one.region))
        return row

    def _wrote(self, region: int, begin: int, end: int) -> None:
        """Memory has changed there."""
        if self._kept is None:
            return
        low, high = self._kept[0].span
        if self._seen(self._kept[0].region) == self._seen(region) and low < end and begin < high:
            self._kept = None

    def _copy(self, copy: Copy) -> None:
        region, begin = copy.target
        if region is None or not copy.length:
            return  # tables were taken from there when the stream was read
        source, first = copy.source
        size, steps = (1, 1, 1, copy.length), (0, 0, 0, 1)
        if copy.number not in self._unread:
            params = NpuMoveParams(size, first, steps, begin, steps, 1)
            self._add("NPU_MOVE", params, self._region(region), self._region(source))
        self._wrote(region, begin, begin + copy.length)

    # -- operations

    def _operation(self, operation: Any) -> None:
        """Inputs, kernel, output."""
        target: FeatureMap = operation.result.map
        sources = [self._read(one, operation.number) for one in operation.reads]
        place = self._in_place(target)
        if place is None or not self._may_write(operation):
            number = self._free_row()
            row = self._row(target, number)
            self._compute(operation, row, sources)
            if operation.number not in self._unread:
                self._store(target, row)
            self._wrote(target.region, *target.span)
            self._kept = target, number
            return
        self._compute(operation, place, sources)
        self._wrote(target.region, *target.span)

    def _may_write(self, operation: Operation) -> bool:
        """Whether kernels may write while they read: no input lies there."""
        target = operation.writes
        assert target is not None
        low, high = target.span
        return not any(
            self._seen(one.region) == self._seen(target.region)
            and one.span[0] < high
            and low < one.span[1]
            for one in operation.reads
        )

    def _store(self, target: FeatureMap, row: EvalTensor) -> None:
        for piece, place, steps in _moves(target):
            params = NpuMoveParams(
                piece.shape, place, steps, piece.offset, piece.strides, target.dtype.itemsize
            )
            self._add("NPU_MOVE", params, self._region(target.region), _as_bytes(row))

    def _compute(self, operation: Any, target: EvalTensor, sources: Sequence[EvalTensor]) -> None:
        """The kernel, or two: a layer of the engine's and a table behind it."""
        table, layer = _byte_function(operation), as_layer(operation)
        if table is not None:
            self._add("NPU_TABLE", NpuTableParams(table), target, sources[0])
        elif layer is not None:
            self._layer(layer, operation.result, target, sources)
        elif isinstance(operation, Convolution):
            self._add("NPU_CONVOLUTION", convolution_params(operation), target, *sources)
        elif isinstance(operation, Pool):
            self._add("NPU_POOL", pool_params(operation), target, *sources)
        elif isinstance(operation, Resize):
            self._add("NPU_RESIZE", resize_params(operation), target, *sources)
        else:
            self._add("NPU_ELEMENTWISE", elementwise_params(operation), target, *sources)

    def _layer(
        self, layer: Layer, result: Result, target: EvalTensor, sources: Sequence[EvalTensor]
    ) -> None:
        inputs = reversed(sources) if layer.is_reversed else sources
        self._add(layer.kernel, layer.params, target, *inputs, *layer.constants)
        if result.table is not None:
            table = _by_byte(result.table, result.first)
            self._add("NPU_TABLE", NpuTableParams(table), target, target)


# -- maps


def _is_native(operation: Operation) -> bool:
    """Whether there are kernels for an operation."""
    maps = (one for one in (*operation.reads, operation.writes) if one is not None)
    if isinstance(operation, (Product, Gather)) or any(
        one.dtype.name not in _TYPES for one in maps
    ):
        return False
    return getattr(operation, "before", None) is None


def _largest(program: Program) -> int:
    """Bytes of the largest map."""
    maps = (one for op in program.operations for one in (*op.reads, op.writes) if one is not None)
    return max((one.size * one.dtype.itemsize for one in maps), default=1)


def _is_same(one: FeatureMap, other: FeatureMap) -> bool:
    """Whether both are the same elements."""
    return (one.region, one.dtype, one.shape, one.pieces) == (
        *(other.region, other.dtype, other.shape),
        other.pieces,
    )


def _is_row(one: FeatureMap) -> bool:
    """Whether its elements lie one behind the other."""
    step = one.dtype.itemsize
    if len(one.pieces) != 1:
        return False
    (piece,) = one.pieces
    for size, stride in zip(reversed(piece.shape), reversed(piece.strides), strict=True):
        if size > 1 and stride != step:
            return False
        step *= size
    return True


def _is_apart(one: FeatureMap) -> bool:
    """Whether no two elements share a byte, as far as their steps say so."""
    seen = np.zeros(one.span[1], np.uint8)
    for piece, elements in one.views({one.region: seen}):
        if elements.any():
            return False
        elements[...] = all_ones(one.dtype)
        extent = one.dtype.itemsize
        for step, size in sorted(zip(map(abs, piece.strides), piece.shape, strict=True)):
            if size > 1 and step < extent:
                return False
            extent = max(extent, (size - 1) * step + extent)
    return True


def _moves(one: FeatureMap) -> Iterator[tuple[Piece, int, tuple[int, int, int, int]]]:
    """Each piece, where its first element lies in a row of all, and its steps there."""
    _, width, depth = one.shape
    size = one.dtype.itemsize
    for piece in one.pieces:
        first = (piece.rows[0] * width + piece.columns[0]) * depth + piece.channels[0]
        yield piece, first * size, (width * depth * size, depth * size, piece.shape[3] * size, size)


def _tensor(one: FeatureMap, memory: Bytes) -> EvalTensor:
    """A map's elements out of its bytes."""
    shape = (1, *one.shape)
    return EvalTensor(_TYPES[one.dtype.name], shape, memory.view(one.dtype).reshape(shape))


def _as_bytes(row: EvalTensor) -> EvalTensor:
    assert row.data is not None
    memory = row.data.reshape(-1).view(np.uint8)
    return EvalTensor(TensorType.UINT8, memory.shape, memory)


# -- functions of a byte


def _byte_function(operation: Operation) -> npt.NDArray[np.int8] | None:
    """All results of an operation that is a function of each byte alone, from one to one."""
    if not isinstance(operation, (Pool, Elementwise)) or len(operation.reads) > 1:
        return None
    source, target = operation.input, operation.result.map
    if source.dtype.itemsize != 1 or target.dtype.itemsize != 1:
        return None
    if isinstance(operation, Pool):
        window = operation.window
        if operation.kind == "sum" or window.kernel != (1, 1) or window.stride != (1, 1):
            return None
        if window.is_padded or window.upscale:
            return None
        operation = replace(operation, window=replace(window, input=(1, 256)))
    bytes_ = Piece((0, 1), (0, 256), (0, 1), 0, (1, 256, 1, 1), (256, 1, 0, 1))
    maps = (replace(one, region=0, shape=(1, 256, 1), pieces=(bytes_,)) for one in (source, target))
    given, result = maps
    row = replace(operation, input=given, result=replace(operation.result, map=result))
    found = computed(row, {0: np.arange(256, dtype=np.uint8)})
    return found.reshape(-1).astype(np.uint8).view(np.int8)


def _by_byte(table: Array, first: int) -> npt.NDArray[np.int8]:
    """A table of 256 values from ``first`` on, in the order of bytes."""
    return np.roll(table, first).astype(np.uint8).view(np.int8)
