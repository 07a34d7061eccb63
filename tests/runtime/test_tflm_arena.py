"""The arena is TFLM's, byte for byte: on real models, against TFLM's own package."""

from pathlib import Path

import pytest

import arenite as ar
from tests.oracle import Oracle, printed_rows, tflm_rows
from tests.shared import shared_models

#: TFLM refuses kws_hybrid; the preprocessors need operators of TFLM's signal library.
EXCLUDED = {"kws_hybrid", "audio_preprocessor_float", "audio_preprocessor_int8"}
MODELS = [path for path in shared_models() if path.stem not in EXCLUDED]
PLENTY = 1 << 22

models = pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)


def interpreter(path: Path, arena: int = PLENTY) -> ar.Interpreter:
    return ar.Interpreter(path, arena=arena)


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
    theirs = printed_rows(oracle.run(path.read_bytes(), [], PLENTY).log)
    assert theirs
    assert tflm_rows(interpreter(path).allocations()) == theirs


@models
def test_the_smallest_arena_is_accepted_and_16_bytes_less_are_refused(
    oracle: Oracle, path: Path
) -> None:
    needed = ar.smallest_arena(ar.load(path))
    interpreter(path, needed)
    with pytest.raises(ar.ArenaError) as caught:
        interpreter(path, needed - 16)
    assert caught.value.needed == needed
    assert oracle.run(path.read_bytes(), [], needed).status == "ok"
    assert oracle.run(path.read_bytes(), [], needed - 16).status == "refused"
