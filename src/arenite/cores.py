"""The processors that firmware is for: one row each, and the only place that names them.

Facts: CMSIS-NN ``Include/arm_nn_math_types.h`` (``ARM_MATH_DSP``, ``ARM_MATH_MVEI``) for what the
instruction set has; clang's ``-mcpu`` and the emulators' own lists for their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

#: ``"plain"``: one value at a time; ``"dsp"``: two int16 in a 32-bit register
#: (``ARM_MATH_DSP``); ``"mve"``: vectors of 16 bytes (``ARM_MATH_MVEI``, Helium).
#: ``"pie"`` and ``"pie_rv32"``: vectors of 16 bytes of Xtensa's and RISC-V's PIE (Espressif).
Instructions = Literal["plain", "dsp", "mve", "pie", "pie_rv32"]
#: As a heading says it.
INSTRUCTION_NAMES: dict[Instructions, str] = {
    "plain": "no DSP instructions",
    "dsp": "DSP instructions",
    "mve": "vectors (MVE)",
    "pie": "vectors (PIE)",
    "pie_rv32": "vectors (PIE)",
}
#: Which kernels an exported folder has for it: the folder of ``firmware/kernels`` that they are in.
Kernels = Literal["portable", "cortex_m0", "cortex_m", "cortex_m55"]
#: How the pipeline of a core begins instructions, which decides on the cycles of emulated code.
Pipeline = Literal["two stages", "three stages", "two at once", "load to use", "paced"]
#: Processors that the same libraries of kernels are for.
Family = Literal["host", "cortex-m", "esp"]
#: As sentences call them.
FAMILIES: dict[Family, str] = {
    "host": "the host",
    "cortex-m": "Cortex-M processors",
    "esp": "ESP32 chips",
}


#: How cycles of emulated code are estimated, as a sentence.
CYCLES: dict[Family, str] = {
    "host": "",
    "cortex-m": "Cycles are an estimate by the rule of arenite cost, for memory that never waits; "
    "no board was measured.",
    "esp": "Cycles are 1.16 an instruction, as one published result of an ESP32-C3 has them, and "
    "may be a fifth off; no board was measured.",
}


#: Products of int8 that an instruction set adds in a cycle at most: no kernel takes less time than
#: its products do (SMLAD two, VMLADAV sixteen in two cycles: Arm's technical reference manuals; of
#: PIE as many as a vector of 16 bytes has).
PRODUCTS_PER_CYCLE: dict[Instructions, int] = {
    "plain": 1,
    "dsp": 2,
    "mve": 8,
    "pie": 16,
    "pie_rv32": 16,
}


@dataclass(frozen=True)
class Accuracy:
    """The largest error of an estimate of TFLM's costs, as a share.

    Attributes:
        instructions: In total: the largest error on twelve int8 models (six on Cortex-M33 and
            M0+), rounded up, against the emulator that counted. Not blind: they were looked at
            while the loops were written.
        operator: Of one operator: the largest error on random layers, drawn before and after the
            loops were finished (of Cortex-M33 and M0+ on layers that were held out), rounded up.
        cycles: By judgement: the pipeline is simplified, and memory may add wait states. The
            cycles of Cortex-M7 and M55 come from a simulation; none was measured.
        boards: How much longer boards take, at most, than estimated for memory that never makes
            the processor wait: the largest excess of published results with TFLM and CMSIS-NN
            (``boards/data/published.csv``), rounded up; of Cortex-M0+, for which there are none,
            that of Cortex-M33.
        why: The reason for that, as the end of a sentence.
    """

    instructions: float
    operator: float
    cycles: float
    boards: float = 0.45
    why: str = "flash makes processors wait, and boards with published times took up to that"


#: Of generic kernels on seven models, four of them below 3 %; the others run much that is TFLM's.
_ESP = Accuracy(0.20, 0.25, 0.20, 0.20, why="cycles are by one published result, of another model")
#: Of an ESP32 whose board is not named: a model with many weights took 3.1 times the computing.
_ESP32 = Accuracy(0.20, 0.25, 0.20, 2.2, why="weights come from a serial flash: --board says more")
#: Six kernels of an Apollo510 (GCC 14.3, -O3; AmbiqAI/ns-cmsis-nn): 6 % less to 11 % more.
_M55 = "kernels that one board was timed with took 6% less to 11% more, and flash may add to it"
#: Four models of MLPerf Tiny v1.2 on an RA8D1, less what flash takes: 0.80 to 0.89 of an M55's.
_M85 = "cycles are by four published results of one board, where flash added up to that"


@dataclass(frozen=True)
class Core:
    """A processor, as far as anything here depends on it.

    Attributes:
        name: How it is called in every command; ``"host"`` is the machine of TFLM's own package.
        instructions: What it can do in one instruction.
        library: Whose kernels its firmware links unless another library is named.
        abi: Whose struct sizes its compiler makes.
        kernels: Whose kernels an exported folder has.
        clang: What clang calls it (``-mcpu``); empty where nothing is built for it.
        gcc: What GCC 12 calls it (``-mcpu``), or one with the same instructions, if not by its
            name.
        has_fpu: Whether firmware is built for its floating-point unit, with the hard float ABI.
        unicorn: What Unicorn calls a core that runs its code; empty where QEMU emulates it, or
            nothing does.
        qemu: The machine of QEMU that has it.
        accuracy: Of the costs in ``libraries/*/cost/tables``; None where these have none for it.
        family: Which kernel libraries may be linked, and which one is as a rule.
        pipeline: The rule of cycles for emulated code; see :mod:`arenite.emulator.pipelines`.
        pace: Cycles of an instruction where these are not counted one by one, by one published
            result: 426 ms of an ESP32-C3 at 160 MHz and 380 ms of an ESP32 at 240 MHz for the
            person detection example (ESP-NN's README): 58.7 million instructions of rv32imc.
        costs: Another core whose measured costs stand for its own, and the share of their cycles
            that it takes; empty where its own were measured, or none were.
        abi: Whose struct sizes count, as its usual compiler makes them; see :mod:`arenite.target`.
    """

    name: str
    instructions: Instructions
    kernels: Kernels = "portable"
    clang: str = ""
    gcc: str = ""
    has_fpu: bool = False
    unicorn: str = ""
    qemu: str = ""
    accuracy: Accuracy | None = None
    family: Family = "cortex-m"
    pipeline: Pipeline = "three stages"
    pace: float = 0.0
    costs: tuple[str, float] | tuple[()] = ()
    abi: str = "ilp32"

    @property
    def is_emulated(self) -> bool:
        """Whether there is an emulated board with it."""
        return bool(self.unicorn or self.qemu)


_ROWS = (
    Core("host", "plain", family="host", abi="lp64"),
    Core("cortex-m0", "plain", kernels="cortex_m0", clang="cortex_m0", unicorn="ARM_CORTEX_M0"),
    # Armv6-M as the Cortex-M0 is, with a shorter pipeline: the same code, memory and bits.
    Core(
        "cortex-m0plus",
        "plain",
        kernels="cortex_m0",
        clang="cortex_m0plus",
        unicorn="ARM_CORTEX_M0",
        pipeline="two stages",
        accuracy=Accuracy(instructions=0.05, operator=1.15, cycles=0.10, boards=0.5),
    ),
    Core("cortex-m3", "plain", clang="cortex_m3", unicorn="ARM_CORTEX_M3"),
    Core(
        "cortex-m4",
        "dsp",
        kernels="cortex_m",
        clang="cortex_m4+vfp4d16sp",
        has_fpu=True,
        unicorn="ARM_CORTEX_M4",
        accuracy=Accuracy(0.05, 0.24, 0.10),
    ),
    Core(
        "cortex-m7",
        "dsp",
        kernels="cortex_m",
        clang="cortex_m7+fp_armv8d16sp",
        gcc="cortex-m7+nofp.dp",
        has_fpu=True,
        unicorn="ARM_CORTEX_M7",
        pipeline="two at once",
        accuracy=Accuracy(instructions=0.05, operator=0.24, cycles=0.25),
    ),
    Core(
        "cortex-m33",
        "dsp",
        kernels="cortex_m",
        clang="cortex_m33+dsp+fp_armv8d16sp",
        has_fpu=True,
        unicorn="ARM_CORTEX_M33",
        pipeline="load to use",
        accuracy=Accuracy(0.05, 0.24, 0.25, boards=0.5),
    ),
    Core(
        "cortex-m55",
        "mve",
        kernels="cortex_m55",
        clang="cortex_m55+mve_fp",
        has_fpu=True,
        qemu="mps3-an547",
        accuracy=Accuracy(instructions=0.05, operator=0.06, cycles=0.15, boards=0.35, why=_M55),
    ),
    # Vectors as the Cortex-M55 has them, on whose machine its code runs: QEMU has none of its own.
    Core(
        "cortex-m85",
        "mve",
        kernels="cortex_m55",
        clang="cortex_m85+mve_fp",
        gcc="cortex-m55",
        has_fpu=True,
        qemu="mps3-an547",
        accuracy=Accuracy(0.05, 0.06, 0.06, boards=0.92, why=_M85),
        costs=("cortex-m55", 0.845),
    ),
    # Xtensa LX6 and LX7, RISC-V: 32 bits, enums of 4 bytes.
    Core("esp32", "plain", accuracy=_ESP32, family="esp", pace=1.55, abi="ilp32_int_enums"),
    Core("esp32s3", "pie", family="esp", abi="ilp32_int_enums"),
    Core(
        "esp32c3",
        "plain",
        clang="generic_rv32+m+c",
        unicorn="RISCV32_ANY",
        accuracy=_ESP,
        family="esp",
        pipeline="paced",
        pace=1.16,
        abi="ilp32_int_enums",
    ),
    Core(
        "esp32c6",
        "plain",
        clang="generic_rv32+m+a+c",
        unicorn="RISCV32_ANY",
        accuracy=_ESP,
        family="esp",
        pipeline="paced",
        pace=1.16,
        abi="ilp32_int_enums",
    ),
    Core("esp32p4", "pie_rv32", family="esp", abi="ilp32_int_enums"),
)

#: By name. "host" first, then by size.
CORES: dict[str, Core] = {core.name: core for core in _ROWS}
#: Where a command needs a device and none is named.
DEFAULT = "cortex-m4"
#: One Cortex-M for each set of instructions, which CMSIS-NN's kernels depend on.
REPRESENTATIVES: tuple[str, ...] = tuple(
    next(core.name for core in _ROWS[1:] if core.instructions == kind)
    for kind in ("plain", "dsp", "mve")
)


def full_name(name: str) -> str:
    """``"M4"``, ``"m4f"`` and ``"Cortex_M4"`` as ``"cortex-m4"``, ``"m0+"`` as ``"cortex-m0plus"``.

    ``"ESP32-S3"`` is ``"esp32s3"``. Any other name stays as it is.

    An ``f`` for a floating-point unit changes nothing that is modelled.
    """
    chip = re.fullmatch(r"esp32[-_ ]?([csp]\d)?", name.strip().lower())
    if chip:
        return f"esp32{chip[1] or ''}"
    found = re.fullmatch(r"(?:cortex[-_ ]?)?m(\d+)(\+|plus)?f?", name.strip().lower())
    return f"cortex-m{found[1]}{'plus' if found[2] else ''}" if found else name


def listed(cores: Iterable[Core], last: str = "or") -> str:
    """Names for a sentence: ``"cortex-m4, -m7 or -m33"``."""
    names = [core.name for core in cores]
    short = [names[0], *(name.removeprefix("cortex") for name in names[1:])]
    return short[0] if len(short) == 1 else f"{', '.join(short[:-1])} {last} {short[-1]}"


def devices() -> list[Core]:
    """All but the host."""
    return [core for core in CORES.values() if core.name != "host"]


def emulated() -> list[Core]:
    """Those that there is an emulated board for."""
    return [core for core in CORES.values() if core.is_emulated]
