"""Arenas with ESP-NN, next to those of a 32-bit build and of three crashes in the field."""

import json
from pathlib import Path

import pytest

import arenite as ar
from arenite.target import Target
from tests.shared import shared_model, shared_wake_word

pytestmark = pytest.mark.filterwarnings("ignore::arenite.errors.UndefinedWarning")
MEASURED = json.loads(Path(__file__).with_name("measured.json").read_text("utf-8"))
#: ESPHome's, for the table of variables.
VARIABLES = 1024


def model_of(name: str) -> ar.Model:
    path = shared_model(name) if name == "person_detect" else shared_wake_word(name)
    return ar.load(path)


@pytest.mark.parametrize("name", MEASURED["arenas"])
def test_the_smallest_arena_is_that_of_a_32_bit_build(name: str) -> None:
    model = model_of(name)
    found = []
    for one in MEASURED["targets"]:
        chip, version = one.split()
        target = Target(chip, library_version=version, variables_arena=VARIABLES)
        found.append(ar.smallest_arena(model, target=target))
    assert found == MEASURED["arenas"][name]


@pytest.mark.parametrize("name", MEASURED["used"])
def test_less_is_used_than_planning_takes_on_a_chip_without_scratch(name: str) -> None:
    target = Target("esp32c3", library_version="1.1.2", variables_arena=VARIABLES)
    micro = ar.MicroInterpreter(model_of(name), ar.AllOpsResolver(), 1 << 20, target=target)
    micro.allocate_tensors()
    assert micro.arena.used == MEASURED["used"][name]


@pytest.mark.parametrize("line", MEASURED["field"], ids=lambda line: line["model"])
def test_a_crash_in_the_field_asks_for_the_same_bytes(line: dict[str, int | str]) -> None:
    """Logs do not say where the heap put an arena; of four addresses one gives their figures."""
    target = Target(
        "esp32s3",
        library_version="1.2.1",
        variables_arena=VARIABLES,
        arena_address=int(line["arena_address"]),
    )
    model, resolver = model_of(str(line["model"])), ar.AllOpsResolver()
    with pytest.raises(ar.ArenaError) as raised:
        ar.MicroInterpreter(model, resolver, int(line["arena"]), target=target).allocate_tensors()
    assert raised.value.requested == line["requested"]
    assert raised.value.available == line["available"]


def test_concatenation_keeps_scales_in_an_old_release_of_the_glue() -> None:
    model = model_of("vad")
    old, new = (
        ar.MicroInterpreter(
            model,
            ar.AllOpsResolver(),
            1 << 20,
            target=Target("esp32c3", glue_version=version, variables_arena=VARIABLES),
        )
        for version in ("1.3.1", "1.3.3")
    )
    old.allocate_tensors(), new.allocate_tensors()
    count = sum(operator.name == "CONCATENATION" for operator in model.main.operators)
    assert old.arena.tail_used - new.arena.tail_used == 32 * count


def test_variables_may_have_an_arena_of_their_own() -> None:
    model = model_of("vad")
    together, apart = (
        ar.smallest_arena(model, target=Target("esp32c3", variables_arena=size))
        for size in (0, VARIABLES)
    )
    assert apart < together


def test_an_arena_that_is_too_small_for_variables_is_an_error() -> None:
    with pytest.raises(ar.ArenaError):
        ar.smallest_arena(model_of("vad"), target=Target("esp32c3", variables_arena=64))
