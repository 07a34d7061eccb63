"""Which firmware is meant: its processor, the library of kernels that it links, how it is built.

A :class:`Target` says whose memory, paths, costs and bits count. How numbers are computed on this
machine is another question, which ``engine`` answers: any target runs on any engine.

Facts: CMSIS-NN ``Include/Internal/arm_nn_compiler.h`` and ``CMSIS_NN_USE_SINGLE_ROUNDING``; TFLM
``kernels/internal/common.h`` (``TFLITE_SINGLE_ROUNDING``) and
``kernels/internal/quantization_util.cc`` (``TFLITE_EMULATE_FLOAT``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from arenite.cores import CORES, DEFAULT, Instructions, full_name

Library = Literal["tflm", "cmsis_nn"]
Compiler = Literal["gcc", "armclang"]
Rounding = Literal["double", "single"]
AbiName = Literal["lp64", "lp64_public", "ilp32", "ilp32_int_enums", "arm_none_eabi"]
LIBRARIES: tuple[Library, ...] = get_args(Library)
COMPILERS: tuple[Compiler, ...] = get_args(Compiler)
ROUNDINGS: tuple[Rounding, ...] = get_args(Rounding)
#: What :data:`arenite.memory.abi.ABIS` has the sizes of.
ABI_NAMES: tuple[AbiName, ...] = get_args(AbiName)

_COMPILER_NAMES = {"gcc": "GCC", "armclang": "Arm Compiler 6"}


@dataclass(frozen=True)
class Target:
    """A firmware, as far as it decides on memory, paths, costs and bits.

    Attributes:
        processor: A name in :mod:`arenite.cores`; ``"host"`` is the machine of TFLM's own package.
        library: Whose kernels are linked: ``"tflm"``, TFLM's reference kernels, or ``"cmsis_nn"``,
            CMSIS-NN's where it has one. By default CMSIS-NN's on a Cortex-M, else TFLM's.
        compiler: Some paths and scratch sizes of CMSIS-NN exist with Arm Compiler 6 only.
        rounding: How a product with a quantised multiplier is rounded: twice, as by default, or
            once (``TFLITE_SINGLE_ROUNDING`` and ``CMSIS_NN_USE_SINGLE_ROUNDING``).
        abi: Whose struct sizes count: ``"lp64"`` (64 bits, as TFLM's PyPI package is built: with
            compression, recording its allocations; the host's default), ``"lp64_public"`` (64
            bits, TFLM's public sources), ``"ilp32"`` (Cortex-M with the Arm GCC toolchain, the
            default there; ``"arm_none_eabi"`` is the same) or ``"ilp32_int_enums"`` (32-bit
            targets whose enums have 4 bytes: Xtensa and RISC-V).
        arena_address: Where the arena begins. TFLM skips bytes up to a multiple of 16.
        emulate_float: Whether TFLM is built with ``TFLITE_EMULATE_FLOAT``, for processors without
            a floating-point unit: multipliers come from the bits of doubles, so that exact
            halves are rounded towards zero, and those of SOFTMAX and LOG_SOFTMAX lose their
            lowest bits.

    Raises:
        ValueError: A value that there is not, or CMSIS-NN for what is no Cortex-M.
    """

    processor: str = DEFAULT
    library: str = ""
    compiler: str = "gcc"
    rounding: str = "double"
    abi: str = ""
    arena_address: int = 0
    emulate_float: bool = False

    def __post_init__(self) -> None:
        _require("processor", self.processor, CORES)
        core = CORES[self.processor]
        self._default("library", core.library)
        self._default("abi", core.abi)
        _require("library", self.library, LIBRARIES)
        _require("compiler", self.compiler, COMPILERS)
        _require("rounding", self.rounding, ROUNDINGS)
        _require("abi", self.abi, ABI_NAMES)
        if self.is_cmsis_nn and core.library != "cmsis_nn":
            one = "the host" if self.processor == "host" else self.processor
            raise ValueError(f"CMSIS-NN is for Cortex-M processors, not for {one}")
        if self.arena_address < 0:
            raise ValueError(f"expected an arena_address from 0, got {self.arena_address}")

    def _default(self, field: str, value: str) -> None:
        if not getattr(self, field):
            object.__setattr__(self, field, value)

    @property
    def instructions(self) -> Instructions:
        """What the processor can do in one instruction."""
        return CORES[self.processor].instructions

    @property
    def is_cmsis_nn(self) -> bool:
        """Whether CMSIS-NN is linked."""
        return self.library == "cmsis_nn"

    def __str__(self) -> str:
        """The assumptions in one line."""
        library = "TFLM with CMSIS-NN" if self.is_cmsis_nn else "TFLM's reference kernels"
        parts = [self.processor, library, _COMPILER_NAMES[self.compiler], f"structs of {self.abi}"]
        if self.processor == "host":
            parts.remove(_COMPILER_NAMES[self.compiler])
        if self.rounding == "single":
            parts.append("rounded once")
        if self.emulate_float:
            parts.append("floats emulated")
        if self.arena_address:
            parts.append(f"arena at {self.arena_address:#x}")
        return ", ".join(parts)


def _require(what: str, got: str, names: Iterable[str]) -> None:
    if got not in names:
        article = "an" if what[0] in "ae" else "a"
        raise ValueError(f"expected {article} {what} of {', '.join(names)}, got {got!r}")


#: TFLM's own Python package on this machine.
HOST = Target("host")


def find_target(target: str | Target | None) -> Target:
    """A target by name: ``None`` is the host, ``"cortex-m4"`` (``"m4"``) TFLM with CMSIS-NN.

    An ``f`` for a floating-point unit (``"cortex-m4f"``) changes nothing that is modelled.

    Raises:
        ValueError: There is no processor of that name.
        TypeError: It is no name.
    """
    if target is None:
        return HOST
    if isinstance(target, Target):
        return target
    if not isinstance(target, str):
        raise TypeError(f"expected a target's name or a Target, got {type(target).__name__}")
    name = full_name(target)
    if name == "host":
        return HOST
    _require("target", name, CORES)
    return Target(name)
