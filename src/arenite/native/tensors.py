"""Tensors as kernels see them, and what must hold of them before C looks at them."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any, NamedTuple

import numpy.typing as npt

from arenite.model import TensorType
from arenite.native import _engine

Array = npt.NDArray[Any]
_MAX_RANK = 6
_MAX_DIMENSION = 2**31 - 1


class NativeTensor(NamedTuple):
    """A tensor as a kernel sees it; ``data`` is None for one that is absent."""

    data: Array | None
    type: int
    shape: tuple[int, ...]
    is_constant: bool


_ABSENT_TYPE: int = _engine.lib.AR_ABSENT
ABSENT = NativeTensor(None, _ABSENT_TYPE, (), False)


def is_whole(tensor: NativeTensor) -> bool:
    """Whether all elements are there, where C may read them: what kernels cannot see.

    A file's constants may lie anywhere, and a shape say more than there is memory.
    """
    data, type_, shape, _ = tensor
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


def nbytes_of(tensor: NativeTensor) -> int:
    """Bytes of its data, 0 without any."""
    return 0 if tensor.data is None else tensor.data.nbytes


def can_be_copied(pair: tuple[NativeTensor, NativeTensor]) -> bool:
    """Whether both tensors have their bytes, as many, and the second one may be written."""
    source, target = pair
    if not (is_whole(source) and is_whole(target)) or source.data is None or target.data is None:
        return False
    is_packed = any(TensorType(one.type).bits % 8 for one in pair)
    return not (target.is_constant or is_packed) and nbytes_of(source) == nbytes_of(target)
