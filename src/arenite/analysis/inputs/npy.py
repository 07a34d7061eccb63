"""Arrays as NumPy's files have them, judged by what they say of themselves before they are read.

Nothing in a file is evaluated and nothing is allocated for what it promises: a header is read with
a regular expression, and values only where there are as many as it says and whoever reads them
wants so many.

Facts: NumPy's ``lib/format.py`` (versions 1.0 and 2.0; 3.0 is for names of fields) and its limit of
10,000 bytes for a header.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import IO, Any, NamedTuple

import numpy as np

from arenite.model.model import Array

_MAGIC = b"\x93NUMPY"
_LENGTHS = {b"\1\0": 2, b"\2\0": 4}
_MOST_HEADER, _MOST_AXES, _MOST_ROWS = 10_000, 32, 1 << 20
_PIECE = 1 << 18
_ITEM = re.compile(
    r"\s*(?:'(?P<key>\w+)'|\"(?P<other>\w+)\")\s*:\s*"
    r"(?:'(?P<text>[^']*)'|\"(?P<text2>[^\"]*)\"|(?P<flag>True|False)|\((?P<shape>[0-9,\sL]*)\))"
    r"\s*(?:,\s*|(?=\}))"
)
_DTYPE = re.compile(r"[<>|=]?(?:[biufcSUV][0-9]{1,9}|[?bBhHiIlLqQefdO])")


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
    if _exactly(file, len(_MAGIC)) != _MAGIC:
        raise ValueError("expected an array as numpy.save writes it")
    version = _exactly(file, 2)
    if version not in _LENGTHS:
        raise ValueError(f"expected version 1.0 or 2.0, got {version[0]}.{version[1]}")
    length = int.from_bytes(_exactly(file, _LENGTHS[version]), "little")
    if length > _MOST_HEADER:
        raise ValueError(f"expected a header of at most {_MOST_HEADER} bytes, got {length}")
    return _header(_exactly(file, length).decode("latin-1"))


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


def _header(text: str) -> Header:
    found: dict[str, re.Match[str]] = {}
    text = text.strip()
    place = 1
    while text[:1] == "{" and (item := _ITEM.match(text, place)):
        key = item["key"] or item["other"]
        if key in found:
            raise ValueError(f"expected one {key!r} in the header, got two")
        found[key], place = item, item.end()
    if text[place:] != "}" or set(found) != {"descr", "fortran_order", "shape"}:
        raise ValueError(
            f"expected a header of descr, fortran_order and shape, got {_some(text)}: arrays of "
            "numbers or text are read"
        )
    descr = found["descr"]["text"] or found["descr"]["text2"] or ""
    shape, flag = found["shape"]["shape"], found["fortran_order"]["flag"]
    if shape is None or flag is None:
        raise ValueError(f"expected a shape and an order in the header, got {_some(text)}")
    header = Header(_shape(shape), _dtype(descr), flag == "True")
    if not header.nbytes and max(header.shape) > _MOST_ROWS:
        raise ValueError(f"expected values, got none in the shape {list(header.shape)}")
    return header


def _shape(text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    if not words[-1]:
        words.pop()
    elif len(words) == 1:
        raise ValueError(f"expected a tuple as the shape, got {_some(text)}")
    if len(words) > _MOST_AXES:
        raise ValueError(f"expected at most {_MOST_AXES} axes, got {len(words)}")
    if not all(re.fullmatch("[0-9]{1,19}L?", word) for word in words):
        raise ValueError(f"expected lengths of axes, got {_some(text)}")
    return tuple(int(word.rstrip("L")) for word in words)


def _dtype(descr: str) -> np.dtype[Any]:
    if not _DTYPE.fullmatch(descr):
        raise ValueError(f"expected an element type such as '<f4', got {_some(descr)}")
    try:
        dtype = np.dtype(descr)
    except TypeError:
        raise ValueError(f"expected an element type such as '<f4', got {descr!r}") from None
    if not dtype.itemsize:
        raise ValueError(f"expected elements of at least one byte, got {descr!r}")
    return dtype


def _some(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:77]}...")
