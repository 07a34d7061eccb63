"""``arenite quantize``."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest

import arenite as ar
from arenite.cli.device import DeviceOptions
from arenite.cli.quantize import ActivationsName, BudgetOptions, DenseName, PortsName
from arenite.formats import tflite
from arenite.quantize.settings import Activations, Dense, Ports
from tests.quantize.agreement import samples
from tests.quantize.models import lost, lost_data, random_dense


@pytest.fixture
def files(tmp_path):
    """A float model and samples with labels for it."""
    model = random_dense(8, 64, 4, softmax=True)
    path = tmp_path / "float.tflite"
    path.write_bytes(tflite.write(model))
    x = samples(model, 60)[0].reshape(60, 8)
    y = ar.Interpreter(model).predict(x).reshape(60, 4).argmax(axis=1)
    np.savez(tmp_path / "data.npz", x=x, y=y)
    return path, tmp_path / "data.npz"


def facts(arenite, *arguments):
    result = arenite("quantize", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_the_result_is_written_and_runs(arenite, files, tmp_path):
    model, data = files
    out = tmp_path / "out.tflite"
    result = arenite("quantize", model, "--data", data, "-o", out)
    assert result.exit_code == 0, result.stderr
    assert str(ar.load(out).inputs[0].type) == "int8"
    assert "SQNR of the outputs" in result.stdout
    assert f"written to {out}" in " ".join(result.stdout.split())


def test_the_table_says_what_was_tried_and_what_it_takes(arenite, files):
    model, data = files
    lines = arenite("quantize", model, "--data", data).stdout.splitlines()
    assert any(line.split()[:3] == ["pass", "how", "before"] for line in lines)
    assert any(line.startswith("plain") for line in lines)
    assert any(line.startswith("quantised") for line in lines)


def test_json_has_the_accuracy_of_both_and_every_layer(arenite, files):
    model, data = files
    found = facts(arenite, model, "--data", data, "--passes", "none")
    assert found["scores"]["accuracy"][0] == 1
    assert [one["name"] for one in found["layers"]] == ["FULLY_CONNECTED"] * 2 + ["SOFTMAX"]
    assert [one["name"] for one in found["steps"]] == ["plain"]
    assert found["after"]["flash"] < found["before"]["flash"]


def test_float_operators_are_listed_with_their_reason(arenite, files):
    model, data = files
    found = facts(arenite, model, "--data", data, "--keep-float", "SOFTMAX", "--io", "float")
    assert [(one["name"], one["reason"]) for one in found["floating"]] == [("SOFTMAX", "asked for")]
    out = arenite("quantize", model, "--data", data, "--keep-float", "SOFTMAX").stdout
    assert "2 SOFTMAX: asked for" in out


def test_a_limit_of_flash_gives_mixtures_and_their_picture(arenite, files, tmp_path):
    model, data = files
    whole = facts(arenite, model, "--data", data, "--passes", "none")["after"]["flash"]
    picture = tmp_path / "front.svg"
    found = facts(
        arenite,
        *(model, "--data", data, "--passes", "none"),
        *("--flash", whole - 100, "--svg", picture),
    )
    assert found["after"]["flash"] <= whole - 100
    assert sum(one["is_chosen"] for one in found["front"]) == 1
    assert any(one["is_front"] for one in found["front"])
    circles = ElementTree.parse(picture).getroot().iter("{http://www.w3.org/2000/svg}circle")
    assert len(list(circles)) == len(found["front"]) + 1


def test_a_limit_that_nothing_keeps_is_an_error_and_nothing_is_written(arenite, files, tmp_path):
    model, data = files
    out = tmp_path / "out.tflite"
    result = arenite("quantize", model, "--data", data, "-o", out, "--flash", "500")
    assert result.exit_code == 1
    assert "no mixture" in result.stderr
    assert not out.exists()


def test_a_folder_of_pictures_needs_no_classes(arenite, tmp_path):
    image = pytest.importorskip("PIL.Image")
    from tests.quantize.models import normalised

    model = normalised()
    path = tmp_path / "float.tflite"
    path.write_bytes(tflite.write(model))
    folder = tmp_path / "pictures"
    folder.mkdir()
    rng = np.random.default_rng(0)
    for number in range(4):
        pixels = rng.integers(0, 256, (6, 6, 3), dtype=np.uint8)
        image.fromarray(pixels).save(folder / f"{number}.png")
    result = arenite("quantize", path, "--data", folder, "--passes", "none")
    assert result.exit_code == 1  # two channels are no picture's
    assert "channels" in result.stderr or "shape" in result.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--passes", "magic"), "expected a pass of ranges"),
        (("--max-drop", "many"), "expected a share"),
        (("--ranges", "kl"), "expected a range method of minmax"),
        (("--keep-float", "CONV_2D"), "the model has no CONV_2D"),
        (("--deadline", "5ms"), "expected --clock or --board"),
        (("--board", "nobody"), "nobody"),
    ],
)
def test_wrong_usage_says_what_is_right(arenite, files, options, said):
    model, data = files
    result = arenite("quantize", model, "--data", data, *options)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.replace("│", " ").split())


def test_a_quantised_model_is_refused(arenite, files, tmp_path):
    model, data = files
    out = tmp_path / "out.tflite"
    arenite("quantize", model, "--data", data, "-o", out, "--passes", "none")
    result = arenite("quantize", out, "--data", data)
    assert result.exit_code == 1
    assert "quantised already" in result.stderr


def test_the_result_may_not_be_the_model(arenite, files):
    model, data = files
    result = arenite("quantize", model, "--data", data, "-o", model)
    assert result.exit_code == 2


def test_the_choices_are_those_of_the_settings():
    assert (ActivationsName, DenseName, PortsName) == (Activations, Dense, Ports)


def test_an_arena_gets_one_piece_of_a_board_s_memory() -> None:
    target, budget = BudgetOptions(board="nucleo-h743zi2").meant(DeviceOptions())
    assert target is not None
    assert (target.processor, budget.ram) == ("cortex-m7", 512 * 1024)


def test_without_a_device_or_a_limit_no_target_is_meant() -> None:
    assert BudgetOptions().meant(DeviceOptions())[0] is None
    assert BudgetOptions().meant(DeviceOptions(tflm_version="2024-06"))[0] is not None


@pytest.fixture
def poor(tmp_path):
    """A float model that int8 does not hold, and samples for it."""
    path, data = tmp_path / "poor.tflite", tmp_path / "poor.npz"
    path.write_bytes(tflite.write(lost()))
    names = [tensor.name for tensor in lost().inputs]
    np.savez(data, **dict(zip(names, lost_data(), strict=True)))
    return path, data


def test_a_poor_result_is_an_error_and_nothing_is_written(arenite, poor, tmp_path):
    out = tmp_path / "out.tflite"
    result = arenite("quantize", poor[0], "--data", poor[1], "--passes", "none", "-o", out)
    assert result.exit_code == 1
    assert result.stderr.startswith("error: the int8 model is poor: its outputs have an SQNR of")
    assert not out.exists()


def test_a_poor_result_is_written_where_it_is_accepted(arenite, poor, tmp_path):
    out = tmp_path / "out.tflite"
    options = ("--passes", "none", "--accept", "-o", out)
    result = arenite("quantize", poor[0], "--data", poor[1], *options)
    assert result.exit_code == 0, result.stderr
    assert "note: the int8 model is poor" in result.stdout
    assert out.exists()


def test_samples_that_judge_are_said_to_be_others(arenite, files):
    model, data = files
    result = arenite("quantize", model, "--data", data)
    assert "ranges of 48 samples, judged on 12 others" in " ".join(result.stdout.split())
