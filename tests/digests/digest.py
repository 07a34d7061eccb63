"""What a model gives, in a few numbers that are the same on every platform.

Integers are exact everywhere: their digest is SHA-256 of all outputs. Floats depend on the order in
which products are summed: of them the first values and the largest magnitude are kept, and
compared as the tests compare floats with TFLM, within 1e-5 of the largest magnitude.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from arenite.errors import InferenceAborted
from arenite.formats import tflite
from arenite.model import Model
from arenite.ops import AllOpsResolver
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.digests.cases import Case
from tests.inferences import take

Array = np.ndarray[Any, Any]
Digest = dict[str, Any]
ARENA_SIZE = 1 << 17
VALUES, TOLERANCE = 6, 1e-5


def of_reference(case: Case) -> Digest:
    """With the reference's kernels in an arena, whose use is part of it."""
    model = tflite.read(case.model)
    micro = MicroInterpreter(model, AllOpsResolver(), bytearray(ARENA_SIZE))
    micro.allocate_tensors()
    outputs = take(micro, model, list(case.steps))
    used = micro.allocations()
    return {**of_outputs(outputs), "arena": [used.head, used.tail]}


class _Native(HeapInterpreter):
    def __init__(self, model: Model, isa: str) -> None:
        super().__init__(model)
        self.allocate_tensors()
        self._compiled = self.compile(isa)

    def invoke(self) -> bool:
        try:
            self._compiled.invoke()
        except InferenceAborted:
            return False
        return True


def of_native(case: Case, isa: str) -> Digest:
    """With the kernels of an instruction set."""
    model = tflite.read(case.model)
    return of_outputs(take(_Native(model, isa), model, list(case.steps)))


def of_outputs(inferences: Iterable[list[Array]]) -> Digest:
    """Of all outputs of all inferences: one value per output in the order of the model."""
    arrays = [array for outputs in inferences for array in outputs]
    integers = [array for array in arrays if array.dtype.kind != "f"]
    floats = [array for array in arrays if array.dtype.kind == "f"]
    digest: Digest = {}
    if integers:
        sha = hashlib.sha256()
        for array in integers:
            sha.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes())
        digest["sha256"] = sha.hexdigest()[:32]
    if floats:
        digest["floats"] = [_of_floats(array) for array in floats]
    return digest


def _of_floats(array: Array) -> list[Any]:
    """The largest magnitude, then the first values; what is no number as its name."""
    flat = array.reshape(-1).astype(np.float64)
    largest = np.abs(flat[np.isfinite(flat)]).max(initial=0.0)
    return [_plain(value) for value in (largest, *flat[:VALUES])]


def _plain(value: float) -> float | str:
    return float(f"{value:.8g}") if np.isfinite(value) else str(float(value))


def are_equal(mine: Digest, expected: Digest) -> bool:
    """Whether two digests are the same, floats within the tolerance."""
    exact = ("sha256", *(["arena"] if "arena" in mine else []))
    if any(mine.get(name) != expected.get(name) for name in exact):
        return False
    ours, theirs = mine.get("floats", []), expected.get("floats", [])
    return len(ours) == len(theirs) and all(map(_are_close, ours, theirs))


def _are_close(mine: list[Any], expected: list[Any]) -> bool:
    if len(mine) != len(expected):
        return False
    a, b = np.array(mine, np.float64), np.array(expected, np.float64)
    return bool(np.allclose(a, b, rtol=0, atol=TOLERANCE * b[0], equal_nan=True))
