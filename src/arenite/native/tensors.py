"""Tensors as kernels see them, in C as well, and what must hold of them before C looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from math import prod
from struct import Struct
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from arenite.model import Array, Tensor, TensorType
from arenite.native.engine import extension, ffi, lib

from_buffer = ffi.from_buffer
T = TypeVar("T")
_ADDRESS, _TENSORS = ffi.typeof("uintptr_t"), ffi.typeof("ar_tensor[]")
_MAX_RANK = 6
_MAX_DIMENSION = 2**31 - 1


class AnyTensor(Protocol):
    """Tensor as kernels need it.

    ``data`` is None for one that is absent, and that of a constant cannot be written to.
    """

    @property
    def data(self) -> Array | None:
        """Its memory."""

    @property
    def type(self) -> int:
        """A ``TensorType``, or that of what is absent."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its axes."""


class NativeTensor(NamedTuple):
    """One that only the engine knows."""

    data: Array | None
    type: int
    shape: tuple[int, ...]


_ABSENT_TYPE: int = lib.AR_ABSENT
ABSENT = NativeTensor(None, _ABSENT_TYPE, ())


def bytes_of_memory(data: Array) -> NativeTensor:
    """Memory as bytes in a row."""
    plain = data.reshape(-1).view(np.uint8)
    return NativeTensor(plain, TensorType.UINT8, plain.shape)


def is_whole(tensor: AnyTensor) -> bool:
    """Whether all elements are there, where C may read them: what kernels cannot see.

    A file's constants may lie anywhere, and a shape say more than there is memory.
    """
    data, type_, shape = tensor.data, tensor.type, tensor.shape
    if data is None:
        return type_ == _ABSENT_TYPE
    flags = data.flags
    if len(shape) > _MAX_RANK or not flags.aligned or not flags.c_contiguous:
        return False
    if data.size and data.shape == shape:  # as most are; loading does this for all tensors
        return data.itemsize >= _itemsize(type_)
    if max(shape, default=0) > _MAX_DIMENSION:
        return False
    return data.nbytes >= TensorType(type_).nbytes(prod(shape))


@cache
def _itemsize(type_: int) -> int:
    """Bytes of an element, at least one."""
    return TensorType(type_).nbytes(1)


def nbytes_of(tensor: AnyTensor) -> int:
    """Bytes of its data, 0 without any."""
    return 0 if tensor.data is None else tensor.data.nbytes


def can_be_copied(pair: tuple[AnyTensor, AnyTensor]) -> bool:
    """Whether both tensors have their bytes, as many, and the second one may be written."""
    source, target = pair
    if not (is_whole(source) and is_whole(target)) or source.data is None or target.data is None:
        return False
    is_packed = any(TensorType(one.type).bits % 8 for one in pair)
    can_be_written = target.data.flags.writeable and not is_packed
    return can_be_written and source.data.nbytes == target.data.nbytes


# -- in C -------------------------------------------------------------------------------

BEHIND: int = lib.AR_BEHIND
#: A tensor's bytes, or those of some, as kernels are measured and planned with them, where only
#: constants have data, and with their data.
Row = tuple[bytes, bytes]

#: The bytes of an ``ar_tensor``: address, type, rank and dimensions, by the number of these.
_PACK = [Struct(f"@Pii{rank}i{4 * (_MAX_RANK - rank)}x").pack for rank in range(_MAX_RANK + 1)]


def row_of(tensor: AnyTensor) -> Row | None:
    """A tensor's bytes; None for one that C may not read."""
    if not is_whole(tensor):
        return None
    data, shape = tensor.data, tensor.shape
    rank, type_ = len(shape), int(tensor.type)
    pack, address = _PACK[rank], 0 if data is None else address_of(data)
    present = pack(address, type_, rank, *shape)
    is_constant = data is not None and not data.flags.writeable
    return (present if is_constant else pack(0, type_, rank, *shape)), present


def rows_of(tensors: tuple[AnyTensor, ...], keep: list[Any]) -> Row | None:
    """The bytes of tensors and of what is behind them, ``BEHIND`` tensors that no operator has.

    Their arrays are appended to ``keep``, which must live as long as C reads them. None where C may
    not read one.
    """
    rows: Row | None = extension.tensor_rows(tensors, row_of, keep)
    return rows


def present(rows: Sequence[bytes]) -> Any:
    """Tensors with their data, to be written to."""
    return from_buffer(_TENSORS, bytearray(b"".join(rows) or bytes(ffi.sizeof("ar_tensor"))))


def address_of(array: Array) -> int:
    """Where a contiguous array's first element lies in memory; NumPy takes longer to say so."""
    return int(ffi.cast(_ADDRESS, from_buffer(array)))


def twin(array: Array, own: Array, copy: Array) -> Array:
    """The same place in a copy of the memory that an array lies in."""
    start = address_of(array) - address_of(own)
    return copy[start : start + array.nbytes].view(array.dtype).reshape(array.shape)


def _know_arrays() -> bool:
    """Let C read arrays, if they are laid out as it has that."""
    sizes = {int(type_): type_.nbytes(1) for type_ in TensorType}
    by_code = tuple(sizes.get(code, 0) for code in range(max(sizes) + 1))
    array = np.zeros((2, 3), np.int16)
    known: bool = extension.know_arrays(
        array, address_of(array), array.flags.num, array.shape, by_code, numpy_functions()
    )
    return known


@cache
def numpy_functions() -> Any:
    """The table of NumPy's functions for C, whose places are part of its ABI; None without one."""
    for package in ("numpy._core", "numpy.core"):  # NumPy 2, NumPy 1
        try:
            return import_module(f"{package}._multiarray_umath")._ARRAY_API
        except (ImportError, AttributeError):
            continue
    return None


if not (lib.ar_add_tensor_binding() and _know_arrays()):
    raise ImportError("the native engine has no way to read NumPy's arrays")
find_step, make_struct = extension.find_step, extension.make_struct

_TYPES = sorted(TensorType)
_DTYPES = tuple(one.dtype if one.bits == 8 * one.dtype.itemsize else None for one in _TYPES)


def eval_tensors(tensors: tuple[Tensor, ...], made: type[T]) -> list[T]:
    """Of every tensor an object with its type, its shape and, as ``data``, its value.

    ``made`` is a class with these three attributes, whose ``__init__`` is not called.
    """
    found: list[T] = extension.eval_tensors(tensors, made, _DTYPES)
    return found
