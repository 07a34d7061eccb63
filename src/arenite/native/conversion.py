"""Kernels between a caller's numbers and a tensor's values, as a program's ports use them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arenite.model import Array, TensorType
from arenite.native.engine import ffi, lib


class Ends(NamedTuple):
    """Types of the caller and of the tensor, and what the tensor's values stand for."""

    given: np.dtype[Any]
    own: np.dtype[Any]
    elements: int
    scale: float
    zero_point: int


class Conversion(NamedTuple):
    """A kernel's ``run``, its parameters, and its tensors: the output and the input."""

    run: Any
    params: Any
    io: Any

    @classmethod
    def into(cls, ends: Ends, isa: int) -> Conversion | None:
        """From reals or an image's bytes to a tensor's values, if there is a kernel for it."""
        return _found("FEED", "ar_feed *", ends, isa, to_own=True)

    @classmethod
    def out_of(cls, ends: Ends, isa: int) -> Conversion | None:
        """From a tensor's values to reals, if there is a kernel for it."""
        return _found("DEQUANTIZE", "DequantizeParams *", ends, isa, to_own=False)

    def applied(self, x: Array, y: Array) -> bool:
        """Convert one array to another, both contiguous; False where a number is NaN."""
        self.io[0].data, self.io[1].data = ffi.from_buffer(y), ffi.from_buffer(x)
        refused: bool = self.run(self.params, ffi.NULL, self.io, ffi.NULL)
        return not refused


def _found(name: str, struct: str, ends: Ends, isa: int, *, to_own: bool) -> Conversion | None:
    try:
        params = ffi.new(struct, {"scale": ends.scale, "zero_point": ends.zero_point})
        types = [int(TensorType.of(dtype)) for dtype in (ends.own, ends.given)]
    except (OverflowError, TypeError):  # a zero point in a file may be any number
        return None
    output, given = types if to_own else reversed(types)
    tensors = [(ffi.NULL, output, 1, (ends.elements,)), (ffi.NULL, given, 1, (ends.elements,))]
    io = ffi.new("ar_tensor[]", [*tensors, (ffi.NULL, lib.AR_END, 0, ())])
    sizes, found = ffi.new("ar_sizes *"), ffi.new("ar_isa *")
    kernel = lib.ar_find_kernel(name.encode(), isa, params, io, 1, 2, sizes, found)
    return Conversion(kernel.run, params, io) if kernel else None
