"""Values on their way into input tensors and out of output tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arenite.errors import DTypeError, ShapeError
from arenite.model import Model, Tensor, TensorType
from arenite.ops.context import Array
from arenite.options import refuse

#: An inference's outputs: an array, or a tuple of arrays where the model has several. The type says
#: ``Any`` for the tuple, since only the file knows their number: neither needs a cast.
Outputs: TypeAlias = Array | Any


def input_index(model: Model, name: str) -> int:
    """Position of the input with that name in the main signature, or that tensor name.

    Raises:
        ValueError: No input is called so.
    """
    return _index("input", model.main.inputs, model, name)


def output_index(model: Model, name: str) -> int:
    """The same of an output."""
    return _index("output", model.main.outputs, model, name)


def _index(kind: str, tensors: Sequence[int], model: Model, name: str) -> int:
    for signature in model.signatures:
        names = signature.inputs if kind == "input" else signature.outputs
        if signature.subgraph == 0 and names.get(name) in tensors:
            return tensors.index(names[name])
    known = [model.main.tensors[index].name for index in tensors]
    if name not in known:
        raise ValueError(f"expected an {kind} named one of {known}, got {name!r}")
    return known.index(name)


def tensor_index(model: Model, which: int | str, subgraph: int) -> int:
    """Index of a tensor by index or name, of several of that name the first.

    Raises:
        KeyError: There is no such tensor.
        IndexError: There is no such subgraph.
        TypeError: It is neither a name nor a number.
    """
    subgraph = port("subgraph", range(len(model.subgraphs)), subgraph)
    tensors = model.subgraphs[subgraph].tensors
    index = which
    if isinstance(index, str):
        named = (number for number, tensor in enumerate(tensors) if tensor.name == which)
        index = next(named, -1)
    if not isinstance(index, int | np.integer):
        refuse("tensor", "an index or a name", which)
    if not 0 <= index < len(tensors):
        raise KeyError(f"subgraph {subgraph} has no tensor {which!r}")
    return index


def collected(
    model: Model, inputs: Sequence[npt.ArrayLike], named: Mapping[str, npt.ArrayLike]
) -> list[npt.ArrayLike]:
    """Values of all inputs in order, some of which are given by name.

    Raises:
        ValueError: An input is missing, given twice or unknown.
    """
    values: dict[int, npt.ArrayLike] = dict(enumerate(inputs))
    for name, value in named.items():
        index = input_index(model, name)
        if index in values:
            raise ValueError(f"input {name!r} was given twice")
        values[index] = value
    names = [tensor.name for tensor in model.inputs]
    if sorted(values) != list(range(len(names))):
        what = "input" if len(names) == 1 else "inputs"
        raise ValueError(f"expected {len(names)} {what} {names}, got {len(values)}")
    return [values[index] for index in range(len(names))]


def port(kind: str, indices: Sequence[int], index: int) -> int:
    """The tensor of an input or output, which ``kind`` names.

    Raises:
        IndexError: There is none of that number.
        TypeError: It is no integer.
    """
    if not isinstance(index, int | np.integer):
        refuse(f"{kind} index", "an integer", index)
    if not 0 <= index < len(indices):
        raise IndexError(f"expected an {kind} index below {len(indices)}, got {index}")
    return indices[index]


def fresh(array: Array) -> Array:
    """The same memory as an object of its own: callers may set its shape and dtype."""
    view: Array = array.view()
    return view


class Given(Enum):
    """Meaning of an array's numbers to an input."""

    VALUES = "values"
    """The tensor's own."""
    REALS = "real numbers"
    """To be quantised with the tensor's scale and zero point."""
    PIXELS = "pixels"
    """Bytes of an image: 0..255 are all that the tensor can hold."""

    def converted(self, array: Array, tensor: Tensor) -> Array:
        """These numbers as the tensor's values.

        Raises:
            ValueError: A real number is NaN.
        """
        if self is Given.REALS:
            return quantized(array, tensor)
        return pixels(array, tensor) if self is Given.PIXELS else array


Convert = Callable[[Given, Array, Tensor], Array]
"""What does as :meth:`Given.converted`."""


def checked(
    value: npt.ArrayLike,
    tensor: Tensor,
    index: int,
    *,
    quantize: bool,
    convert: Convert = Given.converted,
) -> Array:
    """``value`` as an array of the tensor's dtype and shape.

    Python numbers and lists are converted where their values fit; arrays must have the
    dtype, unless ``quantize`` turns real numbers, or an image's bytes, into the tensor's.

    Raises:
        DTypeError: The dtype is another one, or bytes may be pixels and numbers.
        ShapeError: The shape is another one.
        ValueError: A real number is NaN.
    """
    where = f"input {index} ({tensor.name!r})"
    array, given = _read(value, tensor, where, quantize=quantize)
    array = convert(given, array, tensor)
    shape = _held(tensor)
    if array.shape != shape:
        raise ShapeError(
            f"{where}: expected shape {list(shape)}, got {list(array.shape)}"
            + (_fitting(value, shape) if array.size == np.prod(shape) > 0 else "")
        )
    return array


