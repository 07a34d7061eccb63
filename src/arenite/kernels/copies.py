"""A node for every copy of the arena: what a kernel keeps may point into its own one.

A thread of ``predict`` works in a copy. There ``init`` and ``prepare`` run once more, and get the
copy's memory; what inferences have changed since is carried over. No inference needs Python then.

Nothing is taken for a pointer because of its value alone. A word is one if ``prepare`` left an
address of the arena in it, and the same place's address in the copy. Where inferences have put a
number that could be an address into any other place, nobody knows: the kernel then runs in its own
arena, one thread after the other, whose memory is exchanged around every inference.
"""

from __future__ import annotations

from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from arenite.errors import StateError
from arenite.files import open_regular
from arenite.kernels.instance import POISON, Instance, UserKernelParams, new_node, step_of
from arenite.native import kernel as c
from arenite.native.kernel import Facts, address
from arenite.ops import Node
from arenite.ops.context import Array

Words: TypeAlias = npt.NDArray[np.uint64]

_ALIGNMENT = 16
_WORD = 8
_LOWEST, _HIGHEST = 1 << 32, 1 << 48


def in_copy(node: Node, own: Array, copy: Array) -> UserKernelParams | None:
    """The native step that runs a node in a copy of its arena.

    None where the kernel does not do there what it has done in the arena: then Python runs it.
    """
    one = cast(Instance, node.user_data)
    twin = _Twin(one, own, copy)
    if twin.has_begun(node):
        return step_of(twin.node, node, twin)
    if any(not np.shares_memory(buffer, own) for buffer in one.persistent_buffers if buffer.size):
        raise StateError(
            f"{one.kernel.name}: inferences have left numbers in persistent memory that may be "
            "addresses, so that no thread can go on from there: expected threads=1, or a new "
            "interpreter"
        )
    copy[...] = own  # as the other node left it
    return None


def begins_anew(user_data: object, is_so: bool) -> None:
    """Let every inference of a node begin with its ``reset``, or go on; copies made then, too."""
    one = cast(Instance, user_data)
    one.is_anew = is_so
    one.node.starts_anew(is_so=is_so)


