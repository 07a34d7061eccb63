"""``arenite explain``."""

import json

import numpy as np
import pytest

from arenite.model import ModelBuilder
from tests.cli.models import saved
from tests.mnn.lowering.net_cases import CASES
from tests.ops.signal.models import signal_model


def facts(arenite, *arguments):
    return json.loads(arenite("explain", *arguments, "--json").stdout)


def test_explain_shows_a_row_per_operator_and_why_every_path_was_taken(arenite, model_file):
    result = arenite("explain", model_file)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    lines = lines[lines.index(str(model_file)) :]
    heading = "cortex-m4, TFLM with CMSIS-NN, GCC, structs of ilp32; DSP instructions"
    assert lines[:2] == [str(model_file), heading]
    columns = ["#", "operator", "function", "MACs", "scratch", "SMLAD", "SMLAL", "MLA"]
    assert lines[3].split()[: len(columns)] == columns
    start = lines.index("CONV_2D 0: arm_convolve_s8")
    assert lines[start + 1 : start + 4] == [
        "  arm_convolve_1x1_s8 if",
        "    ✗ padding is 0 x 0: 1 x 1",
        "    ✗ the filter is 1 x 1: 3 x 3",
    ]
    assert "  TFLM has no CMSIS-NN kernel for RESHAPE." in lines


def test_operators_with_one_path_for_one_reason_are_explained_together(arenite, tmp_path):
    b = ModelBuilder()
    last = b.input("x", (1, 4), "int8", scale=0.1)
    for name in "abcd":
        last, source = b.tensor(name, (1, 4), "int8", scale=1 / 256, zero_point=-128), last
        b.operator("LOGISTIC", [source], [last])
    b.output(last)
    lines = arenite("explain", saved(b.build(), tmp_path / "x.tflite")).stdout.splitlines()
    assert "LOGISTIC 0 to 3: TFLM's own kernel" in lines


def test_without_cmsis_nn_tflm_s_own_kernels_do_all_the_work(arenite, model_file):
    result = arenite("explain", model_file, "--library", "tflm")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[lines.index(str(model_file)) + 1].startswith(
        "cortex-m4, TFLM's reference kernels, GCC, structs of ilp32"
    )
    assert lines.count("  TFLM's own kernel: CMSIS-NN is not linked.") == 3
    first = arenite("explain", model_file, "--library", "tflm", "--op", "0")
    assert first.exit_code == 0
    assert "arm_convolve" not in first.stdout


def test_json_holds_conditions_calls_scratch_and_instructions(arenite, model_file):
    first = facts(arenite, model_file)["operators"][0]
    assert (first["name"], first["function"]) == ("CONV_2D", "arm_convolve_s8")
    assert first["calls"][-1] == "arm_nn_mat_mult_kernel_s8_s16"
    assert first["conditions"][0] == {
        "sentence": "padding is 0 x 0: 1 x 1",
        "holds": False,
        "function": "arm_convolve_1x1_s8",
    }
    assert first["scratch"] == [{"size": 2 * 12 * 2, "purpose": "im2col"}]
    # 3 channels of 9 columns at 64 positions: two fours and one left over.
    assert first["instructions"]["SMLAD"] == 64 // 2 * (8 + 4) * 2
    assert first["instructions"]["SMLAL"] == 64 * 3


def test_targets_have_paths_and_instructions_of_their_own(arenite, model_file):
    vectors = facts(arenite, model_file, "--target", "cortex-m55")["operators"][0]
    assert vectors["calls"][-1] == "arm_nn_mat_mult_nt_t_s8"
    assert "VMLADAVA" in vectors["instructions"]
    assert facts(arenite, model_file, "--target", "cortex-m0")["operators"][0]["instructions"] == {}


