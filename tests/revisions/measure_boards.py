"""Arenite as of a day next to TFLM with CMSIS-NN of that day on an emulated core.

``python -m tests.revisions.measure_boards FOLDER [CORE:]DAY...`` builds a firmware of TFLM's
sources in ``FOLDER/DAY``, asks it for random models of every operator and for models that are
always the same, and writes to ``boards.json`` how many of the first were equal, and the arenas of
the others.
Commits are those that stand there for a day; of another they are to be added by hand. What boards
answer is kept in ``FOLDER``.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import sys
import warnings
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from arenite.cores import DEFAULT
from arenite.errors import AreniteError
from arenite.formats import tflite
from arenite.runtime.interpreter import Interpreter
from arenite.target import Target
from tests.revisions.boards import ASKED, Answer, OldBoard
from tests.revisions.measure import (
    FILLING,
    Case,
    fixed_corpus,
    is_same,
    is_told,
    is_warned,
    random_corpus,
    text_of,
)

FIGURES = Path(__file__).with_name("boards.json")
#: Models that are larger take an emulated core long.
_MOST = 130_000
#: What these models are counted as.
_FIXED = "models"


def target_of(day: str, core: str) -> Target:
    """The firmware of a day."""
    return Target(core, tflm=day)


def answers_of(tree: Path, core: str, cases: list[Case], filling: int = 0) -> list[Answer]:
    """A board's answers, where the arena was filled with a byte before."""
    digest = hashlib.sha256(pickle.dumps([(case.data, case.inputs) for case in cases])).hexdigest()
    filled = f"-{filling}" if filling else ""
    kept = tree.with_name(f"{tree.name}-{core}-{digest[:12]}{filled}.pickle")
    if not kept.exists():
        board = OldBoard(tree, core)
        found = [board.answer(tflite.read(case.data), [case.inputs], filling) for case in cases]
        kept.write_bytes(pickle.dumps(found))
    read: list[Answer] = pickle.loads(kept.read_bytes())
    return read


def outcomes(folder: Path, core: str, day: str, cases: list[Case]) -> list[tuple[str, Answer]]:
    """What :func:`outcome` says of every case, or ``undefined``, and the answers.

    Undefined is what Arenite refuses or warns of, if the firmware gives another result after the
    arena held other bytes.
    """
    answers = answers_of(folder / day, core, cases)
    found = [outcome(*pair, day, core) for pair in zip(cases, answers, strict=True)]
    told = [n for n, one in enumerate(found) if is_told(one, partial(ours, cases[n], day, core))]
    others = answers_of(folder / day, core, [cases[n] for n in told], FILLING)
    for n, other in zip(told, others, strict=True):
        if _bytes_of(other) != _bytes_of(answers[n]):
            found[n] = "undefined"
    return list(zip(found, answers, strict=True))


def _bytes_of(answer: Answer) -> list[bytes]:
    return [array.tobytes() for arrays in answer.outputs for array in arrays]


def outcome(case: Case, theirs: Answer, day: str, core: str) -> str:
    """``equal``, ``refused`` by both, ``crashed`` there, or how they differ.

    Empty for an operator that the firmware was not given.
    """
    if theirs.status.startswith("crashed"):
        return "crashed"
    try:
        arena, outputs = ours(case, day, core)
    except AreniteError:
        return "refused here" if theirs.status == "ok" else "refused"
    if theirs.status != "ok":
        return "" if "registration" in theirs.status else "refused there"
    if arena != theirs.arena:
        return "arena"
    expected = list(theirs.outputs[0])
    if case.defined is not None:
        outputs, expected = case.defined(outputs, 0), case.defined(expected, 0)
    same = all(map(is_same, outputs, expected))
    return "equal" if same else "bits"


def ours(case: Case, day: str, core: str) -> tuple[int, list[Any]]:
    """The arena, and outputs."""
    interpreter = Interpreter(tflite.read(case.data), target=target_of(day, core))
    for index, values in enumerate(case.inputs):
        interpreter.input(index)[...] = values
    interpreter.invoke()
    outputs = [np.array(interpreter.output(i)) for i in range(case.outputs)]
    return interpreter.arena.used, outputs


def corpora() -> tuple[list[Case], list[Case]]:
    """Random models, and those that are always the same."""
    fixed = [case for case in fixed_corpus() if len(case.data) < _MOST]
    return [case for case in random_corpus() if case.operator in ASKED], fixed


def measure(folder: Path, wanted: list[str]) -> dict[str, Any]:
    """Counts of outcomes by operator, and arenas of the fixed models, by core and day."""
    cases, fixed = corpora()
    asked = [*cases, *fixed]
    figures: dict[str, Any] = json.loads(FIGURES.read_text(encoding="utf-8"))
    for one in wanted:
        core, _, day = one.rpartition(":")
        core = core or DEFAULT
        found_of = outcomes(folder, core, day, asked)
        counts: dict[str, Counter[str]] = {}
        arenas: dict[str, int] = {}
        for number, (case, (found, theirs)) in enumerate(zip(asked, found_of, strict=True)):
            is_fixed = number >= len(cases)
            if not found:
                continue
            counts.setdefault(_FIXED if is_fixed else case.operator, Counter())[found] += 1
            is_ours = is_fixed and theirs.status == "ok" and found != "refused here"
            if is_ours and not is_warned(partial(ours, case, day, core)):
                arenas[case.operator] = theirs.arena
        key = f"{core} {day}"
        same_day = next((figures[one] for one in figures if one.endswith(day)), {})
        figures[key] = {
            **{part: same_day.get(part, "") for part in ("tflm", "cmsis_nn")},
            "operators": {name: dict(sorted(one.items())) for name, one in sorted(counts.items())},
            "arenas": arenas,
        }
        print(core, day, dict(sum(counts.values(), Counter())), flush=True)
    return figures


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    figures = measure(Path(sys.argv[1]), sys.argv[2:])
    FIGURES.write_text(text_of(figures), encoding="utf-8")
