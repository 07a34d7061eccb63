"""Which CMSIS-NN a target has, and what scratch memory its functions ask for."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from arenite.analysis.device import device_operators
from arenite.libraries.cmsis_nn.decisions.before import is_before
from arenite.libraries.cmsis_nn.decisions.conv_2d import arm_convolve_1x1_s8_fast
from arenite.libraries.path import Questions
from arenite.model import ModelBuilder
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.revisions.cmsis_nn import FIRST, LAST, changes, day_of, fetched_by, lacks, releases
from arenite.revisions.known import LAST as KNOWN_LAST
from arenite.target import Target
from tests.revisions.cmsis_sizes import measured, shape_of, size_of, stem_of
from tests.worker import ROOT

SHAPES, SIZES = measured()
SOURCES = "\n".join(
    path.read_text(encoding="utf-8")
    for path in (ROOT / "src/arenite/libraries/cmsis_nn").rglob("*.py")
)
ALL = [(state, name) for state, by in SIZES.items() for name in by]


@pytest.mark.parametrize(("state", "name"), ALL, ids=str)
def test_sizes_are_those_of_its_own_functions(state, name):
    stem, kind = stem_of(name)
    for numbers, size in zip(SHAPES[stem], SIZES[state][name], strict=True):
        assert size_of(stem, kind, shape_of(numbers), state) == size, numbers


def test_the_page_says_how_many_they_are():
    count = sum(len(one) for by in SIZES.values() for one in by.values())
    page = " ".join((ROOT / "docs/revisions.md").read_text(encoding="utf-8").split())
    assert f"functions of {len(SIZES)} states since" in page
    assert f"none of the {count:,} sizes differs" in page


def test_both_sides_of_every_change_are_there():
    days = {day_of(state) for state in SIZES}
    for row in changes().values():
        if row.oracle == "compiler":
            assert any(day < row.since for day in days)
            assert any(day >= row.since for day in days)


@pytest.mark.parametrize("row", changes().values(), ids=lambda row: row.subject)
def test_a_row_says_what_changed_when_and_what_shows_it(row):
    assert FIRST < row.since <= LAST
    assert re.fullmatch("[0-9a-f]{8}", row.commit)
    assert f'is_before(target, "{row.subject}")' in SOURCES
    assert row.note
    assert row.oracle in {"compiler", "board", "source"}


@pytest.mark.parametrize(
    ("name", "day"),
    [("6.0.0", "2024-06-02"), ("v7.0.0", "2024-11-11"), ("2024-02", "2024-02-29"), (LAST, LAST)],
)
def test_a_release_is_a_day(name, day):
    assert day_of(name) == day


@pytest.mark.parametrize(
    "name", ["4.2.0", "6", "2021-11", "2026-08", "2027-01", "today", "6.0.0.0"]
)
def test_other_names_are_refused_with_those_that_are_known(name):
    with pytest.raises(ValueError, match=r"4\.0\.0, 23\.02.*7\.0\.0.*got") as caught:
        Target("cortex-m4", cmsis_nn=name)
    assert str(caught.value).endswith(repr(name))


def test_releases_are_in_order_and_todays_lacks_nothing():
    assert list(releases().values()) == sorted(releases().values())
    assert not any(lacks("", subject) or lacks(LAST, subject) for subject in changes())
    assert all(lacks(FIRST, subject) for subject in changes())


@pytest.mark.parametrize("processor", ["host", "esp32"])
def test_what_has_none_of_it_is_refused(processor):
    with pytest.raises(ValueError, match="expected no cmsis_nn with"):
        Target(processor, cmsis_nn="6.0.0")


def test_a_target_says_its_day():
    assert str(Target("cortex-m4", cmsis_nn="6.0.0")).endswith("CMSIS-NN of 2024-06-02")


def test_arm_compilers_pixels_are_copied_since_7():
    sizes = [
        arm_convolve_1x1_s8_fast(
            Questions("one"), 8, Target("cortex-m4", compiler="armclang", cmsis_nn=version)
        ).scratch_size
        for version in ("2024-11-10", "7.0.0")
    ]
    assert sizes == [0, 32]


def test_a_models_scratch_memory_is_that_of_the_day():
    b = ModelBuilder()
    x = b.input("x", (1, 4, 4, 2), "int8", scale=0.5)
    w = b.constant("w", np.ones((2, 3, 3, 2), np.int8), scale=[0.5], zero_point=[0])
    y = b.tensor("y", (1, 2, 2, 2), "int8", scale=0.5)
    b.operator("CONV_2D", [x, w, -1], [y], Conv2DOptions(padding=1, stride_w=1, stride_h=1))
    b.output(y)
    model = b.build("image")

    def scratch(day: str) -> list[int]:
        (only,) = device_operators(model, Target("cortex-m55", cmsis_nn=day))
        return [one.size for one in only.scratch]

    assert scratch("2024-04-01") == [4 * 24]  # four rows of 18 values, in blocks of 8
    assert scratch("2024-04-02") == scratch("") == [4 * 32]  # of 16


def test_a_tflm_has_the_state_that_it_fetched():
    assert fetched_by("2022-06-15") == "2022-05-09"
    assert fetched_by("pico-tflmicro") == day_of("7.0.0")
    assert fetched_by(KNOWN_LAST) == "2026-06-17"
    then, named = (
        Target("cortex-m4", tflm="2022-06-15", cmsis_nn=state) for state in ("", "2022-05-09")
    )
    assert [is_before(one, "conv_s8_rows") for one in (then, named)] == [True, True]
    assert not is_before(replace(then, cmsis_nn=LAST), "conv_s8_rows")


def test_int4_weights_were_unpacked():
    b = ModelBuilder()
    x, y = b.input("x", (1, 8), "int8", scale=0.5), b.tensor("y", (1, 4), "int8", scale=0.5)
    weights = np.ones((4, 8), np.int8)
    w = b.constant("w", weights, "int4", scale=[0.5], zero_point=[0])
    b.operator("FULLY_CONNECTED", [x, w, -1], [y])
    b.output(y)
    model = b.build("int4")

    def scratch(day: str) -> list[tuple[str, int]]:
        (only,) = device_operators(model, Target("cortex-m4", cmsis_nn=day))
        return [(one.purpose, one.size) for one in only.scratch]

    assert scratch("2023-11-13") == [("unpacked weights", 32)]
    assert scratch("5.0.0") == []
