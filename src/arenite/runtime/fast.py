"""The shortest way from an input array to an output array: one C call, no checks twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from arenite.ops.context import Array

if TYPE_CHECKING:
    from arenite.native.program import Call

#: The output for an input, or None for an input that has to go the long way.
FastCall = Callable[[Any], Array | None]


def fast_call(call: Call, source: Array, target: Array) -> FastCall:
    """A function that runs ``call`` on arrays that are just like ``source``.

    It answers with a new array like ``target``; other values than contiguous arrays of the
    right dtype and shape it leaves to the general way, which converts or explains.
    """
    shape, dtype = source.shape, source.dtype
    out_shape, out_dtype = target.shape, target.dtype
    run, empty, ndarray = call.function(), np.empty, np.ndarray

    def fast(x: Any) -> Array | None:
        if type(x) is not ndarray or x.shape != shape or x.dtype != dtype:
            return None
        y = empty(out_shape, out_dtype)
        try:
            run(x, y)
        except ValueError:  # cffi: not contiguous
            return None
        return y

    return fast
