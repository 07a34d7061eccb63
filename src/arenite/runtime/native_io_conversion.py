"""Real numbers and bytes of images by the native engine's kernels, with the bits of ``feed``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arenite.model import Tensor
from arenite.ops.context import Array
from arenite.runtime.io_conversion import Given, scale_of, zero_point_of

if TYPE_CHECKING:
    from arenite.native.conversion import Conversion, Ends


def ends_of(given: Given, dtype: np.dtype[Any], tensor: Tensor, elements: int) -> Ends:
    """Types that a kernel converts: bytes and float64 as they are, other numbers as float32."""
    from arenite.native.conversion import Ends  # noqa: PLC0415 - may be absent

    if given is not Given.PIXELS:
        dtype = np.dtype(np.float64 if dtype == np.float64 else np.float32)
    scale, zero_point = scale_of(tensor), zero_point_of(tensor)
    return Ends(dtype, tensor.type.dtype, elements, scale, zero_point)


class Converting:
    """:meth:`Given.converted` for whole inputs, in C where there is a kernel."""

    def __init__(self, isa: int) -> None:
        self._isa = isa
        self._found: dict[Ends, Conversion | None] = {}

    def __call__(self, given: Given, array: Array, tensor: Tensor) -> Array:
        """The tensor's values.

        Raises:
            ValueError: A real number is NaN.
        """
        if given is Given.VALUES or array.shape != tensor.shape:
            return given.converted(array, tensor)
        ends = ends_of(given, array.dtype, tensor, array.size)
        if ends not in self._found:
            from arenite.native.conversion import Conversion  # noqa: PLC0415 - may be absent

            self._found[ends] = Conversion.into(ends, self._isa)
        conversion = self._found[ends]
        values = np.empty(tensor.shape, ends.own)
        with np.errstate(over="ignore"):  # beyond float32: saturates
            numbers = np.require(array, ends.given, ("C", "A"))
        if conversion is not None and conversion.applied(numbers, values):
            return values
        return given.converted(array, tensor)
