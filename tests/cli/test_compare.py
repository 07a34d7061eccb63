"""``arenite compare``."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.analysis.rescaled import with_other_scale
from tests.cli.models import classifier, saved


@pytest.fixture
def wrong_file(tmp_path):
    return saved(with_other_scale(classifier(), 1, 1.05), tmp_path / "wrong.tflite")


def test_equal_sides_exit_with_0(arenite, model_file):
    result = arenite("compare", model_file, "@cortex-m4", "--runs", 1)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "Every tensor is equal."


def test_the_first_operator_that_differs_is_named_and_the_exit_code_is_1(
    arenite, model_file, wrong_file
):
    result = arenite("compare", model_file, wrong_file, "--runs", 1)
    assert result.exit_code == 1
    assert "The first that differs is operator 1, CONV_2D" in " ".join(result.stdout.split())


def test_json_has_every_layer(arenite, model_file, wrong_file):
    result = arenite("compare", model_file, wrong_file, "--runs", 1, "--json")
    facts = json.loads(result.stdout)
    assert facts["first_different"] == 1
    assert facts["origins"] == [1]
    assert [one["operator"] for one in facts["layers"]] == [0, 1, 2, 3]
    assert facts["layers"][0]["sqnr"] is None


def test_a_picture_has_a_column_per_operator_that_differs(
    arenite, model_file, wrong_file, tmp_path
):
    picture = tmp_path / "error.svg"
    arenite("compare", model_file, wrong_file, "--runs", 1, "--svg", picture)
    boxes = ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}rect")
    colours = [box.get("class") for box in boxes][1:]
    layers = json.loads(arenite("compare", model_file, wrong_file, "--runs", 1, "--json").stdout)[
        "layers"
    ]
    shown = [one for one in layers if one["sqnr"] is not None and one["sqnr"] < 60]
    assert colours == ["red l" if one["is_origin"] else "amber l" for one in shown]
    assert "red l" in colours


def test_a_log_of_a_board_is_compared_with_its_input(arenite, model_file, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((1, 8, 8, 1), np.int8))
    log = tmp_path / "board.log"
    log.write_text("arenite tensor 9 4\n00000000\n")
    result = arenite("compare", model_file, log, "--input", tmp_path / "x.npy")
    assert result.exit_code == 1
    assert "SOFTMAX" in result.stdout


def test_the_snippet_is_printed_alone(arenite, model_file):
    result = arenite("compare", model_file, "--snippet")
    assert result.exit_code == 0
    assert result.stdout.startswith("// The interpreter has to keep all tensors")


@pytest.mark.parametrize(
    "arguments", [(), ("@nothing",), ("dump.npz", "--runs", 1), ("@m4", "--svg", "a.png")]
)
def test_wrong_usage_and_a_missing_file_exit_with_2(arenite, model_file, arguments):
    assert arenite("compare", model_file, *arguments).exit_code == 2


def test_a_least_signal_to_error_decides_on_the_exit_code(arenite, model_file):
    near = arenite("compare", model_file, "@cortex-m4", "--runs", "1", "--min-sqnr", "500")
    assert near.exit_code == 0


def test_fused_names_are_cut_between_words():
    from arenite.report.compare import short

    assert short("net/bn/FusedBatchNormV3;net/conv/Conv2D;net/bias") == "bn/FusedBatchNormV3 +2"
    assert short("image") == "image"