def _fitting(value: npt.ArrayLike, shape: Sequence[int]) -> str:
    """Call for a value that has another shape; frames of data have no reshape."""
    first = ".to_numpy()" if hasattr(value, "to_numpy") else ""
    return f": {first}.reshape({', '.join(map(str, shape))}) of it fits"


def _held(tensor: Tensor) -> tuple[int, ...]:
    """The shape of an array of a tensor's elements: flat bytes where NumPy has no such elements."""
    is_own = tensor.type.bits == 8 * tensor.type.dtype.itemsize
    return tensor.shape if is_own or not tensor.type.bits else (tensor.nbytes,)


def checked_samples(
    value: npt.ArrayLike, tensor: Tensor, index: int, *, quantize: bool
) -> tuple[Array, Given]:
    """Many samples of an input as one array, and what its numbers are.

    A sample has the tensor's shape, with or without a leading 1.

    Raises:
        DTypeError: The dtype is another one, or bytes may be pixels and numbers.
        ShapeError: The shape is another one, or there is no axis of samples.
    """
    where = f"input {index} ({tensor.name!r})"
    array = np.asarray(value)
    if not array.ndim:
        raise ShapeError(f"{where}: expected an array of samples, got one number")
    array, given = _read(value, tensor, where, quantize=quantize)
    shape, legal = array.shape[1:], [tensor.shape]
    if tensor.shape[:1] == (1,):
        legal.insert(0, tensor.shape[1:])
    if shape not in legal:
        expected = " or ".join(str(list(one)) for one in legal)
        raise ShapeError(
            f"{where}: expected samples of shape {expected}, got {list(shape)}"
            f"{_reshape(value, array, tensor)}"
        )
    return array, given


def _reshape(value: npt.ArrayLike, array: Array, tensor: Tensor) -> str:
    """The reshape that makes samples of what was given, if one does; empty otherwise."""
    size = int(np.prod(tensor.shape))
    if not size or array.size % size:
        return ""
    shape = tensor.shape[1:] if tensor.shape[:1] == (1,) else tensor.shape
    if array[:1].size != size and array.size != size:
        return ""
    return _fitting(value, (-1, *shape))


def _read(
    value: npt.ArrayLike, tensor: Tensor, where: str, *, quantize: bool
) -> tuple[Array, Given]:
    """``value`` as an array, and what its numbers are.

    Raises:
        DTypeError: The dtype is another one, or bytes may be pixels and numbers.
    """
    array = np.asarray(value)
    if not (quantize and _is_real(array, tensor)):
        return _typed(value, array, tensor, where), Given.VALUES
    if array.dtype != np.uint8 or not _is_image(tensor):
        return array, Given.REALS
    _, high = real_range(tensor)
    if high < _WHITE:  # as numbers, bright pixels would all be one
        return array, Given.PIXELS
    every_byte = np.arange(256, dtype=np.uint8)
    if (pixels(every_byte, tensor) == quantized(every_byte, tensor)).all():
        return array, Given.PIXELS
    raise DTypeError(
        f"{where}: expected floats for real numbers, or {tensor.type.dtype} for the tensor's own: "
        f"bytes may be numbers 0..255 or pixels, dark to bright, and it holds up to {high:.6g}"
    )


#: The most that a byte holds.
_WHITE = 255


def _is_image(tensor: Tensor) -> bool:
    """Whether bytes for the tensor may be an image's, which are not the tensor's own values."""
    return tensor.type in (TensorType.INT8, TensorType.INT16) and image_shape(tensor) is not None


def image_shape(tensor: Tensor) -> tuple[int, int, int] | None:
    """``(height, width, channels)`` of NHWC, HWC, NHW and HW tensors; None where no image fits."""
    shape = tensor.shape
    if len(shape) in (3, 4) and shape[0] == 1:
        shape = shape[1:]
    if len(shape) == 2:
        shape = (*shape, 1)
    if len(shape) != 3 or shape[2] not in (1, 3, 4) or min(shape[:2]) < 2:
        return None
    return shape[0], shape[1], shape[2]


def real_range(tensor: Tensor) -> tuple[float, float]:
    """The real numbers that a quantised tensor's smallest and largest value stand for."""
    limits = np.iinfo(tensor.type.dtype)
    scale, zero_point = scale_of(tensor), zero_point_of(tensor)
    return scale * (int(limits.min) - zero_point), scale * (int(limits.max) - zero_point)


def pixel_range(tensor: Tensor) -> tuple[float, float]:
    """The real numbers of a black and a white pixel: all that a quantised tensor holds.

    int16, whose range is symmetric, begins at zero.
    """
    low, high = real_range(tensor)
    return (0.0, high) if tensor.type is TensorType.INT16 else (low, high)


