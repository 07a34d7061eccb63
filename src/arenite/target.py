"""The firmware that is meant: its processor, the kernels that it links, its build.

A :class:`Target` says whose memory, paths, costs and bits count. How numbers are computed on this
machine is another question, which ``engine`` answers: any target runs on any engine.

Facts: CMSIS-NN ``Include/Internal/arm_nn_compiler.h`` and ``CMSIS_NN_USE_SINGLE_ROUNDING``; TFLM
``kernels/internal/common.h`` (``TFLITE_SINGLE_ROUNDING``) and
``kernels/internal/quantization_util.cc`` (``TFLITE_EMULATE_FLOAT``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from arenite.accelerators import ACCELERATORS, accelerator_name
from arenite.cores import CORES, DEFAULT, FAMILIES, Instructions, full_name
from arenite.library_facts import LibraryFacts, facts_of, library_names, usual_library
from arenite.options import Check, flag, text, whole
from arenite.sdks import Release, find

Compiler = Literal["gcc", "armclang"]
Rounding = Literal["double", "single"]
Optimization = Literal["Os", "O2", "O3", "Og"]
AbiName = Literal["lp64", "lp64_public", "ilp32", "ilp32_int_enums", "arm_none_eabi"]
COMPILERS: tuple[Compiler, ...] = get_args(Compiler)
ROUNDINGS: tuple[Rounding, ...] = get_args(Rounding)
#: GCC's levels of optimisation, and the one that costs were measured with first.
OPTIMIZATIONS: tuple[Optimization, ...] = get_args(Optimization)
OPTIMIZE: Optimization = "O2"
#: What :data:`arenite.memory.abi.ABIS` has the sizes of.
ABI_NAMES: tuple[AbiName, ...] = get_args(AbiName)

_COMPILER_NAMES = {"gcc": "GCC", "armclang": "Arm Compiler 6"}


#: Of an attribute, by the name of its type.
_CHECKS: Mapping[Any, Check] = {"str": text, "int": whole(), "bool": flag}


@dataclass(frozen=True)
class Target:
    """A firmware, as far as it decides on memory, paths, costs and bits.

    Attributes:
        processor: A name in :mod:`arenite.cores`; ``"host"`` is the machine of TFLM's own package.
            By default the SDK's usual one.
        library: Whose kernels are linked, of :func:`arenite.library_facts.library_names`:
            ``"tflm"``, TFLM's reference kernels, or a library's where it has one. By default
            TFLM's on the host, else what is usual for such processors.
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
        library_version: The library's release, where several are known; by default the last one.
        glue_version: The release of the package that brings TFLM and calls the library, likewise.
        variables_arena: Bytes of an arena that the table of resource variables has to itself, as in
            ESPHome (1024); 0 where it lies in the model's.
        tflm: Which TFLM: a date such as ``"2024-06"``, or an SDK that ships one, such as
            ``"pico-tflmicro"``; by default today's. See :mod:`arenite.revisions`.
        cmsis_nn: Which CMSIS-NN: a release such as ``"6.0.0"`` or a date; by default the one that
            TFLM of that day fetches. See :mod:`arenite.revisions.cmsis_nn`.
        optimize: The compiler's level of optimisation, of :data:`OPTIMIZATIONS`: it decides on
            times alone. By default the SDK's where there are costs of that level, else ``"O2"``.
        npu: A name in :mod:`arenite.accelerators`, of the NPU that files have to be compiled for;
            by default whichever they are compiled for will do.
        sdk: The release that it is built with, of :mod:`arenite.sdks`: ``"chirale"`` or
            ``"esphome@2026.4"``. It says what is not given otherwise: library and its state,
            TFLM's day, glue, compiler, optimisation level, struct sizes, the arena of variables.

    Raises:
        ValueError: A value that there is not, a library for another kind of processor, or an NPU
            beside anything but a Cortex-M.
        TypeError: A value has another type than its attribute.
    """

    processor: str = ""
    library: str = ""
    compiler: str = ""
    rounding: str = "double"
    abi: str = ""
    arena_address: int = 0
    emulate_float: bool = False
    library_version: str = ""
    glue_version: str = ""
    variables_arena: int = 0
    npu: str = ""
    tflm: str = ""
    cmsis_nn: str = ""
    sdk: str = ""
    optimize: str = ""

    def __post_init__(self) -> None:
        for field in fields(self):
            _CHECKS[field.type](field.name, getattr(self, field.name))
        object.__setattr__(self, "library", self.library.replace("-", "_"))
        self._take_from_sdk()
        self._default("processor", DEFAULT)
        self._default("compiler", "gcc")
        _require("processor", self.processor, CORES)
        core = CORES[self.processor]
        family = core.family
        self._default("library", usual_library(family).name)
        self._default("abi", core.abi)
        _require("library", self.library, library_names())
        _require("compiler", self.compiler, COMPILERS)
        _require("rounding", self.rounding, ROUNDINGS)
        _require("abi", self.abi, ABI_NAMES)
        object.__setattr__(self, "optimize", self.optimize.lstrip("-"))
        self._default("optimize", OPTIMIZE)
        _require("level of optimisation", self.optimize, OPTIMIZATIONS)
        library = facts_of(self.library)
        if library.families and family not in library.families:
            theirs, ours = FAMILIES[library.families[0]], FAMILIES[family]
            raise ValueError(f"{library.title} is for {theirs}, not for {ours}")
        if self.npu:
            _require("NPU", self.npu, ACCELERATORS)
        if self.npu and family != "cortex-m":
            ours = FAMILIES[family]
            raise ValueError(f"an NPU is beside a Cortex-M processor, not beside {ours}")
        if self.arena_address < 0:
            raise ValueError(f"expected an arena_address from 0, got {self.arena_address}")
        if self.variables_arena < 0:
            raise ValueError(f"expected a variables_arena from 0, got {self.variables_arena}")
        self._version("library_version", library.title, library.versions)
        self._version("glue_version", library.glue, library.glue_versions)
        if self.tflm:
            _revision(self.tflm)
        if self.cmsis_nn and not library.is_dated:
            raise ValueError(f"expected no cmsis_nn with {library.title}, got {self.cmsis_nn!r}")
        if self.cmsis_nn:
            _release(self.cmsis_nn)

    def _version(self, field: str, of: str, known: tuple[str, ...]) -> None:
        """The last one by default; refuse what there is not."""
        if known:
            self._default(field, known[-1])
        got = getattr(self, field)
        if known and got not in known:
            raise ValueError(f"expected a {field} of {', '.join(known)} for {of}, got {got!r}")
        if got and not known:
            title = facts_of(self.library).title
            raise ValueError(f"expected no {field} for {title}, got {got!r}")

    def _take_from_sdk(self) -> None:
        """Take from the SDK whatever was not given."""
        release = self.release
        if release is None:
            return
        object.__setattr__(self, "sdk", release.name)
        self._default("library", release.library)
        self._default("tflm", release.revision)
        if release.optimize in OPTIMIZATIONS:
            self._default("optimize", release.optimize)
        taken = ["compiler", "abi", "variables_arena"]
        if self.library == release.library:
            taken += ["cmsis_nn", "library_version", "glue_version"]
        if release.processors:
            self._default("processor", release.processors[0])
        for field in taken:
            self._default(field, getattr(release, field))

    @property
    def release(self) -> Release | None:
        """The SDK's release; None where none was named."""
        return find(self.sdk) if self.sdk else None

    def _default(self, field: str, value: str | int) -> None:
        if not getattr(self, field):
            object.__setattr__(self, field, value)

    @property
    def instructions(self) -> Instructions:
        """Work that the processor can do in one instruction."""
        return CORES[self.processor].instructions

    @property
    def _compiled(self) -> str:
        """The compiler, with its level where that is not the usual one."""
        level = "" if self.optimize == OPTIMIZE else f" -{self.optimize}"
        return _COMPILER_NAMES[self.compiler] + level

    def _built(self, library: LibraryFacts) -> str:
        """TFLM and the library, with their versions."""
        if not self.library_version:
            return library.built
        return f"{library.built} {self.library_version} ({library.glue} {self.glue_version})"

    def __str__(self) -> str:
        """The assumptions in one line."""
        library = facts_of(self.library)
        parts = [
            self.processor,
            self._built(library),
            self._compiled,
            f"structs of {self.abi}",
        ]
        if self.release is not None:
            parts.insert(1, self.release.called)
        if self.processor == "host":
            parts.remove(self._compiled)
        if self.npu:
            parts[0] += f" with {self.npu}"
        if self.tflm and (self.release is None or self.tflm != self.release.revision):
            parts.append(_revision(self.tflm))
        if self.cmsis_nn and (self.release is None or self.cmsis_nn != self.release.cmsis_nn):
            parts.append(_release(self.cmsis_nn))
        if self.rounding == "single":
            parts.append("rounded once")
        if self.emulate_float:
            parts.append("floats emulated")
        if self.variables_arena:
            parts.append(f"variables in {self.variables_arena} bytes of their own")
        if self.arena_address:
            parts.append(f"arena at {self.arena_address:#x}")
        return ", ".join(parts)


