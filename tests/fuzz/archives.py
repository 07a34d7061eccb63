"""Archives out of any bytes: members whose sizes, names and headers say what they like."""

import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import NamedTuple

import numpy as np

#: What ends a member in the bytes, and the way a member is packed.
END = b"\n--\n"
METHODS = (0, 8, 8, 0, 12, 14, 99, 8)


class Member(NamedTuple):
    """One member as it is written: what it has, and what is said of it."""

    name: bytes
    content: bytes
    method: int = 8
    flags: int = 0
    size: int | None = None
    wide: bool = False


def members_of(data: bytes) -> Iterator[Member]:
    """Members as the bytes have them: three bytes of how, a name up to a line's end, content."""
    for piece in data.split(END):
        if len(piece) < 3:
            continue
        how, bend, length = piece[:3]
        name, _, content = piece[3:].partition(b"\n")
        size = None
        if bend & 1:
            size = len(content) + length - 128
        elif bend & 2:
            size = 1 << length % 63
        flags = (bend >> 2 & 1) | (bend >> 3 & 1) << 3 | (bend >> 4 & 1) << 6
        yield Member(name, content, METHODS[how % 8], flags, size, wide=bool(bend & 32))


def written(members: list[Member], tail: bytes = b"") -> bytes:
    """An archive with these members."""
    file, listed = BytesIO(), BytesIO()
    for member in members:
        packed = member.content
        if member.method == 8:
            packer = zlib.compressobj(1, zlib.DEFLATED, -15)
            packed = packer.compress(packed) + packer.flush()
        size = len(member.content) if member.size is None else max(member.size, 0)
        extra, stated = b"", size
        if member.wide or size >= 1 << 32:
            extra, stated = struct.pack("<HHQ", 1, 8, size % (1 << 64)), 0xFFFFFFFF
        crc = zlib.crc32(member.content)
        facts = (member.flags, member.method, 0, 0, crc, len(packed), stated)
        name = member.name[:0xFFFF]
        begin = file.tell()
        file.write(b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, *facts, len(name), 0) + name + packed)
        listed.write(b"PK\1\2" + struct.pack("<HHHHHHIIIHH", 20, 20, *facts, len(name), len(extra)))
        listed.write(struct.pack("<HHHII", 0, 0, 0, 0, begin) + name + extra)
    end = struct.pack("<HHHHIIH", 0, 0, *[len(members) % 65536] * 2, listed.tell(), file.tell(), 0)
    return file.getvalue() + listed.getvalue() + b"PK\5\6" + end + tail


def npy(array: object, version: tuple[int, int] = (1, 0)) -> bytes:
    """An array as ``numpy.save`` writes it."""
    file = BytesIO()
    np.lib.format.write_array(file, np.asarray(array), version, allow_pickle=True)
    return file.getvalue()


def seeds() -> list[bytes]:
    """Sound members, for every model and kind of archive."""
    x = np.arange(48, dtype=np.int8).reshape(1, 4, 4, 3)
    arrays = {
        "x": x,
        "0": np.asfortranarray(x),
        "y": np.array(["a", "bc"]),
        "labels": np.arange(6, dtype=">f4"),
        "arr_0": np.ones((1, 6), bool),
        "n": np.zeros((2, 0)),
    }
    pieces = {name: name.encode() + b".npy\n" + npy(array) for name, array in arrays.items()}
    found = [b"\1\0\0" + piece for piece in pieces.values()]
    found += [b"\0\0\0" + pieces[a] + END + b"\1\40\0" + pieces[b] for a, b in ("xy", "0n")]
    found += [b"\1\1\x90" + pieces["x"], b"\0\2\x30" + pieces["x"], b"\1\4\0" + pieces["y"]]
    sound = [bytes([number, 0]) + data for data in found for number in range(6)]
    raw = [written(list(members_of(data))) for data in found]
    files = [bytes([number, 1]) + data for data in raw for number in range(3)]
    return [*sound, *files, b"\3\1" + npy(x), b"\3\1" + npy(x, (2, 0))]
