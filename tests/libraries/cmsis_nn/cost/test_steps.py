"""The tables of measured costs: one number per processor, kernel and loop."""

import csv
from pathlib import Path

import pytest

from arenite.libraries.cmsis_nn.cost import steps
from arenite.libraries.cmsis_nn.cost.steps import ERRORS, STEPS
from arenite.target import OPTIMIZATIONS

TABLES = Path(steps.__file__).parent / "tables"


LEVELS = [level for level in OPTIMIZATIONS if (TABLES / level).is_dir()]


def rows(level: str, name: str) -> list[list[str]]:
    with (TABLES / level / name).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("name", "key"), [("steps.csv", slice(1, 3)), ("errors.csv", slice(0, 1))])
def test_no_row_stands_twice(level, name, key):
    keys = [tuple(row[key]) for row in rows(level, name)]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ["steps.csv", "errors.csv"])
def test_a_row_has_a_cell_for_every_column(level, name):
    header, *body = rows(level, name)
    assert {len(row) for row in body} == {len(header)}


@pytest.mark.parametrize("level", LEVELS)
def test_a_step_has_both_numbers_of_a_processor_or_none(level):
    header, *body = rows(level, "steps.csv")
    first = header.index("loop") + 1
    for row in body:
        pairs = zip(row[first::2], row[first + 1 :: 2], strict=True)
        assert all(bool(instructions) == bool(cycles) for instructions, cycles in pairs), row


def test_both_tables_name_the_same_processors():
    assert list(STEPS) == list(ERRORS)


def test_nothing_costs_less_than_nothing():
    numbers = [
        n for kernels in STEPS.values() for loops in kernels.values() for n in loops.values()
    ]
    assert all(instructions >= 0 and cycles >= 0 for instructions, cycles in numbers)


def test_whole_numbers_stay_whole():
    assert isinstance(STEPS["cortex-m4", "O2"]["TFLM"]["ADD"][0], int)
