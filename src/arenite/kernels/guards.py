"""Memory that ends at a page which nobody may touch: what is read or written behind it is found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arenite.native.kernel import INVOKE, KernelLibrary, KernelNode, address
from arenite.ops import EvalTensor
from arenite.ops.context import Array

_PAGE = 4096


class Guards:
    """A node's guarded memory; none at all without a library."""

    def __init__(self, library: KernelLibrary | None) -> None:
        self._library = library
        self._made: dict[tuple[str, int], Array] = {}

    def invoke(
        self, node: KernelNode, bound: Sequence[tuple[int, EvalTensor, Array | None]]
    ) -> int:
        """Let a node run on copies of its tensors, if they are guarded; its status."""
        copies = []
        for index, _, data in bound if self._library is not None else ():
            copy = self._copy_of(f"tensor {index}", data)
            if data is None or copy is None:
                continue
            copy[:] = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
            node.bind(index, copy)
            copies.append((index, data, copy))
        status = node.call(INVOKE)
        for index, data, copy in copies:
            if data.flags.writeable:
                data.reshape(-1).view(np.uint8)[:] = copy
            node.bind(index, data)
        return status

    def instead_of(self, buffer: Array) -> Array:
        """The memory that a kernel gets for a persistent buffer: the buffer, or a guarded copy."""
        name = f"its persistent buffer {len(self._made)}"
        copy = self._copy_of(name, buffer, 16)
        if copy is None:
            return buffer
        copy[:] = buffer
        return copy

    def behind(self, touched: int) -> str:
        """A phrase on the buffer that ends before an address; empty where none does."""
        for (name, size), memory in self._made.items():
            beyond = touched - address(memory) - size
            if 0 <= beyond < _PAGE:
                return f", {beyond + 1} bytes behind the {size} of {name}"
        return ""

    def _copy_of(self, what: str, data: Array | None, alignment: int = 0) -> Array | None:
        """Guarded memory of an array's size, made once."""
        if self._library is None or data is None or not data.size:
            return None
        key = what, data.nbytes
        if key not in self._made:
            made = self._library.guarded(data.nbytes, alignment or data.dtype.itemsize)
            if made is None:
                return None
            self._made[key] = made
        return self._made[key]
