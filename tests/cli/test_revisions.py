"""``--tflm-version``: the TFLM of a firmware, in the commands that take a target."""

import json

import pytest

from tests.cli.models import saved
from tests.revisions.models import reversing


def test_info_says_which_operators_a_revision_lacks(arenite, tmp_path):
    model = saved(reversing(), tmp_path / "reversing.tflite")
    result = arenite("info", model, "--tflm-version", "pico-tflmicro", "--json")
    facts = json.loads(result.stdout)["revision"]
    assert facts["date"] == "2024-12-26"
    assert facts["operators"]["REVERSE_V2"].endswith("in pico-tflmicro 2024-12-26 has none")
    words = arenite("info", model, "--tflm-version", "pico-tflmicro").stdout
    assert "REVERSE_V2 came to TFLM on 2025-07-10" in words


def test_info_says_that_all_are_there(arenite, model_file):
    result = arenite("info", model_file, "--tflm-version", "2024-06")
    assert result.stdout.endswith("TFLM of 2024-06-30 has all these operators.\n")


def test_memory_shows_its_arena(arenite, model_file):
    def tail(*more: str) -> int:
        result = arenite("memory", model_file, "--target", "m4", "--json", *more)
        return int(json.loads(result.stdout)["tail"])

    assert tail("--tflm-version", "2022-02") < tail("--tflm-version", "2025-02") <= tail()


@pytest.mark.parametrize(
    "command", ["bench", "cost", "explain", "fit", "info", "memory", "optimize", "run"]
)
def test_an_unknown_one_is_refused_with_those_that_are_known(arenite, model_file, command):
    result = arenite(command, model_file, "--tflm-version", "zephyr-9")
    assert result.exit_code == 2
    assert "pico-tflmicro" in result.stderr


@pytest.mark.parametrize("command", ["explain", "fit", "memory", "optimize"])
def test_an_unknown_cmsis_nn_is_refused_likewise(arenite, model_file, command):
    result = arenite(command, model_file, "--cmsis-nn-version", "3.1.0")
    assert result.exit_code == 2
    assert "6.0.0" in result.stderr


def test_memory_names_the_cmsis_nn_that_was_asked_for(arenite, model_file):
    result = arenite("memory", model_file, "--target", "m55", "--cmsis-nn-version", "6.0.0")
    assert "CMSIS-NN of 2024-06-02" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (("board", "m.tflite"), "a board runs the TFLM that --tflm names"),
        (("export", "m.tflite", "-o", "x"), "what is exported runs without TFLM"),
        (("compare", "m.tflite"), "sides are compared in the bits of today"),
        (("check-kernel", "k.cc", "--as", "ADD"), "a kernel is compiled against the TFLM"),
    ],
)
def test_where_a_revision_means_nothing_it_is_refused_with_the_reason(arenite, command, why):
    result = arenite(*command, "--tflm-version", "2024-06")
    assert result.exit_code == 2
    assert why in " ".join(result.stderr.replace("│", "").split())