class _Twin:
    """A node in a copy, which is given what another one was given."""

    def __init__(self, one: Instance, own: Array, copy: Array) -> None:
        self.error: BaseException | None = None
        self._one = one
        self._moved = [(own, copy)]
        self._persistent = iter(one.persistent_buffers)
        self._handles = iter(one.handles.items())
        self._buffers: dict[int, Array] = {}
        self.node, self._parsed = new_node(one.kernel, one.options, self)

    def has_begun(self, node: Node) -> bool:
        """Whether it is where the other node is."""
        one, mine = self._one, self.node
        one.bind(one.context, node)
        payload = one.context.get_external_context()
        if payload is not None:
            mine.bind_external(c.address_of_payload(payload))
        before = [*one.persistent_buffers]
        if self._parsed or not self._runs(c.INIT):
            return False
        mine.place(node.inputs, node.outputs, node.intermediates)
        if not self._runs(c.PREPARE) or next(self._persistent, None) is not None:
            return False
        mine.end_with(*(copy for _, copy in self._moved))
        for index, _, data in one.bound:
            mine.bind(index, self._there(data))
        for handle in one.handles:
            mine.bind_scratch(handle, self._scratch_there(handle))
        if not all(map(self._carry_over, one.prepared, before)):
            return False
        mine.starts_anew(is_so=one.is_anew)
        return True

    def _runs(self, function: int) -> bool:
        status = self.node.call(function)
        if status == c.CRASHED:
            self._one.kernel.library.crash = f"it crashed in a copy's {c.FUNCTIONS[function]}"
        return status == c.OK and self.error is None

    # -- where things are

    def _there(self, data: Array | None) -> Array | None:
        """The same place in the copy; constants stay where they are."""
        if data is None or not data.size:
            return data
        for own, copy in self._moved:
            begin = address(data) - address(own)
            if 0 <= begin <= own.nbytes - data.nbytes:
                return copy[begin : begin + data.nbytes].view(data.dtype).reshape(data.shape)
        return data

    def _scratch_there(self, handle: int) -> int:
        size, where = self._one.handles[handle], self._one.scratch_data(handle)
        own, copy = self._moved[0]
        if 0 <= where - address(own) < own.nbytes:
            return where - address(own) + address(copy)
        self._buffers[-1 - handle] = memory = _aligned(size)  # more than the target's arena has
        return address(memory)

    def _carry_over(self, first: Array, now: Array) -> bool:
        """Copy changes of persistent memory since ``prepare``, if all of it is understood."""
        mine = self._there(now)
        assert mine is not None
        before, current, there = _words(first), _words(now), _words(mine)
        changed = before != current
        if not changed.any():
            return True
        moved, was_inside = self._moved_with(before)
        values, is_inside = self._moved_with(current)
        is_pointer = changed & was_inside & (moved == there) & is_inside
        # What the two nodes have that is neither equal nor moved means something in its own only.
        if (changed & ~is_pointer & (before != there) & (moved != there)).any():
            return False
        if _may_be_address(_bytes(first), _bytes(now), np.repeat(is_pointer, _WORD)):
            return False
        there[changed] = np.where(is_pointer, values, current)[changed]
        mine[:] = there.view(np.uint8)[: mine.nbytes]
        return True

    def _moved_with(self, values: Words) -> tuple[Words, npt.NDArray[np.bool_]]:
        """Addresses as they are in the copy, and which they are: the end of memory is one too."""
        found, inside = values.copy(), np.zeros(values.shape, np.bool_)
        for own, copy in self._moved:
            offsets = values - np.uint64(address(own))  # wraps around for lower addresses
            here = (offsets <= own.nbytes) & ~inside
            found[here] = offsets[here] + np.uint64(address(copy))
            inside |= here
        return found, inside

    # -- what it asks (:class:`arenite.native.kernel.Answers`)

    def persistent(self, size: int) -> int:
        """The copy's bytes where the other node has its own."""
        original = next(self._persistent, None)
        if original is None or original.nbytes != size:
            raise StateError(f"it asks for {size} bytes of persistent memory, and did not before")
        there = self._there(original)
        if there is original or there is None:  # outside of the arena, or nothing
            there = _aligned(size)
            self._moved.append((original, there))
        there[:] = POISON
        return address(there) or _ALIGNMENT

    def scratch(self, size: int) -> int:
        """The same handle."""
        handle, before = next(self._handles, (-1, -1))
        if before != size:
            raise StateError(f"it asks for {size} bytes of scratch memory, and did not before")
        return handle

    def scratch_data(self, handle: int) -> int:
        """Where that is in the copy."""
        return self._scratch_there(handle)

    def temp_tensor(self, index: int) -> None:
        """A temporary tensor; the other node has shown that it is given back."""

    def free_tensor(self, index: int) -> None:
        """Take a temporary tensor back."""

    def temp_buffer(self, size: int, alignment: int) -> int:
        """Temporary memory, of its own."""
        memory = _aligned(size, alignment)
        self._buffers[address(memory)] = memory
        return address(memory)

    def free_buffer(self, address: int) -> None:
        """Take a temporary buffer back."""
        del self._buffers[address]

    def tensor(self, index: int) -> Facts:
        """The other node's facts of a tensor, with its data moved into the copy."""
        facts = self._one.facts[index]
        return facts._replace(data=self._there(facts.data))

    def decompression(self, size: int) -> int:
        """None: threads would share it, and one alone runs a model that has some."""
        return 0

    def reset_decompression(self) -> None:
        """There is none."""


def _aligned(size: int, alignment: int = _ALIGNMENT) -> Array:
    block = np.empty(size + alignment, np.uint8)
    begin = -address(block) % alignment
    return block[begin : begin + size]


def _bytes(memory: Array) -> Array:
    """Memory, filled up to whole words; a copy."""
    padded = np.zeros(-(-memory.nbytes // _WORD) * _WORD, np.uint8)
    padded[: memory.nbytes] = memory
    return padded


def _words(memory: Array) -> Words:
    """Memory in words, as pointers lie in it; a copy."""
    return _bytes(memory).view(np.uint64)


def _may_be_address(before: Array, now: Array, known: npt.NDArray[np.bool_]) -> bool:
    """Whether eight bytes that have changed, at any place, could be an address that is written to.

    Bytes that are ``known`` are part of none.
    """
    changed = sliding_window_view(before != now, _WORD).any(axis=1)
    taken = sliding_window_view(known, _WORD).any(axis=1)
    places = np.flatnonzero(changed & ~taken)
    values = sliding_window_view(now, _WORD)[places].copy().view(np.uint64)[:, 0]
    begins, ends = _writable()
    area = np.searchsorted(begins, values, side="right").astype(np.int64) - 1
    return bool(((area >= 0) & (values <= ends[area])).any())


def _writable() -> tuple[Words, Words]:
    """Where memory begins and ends that this process may write to, as far as the system says it."""
    try:
        with open_regular("/proc/self/maps") as file:  # whose size says nothing
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:  # another system: any number of an address's size may be one
        return np.array([_LOWEST], np.uint64), np.array([_HIGHEST], np.uint64)
    rows = [line.split()[:2] for line in lines]
    areas = sorted(
        tuple(int(part, 16) for part in where.split("-")) for where, how in rows if "w" in how
    )
    found = np.array(areas, np.uint64).reshape(-1, 2)
    return found[:, 0], found[:, 1]
