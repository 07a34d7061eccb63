"""Common parts of TFLM's signal library: options by position, rows, circular buffers.

Facts: TFLM ``micro/flatbuffer_utils.cc`` and ``signal/src/circular_buffer.h``.
"""

from __future__ import annotations

from math import prod

import numpy as np
import numpy.typing as npt

from arenite.errors import ModelError
from arenite.memory.abi import Abi, Struct
from arenite.model import flexbuffer
from arenite.model.types import INT16
from arenite.ops.context import Context

CIRCULAR_BUFFER = Struct(
    "CircularBuffer", ("size_t", "size_t", "size_t", "int32", "int32", "pointer")
)


def read_options(context: Context, options: bytes, *names: str) -> tuple[int, ...]:
    """The numbers of a FlexBuffer's map, which have these names in alphabetical order.

    TFLM reads them by their positions, so that a map with others is refused.
    """
    try:
        found = flexbuffer.read(options)
    except ModelError as error:
        context.report_error(f"options: {error}")
    values = list(found.values()) if isinstance(found, dict) else found
    keys = list(found)[: len(names)] if isinstance(found, dict) else list(names)
    wanted = ", ".join(names)
    if not isinstance(values, list) or keys != list(names) or len(values) < len(names):
        context.report_error(f"expected a FlexBuffer with the options {wanted}, got {found!r}")
    if not all(isinstance(value, int) for value in values[: len(names)]):
        context.report_error(f"expected integers for the options {wanted}, got {values}")
    elements = flexbuffer.vector(options)
    return tuple(elements.int32(position) for position in range(len(names)))


def require_range(context: Context, name: str, value: int, low: int, high: int) -> None:
    """Report an option outside of the range in which TFLM's arithmetic is defined."""
    if not low <= value <= high:
        context.report_error(f"expected {name} from {low} to {high}, got {value}")


def innermost(context: Context, shape: tuple[int, ...]) -> tuple[int, int]:
    """An input's number of rows, and the size of its last dimension: at least 1 of each."""
    if not shape or min(shape) < 1:
        context.report_error(f"expected an input of 1 dimension or more, none of 0, got {shape}")
    return prod(shape[:-1]), shape[-1]


def circular_buffer_bytes(abi: Abi, capacity: int) -> int:
    """Bytes of TFLM's circular buffer of so many int16: it keeps them twice."""
    return CIRCULAR_BUFFER.size(abi) + 2 * capacity * INT16.nbytes(1)


class Queue:
    """Samples that wait in a node's state, oldest first.

    Their number is the state's first word, and whether there were any yet its second one.
    """

    HEADER = 16

    def __init__(self, state: npt.NDArray[np.uint8]) -> None:
        self._header = state[:8].view(np.int32)
        self._samples = state[self.HEADER :].view(np.int16)

    @property
    def samples(self) -> npt.NDArray[np.int16]:
        """Those that wait."""
        return self._samples[: self._header[0]]

    @samples.setter
    def samples(self, values: npt.NDArray[np.int16]) -> None:
        self._header[0] = len(values)
        self._samples[: len(values)] = values

    @property
    def has_begun(self) -> bool:
        """Whether there were samples since the beginning."""
        return bool(self._header[1])

    @has_begun.setter
    def has_begun(self, value: bool) -> None:
        self._header[1] = value
