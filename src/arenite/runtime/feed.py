"""Values on their way into input tensors and out of output tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.errors import DTypeError, ShapeError
from arenite.model import Model, Tensor
from arenite.ops.context import Array


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


def port(kind: str, indices: Sequence[int], index: int) -> int:
    """The tensor of an input or output, which ``kind`` names.

    Raises:
        IndexError: There is none of that number.
    """
    if not 0 <= index < len(indices):
        raise IndexError(f"expected an {kind} index below {len(indices)}, got {index}")
    return indices[index]


def fresh(array: Array) -> Array:
    """The same memory as an object of its own: callers may set its shape and dtype."""
    view: Array = array.view()
    return view


def checked(value: npt.ArrayLike, tensor: Tensor, index: int, *, quantize: bool) -> Array:
    """``value`` as an array of the tensor's dtype and shape.

    Python numbers and lists are converted where their values fit; arrays must have the
    dtype, unless ``quantize`` turns real numbers into the tensor's.

    Raises:
        DTypeError: The dtype is another one.
        ShapeError: The shape is another one.
    """
    where = f"input {index} ({tensor.name!r})"
    array = np.asarray(value)
    if quantize and _is_real(array, tensor):
        array = quantized(array, tensor)
    else:
        array = _typed(value, array, tensor, where)
    if array.shape != tensor.shape:
        raise ShapeError(f"{where}: expected shape {list(tensor.shape)}, got {list(array.shape)}")
    return array


def checked_samples(
    value: npt.ArrayLike, tensor: Tensor, index: int, *, quantize: bool
) -> tuple[Array, bool]:
    """Many samples of an input as one array, and whether they are still to be quantised.

    A sample has the tensor's shape, with or without a leading 1.

    Raises:
        DTypeError: The dtype is another one.
        ShapeError: The shape is another one, or there is no axis of samples.
    """
    where = f"input {index} ({tensor.name!r})"
    array = np.asarray(value)
    if not array.ndim:
        raise ShapeError(f"{where}: expected an array of samples, got one number")
    real = quantize and _is_real(array, tensor)
    if not real:
        array = _typed(value, array, tensor, where)
    shape, legal = array.shape[1:], [tensor.shape]
    if tensor.shape[:1] == (1,):
        legal.insert(0, tensor.shape[1:])
    if shape not in legal:
        expected = " or ".join(str(list(one)) for one in legal)
        raise ShapeError(f"{where}: expected samples of shape {expected}, got {list(shape)}")
    return array, real


def quantized(value: npt.ArrayLike, tensor: Tensor) -> Array:
    """Real numbers in the tensor's integers: divided in float32, rounded half away from zero.

    TFLM ``reference/quantize.h``, ``AffineQuantize``; values out of range saturate.

    Raises:
        ValueError: A number is NaN, for which there is no integer.
    """
    info = np.iinfo(tensor.type.dtype)
    reals = np.asarray(value, np.float32)
    if (place := first_nan(reals)) is not None:
        raise ValueError(f"input {tensor.name!r}: expected numbers to quantise, got NaN at {place}")
    scaled = reals / np.float32(_scale(tensor))
    rounded = np.copysign(np.floor(np.abs(scaled.astype(np.float64)) + 0.5), scaled)
    clipped: Array = np.clip(rounded + _zero_point(tensor), info.min, info.max)
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
    if value.dtype.kind not in "iu" or not _scale(tensor):
        copy: Array = value.copy()
        return copy
    wide = value.astype(np.int64) - _zero_point(tensor)
    return np.asarray(_scale(tensor) * wide, np.float32)


def _is_real(array: Array, tensor: Tensor) -> bool:
    """Whether these are real numbers for a quantised tensor, rather than its integers."""
    kinds = array.dtype.kind in "biuf" and tensor.type.dtype.kind in "iu"
    return kinds and _scale(tensor) != 0 and array.dtype != tensor.type.dtype


def _typed(value: npt.ArrayLike, array: Array, tensor: Tensor, where: str) -> Array:
    """``array``, which is ``value`` as an array, if it has the tensor's dtype."""
    dtype = tensor.type.dtype
    if not isinstance(value, np.ndarray | np.generic):
        array = _converted(array, dtype)
    if array.dtype == dtype:
        return array
    offer = ""
    if array.dtype.kind == "f" and _scale(tensor):
        offer = "; give quantize=True to quantise real numbers"
    elif array.dtype.kind == dtype.kind:
        offer = f"; convert it with .astype(np.{dtype})"
    raise DTypeError(f"{where}: expected dtype {dtype}, got {array.dtype}{offer}")


def _converted(array: Array, dtype: np.dtype[Any]) -> Array:
    """A Python number or list in ``dtype`` if no integer changes its value."""
    if dtype.kind == "f" and array.dtype.kind in "iuf":
        return array.astype(dtype)
    if dtype.kind in "iub" and array.dtype.kind in "iub":
        converted = array.astype(dtype)
        return converted if np.array_equal(converted, array) else array
    return array


def _scale(tensor: Tensor) -> float:
    quantization = tensor.quantization
    if quantization is None or not len(quantization.scale):
        return 0.0
    return float(quantization.scale[0])


def _zero_point(tensor: Tensor) -> int:
    quantization = tensor.quantization
    if quantization is None or not len(quantization.zero_point):
        return 0
    return int(quantization.zero_point[0])
