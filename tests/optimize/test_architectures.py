"""Networks of published architectures: as large as the originals, and what passes make of them."""

from collections import Counter

import pytest

import arenite as ar
from arenite.analysis.head_plans import head_plans
from arenite.analysis.statistics import statistics
from arenite.formats import tflite
from arenite.target import find_target
from tests.optimize.architectures import ARCHITECTURES, architecture

PADS = "MobileNetV2 0.35, 96, with PADs"


def test_mobilenet_v2_has_the_multiplications_of_the_paper() -> None:
    """300 million at 224 x 224 pixels, with 1,000 classes; here are 96 x 96 and 10."""
    macs = statistics(architecture("MobileNetV2 1.0, 96")).macs
    assert macs == pytest.approx(300e6 * (96 / 224) ** 2, rel=0.01)


def test_a_name_stands_for_one_network() -> None:
    first, second = (tflite.write(architecture("residual, 96")) for _ in range(2))
    assert first == second != tflite.write(architecture("residual, 96", "float32"))


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_the_best_plan_is_proved_and_no_larger_than_the_firmwares(name: str) -> None:
    plans = head_plans(architecture(name), find_target("cortex-m4"))
    assert plans.is_proved
    assert plans.lower_bound <= plans.optimal <= plans.greedy


def test_concatenations_are_where_greedy_is_not_the_best() -> None:
    plans = head_plans(architecture("dense blocks, 64"), find_target("cortex-m4"))
    assert (plans.greedy, plans.optimal) == (184_320, 147_456)


def test_paddings_stay_before_layers_with_steps_alone() -> None:
    model = architecture(PADS)
    result, _ = ar.optimize(model, only=["fold", "clean"], verify=0)
    before, after = (Counter(o.name for o in one.main.operators) for one in (model, result))
    assert (before["PAD"], after["PAD"]) == (18, 5)


def test_an_order_of_a_cell_s_branches_takes_less() -> None:
    model = architecture("NASNet cells, 32")
    result, report = ar.optimize(model, only=["order"], verify=0)
    assert "122880 to 90112 bytes alive at once, no order has less" in report.changes[0].text
    assert ar.smallest_arena(result) < ar.smallest_arena(model)
