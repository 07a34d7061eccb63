"""A batch for one model: the samples of all inputs, checked, and room for all results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from arenite.errors import ShapeError
from arenite.model import Model, Tensor
from arenite.ops.context import Array
from arenite.runtime.io_conversion import Given, Outputs, checked_samples, dequantized
from arenite.runtime.native_io_conversion import ends_of

if TYPE_CHECKING:
    from arenite.native.conversion import Ends

#: Elements of a chunk that is converted on its way in or out.
_CONVERTED = 1 << 18


@dataclass(frozen=True, eq=False)
class BatchPort:
    """All samples of one input or output.

    ``shape`` is one sample's in the model, and ``dtype`` that of what runs it takes or gives.
    ``convert`` is what becomes of a chunk on its way in or out, None where nothing does, and
    ``given`` what the samples are to ``tensor``.
    """

    samples: Array
    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    convert: Callable[[Array], Array] | None = None
    given: Given = Given.VALUES
    tensor: Tensor | None = None

    @property
    def is_copied(self) -> bool:
        """Whether chunks have memory of their own."""
        arranged = self.samples.flags.c_contiguous and self.samples.flags.aligned
        return self.convert is not None or not arranged or self.samples.dtype != self.dtype

    def chunk(self, begin: int, end: int) -> Array:
        """Samples to be read, as an aligned and contiguous array of the run's dtype."""
        part = self.samples[begin:end]
        if self.convert is not None:
            part = self.convert(part)
        with np.errstate(over="ignore"):  # beyond float32: saturates
            part = np.require(part, self.dtype, ("C", "A"))
        return part.reshape(len(part), *self.shape)

    def room(self, begin: int, end: int) -> Array:
        """Where samples of the run's dtype are written: the result where possible."""
        if self.convert is not None:
            return np.empty((end - begin, *self.shape), self.dtype)
        return self.samples[begin:end].reshape(end - begin, *self.shape)

    def take(self, begin: int, end: int, written: Array) -> None:
        """Convert what was written into the result, unless it is there already."""
        if self.convert is not None:
            part = self.samples[begin:end]
            part[...] = self.convert(written).reshape(part.shape)


@dataclass(frozen=True, eq=False)
class Batch:
    """A number of samples, the model's inputs and its outputs."""

    count: int
    inputs: tuple[BatchPort, ...]
    outputs: tuple[BatchPort, ...]

    @property
    def results(self) -> Outputs:
        """The outputs of all samples."""
        arrays = tuple(port.samples for port in self.outputs)
        return arrays[0] if len(arrays) == 1 else arrays

    @property
    def largest_chunk(self) -> int:
        """The most samples at once, for the sake of memory."""
        elements = sum(
            int(np.prod(port.shape)) for port in (*self.inputs, *self.outputs) if port.is_copied
        )
        return max(1, _CONVERTED // elements) if elements else max(1, self.count)


def batch_of(
    model: Model, values: Sequence[npt.ArrayLike], outputs: Sequence[Array], *, quantize: bool
) -> Batch:
    """The samples of all inputs, checked, and room for the results.

    Args:
        model: The model.
        values: One array of samples per input.
        outputs: An array like every output.
        quantize: Whether real numbers go in and come out.

    Raises:
        DTypeError, ShapeError: An array does not fit its input, or their lengths differ.
        ValueError: There are not as many arrays as inputs.
    """
    if len(values) != len(model.inputs):
        names = [tensor.name for tensor in model.inputs]
        raise ValueError(f"expected a tuple of {len(names)} inputs {names}, got {len(values)}")
    inputs = [
        _input(value, tensor, number, quantize)
        for number, (value, tensor) in enumerate(zip(values, model.inputs, strict=True))
    ]
    lengths = {len(port.samples) for port in inputs}
    if len(lengths) != 1:
        shapes = [list(port.samples.shape) for port in inputs]
        raise ShapeError(f"expected batches of one length, got shapes {shapes}")
    count = lengths.pop()
    pairs = zip(outputs, model.outputs, strict=True)
    ports = [_output(array, tensor, count, quantize) for array, tensor in pairs]
    return Batch(count, tuple(inputs), tuple(ports))


def _input(value: npt.ArrayLike, tensor: Tensor, number: int, quantize: bool) -> BatchPort:
    samples, given = checked_samples(value, tensor, number, quantize=quantize)
    convert = None if given is Given.VALUES else lambda part: given.converted(part, tensor)
    return BatchPort(samples, tensor.shape, tensor.type.dtype, convert, given, tensor)


def _output(like: Array, tensor: Tensor, count: int, quantize: bool) -> BatchPort:
    shape = like.shape[1:] if like.shape[:1] == (1,) else like.shape
    dtype, convert, given = like.dtype, None, Given.VALUES
    if quantize and (real := dequantized(like.reshape(-1)[:0], tensor).dtype) != dtype:
        dtype, convert, given = real, lambda part: dequantized(part, tensor), Given.REALS
    samples = np.empty((count, *shape), dtype)
    return BatchPort(samples, like.shape, like.dtype, convert, given, tensor)


class Converter(Protocol):
    """Runs samples; see :class:`arenite.native.call.Call`."""

    def converts(self, number: int, ends: Ends, *, is_input: bool) -> bool:
        """Take other numbers for an input, or give them for an output, where there is a way."""


def in_c(batch: Batch, calls: Sequence[Converter]) -> Batch:
    """The batch as C takes it, which converts the samples itself where it can."""
    inputs = [_in_c(port, number, calls, is_input=True) for number, port in enumerate(batch.inputs)]
    outputs = [
        _in_c(port, number, calls, is_input=False) for number, port in enumerate(batch.outputs)
    ]
    return Batch(batch.count, tuple(inputs), tuple(outputs))


def _in_c(port: BatchPort, number: int, calls: Sequence[Converter], *, is_input: bool) -> BatchPort:
    if port.convert is None or port.tensor is None:
        return port
    ends = ends_of(port.given, port.samples.dtype, port.tensor, int(np.prod(port.shape)))
    if not all(call.converts(number, ends, is_input=is_input) for call in calls):
        return port
    return replace(port, dtype=ends.given, convert=None)
