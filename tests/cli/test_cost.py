"""``arenite cost``."""

import json

import numpy as np
import pytest

from arenite.libraries.cmsis_nn.cost.estimate import COMPLETE, PROCESSORS
from arenite.model import ModelBuilder
from tests.cli.models import classifier, saved
from tests.libraries.cmsis_nn.small_models import MODELS, reverse_of_int64


def facts(arenite, *arguments):
    return json.loads(arenite("cost", *arguments, "--json").stdout)


@pytest.fixture
def unknown_file(tmp_path):
    return saved(reverse_of_int64(), tmp_path / "unknown.tflite")


def test_cost_shows_a_row_per_operator_the_total_and_the_accuracy(arenite, model_file):
    result = arenite("cost", model_file, "--target", "m4", "--clock", "100")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:3] == [
        str(model_file),
        "cortex-m4, TFLM with CMSIS-NN, GCC, structs of ilp32; 100 MHz, -O2",
        "",
    ]
    assert lines[3].split() == ["#", "operator", "function", "instructions", "cycles", "ms"]
    assert [line.split()[1] for line in lines[4:8]] == ["CONV_2D", "CONV_2D", "RESHAPE", "SOFTMAX"]
    assert lines[8].split()[0] == "total"
    text = " ".join(lines[10:])
    assert "instructions within 5%" in text
    assert "cycles within 10%" in text


def test_without_a_clock_there_are_no_milliseconds_and_without_a_device_a_line_says_whose(
    arenite, model_file
):
    lines = arenite("cost", model_file).stdout.splitlines()
    assert lines[0].startswith("No --board or --target was given")
    assert not any("ms" in line.split() for line in lines)
    assert facts(arenite, model_file)["milliseconds"] is None


def test_a_board_brings_target_and_clock(arenite, model_file):
    estimate = facts(arenite, model_file, "--board", "STM32F767")
    assert (estimate["target"]["processor"], estimate["clock_mhz"]) == ("cortex-m7", 216)


def test_without_cmsis_nn_kernels_that_are_not_known_are_named(arenite, model_file):
    estimate = facts(arenite, model_file, "--library", "tflm")
    assert estimate["target"]["library"] == "tflm"
    assert estimate["complete"] is False
    known = {op["name"]: op["instructions"] is not None for op in estimate["operators"]}
    assert known == {"CONV_2D": False, "RESHAPE": True, "SOFTMAX": False}
    assert "CONV_2D of int8" in estimate["reason"]
    assert estimate["reason"].endswith("Costs are known with CMSIS-NN for most.")


def test_the_total_is_the_sum_and_the_clock_makes_the_time(arenite, model_file):
    estimate = facts(arenite, model_file, "--clock", "216", "--target", "cortex-m7")
    operators = estimate["operators"]
    assert estimate["instructions"] == sum(op["instructions"] for op in operators)
    assert estimate["cycles"] == sum(op["cycles"] for op in operators)
    assert estimate["low"] < estimate["cycles"] / 216e3 < estimate["high"]
    assert estimate["milliseconds"] == pytest.approx(sum(op["milliseconds"] for op in operators))
    assert estimate["complete"] is True


def test_loops_make_up_an_operator(arenite, model_file):
    first = facts(arenite, model_file)["operators"][0]
    assert first["function"] == "arm_convolve_s8"
    assert round(sum(loop["instructions"] for loop in first["loops"])) == first["instructions"]
    assert set(first["loops"][0]) == {"function", "step", "times", "instructions", "cycles"}


def test_op_shows_the_loops_of_one_operator_the_dearest_first(arenite, model_file):
    result = arenite("cost", model_file, "--op", 0, "--target", "m4")
    lines = result.stdout.splitlines()
    assert lines[3] == "0  CONV_2D  arm_convolve_s8"
    assert lines[5].split()[:3] == ["one", "pass", "of"]
    functions = [line for line in lines[6:] if line.startswith(("arm_", "mem", "TFLM"))]
    cycles = [int(line.split()[-1].replace(",", "")) for line in functions]
    assert cycles == sorted(cycles, reverse=True)
    assert facts(arenite, model_file, "--op", 0) == facts(arenite, model_file)["operators"][0]


def test_kernels_without_a_model_are_named_and_left_out(arenite, unknown_file):
    result = arenite("cost", unknown_file)
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert (
        "1 of 1 operators have no estimate, and are not in the total: REVERSE_V2 of int64." in text
    )
    assert "total of 0" in text
    alone = " ".join(arenite("cost", unknown_file, "--op", 0).stdout.split())
    assert alone.endswith("There is no estimate for REVERSE_V2 of int64: it was not measured.")
    estimate = facts(arenite, unknown_file)
    assert estimate["complete"] is False
    assert estimate["operators"][0]["cycles"] is None


@pytest.fixture
def matrices_file(tmp_path):
    return saved(MODELS["matmul float32"](), tmp_path / "matrices.tflite")


def test_float32_layers_have_an_estimate_and_its_error(arenite, matrices_file):
    text = " ".join(arenite("cost", matrices_file, "--op", 0).stdout.split())
    assert "random layers of its kind instructions were off by" in text
    (operator,) = facts(arenite, matrices_file)["operators"]
    assert operator["instructions"] > 60  # a product each
    assert set(operator["error"]) == {"median", "worst", "layers"}


def test_the_processors_differ(arenite, model_file):
    cycles = [facts(arenite, model_file, "--target", name)["cycles"] for name in COMPLETE]
    assert cycles == sorted(cycles, reverse=True)
    assert len(set(cycles)) == 3


def test_without_dsp_instructions_an_inference_takes_the_most(arenite, model_file):
    cycles = {name: facts(arenite, model_file, "--target", name)["cycles"] for name in PROCESSORS}
    assert max(cycles, key=cycles.__getitem__) == "cortex-m0plus"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--target", "cortex-m0"],
        ["--clock", "0"],
        ["--clock", "inf"],
        ["--op", "4"],
        ["--op", "-1"],
    ],
)
def test_wrong_usage_is_code_2(arenite, model_file, arguments):
    result = arenite("cost", model_file, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize("columns", [40, 60, 80, 160])
@pytest.mark.parametrize("arguments", [[], ["--op", "0"], ["--target", "cortex-m55", "--op", "1"]])
def test_no_line_is_wider_than_the_terminal(arenite, model_file, monkeypatch, columns, arguments):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = arenite("cost", model_file, *arguments, "--target", "m4").stdout.splitlines()
    assert max(len(line) for line in lines[1:]) <= columns


def test_a_model_that_tflm_cannot_run_is_refused(arenite, tmp_path):
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "float32"), b.tensor("y", (1, 4), "float32")
    b.operator("FULLY_CONNECTED", [x, b.constant("w", np.zeros((4, 4), np.int8), scale=1)], [y])
    b.output(y)
    result = arenite("cost", saved(b.build(), tmp_path / "hybrid.tflite"))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "FULLY_CONNECTED 0: input 1" in result.stderr


def test_what_is_exported_has_a_cost(arenite, tmp_path):
    path = saved(classifier(), tmp_path / "model.tflite")
    result = arenite("cost", path, "--library", "arenite", "--json")
    facts = json.loads(result.stdout)
    assert (facts["library"], facts["processor"]) == ("arenite", "cortex-m4")
    assert {layer["origin"] for layer in facts["layers"]} <= {"counted", "emulated", ""}
    result = arenite("cost", path, "--library", "arenite", "--op", "9")
    assert result.exit_code == 2
