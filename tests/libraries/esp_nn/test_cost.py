"""What ESP-NN's kernels cost, next to what an emulator counted and boards took."""

import json
from pathlib import Path
from typing import Any

import pytest

import arenite as ar
from arenite.analysis.fit_time import time_of
from arenite.cores import CORES
from arenite.libraries.esp_nn.cost.loops import generic, loops_of
from arenite.model import ModelBuilder
from arenite.ops import builtin
from arenite.target import Target
from tests.shared import shared_model, shared_wake_word

pytestmark = pytest.mark.filterwarnings("ignore::arenite.errors.UndefinedWarning")
MEASURED = json.loads(Path(__file__).with_name("measured.json").read_text("utf-8"))
INSTRUCTIONS = {name: n for name, n in MEASURED["instructions"].items() if name != "about"}
WAKE_WORDS = ("okay_nabu", "hey_jarvis", "vad")


def model_of(name: str) -> ar.Model:
    return ar.load(shared_wake_word(name) if name in WAKE_WORDS else shared_model(name))


def pointwise(depth: int, filters: int) -> ar.Model:
    """A convolution of 2 x 3 pixels with 1 x 1 filters."""
    b = ModelBuilder()
    x = b.input("x", (1, 2, 3, depth), "int8", scale=0.1)
    weights = b.constant("w", [[[[1] * depth]]] * filters, "int8", scale=0.1)
    bias = b.constant("b", [0] * filters, "int32", scale=0.01)
    y = b.tensor("y", (1, 2, 3, filters), "int8", scale=0.1)
    registration = builtin("CONV_2D")
    assert registration is not None
    assert registration.options is not None
    b.operator("CONV_2D", [x, weights, bias], [y], registration.options(stride_h=1, stride_w=1))
    b.output(y)
    return b.build()


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_instructions_are_within_what_is_said_of_what_was_counted(name: str) -> None:
    said = ar.cost(model_of(name), "esp32c3").instructions
    accuracy = CORES["esp32c3"].accuracy
    assert accuracy is not None
    assert said == pytest.approx(INSTRUCTIONS[name], rel=accuracy.instructions)


@pytest.mark.parametrize("name", sorted({*INSTRUCTIONS} - {*WAKE_WORDS}))
def test_models_that_convolve_are_within_three_percent(name: str) -> None:
    said = ar.cost(model_of(name), "esp32c3").instructions
    assert said == pytest.approx(INSTRUCTIONS[name], rel=0.03)


@pytest.mark.parametrize("row", MEASURED["published"], ids=lambda row: row["chip"])
def test_published_times_are_inside(row: dict[str, Any]) -> None:
    target = Target(row["chip"])
    time = time_of(model_of(row["model"]), target, row["megahertz"])
    assert time.is_known
    assert time.least <= min(row["milliseconds"])
    assert max(row["milliseconds"]) <= time.most


def test_products_are_counted_by_four_along_the_channels() -> None:
    operator = ar.cost(pointwise(depth=7, filters=5), "esp32c3").operators[0]
    times = {loop.step: loop.times for loop in operator.loops or ()}
    assert times == {
        "call": 1,
        "position": 6,
        "output": 30,
        "four products": 30,
        "product": 90,
        "glue": 1,
    }


def test_exact_rounding_takes_longer_since_1_2_3() -> None:
    model = pointwise(depth=4, filters=4)
    old, new = (
        ar.cost(model, Target("esp32c3", library_version=one)).instructions
        for one in ("1.2.2", "1.2.3")
    )
    assert old < new


def test_a_chips_own_kernel_is_known_by_its_generic_one() -> None:
    assert generic("esp_nn_softmax_s8_esp32s3") == "esp_nn_softmax_s8_opt"
    assert generic("esp_nn_max_pool_s8_esp32p4") == "esp_nn_max_pool_s8_ansi"


def test_a_function_without_a_model_has_no_loops() -> None:
    view = ar.cost(pointwise(depth=4, filters=4), "esp32c3").operators[0].view
    assert loops_of(view, "esp_nn_conv_s8_ansi") is None
