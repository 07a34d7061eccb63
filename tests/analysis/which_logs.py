"""Logs of different builds, to find out where they come from.

``python -m tests.analysis.which_logs FOLDER TFLM`` makes them again: from TFLM's packages of ten
days, which it installs into ``FOLDER``, from TFLM's sources on an emulated Cortex-M4, and from
Arenite as of a day where there is no oracle. What is true of each is what it was made with. Prints
the rows of ``docs/revisions.md``.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arenite.analysis.which.builds import Options
from arenite.analysis.which.explained import Explained, which
from arenite.analysis.which.numbers import allocated
from arenite.firmware.stock.board import StockBoard
from arenite.formats import tflite
from arenite.memory.recording import PRINTED_ROWS, Allocations
from arenite.revisions import cmsis_nn
from arenite.revisions.cmsis_nn import day_of
from arenite.revisions.known import LAST, revision_of
from arenite.target import Target
from tests.ops.differential import random_array
from tests.revisions import measure
from tests.revisions.measure import Case, ask, fixed_models, install

LOGS = Path(__file__).with_name("which_logs.json")
#: A package of TFLM's, and the model.
_PACKAGES = (
    ("20231010131554", "kws_int8"),
    ("20240206162907", "person_detect"),
    ("20240502151121", "ic_int8"),
    ("20241101221005", "kws_int8"),
    ("20241218021724", "vww_int8"),
    ("20250317171226", "ad_int8"),
    ("20250820230850", "keyword_scrambled_8bit"),
    ("20260108183429", "micro_speech_quantized"),
    ("20261009205824", "digits"),
    ("20261023182759", "sww_int8"),
)
#: An emulated core that runs TFLM of August 2026 with CMSIS-NN.
_BOARDS = (
    ("cortex-m4", "kws_int8"),
    ("cortex-m4", "ic_int8"),
    ("cortex-m4", "person_detect"),
    ("cortex-m4", "digits"),
)
_TREE = "2026-08-20"
_S3 = Target("esp32s3", library_version="1.1.2", glue_version="1.3.4")
#: What Arenite says of targets that nothing here runs, and how much of it is printed.
_ARENITE = (
    (Target("cortex-m4", tflm="2022-06-15"), Options(), "kws_int8", "used"),
    (Target("cortex-m55", tflm="2024-06-15"), Options(), "vww_int8", "used"),
    (Target("cortex-m4", tflm="pico-tflmicro"), Options(is_recording=True), "ic_int8", "all"),
    (Target("cortex-m4", tflm="2025-06-15"), Options("linear"), "kws_int8", "used"),
    (_S3, Options(), "sww_int8", "used"),
    (Target("esp32", "tflm", tflm="esp-tflite-micro-1.3.3"), Options(), "ad_int8", "used"),
)


class Log(NamedTuple):
    """What was printed, and what is true of it.

    Attributes:
        source: What made it.
        model: Of :func:`fixed_models`.
        text: What was printed.
        day: Of its TFLM.
        library: Its kernels.
        abi: Whose structs.
        instructions: The processor's; empty where the library does not care.
        version: The library's.
        state: Its day, where that tells it.
        planner: Its memory planner.
    """

    source: str
    model: str
    text: str
    day: str
    library: str
    abi: str
    instructions: str = ""
    version: str = ""
    state: str = ""
    planner: str = "greedy"

    def place(self, found: Explained) -> int:
        """The place of the group with the true build, from 1; 0 where none has it."""
        places = enumerate(found.groups, 1)
        return next((n for n, group in places if any(map(self._is, group.lines))), 0)

    def row(self, found: Explained) -> str:
        """As the page has it."""
        numbers, groups = len(found.given.numbers), len(found.groups)
        cells = (self.source, self.model, numbers, groups, self.place(found))
        return f"| {' | '.join(map(str, cells))} |"

    def _is(self, line: Any) -> bool:
        return (
            any(span.first <= self.day <= span.last for span in line.times)
            and line.library == self.library
            and self.abi in line.abis
            and (not line.instructions or self.instructions in line.instructions)
            and (not self.version or self.version in line.versions)
            and (not line.states or any(s.first <= self.state <= s.last for s in line.states))
            and self.planner in {one.planner for one in line.options}
        )


def logs() -> list[Log]:
    """Those that were made."""
    return [Log(**one) for one in json.loads(LOGS.read_text(encoding="utf-8"))]


def _of_packages(folder: Path, models: dict[str, bytes]) -> Iterator[Log]:
    for version, name in _PACKAGES:
        model, rng = tflite.read(models[name]), np.random.default_rng(0)
        inputs = [random_array(tensor, rng) for tensor in model.inputs]
        case = Case(name, models[name], inputs, len(model.outputs))
        ((_, _, text),) = ask(install(folder, version), [case])
        yield Log(f"package 0.dev{version}", name, text, measure.day_of(version), "tflm", "lp64")


def _of_boards(tflm: str, models: dict[str, bytes]) -> Iterator[Log]:
    for core, name in _BOARDS:
        board = StockBoard(tflite.read(models[name]), tflm, core)
        board.begin()
        text = f"{core}: arena_used_bytes() = {board.arena_bytes}\n"
        kind = Target(core).instructions
        yield Log(
            f"TFLM of {_TREE} on {core}",
            *(name, text, _TREE, "cmsis_nn", "ilp32", kind, "", cmsis_nn.LAST),
        )


def _of_arenite(models: dict[str, bytes]) -> Iterator[Log]:
    for target, options, name, kind in _ARENITE:
        found = allocated(tflite.read(models[name]), target, options)
        text = as_printed(found) if kind == "all" else f"Arena used bytes: {found.total}\n"
        day = revision_of(target.tflm or LAST).date
        state = day_of(target.cmsis_nn) if target.cmsis_nn else cmsis_nn.fetched_by(day)
        yield Log(
            f"Arenite: {target}, {options.planner} planner",
            *(name, text, day, target.library, target.abi),
            *(target.instructions, target.library_version, state, options.planner),
        )


def as_printed(found: Allocations) -> str:
    """As ``RecordingMicroAllocator`` prints it."""
    mark = "[RecordingMicroAllocator]"
    lines = [
        f"{mark} Arena allocation {name} {value} bytes"
        for name, value in (("total", found.total), ("head", found.head), ("tail", found.tail))
    ]
    lines += [
        f"{mark} '{row.name}' used {row.used_bytes} bytes with alignment overhead "
        f"(requested {row.requested_bytes} bytes for {row.count} allocations)"
        for row in found.categories
        if row.name in PRINTED_ROWS
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    known = fixed_models()
    made = [
        *_of_packages(Path(sys.argv[1]), known),
        *_of_boards(sys.argv[2], known),
        *_of_arenite(known),
    ]
    text = json.dumps([one._asdict() for one in made], indent=1)
    LOGS.write_text(text + "\n", encoding="utf-8")
    for one in made:
        print(one.row(which(known[one.model], one.text.encode())), flush=True)
