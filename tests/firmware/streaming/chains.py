"""Random networks whose layers are grouped at random, as folders with their self-tests."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from arenite.errors import UnsupportedOperatorError
from arenite.firmware.network.kernel import UnsupportedError, Work
from arenite.firmware.network.layers import Network
from arenite.firmware.plan.golden import golden_of
from arenite.firmware.plan.layout import Inputs
from arenite.firmware.plan.program import Plan, Program, program_of
from arenite.firmware.streaming.casting import Parts, group_of
from arenite.firmware.streaming.group import Group, Kernels
from arenite.firmware.text.selftest import selftest_files
from arenite.firmware.text.source import sources
from arenite.model import Model
from tests.firmware.built import compile_files, one_file, run, sanitizers
from tests.optimize.networks import KINDS, network


class Folder(NamedTuple):
    """What an exported folder is to those that build it."""

    folder: str
    name: str


class Grouped:
    """Groups layers by chance, as many as go together; the rows that each makes too."""

    def __init__(self, seed: int, kernels: Kernels, inputs: Inputs = "overwritten") -> None:
        self._rng = np.random.default_rng([seed, 7])
        self._parts, self._inputs = Parts(kernels), inputs

    def __call__(self, net: Network, works: Sequence[Work]) -> Plan:
        chosen, groups, first = list(works), [], 0
        while first < len(works):
            group = self._group(net, first)
            if group is None:
                first += 1
                continue
            groups.append(group)
            for number in range(group.first, group.end):
                chosen[number] = next(iter(group.member_of(number).works), chosen[number])
            first = group.end
        return Plan(chosen, groups)

    def _group(self, net: Network, first: int) -> Group | None:
        by_rows = self._inputs == "rows"
        most = len(net.layers) - first
        for count in range(int(self._rng.integers(1, most + 1)), 0, -1):
            steps = self._rng.choice([1, 1, 2, 3, 4], count).tolist()
            try:
                return group_of(net, first, steps, self._parts, by_rows=by_rows)
            except UnsupportedError:
                continue
        return None


def grouped(model: Model, seed: int, kernels: Kernels, inputs: Inputs = "overwritten") -> Program:
    """A model's program with its layers grouped at random."""
    return program_of(
        model, kernels, f"m{seed}", improve=Grouped(seed, kernels, inputs), inputs=inputs
    )


def write(program: Program, model: Model, folder: Path) -> Folder:
    """A folder with the sources and the self-test, whose golden values are the reference's."""
    texts = {**sources(program), **selftest_files(program, golden_of(model, program))}
    (folder / "src").mkdir(parents=True)
    for name, text in texts.items():
        (folder / "src" / name).write_text(text)
    return Folder(str(folder), program.name)


def self_tests(folder: Path, folders: Sequence[Folder]) -> str:
    """What the self-tests of folders print, built as one program with sanitizers."""
    lines = ["#include <stdio.h>"]
    lines += [f'#include "{Path(one.folder).name}/src/selftest.h"' for one in folders]
    lines += ["static void print(const char *text) { fputs(text, stdout); }", "int main(void) {"]
    lines += ["  int failures = 0;"]
    lines += [f"  failures += {one.name}_selftest(print);" for one in folders]
    lines += ["  return failures ? 1 : 0;", "}", ""]
    (folder / "main.c").write_text("\n".join(lines))
    files = [one_file(folder, Path(one.folder).name, one.name) for one in folders]
    flags = ["-O0", *sanitizers(folder)]
    compile_files([folder / "main.c", *files], folder / "main", *flags)
    return run(folder / "main")


def random_programs(count: int, kernels: Kernels, seed: int = 0) -> list[tuple[Program, Model]]:
    """Networks of all kinds with at least one group."""
    found: list[tuple[Program, Model]] = []
    kinds = sorted(KINDS)
    for number in range(seed, seed + 20 * count):
        model = network(number, kinds[number % len(kinds)], "int8")
        try:
            program = grouped(model, number, kernels)
        except UnsupportedOperatorError:
            continue  # an operator that has no exported kernel
        if program.groups:
            found.append((program, model))
        if len(found) == count:
            break
    return found
