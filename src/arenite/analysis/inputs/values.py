"""Values of input files: arrays of a model input's shape and dtype.

Real numbers are quantised as ``Interpreter(...)(x, quantize=True)`` does it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arenite.errors import AreniteError, DTypeError, ShapeError
from arenite.model import Tensor
from arenite.model.model import Array, tensor_text
from arenite.runtime.io_conversion import quantized, scale_of


class InputError(AreniteError, ValueError):
    """A file cannot serve as a model's input."""


@contextmanager
def readable(path: Path, what: str) -> Iterator[None]:
    """Make one error of all that other packages' parsers raise for files that surprise them.

    Raises:
        InputError: What is done inside failed, other than with an error of Arenite's or one of
            the system's.
    """
    try:
        yield
    except (AreniteError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = str(error) or type(error).__name__
        raise InputError(f"{path}: not a readable {what}: {reason}") from error


@dataclass(frozen=True)
class Input:
    """An array of a model input's shape and dtype, and in words where it comes from."""

    array: Array
    origin: str


@dataclass(frozen=True)
class Pixels:
    """The meaning of an image's bytes: see :func:`arenite.analysis.inputs.media.read_image`.

    ``range`` holds the real numbers that bytes 0 and 255 stand for, None leaves it to the
    input; ``raw`` takes the bytes as the input's own values.
    """

    range: tuple[float, float] | None = None
    raw: bool = False


def require_plain(tensor: Tensor) -> None:
    """Refuse element types that have no NumPy dtype of their own (strings, int4, complex).

    Raises:
        InputError: ``tensor`` has such a type.
    """
    dtype = tensor.type.dtype
    if tensor.type.bits != dtype.itemsize * 8 or dtype.kind not in "biuf":
        raise InputError(
            f"input {tensor.name!r}: expected numbers of whole bytes, got {tensor.type}, "
            "for which no file format is read"
        )


def is_quantized(tensor: Tensor) -> bool:
    """Whether the tensor holds integers that stand for real numbers, with one scale."""
    quantization = tensor.quantization
    return (
        tensor.type.dtype.kind in "iu" and quantization is not None and len(quantization.scale) == 1
    )


def fit_reals(reals: Array, tensor: Tensor, origin: str) -> Input:
    """Real numbers of the tensor's shape as its values, quantised if need be.

    Raises:
        InputError: A number to be quantised is NaN or infinite, or the scale is not positive.
        DTypeError: The tensor holds integers without a scale.
    """
    dtype = tensor.type.dtype
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return Input(reals.astype(dtype), origin)
    if not is_quantized(tensor):
        raise DTypeError(
            f"{origin}: expected {tensor.type} for input {tensor.name!r}, got {reals.dtype}"
        )
    scale = scale_of(tensor)
    if not np.isfinite(reals).all():
        raise InputError(f"{origin}: expected finite numbers, got NaN or infinity")
    if not 0 < scale < np.inf:
        raise InputError(f"input {tensor.name!r}: expected a positive scale, got {scale}")
    with np.errstate(over="ignore"):
        return Input(quantized(reals, tensor), f"{origin}, quantised")


def fit_array(array: Array, tensor: Tensor, origin: str) -> Input:
    """An array as the tensor's value, if shape and dtype agree up to axes of length 1.

    Floats are quantised for a quantised tensor, numbers are converted for a float one.

    Raises:
        ShapeError, DTypeError: The array does not fit.
    """
    require_fit(array.shape, array.dtype, tensor, origin)
    array = array.astype(array.dtype.newbyteorder("=")).reshape(tensor.shape)
    dtype = tensor.type.dtype
    if array.dtype == dtype:
        return Input(array, origin)
    if dtype.kind == "f":
        return fit_reals(array, tensor, f"{origin}, converted from {array.dtype}")
    return fit_reals(array, tensor, origin)


def require_fit(shape: tuple[int, ...], dtype: np.dtype[Any], tensor: Tensor, origin: str) -> None:
    """Refuse an array that :func:`fit_array` could not take, by what is said of it.

    Raises:
        ShapeError, DTypeError: The array does not fit.
    """
    if long_axes(shape) != long_axes(tensor.shape):
        raise ShapeError(
            f"{origin}: expected shape {list(tensor.shape)} for input {tensor.name!r}, "
            f"got {list(shape)}"
        )
    wanted, given = tensor.type.dtype, dtype.newbyteorder("=")
    kinds = "fiu" if wanted.kind == "f" else "f" if is_quantized(tensor) else ""
    if given != wanted and given.kind not in kinds:
        text = f"{tensor.type}, or floats to quantise," if is_quantized(tensor) else tensor.type
        raise DTypeError(f"{origin}: expected {text} for input {tensor.name!r}, got {given}")


def fit_numbers(numbers: list[float], tensor: Tensor, origin: str) -> Input:
    """Numbers without a dtype, in the tensor's order: real numbers, or plain integers.

    Raises:
        ShapeError: Their count is not the tensor's.
        InputError: An integer tensor without a scale is given something else.
    """
    if len(numbers) != tensor.size:
        raise ShapeError(
            f"{origin}: expected {tensor.size} numbers for input {tensor.name!r} "
            f"({tensor_text(tensor)}), got {len(numbers)}"
        )
    dtype = tensor.type.dtype
    reals = np.array(numbers, np.float64).reshape(tensor.shape)
    if dtype.kind == "f" or is_quantized(tensor):
        return fit_reals(reals, tensor, origin)
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    wrong = [n for n in numbers if n != n // 1 or not low <= n <= high]
    if wrong:
        raise InputError(f"{origin}: expected {tensor.type} numbers, got {wrong[0]:g}")
    return Input(reals.astype(dtype), origin)


def long_axes(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without axes of length 1."""
    return tuple(n for n in shape if n != 1)
