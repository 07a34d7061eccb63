"""``python -m tests.firmware.streaming --count 200 --seed 1 --on host|m4``: many random groups."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from arenite.emulator.machine import Machine
from arenite.firmware.build import build
from arenite.firmware.kernels.cortex_m import cortex_m_work
from arenite.firmware.kernels.portable import portable_work
from arenite.firmware.plan.program import Program
from tests.firmware.streaming.chains import random_programs, self_tests, write

_BATCH = 20


def main() -> None:
    """Run them, print how many passed, and those that did not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--on", choices=("host", "m4"), default="host")
    options = parser.parse_args()
    run = _on_host if options.on == "host" else _on_board
    passed = groups = grouped = 0
    for first in range(0, options.count, _BATCH):
        count = min(_BATCH, options.count - first)
        for text, group_count, layers in run(count, options.seed + 100_000 * first):
            groups, grouped = groups + group_count, grouped + layers
            passed += text.startswith("PASS")
            if not text.startswith("PASS"):
                print(text)
    print(f"{passed} of {options.count} passed, {groups} groups of {grouped} layers")


def _on_host(count: int, seed: int) -> Iterator[tuple[str, int, int]]:
    programs = random_programs(count, portable_work, seed)
    with tempfile.TemporaryDirectory() as folder:
        folders = [write(one, model, Path(folder) / one.name) for one, model in programs]
        lines = self_tests(Path(folder), folders).splitlines()
    for program, _ in programs:
        told = [line for line in lines if line.startswith(f"PASS {program.name}:")]
        yield (told or [f"FAIL {program.name}: {lines[-3:]}"])[0], *_size(program)


def _on_board(count: int, seed: int) -> Iterator[tuple[str, int, int]]:
    for program, model in random_programs(count, cortex_m_work, seed):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "folder"
            write(program, model, place)
            machine = Machine(build(place, Path(folder)), "cortex-m4")
        text = _printed(machine, program.name)
        yield text if text.startswith("PASS") else f"{program.name}: {text}", *_size(program)


def _printed(machine: Machine, name: str) -> str:
    printed: list[str] = []

    def told() -> None:
        printed.append(machine.text(machine.argument(0)))

    with machine.watching("board_print", told):
        machine.call(f"{name}_selftest", machine.pointer("board_print"))
    return "".join(printed).strip()


def _size(program: Program) -> tuple[int, int]:
    return len(program.groups), sum(group.end - group.first for group in program.groups)


if __name__ == "__main__":
    main()
