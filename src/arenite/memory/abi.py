"""Sizes of C structs on a target, computed from their fields.

TFLM's arena holds C structs; how large they are depends on the target's pointers.
A struct is declared once, in the order of its C fields, and measured for any ABI.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AbiName = Literal["lp64", "ilp32", "arm_none_eabi", "tflite_micro"]

_FIXED = {
    "bool": 1,
    "int8": 1,
    "uint8": 1,
    "int16": 2,
    "uint16": 2,
    "int32": 4,
    "uint32": 4,
    "int": 4,
    "float": 4,
    "int64": 8,
    "uint64": 8,
    "double": 8,
}


@dataclass(frozen=True)
class Abi:
    """A target's data model and how TFLM was built for it.

    Attributes:
        name: What the user calls it.
        pointer: Size of pointers and of ``size_t`` in bytes.
        enum: Size of an enumeration in bytes; 1 where the compiler makes them as small as
            their values allow (``-fshort-enums``).
        compression: Whether TFLM was built with ``USE_TFLM_COMPRESSION``.
        recording: Whether the arena belongs to a ``RecordingMicroAllocator``, which takes
            more room for itself.
    """

    name: AbiName
    pointer: int
    enum: int = 4
    compression: bool = False
    recording: bool = False


LP64 = Abi("lp64", 8)
ILP32 = Abi("ilp32", 4)
#: Cortex-M as the Arm GCC toolchain compiles for it.
ARM_NONE_EABI = Abi("arm_none_eabi", 4, enum=1)
#: How the ``tflite-micro`` package on PyPI is built and creates its allocator.
TFLITE_MICRO = Abi("tflite_micro", 8, compression=True, recording=True)
ABIS: dict[str, Abi] = {abi.name: abi for abi in (LP64, ILP32, ARM_NONE_EABI, TFLITE_MICRO)}


@dataclass(frozen=True)
class Struct:
    """A C struct: its name and the types of its fields, in order.

    A field is a scalar (``"int32"``, ``"pointer"``, ``"size_t"``, ``"enum"`` ...), another
    struct, or ``(field, count)`` for an array. ``compression`` holds the last fields, which
    exist only where TFLM was built with ``USE_TFLM_COMPRESSION``.

    >>> Struct("TfLiteEvalTensor", ("pointer", "pointer", "enum")).size(LP64)
    24
    """

    name: str
    fields: tuple[Field, ...]
    compression: tuple[Field, ...] = ()

    def size(self, abi: Abi) -> int:
        """``sizeof`` in bytes, padded to the struct's own alignment."""
        end = 0
        for field in self._fields(abi):
            size, alignment = _measure(field, abi)
            end = align_up(end, alignment) + size
        return align_up(end, self.alignment(abi)) or 1

    def alignment(self, abi: Abi) -> int:
        """``alignof`` in bytes."""
        return max((_measure(field, abi)[1] for field in self._fields(abi)), default=1)

    def _fields(self, abi: Abi) -> tuple[Field, ...]:
        return self.fields + self.compression if abi.compression else self.fields


Field = str | Struct | tuple["str | Struct", int]


def _measure(field: Field, abi: Abi) -> tuple[int, int]:
    if isinstance(field, tuple):
        size, alignment = _measure(field[0], abi)
        return size * field[1], alignment
    if isinstance(field, Struct):
        return field.size(abi), field.alignment(abi)
    targets = {"pointer": abi.pointer, "size_t": abi.pointer, "enum": abi.enum}
    size = targets.get(field) or _FIXED[field]
    return size, size


def align_up(value: int, alignment: int) -> int:
    """The smallest multiple of ``alignment`` that is not less than ``value``."""
    return -(-value // alignment) * alignment


def align_down(value: int, alignment: int) -> int:
    """The largest multiple of ``alignment`` that is not greater than ``value``."""
    return value // alignment * alignment
