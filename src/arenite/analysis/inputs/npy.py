"""Arrays as NumPy's files have them, judged by what they say of themselves before they are read.

NumPy's own reader parses the header (``numpy.lib.format``, versions 1.0 and 2.0, at most 10,000
bytes). Nothing is allocated for what a header promises: values are read only where the file has as
many as it says, and the caller accepts that many.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy_format

from arenite.model.model import Array

#: By version: bytes of the header's length, and NumPy's reader of a header.
_VERSIONS: dict[tuple[int, int], tuple[int, Callable[..., Any]]] = {
    (1, 0): (2, npy_format.read_array_header_1_0),
    (2, 0): (4, npy_format.read_array_header_2_0),
}
_MOST_HEADER, _MOST_AXES, _MOST_ROWS = 10_000, 32, 1 << 20
_PIECE = 1 << 18


class Header(NamedTuple):
    """Shape, element type and order of an array, as its header has them."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool

    @property
    def nbytes(self) -> int:
        """Bytes of all values."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_header(file: IO[bytes]) -> Header:
    """The header at a file's position, which is behind it then.

    Raises:
        ValueError: There is none, or none of an array of numbers, text or objects.
    """
    version = npy_format.read_magic(file)
    if version not in _VERSIONS:
        raise ValueError(f"expected version 1.0 or 2.0, got {version[0]}.{version[1]}")
    width, parse = _VERSIONS[version]
    prefix = _exactly(file, width)
    length = int.from_bytes(prefix, "little")
    if length > _MOST_HEADER:
        raise ValueError(f"expected a header of at most {_MOST_HEADER} bytes, got {length}")
    text = _exactly(file, length)
    return _checked(*_parsed(parse, prefix + text))


def read_array(file: IO[bytes], size: int, judge: Callable[[Header], None]) -> Array:
    """The array at a file's position.

    Args:
        file: The file.
        size: How many bytes it has from there on, or says that it has.
        judge: Raises an error of its own for an array that nobody wants; it is called before
            anything of the array's size is read or allocated.

    Raises:
        ValueError: There is no such array, or it has fewer values than it says.
    """
    begin = file.tell()
    header = read_header(file)
    judge(header)
    left = begin + size - file.tell()
    if header.nbytes > left:
        raise ValueError(f"expected {header.nbytes} bytes of values, got {max(left, 0)}")
    if header.dtype.hasobject:
        raise ValueError("expected numbers or text, got Python objects (a pickle)")
    data = np.empty(header.nbytes, np.uint8)
    for begin in range(0, data.size, _PIECE):
        count = min(_PIECE, data.size - begin)
        data[begin : begin + count] = np.frombuffer(_exactly(file, count), np.uint8)
    return _typed(data, header)


def _typed(data: Array, header: Header) -> Array:
    dtype = header.dtype
    if dtype.kind == "b":
        np.not_equal(data, 0, out=data.view(np.bool_))  # other bytes are no truth values
    if dtype.kind == "U" and data.size:
        codes = data.view(np.dtype(np.uint32).newbyteorder(dtype.byteorder))
        if codes.max() > 0x10FFFF:
            raise ValueError(f"expected text, got the character {int(codes.max()):#x}")
    return data.view(dtype).reshape(header.shape, order="F" if header.fortran else "C")


def _exactly(file: IO[bytes], count: int) -> bytes:
    data = file.read(count)
    if len(data) != count:
        raise ValueError(f"expected {count} bytes more, got {len(data)}: it is cut off")
    return data


def _parsed(parse: Callable[..., Any], header: bytes) -> tuple[Any, bool, np.dtype[Any]]:
    """Shape, order and element type, by NumPy's parser; a ValueError whatever it raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # headers that Python 2 wrote are read too
            shape, fortran, dtype = parse(io.BytesIO(header))
    except Exception as error:
        found = repr(header[:80].decode("latin-1").strip())
        raise ValueError(
            f"expected a header of descr, fortran_order and shape, got {found}"
        ) from error
    return shape, fortran, dtype


def _checked(shape: tuple[int, ...], fortran: bool, dtype: np.dtype[Any]) -> Header:
    if len(shape) > _MOST_AXES:
        raise ValueError(f"expected at most {_MOST_AXES} axes, got {len(shape)}")
    if any(not 0 <= length < 1 << 63 for length in shape):
        raise ValueError(f"expected lengths of axes from 0, got {_some(shape)}")
    if dtype.kind not in "biufcSUVO" or dtype.fields or dtype.subdtype:
        raise ValueError(f"expected an element type such as '<f4', got {_some(str(dtype))}")
    if not dtype.itemsize:
        raise ValueError(f"expected elements of at least one byte, got {dtype.str!r}")
    header = Header(tuple(map(int, shape)), dtype, bool(fortran))
    if not header.nbytes and max(header.shape) > _MOST_ROWS:
        raise ValueError(f"expected values, got none in the shape {list(header.shape)}")
    return header


def _some(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
