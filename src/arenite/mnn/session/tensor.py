"""MNN's ``Tensor``: a shape, an order of axes, and memory of its own or of a session.

Facts: MNN 3.6.1 ``core/Tensor.cpp``, ``pymnn/src/MNN.cc`` (``PyMNNTensor_*``).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from math import prod
from operator import index as as_index
from typing import Any

import numpy as np

from arenite.errors import DTypeError, ShapeError, StateError
from arenite.mnn.session.constants import (
    DimensionType,
    Halide_Type_Double,
    Halide_Type_Float,
    HalideType,
    halide_type,
)
from arenite.mnn.session.layout import converted, elements, pack, regrouped, shape_as, unpacked
from arenite.mnn.session.storage import aligned
from arenite.model import Array, TensorType

Shape = tuple[int, ...]

#: ``MNN_MAX_TENSOR_DIM``
MAX_RANK = 9
MAX_ELEMENTS = 2**31 - 1
_FORMS = (
    "Tensor(tensor, dimension_type), Tensor(shape, data_type, dimension_type) or "
    "Tensor(shape, data_type, data, dimension_type)"
)


class Tensor:
    """A tensor on the host, or an input or output of a session.

    ``Tensor(shape, data_type, dimension_type)`` is zero; ``Tensor(shape, data_type, data,
    dimension_type)`` copies an array, a flat list or tuple, bytes, a capsule or an address.
    ``Tensor(tensor, dimension_type)`` has the shape that the tensor has in that dimension
    type, and zeros. ``Tensor()`` has nothing at all and answers None.

    Raises:
        TypeError: The arguments are none of these.
        DTypeError: The data are of another type, or the type is one that tensors cannot have.
        ShapeError: The data have another number of elements, or a dimension is negative.
    """

    def __init__(self, *args: Any) -> None:
        self._shape: Shape = ()
        self._type: HalideType | None = None
        self._dtype: np.dtype[Any] | None = None
        self._dimension = DimensionType.TENSORFLOW
        self._memory: Array | None = None
        self._reason = "it was made without shape and data"
        self._released = False
        match args:
            case ():
                pass
            case (Tensor() as other, dimension):
                self._like(other, dimension_type(dimension))
            case (shape, HalideType() as type_, dimension):
                self._from_data(shape, type_, None, dimension)
            case (shape, HalideType() as type_, data, dimension):
                self._from_data(shape, type_, data, dimension)
            case _:
                kinds = ", ".join(type(arg).__name__ for arg in args)
                raise TypeError(f"expected {_FORMS}, got Tensor({kinds})")

    # -- what it is

    def getShape(self) -> Shape | None:
        """The dimensions, in the order that :meth:`getDimensionType` says."""
        self._require_life()
        return None if self._dtype is None else self._shape

    def getDataType(self) -> HalideType | None:
        """One of the ``Halide_Type_...``; None for types that MNN has no name for."""
        self._require_life()
        return self._type

    def getDimensionType(self) -> int | None:
        """``Tensor_DimensionType_Tensorflow`` or ``..._Caffe``, which also stands for C4."""
        self._require_life()
        if self._dtype is None:
            return None
        return min(int(self._dimension), int(DimensionType.CAFFE))

    # -- its values

    def getNumpyData(self) -> Array | None:
        """The values as an array: a writable view, which keeps the memory alive.

        Raises:
            StateError: There is no memory: the tensor was resized and its session was not.
            ShapeError: The memory has more elements than the shape (Caffe_C4).
        """
        if self._dtype is None:
            return None
        memory = self._require_memory()
        if memory.size != prod(self._shape):
            raise ShapeError(
                f"a Caffe_C4 tensor of shape {list(self._shape)} has {memory.size} elements in "
                "memory; copy it to one of type Caffe or Tensorflow to see its values"
            )
        return memory.reshape(self._shape)

    def getData(self) -> tuple[Any, ...] | None:
        """All elements in memory as a flat tuple of Python numbers.

        Raises:
            StateError: There is no memory.
        """
        if self._dtype is None:
            return None
        return tuple(self._require_memory().tolist())

    def fromNumpy(self, data: Array) -> None:
        """Write an array of the tensor's shape and dtype.

        MNN's method compares bytes with elements and writes nothing to a session's tensor;
        this one writes.

        Raises:
            TypeError: It is no array.
            DTypeError, ShapeError: It has another dtype or shape.
            StateError: There is no memory.
        """
        if not isinstance(data, np.ndarray):
            raise TypeError(f"fromNumpy: expected an array, got {type(data).__name__}")
        memory = self._require_memory()
        if data.dtype != memory.dtype:
            raise DTypeError(f"fromNumpy: expected dtype {memory.dtype}, got {data.dtype}")
        if data.shape != self._shape:
            raise ShapeError(
                f"fromNumpy: expected shape {list(self._shape)}, got {list(data.shape)}"
            )
        pack(memory, self._shape, self._dimension, data)

    def copyFrom(self, source: Tensor) -> bool:
        """Write another tensor's values, whatever order they are in; True.

        Shapes must be equal once both are in one dimension type; in the same dimension type,
        neighbouring dimensions may be merged: ``(1, 28, 28)`` may be copied to ``(1, 784)``.

        Raises:
            TypeError: It is no tensor.
            DTypeError, ShapeError: It has another type or shape.
            StateError: One of the two has no memory.
        """
        _copy(_tensor(source, "copyFrom"), self, "copyFrom")
        return True

    def copyFromHostTensor(self, source: Tensor) -> bool:
        """The same as :meth:`copyFrom`."""
        return self.copyFrom(source)

    def copyToHostTensor(self, target: Tensor) -> bool:
        """Write the values to another tensor; see :meth:`copyFrom`."""
        _copy(self, _tensor(target, "copyToHostTensor"), "copyToHostTensor")
        return True

    def getHost(self) -> Any:
        """The address of the memory as a ``PyCapsule``; valid as long as the tensor's memory.

        Raises:
            StateError: There is no memory.
        """
        if self._dtype is None:
            return None
        return _new_capsule(self._require_memory().ctypes.data, None, None)

    def printTensorData(self) -> None:
        """Print the values."""
        print(self)

    def __repr__(self) -> str:
        if self._memory is None:
            return "array([])"
        return repr(unpacked(self._memory, self._shape, self._dimension))

    # -- what a session does with its tensors

    @classmethod
    def of_session(
        cls, shape: Shape, type_: TensorType, dimension: DimensionType, reason: str
    ) -> Tensor:
        """A tensor without memory; ``reason`` says why it has none."""
        self = cls()
        self._become(shape, type_, dimension)
        self._reason = reason
        return self

    def resize(self, shape: Shape, reason: str) -> None:
        """Another shape; there is no memory until :meth:`attach`."""
        self._shape, self._memory, self._reason = shape, None, reason

    def attach(
        self, memory: Array, shape: Shape, type_: TensorType, dimension: DimensionType
    ) -> None:
        """Flat memory for the values, and what they are."""
        self._become(shape, type_, dimension)
        self._memory = memory

    def release(self, reason: str) -> None:
        """No call is legal from now on."""
        self._memory, self._reason, self._released = None, reason, True

    @property
    def memory(self) -> Array | None:
        """The flat memory."""
        return self._memory

    # -- inside

    def _become(self, shape: Shape, type_: TensorType, dimension: DimensionType) -> None:
        self._shape, self._dimension = shape, dimension
        self._type, self._dtype = halide_type(type_), type_.dtype

    def _like(self, other: Tensor, dimension: DimensionType) -> None:
        other._require_life()
        if other._dtype is None:
            raise StateError(f"Tensor(tensor, ...): the tensor is empty, {other._reason}")
        # MNN knows only Tensorflow and Caffe when it maps axes.
        self._shape = shape_as(other._shape, other._dimension, dimension)
        self._allocate(other._type, other._dtype, dimension)

    def _from_data(self, shape: Any, type_: HalideType, data: Any, dimension: Any) -> None:
        if type_.dtype is None:
            raise DTypeError("expected a tensor of numbers, got Halide_Type_String")
        given, type_ = type_, Halide_Type_Float if type_ is Halide_Type_Double else type_
        assert type_.dtype is not None
        self._shape = checked_shape(shape)
        self._allocate(type_, type_.dtype, dimension_type(dimension))
        if data is not None:
            assert self._memory is not None
            _fill(self._memory, data, given)

    def _allocate(
        self, type_: HalideType | None, dtype: np.dtype[Any], dimension: DimensionType
    ) -> None:
        self._type, self._dtype, self._dimension = type_, dtype, dimension
        count = elements(self._shape, dimension)
        self._memory = aligned(count * dtype.itemsize).view(dtype)

    def _require_life(self) -> None:
        if self._released:
            raise StateError(f"the tensor is gone: {self._reason}")

    def _require_memory(self) -> Array:
        self._require_life()
        if self._memory is None:
            raise StateError(f"the tensor has no memory: {self._reason}")
        return self._memory


def checked_shape(shape: Any) -> Shape:
    """A shape from an int, or a sequence or array of ints.

    Raises:
        TypeError: It is something else.
        ShapeError: A dimension is negative, or there are more than nine dimensions or 2**31
            elements.
    """
    single = isinstance(shape, int | np.integer)
    if not single and (isinstance(shape, str | bytes) or not hasattr(shape, "__len__")):
        raise TypeError(f"expected a shape as a tuple of ints, got {shape!r}")
    sizes: Sequence[Any] = (shape,) if single else list(shape)
    if any(isinstance(size, bool | np.bool_) for size in sizes):
        raise TypeError(f"expected a shape as a tuple of ints, got {shape!r}")
    result = tuple(as_index(size) for size in sizes)
    if len(result) > MAX_RANK or min(result, default=0) < 0:
        raise ShapeError(f"expected at most {MAX_RANK} dimensions of 0 or more, got {list(result)}")
    if prod(result) > MAX_ELEMENTS:
        raise ShapeError(f"expected at most {MAX_ELEMENTS} elements, got {list(result)}")
    return result


def dimension_type(value: Any) -> DimensionType:
    """One of the ``Tensor_DimensionType_...``.

    Raises:
        TypeError, ValueError: It is none of them.
    """
    number = as_index(value)
    if number not in tuple(DimensionType):
        raise ValueError(f"expected a dimension type from 0 to 2, got {number}")
    return DimensionType(number)


def _tensor(value: Any, call: str) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(f"{call}: expected a Tensor, got {type(value).__name__}")
    return value


def _copy(source: Tensor, target: Tensor, call: str) -> None:
    here, there = source._require_memory(), target._require_memory()
    if here.dtype != there.dtype:
        raise DTypeError(f"{call}: expected a tensor of {there.dtype}, got one of {here.dtype}")
    wanted = shape_as(target._shape, target._dimension, source._dimension)
    if source._shape == wanted:
        values = unpacked(here, source._shape, source._dimension)
        values = converted(values, source._dimension, target._dimension)
    elif source._dimension == target._dimension and regrouped(source._shape, target._shape):
        values = unpacked(here, source._shape, source._dimension).reshape(target._shape)
    else:
        raise ShapeError(
            f"{call}: expected shape {list(target._shape)} ({target._dimension.name}), got "
            f"{list(source._shape)} ({source._dimension.name})"
        )
    pack(there, target._shape, target._dimension, values)


# -- data from outside -------------------------------------------------------------------

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_capsule_address = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_address.restype = ctypes.c_void_p
_capsule_address.argtypes = (ctypes.py_object, ctypes.c_char_p)
_CAPSULE = type(_new_capsule(1, None, None))


def _fill(memory: Array, data: Any, given: HalideType) -> None:
    """Write what the constructor was given to new memory."""
    if isinstance(data, _CAPSULE):
        _fill_from(memory, _capsule_address(data, None))
    elif isinstance(data, int | np.integer) and not isinstance(data, bool):
        _fill_from(memory, int(data))
    elif isinstance(data, bytes):
        _check_count(len(data), memory.nbytes, "bytes")
        memory.view(np.uint8)[...] = np.frombuffer(data, np.uint8)
    elif isinstance(data, np.ndarray):
        if data.dtype not in (memory.dtype, given.dtype):
            raise DTypeError(f"expected data of dtype {memory.dtype}, got {data.dtype}")
        _check_count(data.size, memory.size, "elements")
        memory[...] = data.reshape(-1)
    elif isinstance(data, list | tuple):
        _check_count(len(data), memory.size, "elements")
        memory[...] = _numbers(data, memory.dtype)
    else:
        raise TypeError(
            "expected data as an array, list, tuple, bytes, capsule or address, got "
            f"{type(data).__name__}"
        )


def _fill_from(memory: Array, address: int) -> None:
    """Copy from an address, of which only the system can say whether it may be read.

    What it points to is the caller's business, as in MNN; that there is something to read is
    checked where the system copies to a file, which answers rather than ends the process.
    """
    refusal = f"expected the address of {memory.nbytes} readable bytes, got {address:#x}"
    if not 0 < address < 1 << 8 * ctypes.sizeof(ctypes.c_void_p):
        raise ValueError(refusal)
    if not memory.nbytes:
        return
    if not hasattr(os, "memfd_create"):
        ctypes.memmove(memory.ctypes.data, address, memory.nbytes)
        return
    source = memoryview((ctypes.c_char * memory.nbytes).from_address(address)).cast("B")
    with open(os.memfd_create("arenite"), "w+b", buffering=0) as file:
        try:
            while source:
                source = source[file.write(source) :]
        except OSError as error:
            raise ValueError(refusal) from error
        file.seek(0)
        file.readinto(memory.view(np.uint8).data)


def _check_count(got: int, expected: int, what: str) -> None:
    if got != expected:
        raise ShapeError(f"expected data of {expected} {what}, got {got}")


def _numbers(data: Sequence[Any], dtype: np.dtype[Any]) -> Array:
    """A flat sequence of numbers that fit into ``dtype``."""
    array = np.asarray(data) if len(data) else np.zeros(0, dtype)
    if array.ndim != 1 or array.dtype.kind not in "iufb":
        raise DTypeError(f"expected a flat sequence of numbers, got {str(data)[:60]}")
    if dtype.kind == "f":
        return array.astype(dtype)
    whole = array.astype(dtype)
    if not np.array_equal(whole, array):
        raise DTypeError(f"expected numbers that {dtype} holds, got {str(data)[:60]}")
    return whole
