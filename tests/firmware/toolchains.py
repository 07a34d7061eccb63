"""Exports of all cores by all compilers at all levels, on emulated cores: bits, stack and code.

    python -m tests.firmware.toolchains [--on cortex-m55] [--level O2] [MODEL ...]

Without a model, a layer for every kernel of a core's own. Each export's self-test runs, which
compares every layer with the reference; a row says how deep the stack was, and how large the code.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from arenite.cores import emulated
from arenite.firmware.board import Board
from arenite.firmware.compiler.toolchain import Compiler, Toolchain, has_gnu_compiler
from arenite.firmware.export import export
from arenite.firmware.measurements import passed
from arenite.formats import load
from arenite.model import Model
from tests.firmware.kernels.cortex_m.layers import NONE, RELU6, SAME, Layers

LEVELS = ("O0", "Os", "O2", "O3")


def all_kinds() -> Layers:
    """A layer for every kernel of a core's own, requantised with and without signs."""
    layers = Layers(30)
    for activation in (NONE, RELU6):
        layers.conv((3, 5, 7), 10, activation=activation)
        layers.conv((5, 6, 3), 5, (3, 2), stride=(2, 1), activation=activation)
        layers.depthwise((5, 7, 6), padding=SAME, activation=activation)
        layers.depthwise((4, 9, 4), kernel=(2, 5), activation=activation)
        layers.dense(50, 6, activation)
        layers.add(9, "ADD", activation)
    layers.average((4, 5, 6))
    layers.largest((4, 5, 6), kernel=(2, 2))
    layers.mean((3, 4, 9))
    return layers


def main() -> int:
    """Print a row for each; 1 if a self-test fails."""
    names = [core.name for core in emulated()]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", metavar="MODEL", nargs="*")
    parser.add_argument("--on", action="append", choices=names)
    parser.add_argument("--level", action="append", choices=LEVELS)
    parser.add_argument("--compiler", action="append", choices=get_args(Compiler))
    given = parser.parse_args()
    models = [(Path(one).stem, load(one)) for one in given.models] or [("all", all_kinds().build())]
    failed = 0
    print("| model | core | compiler | level | self-test | stack | code |")
    print("|---|---|---|---|---|--:|--:|")
    for name, model in models:
        for processor in given.on or names:
            for how in _toolchains(processor, given.compiler, given.level or LEVELS):
                failed += not _row(name, model, processor, how)
    return bool(failed)


def _toolchains(
    processor: str, compilers: list[Compiler] | None, levels: list[str]
) -> Iterator[Toolchain]:
    for compiler in compilers or get_args(Compiler):
        if compiler == "gcc" and not has_gnu_compiler(processor):
            print(f"there is no GCC for {processor}", file=sys.stderr)
            continue
        yield from (Toolchain(compiler, level) for level in levels)


def _row(name: str, model: Model, processor: str, how: Toolchain) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        export(model, folder, target=processor, emulate=False)
        board = Board(folder, processor, toolchain=how)
        board.invoke_uncounted()
        stack, printed = board.stack_bytes, board.self_test()
    text = printed.partition("\n")[0]
    figures = f"{how.compiler} | {how.level} | {text} | {stack} | {board.code_bytes}"
    print(f"| {name} | {processor} | {figures} |", flush=True)
    return passed(printed)


if __name__ == "__main__":
    sys.exit(main())
