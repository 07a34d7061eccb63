"""Outputs over inputs: the reference's distances for generic C, none for the chips' assembly."""

import pytest

import arenite as ar
from arenite.cores import CORES
from arenite.libraries.esp_nn import FACTS
from arenite.libraries.library import library_of
from arenite.memory.offline import is_made_for
from arenite.model.offline_plan import Origin
from arenite.runtime.distances import safe_distances
from arenite.target import Target
from tests.shared import DIGITS

CHIPS = [core for core in CORES.values() if core.family in FACTS.families]
PLAIN = [core.name for core in CHIPS if core.instructions == "plain"]
VECTORS = [core.name for core in CHIPS if core.instructions != "plain"]


@pytest.mark.parametrize("chip", PLAIN)
def test_generic_c_has_the_distances_of_the_reference(chip: str) -> None:
    model = ar.load(DIGITS)
    reference = Target(chip, library="tflm")
    assert safe_distances(model, chip) == safe_distances(model, reference) != ()


@pytest.mark.parametrize("chip", VECTORS)
def test_assembly_keeps_outputs_apart_from_inputs(chip: str) -> None:
    model = ar.load(DIGITS)
    glue_for, target = library_of(Target(chip)).glue_for, Target(chip)
    found = {model.main.operators[one.operator].name for one in safe_distances(model, chip)}
    assert {name for name in found if glue_for(name, target) is not None} == set()


@pytest.mark.parametrize("chip", VECTORS)
def test_a_plan_for_all_builds_is_not_right_for_assembly(chip: str) -> None:
    portable = Origin("portable", "cortex-m4", "cmsis_nn", "gcc")
    apart = portable._replace(overlap="none")
    assert not is_made_for(portable, Target(chip))
    assert is_made_for(apart, Target(chip))


@pytest.mark.parametrize("chip", PLAIN)
def test_a_plan_for_one_chip_with_generic_c_is_right_for_the_others(chip: str) -> None:
    origin = Origin("target", PLAIN[0], "esp_nn", "gcc")
    assert is_made_for(origin, Target(chip))
    assert not is_made_for(origin, Target(VECTORS[0]))