def _require(what: str, got: str, names: Iterable[str]) -> None:
    if got not in names:
        article = "an" if what[0] in "aeN" else "a"
        raise ValueError(f"expected {article} {what} of {', '.join(names)}, got {got!r}")


def _revision(name: str) -> str:
    """Name of a revision in sentences; a ValueError where there is none."""
    from arenite.revisions.known import revision_of  # noqa: PLC0415 - today's needs no table

    return revision_of(name).title


def _release(name: str) -> str:
    """A release of CMSIS-NN in sentences; a ValueError where there is none."""
    from arenite.revisions.cmsis_nn import day_of  # noqa: PLC0415 - today's needs no table

    return f"CMSIS-NN of {day_of(name)}"


#: TFLM's own Python package on this machine.
HOST = Target("host")


def find_target(target: str | Target | None) -> Target:
    """A target by name: ``None`` is the host, ``"cortex-m4"`` (``"m4"``) TFLM with CMSIS-NN.

    An ``f`` for a floating-point unit (``"cortex-m4f"``) changes nothing that is modelled.
    ``"cortex-m55+ethos-u55-128"`` names the NPU beside it.

    Raises:
        ValueError: There is no processor or NPU of that name.
        TypeError: It is no name.
    """
    if target is None:
        return HOST
    if isinstance(target, Target):
        return target
    if not isinstance(target, str):
        raise TypeError(f"expected a target's name or a Target, got {type(target).__name__}")
    before, _, npu = target.partition("+")
    name = full_name(before if npu else target)
    _require("target", name, CORES)
    if npu:
        return Target(name, npu=accelerator_name(npu))
    return HOST if name == "host" else Target(name)
