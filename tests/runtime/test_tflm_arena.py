"""The arena is TFLM's, byte for byte: on real models, against TFLM's own package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import arenite as ar
from arenite.memory.recording import TFLM_CATEGORIES, CategoryTotal
from tests.oracle import Oracle
from tests.shared import shared_models

#: TFLM refuses kws_hybrid; the preprocessors need operators of TFLM's signal library.
EXCLUDED = {"kws_hybrid", "audio_preprocessor_float", "audio_preprocessor_int8"}
MODELS = [path for path in shared_models() if path.stem not in EXCLUDED]
PLENTY = 1 << 22

models = pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)


def interpreter(path: Path, arena: int = PLENTY) -> ar.Interpreter:
    return ar.Interpreter(path, abi="tflite_micro", arena=arena)


def printed(log: str) -> list[CategoryTotal]:
    """The table of ``print_allocations``: used, requested and count of every category."""
    rows = re.findall(r"'([^']+)' used (\d+) .*?requested (\d+) bytes for (\d+) ", log)
    return [CategoryTotal(name, int(a), int(b), int(c)) for name, a, b, c in rows]


@models
def test_head_tail_and_total_are_equal(oracle: Oracle, path: Path) -> None:
    theirs = oracle.run(path.read_bytes(), [], PLENTY).allocations
    ours = interpreter(path).allocations()
    assert (ours.head, ours.tail, ours.total) == (
        theirs["head"],
        theirs["tail"],
        theirs["total"],
    )


@models
def test_every_line_of_the_table_is_equal(oracle: Oracle, path: Path) -> None:
    theirs = printed(oracle.run(path.read_bytes(), [], PLENTY).log)
    names = {category.value for category in TFLM_CATEGORIES}
    ours = [total for total in interpreter(path).allocations().categories if total.name in names]
    assert theirs
    assert [total for total in ours if total.requested_bytes] == theirs


@models
def test_the_smallest_arena_is_accepted_and_16_bytes_less_are_refused(
    oracle: Oracle, path: Path
) -> None:
    needed = ar.smallest_arena(ar.load(path), ar.AllOpsResolver(), abi="tflite_micro")
    interpreter(path, needed)
    with pytest.raises(ar.ArenaError) as caught:
        interpreter(path, needed - 16)
    assert caught.value.needed == needed
    assert oracle.run(path.read_bytes(), [], needed).status == "ok"
    assert oracle.run(path.read_bytes(), [], needed - 16).status == "refused"
