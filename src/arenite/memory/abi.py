"""Sizes of C structs on a target, computed from their fields.

TFLM's arena holds C structs; how large they are depends on the target's pointers.
A struct is declared once, in the order of its C fields, and measured for any ABI.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

from arenite.target import AbiName, Target

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


@dataclass(frozen=True, eq=False)
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
        package: Whether it is TFLM's package on PyPI (October 2026), some of whose structs have
            fields that are not in TFLM's public sources (August 2026).
        date: TFLM's, where it is not today's: :mod:`arenite.revisions` says what structs were.
        dynamic: Whether TFLM was built without ``TF_LITE_STATIC_MEMORY``.
    """

    name: AbiName
    pointer: int
    enum: int = 4
    compression: bool = False
    recording: bool = False
    package: bool = False
    date: str = ""
    dynamic: bool = False


#: 64 bits, as the ``tflite-micro`` package on PyPI is built and creates its allocator.
LP64 = Abi("lp64", 8, compression=True, recording=True, package=True)
#: 64 bits, as TFLM's public sources are built by default, with a plain ``MicroAllocator``.
LP64_PUBLIC = Abi("lp64_public", 8)
#: Cortex-M as the Arm GCC toolchain compiles for it: enums are as small as they can be.
ILP32 = Abi("ilp32", 4, enum=1)
ARM_NONE_EABI = Abi("arm_none_eabi", 4, enum=1)
#: 32-bit targets whose compiler makes every enum an ``int`` (RISC-V, Xtensa).
ILP32_INT_ENUMS = Abi("ilp32_int_enums", 4)
ABIS: dict[str, Abi] = {
    abi.name: abi for abi in (LP64, LP64_PUBLIC, ILP32, ILP32_INT_ENUMS, ARM_NONE_EABI)
}


def abi_of(target: Target) -> Abi:
    """The struct sizes that a target has."""
    abi = ABIS[target.abi]
    if target.release is not None and not target.release.has_static_memory:
        abi = _dynamic(abi)
    return _as_of(abi, target.tflm) if target.tflm else abi


@lru_cache(maxsize=8)
def _dynamic(abi: Abi) -> Abi:
    """The same where TFLM was built without ``TF_LITE_STATIC_MEMORY``."""
    return replace(abi, dynamic=True)


@lru_cache(maxsize=64)
def _as_of(abi: Abi, revision: str) -> Abi:
    """The same for an earlier TFLM."""
    from arenite.revisions.changes import before  # noqa: PLC0415 - few need it
    from arenite.revisions.known import revision_of  # noqa: PLC0415

    date = revision_of(revision).date
    without = abi.package and before(date, "build", "compression", "package") is not None
    return replace(abi, date=date, compression=abi.compression and not without)


@lru_cache(maxsize=64)
def recording(abi: Abi) -> Abi:
    """The same where the arena belongs to a ``RecordingMicroAllocator``."""
    return abi if abi.recording else replace(abi, recording=True)


@dataclass(frozen=True)
class Struct:
    """A C struct: its name and the types of its fields, in order.

    A field is a scalar (``"int32"``, ``"pointer"``, ``"size_t"``, ``"enum"`` ...), another
    struct, or ``(field, count)`` for an array. ``compression`` holds the last fields, which
    exist only where TFLM was built with ``USE_TFLM_COMPRESSION``, ``package`` those which only
    its package has. ``dynamic`` holds all of its fields in a build without
    ``TF_LITE_STATIC_MEMORY``, where they are others. ``key`` is its name in
    :mod:`arenite.revisions` where others share ``name``.

    >>> Struct("TfLiteEvalTensor", ("pointer", "pointer", "enum")).size(LP64)
    24
    """

    name: str
    fields: tuple[Field, ...]
    compression: tuple[Field, ...] = ()
    package: tuple[Field, ...] = ()
    dynamic: tuple[Field, ...] = ()
    key: str = ""
    _layouts: dict[Abi, tuple[int, int]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def size(self, abi: Abi) -> int:
        """``sizeof`` in bytes, padded to the struct's own alignment."""
        return self.layout(abi)[0]

    def alignment(self, abi: Abi) -> int:
        """``alignof`` in bytes."""
        return self.layout(abi)[1]

    def layout(self, abi: Abi) -> tuple[int, int]:
        """Size and alignment in bytes; worked out once."""
        found = self._layouts.get(abi)
        if found is None:
            found = self._layouts[abi] = self._layout(abi)
        return found

    def _layout(self, abi: Abi) -> tuple[int, int]:
        end, largest = 0, 1
        for part in self._fields(abi):
            size, alignment = _measure(part, abi)
            end = align_up(end, alignment) + size
            largest = max(largest, alignment)
        return align_up(end, largest) or 1, largest

    def _fields(self, abi: Abi) -> tuple[Field, ...]:
        if abi.dynamic and self.dynamic:
            return self.dynamic
        built = self._part("compression", abi) if abi.compression else ()
        packages = self._part("package", abi) if abi.package else ()
        return self._part("fields", abi) + built + packages

    def _part(self, name: str, abi: Abi) -> tuple[Field, ...]:
        """One of the three lists, as it was on the day that is meant."""
        today: tuple[Field, ...] = getattr(self, name)
        if not abi.date:
            return today
        from arenite.revisions.changes import before  # noqa: PLC0415 - few need it

        change = before(abi.date, "struct", self.key or self.name, name)
        return today if change is None else tuple(change.before.split())


Field = str | Struct | tuple["str | Struct", int]


def _measure(of: Field, abi: Abi) -> tuple[int, int]:
    if isinstance(of, tuple):
        size, alignment = _measure(of[0], abi)
        return size * of[1], alignment
    if isinstance(of, Struct):
        return of.layout(abi)
    targets = {"pointer": abi.pointer, "size_t": abi.pointer, "enum": abi.enum}
    size = targets.get(of) or _FIXED.get(of, 0)
    if not size:
        names = ", ".join([*_FIXED, *targets])
        raise ValueError(
            f"a struct's field: expected one of {names}, a Struct or a pair, got {of!r}"
        )
    return size, size


@dataclass(slots=True)
class Blocks:
    """Temporary blocks that lie one behind the other, as one of ``size`` bytes."""

    size: int
    alignment: int
    #: Size and alignment of each.
    parts: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, *parts: tuple[int, int]) -> Blocks:
        """Blocks of these sizes and alignments.

        Raises:
            ValueError: A size is negative, an alignment no power of two or larger than the first:
                then gaps between blocks depend on where they begin.
        """
        end = 0
        for size, alignment in parts:
            check_block(size, alignment)
            if alignment > parts[0][1]:
                raise ValueError(
                    f"expected alignments up to the first one, {parts[0][1]}, got {alignment}"
                )
            end = align_up(end, alignment) + size
        return cls(end, parts[0][1], parts)


def check_block(size: int, alignment: int) -> None:
    """Refuse what would move a pointer the wrong way, or nowhere that is aligned.

    Raises:
        ValueError: The size is negative, or the alignment no power of two.
    """
    if size < 0:
        raise ValueError(f"expected a size of 0 or more bytes, got {size}")
    if alignment < 1 or alignment & (alignment - 1):
        raise ValueError(f"expected a power of two as alignment, got {alignment}")


def align_up(value: int, alignment: int) -> int:
    """The smallest multiple of ``alignment`` that is not less than ``value``."""
    return -(-value // alignment) * alignment


def align_down(value: int, alignment: int) -> int:
    """The largest multiple of ``alignment`` that is not greater than ``value``."""
    return value // alignment * alignment
