"""Buffers between guard bytes, and one operator that runs in them."""

import numpy as np
import pytest

from arenite.model import Array, Model
from arenite.native import program
from arenite.native.program import Program
from arenite.native.tensors import ABSENT, NativeTensor
from arenite.runtime.heap_host import HeapInterpreter

GUARD = 256


ALIGNMENT = 64


class Fence:
    """Makes buffers between guard bytes, and looks after them.

    The guards of each buffer have a value of their own: one may not be copied to another.
    """

    def __init__(self, value: int) -> None:
        self._value = value
        self._buffers: list[tuple[Array, int, int]] = []

    def allocate(self, size: int) -> Array:
        """``size`` bytes, aligned as the engine has it, full of the guards' value."""
        value = self._value ^ len(self._buffers)
        memory = np.full(size + 2 * GUARD + ALIGNMENT, value, np.uint8)
        start = -memory.ctypes.data % ALIGNMENT + GUARD
        self._buffers.append((memory, start, start + size))
        return memory[start : start + size]

    def like(self, array: Array) -> Array:
        """An array of the same type and shape between guards, full of their value."""
        return self.allocate(array.nbytes).view(array.dtype).reshape(array.shape)

    def check(self) -> None:
        """Nothing was written to a guard."""
        for number, (memory, start, stop) in enumerate(self._buffers):
            value = self._value ^ number
            assert (memory[:start] == value).all(), "written before a buffer"
            assert (memory[stop:] == value).all(), "written behind a buffer"


def fenced_twice(
    model: Model, isa: str, inputs: list[Array], monkeypatch: pytest.MonkeyPatch
) -> list[list[bytes] | None]:
    """All tensors after a run of the operator, and after one in parts, between other guards.

    None where it has no kernel or is refused.
    """
    return [
        _fenced_outputs(model, isa, inputs, (value, parts), monkeypatch)
        for value, parts in ((0x5A, 1), (0xFF, 3))
    ]


def _fenced_outputs(
    model: Model,
    isa: str,
    inputs: list[Array],
    how: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> list[bytes] | None:
    value, parts = how
    fence = Fence(value)
    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    for index, data in enumerate(inputs):
        interpreter.input(index)[...] = data
    node = interpreter.prepare_operator(0)
    tensors = {-1: ABSENT}
    for index in {*node.outputs, *node.inputs} - {-1}:
        tensor = interpreter.eval_tensor(index)
        assert tensor.data is not None
        twin = fence.like(tensor.data)
        if index not in node.outputs:
            twin[...] = tensor.data
        twin.flags.writeable = tensor.data.flags.writeable
        tensors[index] = NativeTensor(twin, int(tensor.type), tensor.shape)
    monkeypatch.setattr(program, "aligned", fence.allocate)
    monkeypatch.setattr(program, "parts_of", lambda work, threads: parts)
    native = Program(isa, threads=min(parts, 2))
    outputs = [tensors[index] for index in node.outputs]
    if not native.add(node.name, node.params, outputs, [tensors[i] for i in node.inputs]):
        return None
    native.finish()
    before = {index: bytes_of(tensors[index]) for index in node.inputs if index >= 0}
    stopped = native.run(0, 1) == 0
    native.close()
    fence.check()
    for index, data in before.items():
        if not model.main.tensors[index].is_variable:
            assert bytes_of(tensors[index]) == data, f"input {index} has changed"
    return None if stopped else [bytes_of(tensor) for tensor in tensors.values()]


def bytes_of(tensor: NativeTensor) -> bytes:
    """A tensor's memory; nothing if it is absent."""
    return b"" if tensor.data is None else tensor.data.tobytes()
