"""TFLM with CMSIS-NN, built by GCC as its makefile does, on an emulated core that counts.

One firmware has all operators; models are put into its flash one after the other. What is counted
is how often every instruction ran in one inference, and what it took.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tflm_gcc import Build

from arenite.c_text import fill
from arenite.emulator import machine as memory
from arenite.emulator.elf import Image, read_elf
from arenite.emulator.machine import Machine
from arenite.emulator.pipelines import Step, pipeline_of
from arenite.errors import BoardError
from arenite.files import save
from arenite.firmware.compiler.zig import link_script
from arenite.firmware.stock.text import LINK, MAIN, MODEL
from arenite.firmware.trial import SAMPLES, trial_inputs
from arenite.formats.tflite_write import write
from arenite.kernels.closure import sources_for, sources_that_define
from arenite.model import Model

_ARENA, _MODEL = 1 << 20, 3 << 20
#: Resource variables that a model may have.
_VARIABLES = 32
#: How often the linker may be asked anew what it still lacks.
_ROUNDS = 12


def linked(build: Build, calls: Sequence[str], jobs: int = 1) -> Image:
    """A firmware with the operators that these lines add to a resolver.

    Raises:
        BoardError: GCC is missing, or does not take the sources.
    """
    objects = _own_objects(build, calls)
    own = sources_for(build.tree, calls)
    # Most functions of CMSIS-NN have a file of their own: those that are called are compiled.
    functions = {path.stem: path for path in own if re.match(r"arm(?!.*_sizes_).*\.c$", path.name)}
    sources = dict.fromkeys(path for path in own if path.stem not in functions)
    for _ in range(_ROUNDS):
        with ThreadPoolExecutor(jobs) as pool:
            files = [*objects, *pool.map(build.compiled, sources)]
        try:
            return _link(build, files)
        except BoardError as error:
            lacking = set(re.findall(r"undefined reference to `(.+)'", str(error)))
            new = {functions.pop(name) for name in lacking if name in functions}
            if not new:
                new, functions = {*functions.values()}, {}
                new |= {*sources_that_define(build.tree, sorted(lacking))} - sources.keys()
            if not new:
                raise
            sources |= dict.fromkeys(sorted(new))
    raise BoardError(f"'{build.tree.root}' has no sources for {', '.join(sorted(lacking))}")


def _own_objects(build: Build, calls: Sequence[str]) -> list[Path]:
    """What is around TFLM: the program, and room for a model."""
    folder, lines = build.folder, "\n".join(calls)
    build.prepare()
    main = {"arena": _ARENA, "operators": len(calls), "declarations": "", "variables": _VARIABLES}
    takes_list = int(build.tree.log_takes_list)
    for name, text in {
        "main.cc": fill(MAIN, **main, profiler="nullptr", calls=lines, takes_list=takes_list),
        "model.S": MODEL,
        "model.bin": "\0" * _MODEL,
        "link.ld": link_script(LINK, memory),
    }.items():
        save(folder / name, text.encode())
    return [
        build.compiled(folder / "main.cc", "-fno-access-control"),
        build.compiled(folder / "model.S", f"-Wa,-I{folder}", f"-DBYTES={_MODEL}"),
    ]


def _link(build: Build, objects: Sequence[Path]) -> Image:
    elf = build.linked(
        objects,
        *(f"-Wl,-T,{build.folder / 'link.ld'}", "-Wl,--defsym=end=0x20ff0000"),
        "-Wl,--defsym=_exit=0",  # where nothing is: what aborts ends there
    )
    return read_elf(elf.read_bytes())


class Runs(NamedTuple):
    """One inference: how often instructions ran, and the cycles they took, by address."""

    times: dict[int, int]
    cycles: dict[int, float]


class Board:
    """A firmware on an emulated core, which runs one model after the other."""

    def __init__(self, image: Image, processor: str) -> None:
        self._rule, self._taken, _ = pipeline_of(processor)
        self._machine = Machine(image, processor)
        self._steps: dict[tuple[int, int], list[Step]] = {}
        self._starts = sorted((at, name) for name, at in image.symbols.items())

    def runs(self, model: Model) -> Runs:
        """One inference of a model, with random inputs.

        Raises:
            BoardError: TFLM does not take the model.
        """
        data, machine = write(model), self._machine
        if len(data) > _MODEL:
            raise BoardError(f"expected a model of up to {_MODEL} bytes, got {len(data)}")
        machine.restart()
        machine.write(machine.address("stock_model"), data)
        self._call("begin")
        (inputs,) = trial_inputs(model, SAMPLES + 1)[SAMPLES:]
        for index, array in enumerate(inputs):
            machine.write(machine.call("stock_input", index), array.tobytes())
        before = machine.blocks()
        with machine.counting():
            self._call("invoke")
        return self._runs(*(now - then for now, then in zip(machine.blocks(), before, strict=True)))

    def symbol(self, address: int) -> str:
        """The function that an instruction belongs to."""
        return self._starts[bisect_right(self._starts, (address, "~")) - 1][1]

    def _call(self, function: str) -> None:
        if step := self._machine.call(f"stock_{function}"):
            raise BoardError(f"TFLM does not take the model: step {step}")

    def _runs(self, blocks: Counter[tuple[int, int]], leaps: Counter[tuple[int, int]]) -> Runs:
        times, cycles = Counter[int](), dict[int, float]()
        for block, count in blocks.items():
            if block not in self._steps:
                self._steps[block] = self._rule(self._machine.read(*block))
            at = last = block[0]
            for size, taken in self._steps[block]:
                times[at] += count
                cycles[at] = cycles.get(at, 0) + count * taken
                at, last = at + size, at
            cycles[last] += leaps[block] * self._taken
        return Runs(times, cycles)
