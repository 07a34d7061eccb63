"""``arenite export``."""

import json
import re

import pytest

from tests.cli.models import saved
from tests.firmware.pictures import picture
from tests.firmware.streaming.models import tower


def test_export_writes_a_folder_and_shows_its_layers(arenite, model_file, tmp_path):
    result = arenite("export", model_file, "-o", tmp_path / "out", "--no-emulate", "--target", "m4")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[1] == "cortex-m4; names begin with digits; 22 files"
    assert lines[3].split() == ["#", "layer", "shapes", "function", "in", "constants", "scratch"]
    assert [line.split()[1] for line in lines[4:8]] == ["CONV_2D", "CONV_2D", "RESHAPE", "SOFTMAX"]
    assert lines[-3:-1] == [
        "C      3: SOFTMAX has no kernel in assembly",
        "RAM    " + lines[-2][7:],
    ]
    assert (tmp_path / "out" / "src" / "model.h").exists()


def test_export_has_json(arenite, model_file, tmp_path):
    arguments = ("export", model_file, "-o", tmp_path / "out", "--name", "mine", "--no-emulate")
    result = arenite(*arguments, "--json")
    facts = json.loads(result.stdout)
    assert facts["name"] == "mine"
    assert facts["instructions"] is None
    assert facts["layers"][0]["language"] == "s"
    assert facts.pop("kept") == []
    manifest = json.loads((tmp_path / "out" / "arenite.json").read_text())
    assert {*manifest.pop("digests"), "arenite.json"} == set(facts["files"])
    assert facts == manifest


def test_figures_come_from_an_emulated_core_where_there_is_one(arenite, model_file, tmp_path):
    pytest.importorskip("unicorn")
    result = arenite("export", model_file, "-o", tmp_path / "out", "--json")
    facts = json.loads(result.stdout)
    assert facts["emulated"] == "cortex-m4"
    assert facts["equal"] is True
    assert facts["instructions"] < facts["cycles"]
    assert facts["flash_bytes"] == facts["constant_bytes"] + facts["code_bytes"]


def test_what_the_least_memory_would_be_is_said_in_a_line(arenite, tmp_path):
    pytest.importorskip("unicorn")
    file = saved(tower(), tmp_path / "tower.tflite")
    result = arenite("export", file, "-o", tmp_path / "out")
    said = re.findall(r"^RAM +([\d,]+) bytes.*; ([\d,]+) with --least ram", result.stdout, re.M)
    usual, least = (int(number.replace(",", "")) for number in said[0])
    small = arenite("export", file, "-o", tmp_path / "small", "--least", "ram", "--json")
    assert json.loads(small.stdout)["arena_bytes"] == least < usual


def test_more_memory_than_tflm_takes_is_pointed_out(arenite, tmp_path):
    file = saved(picture(51), tmp_path / "picture.tflite")  # a pool, then a depthwise layer
    result = arenite("export", file, "-o", tmp_path / "kept", "--input", "kept", "--no-emulate")
    taken, tflm = re.findall(
        r"^RAM +([\d,]+) bytes.*\n +more than TFLM's arena of ([\d,]+) bytes", result.stdout, re.M
    )[0]
    assert int(taken.replace(",", "")) > int(tflm.replace(",", ""))
    assert f"TFLM's arena of the same model, which is smaller | {tflm} bytes" in (
        tmp_path / "kept" / "README.md"
    ).read_text("utf-8")
    usual = arenite("export", file, "-o", tmp_path / "usual", "--no-emulate")
    assert "more than TFLM's arena" not in usual.stdout


def test_a_folder_in_use_is_an_error(arenite, model_file, tmp_path):
    (tmp_path / "mine.txt").write_text("")
    result = arenite("export", model_file, "-o", tmp_path)
    assert result.exit_code == 1
    assert "arenite.json" in result.stderr


def test_for_tflm_there_are_an_array_a_resolver_and_a_main(arenite, model_file, tmp_path):
    result = arenite(
        "export", model_file, "-o", tmp_path / "out", "--library", "tflm", "--target", "m4"
    )
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[1] == "TFLM on cortex-m4; names begin with digits; 6 files"
    assert lines[3].startswith("RAM ")
    assert "AddConv2D()" in (tmp_path / "out" / "src" / "digits_model.h").read_text()
    manifest = json.loads((tmp_path / "out" / "arenite.json").read_text())
    result = arenite("export", model_file, "-o", tmp_path / "out", "--library", "tflm", "--json")
    facts = json.loads(result.stdout)
    assert facts.pop("kept") == []
    assert {*manifest.pop("digests"), "arenite.json"} == set(facts["files"])
    assert facts == manifest


def test_an_odd_name_of_a_file_becomes_one_of_c(arenite, model_file, tmp_path):
    odd = model_file.rename(tmp_path / "1 int;\n`*\u00e9t\u00e9 #x.tflite")
    result = arenite("export", odd, "-o", tmp_path / "out", "--no-emulate")
    assert result.exit_code == 0, result.stderr
    assert json.loads((tmp_path / "out" / "arenite.json").read_text())["name"] == "model_1_int_t_x"


def test_a_folder_that_cannot_be_made_is_an_error(arenite, model_file, tmp_path):
    (tmp_path / "file").write_text("")
    result = arenite("export", model_file, "-o", tmp_path / "file" / "out", "--no-emulate")
    assert result.exit_code == 1
    assert "file" in result.stderr