def test_op_follows_one_value_to_the_reference_kernel_s(arenite, model_file):
    result = arenite("explain", model_file, "--op", 0)
    assert result.exit_code == 0
    titles = [line[3:] for line in result.stdout.splitlines() if line[:1].isdigit()]
    assert titles == [
        "CONV_2D  arm_convolve_s8",
        "im2col: 3 x 3 taps of 1 channel make 9 values",
        "int8 to int16, plus the offset: four values in two registers",
        "arm_nn_mat_mult_kernel_s8_s16: 2 channels x 2 positions",
        *(line[3:] for line in result.stdout.splitlines() if line.startswith("4  Requantisation")),
        "The reference kernel's value",
    ]
    assert result.stdout.splitlines()[-1].endswith(": equal")


def test_vectors_requantise_with_vqrdmulh_and_add_the_offset_behind_the_loop(arenite, model_file):
    text = arenite("explain", model_file, "--op", 0, "--target", "cortex-m55").stdout
    titles = [line[3:] for line in text.splitlines() if line[:2] in ("2 ", "3 ")]
    assert titles == [
        "arm_nn_mat_mult_nt_t_s8: 1 channel x 4 positions",
        "Behind the loop: sum of weights (VADDVA) x offset, and the bias",
    ]
    assert "VQRDMULH" in text
    assert "SMLAL" not in text.partition("1  im2col")[2]


def test_json_of_one_operator_holds_its_walk(arenite, model_file):
    walk = facts(arenite, model_file, "--op", 0)["walk"]
    assert walk["agrees"] is True
    assert walk["requantization"]["value"] == walk["reference"]
    assert walk["steps"][0]["columns"] == [0, 2]


def test_other_operators_have_no_walk(arenite, model_file):
    assert facts(arenite, model_file, "--op", 3)["walk"] is None
    assert arenite("explain", model_file, "--op", 3).exit_code == 0


def test_the_walk_takes_an_input_from_a_file(arenite, model_file, tmp_path):
    np.save(tmp_path / "x.npy", np.full((1, 8, 8, 1), 7, np.int8))
    walk = facts(arenite, model_file, "--op", 0, "--input", tmp_path / "x.npy")["walk"]
    inside = [tap["values"] for tap in walk["taps"] if tap["inside"]]
    assert inside == [[7]] * len(inside)
    assert walk["agrees"] is True


def test_the_seed_changes_the_random_input(arenite, model_file):
    rows = [facts(arenite, model_file, "--op", 0, "--seed", s)["walk"]["row"] for s in (0, 0, 1)]
    assert rows[0] == rows[1] != rows[2]


@pytest.mark.parametrize("arguments", [["--target", "cortex-a9"], ["--op", "4"], ["--input", "x"]])
def test_wrong_usage_is_code_2(arenite, model_file, arguments):
    result = arenite("explain", model_file, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize("columns", [40, 60, 80, 160])
@pytest.mark.parametrize("arguments", [[], ["--op", "0"], ["--target", "cortex-m55", "--op", "1"]])
def test_no_line_is_wider_than_the_terminal(arenite, model_file, monkeypatch, columns, arguments):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = arenite("explain", model_file, *arguments).stdout.splitlines()
    assert max(len(line) for line in lines if line != str(model_file)) <= columns


def test_operators_of_mnn_files_are_on_no_device(arenite, tmp_path):
    path = tmp_path / "x.mnn"
    path.write_bytes(CASES["LRN"]())
    lines = arenite("explain", path).stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("MNN_LRN"))
    assert lines[start].endswith(": not in TFLM")
    assert lines[start + 1] == "  TFLM has no operator MNN_LRN."
    assert "TensorFlow Lite Micro does not have: MNN_LRN." in arenite("info", path).stdout
    (operator,) = [op for op in facts(arenite, path)["operators"] if op["name"] == "MNN_LRN"]
    assert operator["function"] is None


def test_custom_operators_of_tflm_are_its_own(arenite, tmp_path):
    ports = [((4,), "int16")]
    model = signal_model("SignalDelay", {"delay_length": 1}, [*ports], ports)
    lines = arenite("explain", saved(model, tmp_path / "x.tflite")).stdout.splitlines()
    assert any("SignalDelay" in line and "TFLM's own kernel" in line for line in lines)
