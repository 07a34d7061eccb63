"""Bytes of memory that a program reads before it writes them, and what it writes that nobody reads.

Inferences begin with whatever memory holds: what is read before it is written depends on those
before. What nobody reads need not be stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.npu.constants import FAST, READ_ONLY, WORK
from arenite.npu.feature_map import FeatureMap
from arenite.npu.operations import Copy, Operation, Program

Bytes = npt.NDArray[np.uint8]
#: Half-open intervals of bytes in memory to work in.
Spans = Sequence[tuple[int, int]]
#: Of a byte: it was written; somebody will read it.
_YES = 255


def all_ones(dtype: np.dtype[Any]) -> int:
    """The number whose bits are all ones."""
    return -1 if dtype.kind == "i" else int(np.iinfo(dtype).max)


def read_unwritten(program: Program, given: Spans) -> Set[int]:
    """The regions of which a program reads bytes that neither it nor the caller has written.

    Args:
        program: The program.
        given: Its inputs.
    """
    written = _marks(program, given)
    found = set()
    for operation in program.operations:
        if isinstance(operation, Copy):
            source, target = _slices(operation)
            if source[0] in written and not written[source[0]][source[1]].all():
                found.add(source[0])
            if target is not None:
                written[target[0]][target[1]] = _YES
            continue
        for one in operation.reads:
            if one.region in written and (one.read(written) != all_ones(one.dtype)).any():
                found.add(one.region)
        result = operation.writes
        assert result is not None
        _mark(result, written, all_ones(result.dtype))
    return {WORK if program.is_shared else region for region in found}


def unread(
    program: Program, reads: Mapping[int, Sequence[FeatureMap]], taken: Spans
) -> frozenset[int]:
    """Numbers of the operations of whose outputs nobody reads a byte in memory.

    Args:
        program: The program.
        reads: By an operation's number what it reads in memory, of what it reads.
        taken: The program's outputs.
    """
    wanted = _marks(program, taken)
    found = set()
    for operation in reversed(program.operations):
        is_wanted = _is_wanted(operation, wanted)
        if not is_wanted:
            found.add(operation.number)
        for one in reads.get(operation.number, ()):
            if one.region in wanted:
                _mark(one, wanted, all_ones(one.dtype))
        if isinstance(operation, Copy) and is_wanted:
            region, place = _slices(operation)[0]
            if region in wanted:
                wanted[region][place] = _YES
    return frozenset(found)


def _is_wanted(operation: Operation, wanted: Mapping[int, Bytes]) -> bool:
    """Whether somebody reads what an operation writes; nobody wants what was there before it."""
    if isinstance(operation, Copy):
        target = _slices(operation)[1]
        if target is None:
            return False
        bytes_ = wanted[target[0]][target[1]]
        is_wanted = bool(bytes_.any())
        bytes_[:] = 0
        return is_wanted
    result = operation.writes
    assert result is not None
    is_wanted = bool(result.read(wanted).any())
    _mark(result, wanted, 0)
    return is_wanted


def _marks(program: Program, spans: Spans) -> dict[int, Bytes]:
    """A mark per byte of memory that can be written, set in spans of memory to work in."""
    sizes = ((region, size) for region, size in program.sizes.items() if region != READ_ONLY)
    marks = {region: np.zeros(size, np.uint8) for region, size in sizes}
    for begin, end in spans:
        marks[WORK][begin:end] = _YES
    if program.is_shared:
        marks[FAST] = marks[WORK]
    return marks


def _mark(one: FeatureMap, marks: Mapping[int, Bytes], value: int) -> None:
    for _, elements in one.views(marks):
        elements[...] = value


def _slices(copy: Copy) -> tuple[tuple[int, slice], tuple[int, slice] | None]:
    """Regions and bytes of a copy's source and target; None for the shared buffer."""
    (source, first), (region, begin) = copy.source, copy.target
    origin = source, slice(first, first + copy.length)
    return origin, None if region is None else (region, slice(begin, begin + copy.length))
