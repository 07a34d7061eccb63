"""What a file says of its memory plan."""

import json

import pytest

from arenite.model import ModelBuilder
from arenite.model.offline_plan import (
    OFFLINE_METADATA,
    ORIGIN_METADATA,
    Origin,
    origin_in,
    plan_text,
)

M4 = Origin("target", "cortex-m4", "cmsis_nn", "gcc")
PLAN = {OFFLINE_METADATA: b"offsets", ORIGIN_METADATA: json.dumps(M4._asdict()).encode()}


def test_it_says_for_which_kernels_it_was_made() -> None:
    assert origin_in(PLAN) == M4
    assert plan_text(PLAN) == "the file's own, for the kernels of cortex-m4, cmsis_nn, gcc"


def test_a_plan_of_somebody_elses_says_nothing() -> None:
    theirs = {OFFLINE_METADATA: b"offsets"}
    assert origin_in(theirs) is None
    assert plan_text(theirs) == "the file's own, for kernels that it does not name"


def test_without_a_plan_there_is_nothing_to_say() -> None:
    assert origin_in({ORIGIN_METADATA: PLAN[ORIGIN_METADATA]}) is None
    assert plan_text({}) == ""


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"1",
        b'{"overlap": 3}',
        b"[" * 1000,
        b'{"overlap": "none"}',
        b" " * 5000,
    ],
)
def test_an_entry_that_is_not_arenites_says_nothing(data: bytes) -> None:
    assert origin_in({**PLAN, ORIGIN_METADATA: data}) is None


def test_it_reads_as_a_sentence_without_control_characters() -> None:
    assert str(M4) == "the kernels of cortex-m4, cmsis_nn, gcc"
    assert str(M4._replace(overlap="none")) == "any kernels"
    assert str(M4._replace(processor="\x1b[2J")).isprintable()


def test_a_model_s_table_ends_with_its_plan() -> None:
    b = ModelBuilder()
    b.output(b.input("x", (1, 4), "float32"))
    assert repr(b.build(metadata=PLAN)).splitlines()[-1] == f"  plan {plan_text(PLAN)}"
    assert "plan" not in repr(b.build())
