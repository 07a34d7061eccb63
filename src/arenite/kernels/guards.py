"""Memory between zones that nobody may touch: what is read or written outside of it is found.

Behind every tensor and buffer lies a page whose touch is a fault, at once and with a line. Before
it, and between its last byte and that page, lie bytes that must not change in a call.
An inference runs on two kinds of leftovers: what differs then was read before it was written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from arenite.native.kernel import INVOKE, OK, Guarded, KernelLibrary, KernelNode, address
from arenite.ops import EvalTensor
from arenite.ops.context import Array

_PAGE = 4096
#: Leftovers of two inferences that shall not differ.
_LEFTOVERS = (0xA5, 0x5A)
_ZONE = 0xC3

Bound = Sequence[tuple[int, EvalTensor, Array | None]]


class _Copy(NamedTuple):
    """A tensor's values, and the guarded memory that stands for it."""

    tensor: int
    data: Array
    memory: Array


class Guards:
    """A node's guarded memory; none at all without a library.

    Args:
        library: The kernel's.
        fail: Ends the call with a message.
    """

    def __init__(self, library: KernelLibrary | None, fail: Callable[[str], object]) -> None:
        self._library, self._fail = library, fail
        self._made: dict[str, Guarded] = {}
        self._persistent: list[Array] = []

    def invoke(
        self, node: KernelNode, bound: Bound, outputs: Sequence[int], scratch: Mapping[int, int]
    ) -> int:
        """Let a node run on copies of its tensors, if they are guarded; its status."""
        if self._library is None:
            return node.call(INVOKE)
        copies = [
            _Copy(index, data, copy)
            for index, _, data in bound
            if data is not None and (copy := self._copy_of(f"tensor {index}", data)) is not None
        ]
        fresh = [one.memory for one in copies if one.tensor in outputs and one.data.flags.writeable]
        for index, _, memory in copies:
            node.bind(index, memory)
        for handle, size in scratch.items():
            buffer = self._memory(f"scratch buffer {handle}", size, 16)
            if buffer is not None and size:
                node.bind_scratch(handle, address(buffer))
                fresh.append(buffer)
        status = self._watched(node, copies, fresh)
        for index, data, memory in copies:
            if data.flags.writeable:
                data.reshape(-1).view(np.uint8)[:] = memory
            node.bind(index, data)
        return status

    def _watched(self, node: KernelNode, copies: Sequence[_Copy], fresh: Sequence[Array]) -> int:
        """Run on one kind of leftovers, on another, and again on the first, whose results stay."""
        before = [memory.copy() for memory in self._persistent]

        def run(leftovers: int) -> tuple[int, list[Array]]:
            for memory, content in zip(self._persistent, before, strict=True):
                memory[:] = content
            for one in copies:
                one.memory[:] = np.ascontiguousarray(one.data).reshape(-1).view(np.uint8)
            for memory in fresh:
                memory[:] = leftovers
            status = node.call(INVOKE)
            written = [one.memory for one in copies if one.data.flags.writeable]
            return status, [memory.copy() for memory in (*self._persistent, *written)]

        status, found = run(_LEFTOVERS[0])
        self.check("invoke")
        if status != OK:
            return status
        status, other = run(_LEFTOVERS[1])
        if status != OK:
            return status
        status, again = run(_LEFTOVERS[0])
        if not _are_equal(found, again):
            self._fail(
                "invoke has other results when it runs again on the same memory: it keeps state "
                "outside of the memory that it asked for, which cannot be watched (--sanitize)"
            )
        if not _are_equal(found, other):
            self._fail(
                "invoke reads memory that nobody has written: its results are others where scratch "
                "memory and outputs held other leftovers"
            )
        return status

    def check(self, function: str) -> None:
        """Fail if a zone around a buffer was written."""
        for name, one in self._made.items():
            before, behind = (np.flatnonzero(zone != _ZONE) for zone in (one.before, one.behind))
            one.before[:] = one.behind[:] = _ZONE
            if before.size:
                where = f"{one.before.size - int(before[0])} bytes before"
            elif behind.size:
                where = f"{int(behind[-1]) + 1} bytes behind"
            else:
                continue
            self._fail(f"{function} wrote {where} the {one.memory.size} of {name}")

    def instead_of(self, buffer: Array) -> Array:
        """The memory that a kernel gets for a persistent buffer: the buffer, or a guarded copy."""
        copy = self._memory(f"its persistent buffer {len(self._persistent)}", buffer.nbytes, 16)
        if copy is None:
            return buffer
        copy[:] = buffer
        self._persistent.append(copy)
        return copy

    def behind(self, touched: int) -> str:
        """A phrase on the buffer that ends before an address; empty where none does."""
        for name, one in self._made.items():
            beyond = touched - address(one.memory) - one.memory.size
            if 0 <= beyond < _PAGE:
                return f", {beyond + 1} bytes behind the {one.memory.size} of {name}"
        return ""

    def _copy_of(self, what: str, data: Array) -> Array | None:
        return self._memory(what, data.nbytes, data.dtype.itemsize) if data.size else None

    def _memory(self, what: str, size: int, alignment: int) -> Array | None:
        """Guarded memory of a size, made once for each thing."""
        if self._library is None:
            return None
        made = self._made.get(what)
        if made is None or made.memory.size != size:
            made = self._library.guarded(size, alignment)
            if made is None:
                return None
            made.before[:] = made.behind[:] = _ZONE
            self._made[what] = made
        return made.memory


def _are_equal(first: Sequence[Array], second: Sequence[Array]) -> bool:
    return all(map(np.array_equal, first, second))