def pixels(value: Array, tensor: Tensor) -> Array:
    """Bytes 0..255 of images as the tensor's values: ``byte - 128`` for int8, as in firmware."""
    if tensor.type is TensorType.INT8:
        signed: Array = (value ^ np.uint8(0x80)).view(np.int8)
        return signed
    low, high = pixel_range(tensor)
    return quantized(low + value * ((high - low) / _WHITE), tensor)


def quantized(value: npt.ArrayLike, tensor: Tensor) -> Array:
    """Real numbers in the tensor's integers: divided in float32, rounded half away from zero.

    TFLM ``reference/quantize.h``, ``AffineQuantize``; values out of range saturate, and so do those
    beyond float32.

    Raises:
        ValueError: A number is NaN, for which there is no integer.
    """
    info = np.iinfo(tensor.type.dtype)
    with np.errstate(over="ignore"):
        reals = np.asarray(value, np.float32)
        if (place := first_nan(reals)) is not None:
            message = f"input {tensor.name!r}: expected numbers to quantise, got NaN at {place}"
            raise ValueError(message)
        scaled = reals / np.float32(scale_of(tensor))
    rounded = np.copysign(np.floor(np.abs(scaled.astype(np.float64)) + 0.5), scaled)
    clipped: Array = np.clip(rounded + zero_point_of(tensor), info.min, info.max)
    return clipped.astype(tensor.type.dtype)


def first_nan(values: Array) -> list[int] | None:
    """Where the first NaN is, or None; a sum finds out fast whether there can be one."""
    with np.errstate(all="ignore"):
        if not np.isnan(values.sum()):
            return None
    places = np.argwhere(np.isnan(values))
    return list(map(int, places[0])) if len(places) else None


def dequantized(value: Array, tensor: Tensor) -> Array:
    """Real numbers as float32; a copy of the value where the tensor has no scale."""
    if value.dtype.kind not in "iu" or not scale_of(tensor):
        copy: Array = value.copy()
        return copy
    wide = value.astype(np.int64) - zero_point_of(tensor)
    with np.errstate(over="ignore"):
        return np.asarray(scale_of(tensor) * wide, np.float32)


def translated(value: Array, source: Tensor, target: Tensor) -> Array:
    """Values of one tensor as those of another that stand for the same real numbers.

    Integers without a scale stand for themselves.

    Raises:
        ValueError: A real number is NaN, for which there is no integer.
    """
    if value.dtype != source.type.dtype or have_one_encoding(source, target):
        return value
    reals = dequantized(value, source)
    if target.type.dtype.kind == "f":
        return reals.astype(target.type.dtype)
    return quantized(reals, target) if scale_of(target) else value


def have_one_encoding(a: Tensor, b: Tensor) -> bool:
    """Whether the same values of two tensors stand for the same real numbers."""
    scales = [(scale_of(one), zero_point_of(one)) for one in (a, b)]
    return a.type is b.type and (a.type.dtype.kind == "f" or scales[0] == scales[1])


def _is_real(array: Array, tensor: Tensor) -> bool:
    """Whether these are real numbers for a quantised tensor, rather than its integers."""
    kinds = array.dtype.kind in "biuf" and tensor.type.dtype.kind in "iu"
    return kinds and scale_of(tensor) != 0 and array.dtype != tensor.type.dtype


def _typed(value: npt.ArrayLike, array: Array, tensor: Tensor, where: str) -> Array:
    """``array``, which is ``value`` as an array, if it has the tensor's dtype."""
    dtype = tensor.type.dtype
    if not isinstance(value, np.ndarray | np.generic):
        array = _converted(array, dtype)
    if array.dtype == dtype:
        return array
    offer = ""
    if array.dtype.kind == "f" and scale_of(tensor):
        offer = "; give quantize=True to quantise real numbers"
    elif array.dtype == np.uint8 and scale_of(tensor) and _is_image(tensor):
        offer = "; give quantize=True for an image's bytes"
    elif array.dtype.kind == dtype.kind:
        offer = f"; convert it with .astype(np.{dtype})"
    elif array.dtype.kind == "O":
        offer = "; some of it is no number"
    raise DTypeError(f"{where}: expected dtype {dtype}, got {array.dtype}{offer}")


def _converted(array: Array, dtype: np.dtype[Any]) -> Array:
    """A Python number or list in ``dtype`` if no integer changes its value."""
    if dtype.kind == "f" and array.dtype.kind in "iuf":
        return array.astype(dtype)
    if dtype.kind in "iub" and array.dtype.kind in "iub":
        converted = array.astype(dtype)
        return converted if np.array_equal(converted, array) else array
    return array


def scale_of(tensor: Tensor) -> float:
    """The tensor's first scale; 0 where it has none."""
    quantization = tensor.quantization
    if quantization is None or not len(quantization.scale):
        return 0.0
    return float(quantization.scale[0])


def zero_point_of(tensor: Tensor) -> int:
    """The tensor's first zero point; 0 where it has none."""
    quantization = tensor.quantization
    if quantization is None or not len(quantization.zero_point):
        return 0
    return int(quantization.zero_point[0])
