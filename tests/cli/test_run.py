"""``arenite run``."""

import json

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.inputs.files import random_inputs, read_inputs
from arenite.analysis.inputs.values import InputError
from arenite.cli.run import member_names, save_npz
from arenite.model import ModelBuilder
from arenite.target import HOST
from tests.cli.models import classifier, saved


@pytest.fixture
def pixels(tmp_path):
    """A file with an input for the classifier, and its array."""
    array = np.random.default_rng(7).integers(-128, 128, (1, 8, 8, 1), np.int8)
    np.save(tmp_path / "x.npy", array)
    return tmp_path / "x.npy", array


def test_outputs_are_those_of_the_interpreter(arenite, model_file, pixels, tmp_path):
    path, array = pixels
    result = arenite("run", model_file, "--input", path, "--output", tmp_path / "y.npz")
    assert result.exit_code == 0
    with np.load(tmp_path / "y.npz") as outputs:
        assert list(outputs) == ["probabilities"]
        assert np.array_equal(outputs["probabilities"], ar.Interpreter(str(model_file))(array))


def test_results_are_shown_with_labels(arenite, model_file, pixels, tmp_path):
    path, array = pixels
    labels = tmp_path / "labels.txt"
    labels.write_text("one\ntwo\nthree\nfour\n")
    result = arenite("run", model_file, "-i", path, "--labels", labels, "--top", 1)
    best = int(np.argmax(ar.Interpreter(str(model_file))(array)))
    lines = result.stdout.splitlines()[2:]  # behind whose results these are
    assert lines[:6] == [
        str(model_file),
        str(HOST),
        "",
        "in   int8[1,8,8,1]  image",
        "     x.npy",
        "out  int8[1,4]  probabilities",
    ]
    assert lines[7].split()[:2] == [str(best), ["one", "two", "three", "four"][best]]
    assert lines[9].startswith("time  ")
    assert ", one run, " in lines[9]


def test_repeats_are_timed(arenite, model_file):
    result = arenite("run", model_file, "--repeat", 5)
    assert ", median of 5 (" in result.stdout


def test_random_inputs_depend_on_the_seed_alone(arenite, model_file):
    def values(seed):
        result = arenite("run", model_file, "--json", "--seed", seed)
        return json.loads(result.stdout)["outputs"][0]["values"]

    assert values(1) == values(1)
    model = classifier()
    one, same, other = (random_inputs(model, seed)[0].array for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_random_integers_cover_the_type_and_indices_stay_small():
    b = ModelBuilder()
    b.input("wide", (1, 5000), "int8", scale=1.0)
    b.input("index", (1, 100), "int32")
    b.input("real", (1, 100), "float32")
    b.input("flag", (1, 100), "bool")
    wide, index, real, flag = (i.array for i in random_inputs(b.build(), 0))
    assert (wide.min(), wide.max()) == (-128, 127)
    assert set(index.reshape(-1).tolist()) == {0, 1}
    assert -1 <= real.min() < -0.5 < 0.5 < real.max() < 1
    assert flag.dtype == np.bool_


def test_the_keys_of_the_json_are_stable(arenite, model_file):
    facts = json.loads(arenite("run", model_file, "--json").stdout)
    assert list(facts) == ["file", "target", "engine", "inputs", "outputs", "repeat", "seconds"]
    port = ["name", "type", "shape", "bytes", "quantization"]
    assert list(facts["inputs"][0]) == [*port, "origin"]
    assert list(facts["outputs"][0]) == [*port, "values", "top"]
    assert list(facts["outputs"][0]["top"][0]) == ["index", "label", "value", "raw"]
    assert list(facts["seconds"]) == ["median", "min", "max"]


def test_nan_is_null_in_json(arenite, tmp_path):
    b = ModelBuilder()
    x = b.input("x", (1, 2), "float32")
    y = b.tensor("y", (1, 2), "float32")
    b.operator("RESHAPE", [x, b.constant("s", np.array([1, 2], np.int32))], [y])
    b.output(y)
    np.save(tmp_path / "x.npy", np.array([[np.nan, 1]], np.float32))
    model = saved(b.build(), tmp_path / "m.tflite")
    result = arenite("run", model, "--input", tmp_path / "x.npy", "--json")
    output = json.loads(result.stdout)["outputs"][0]
    assert output["values"] == [[None, 1.0]]
    assert output["top"][1] == {"index": 0, "label": "", "value": None, "raw": None}


def test_an_image_is_read_and_the_output_says_how(arenite, model_file, tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.fromarray(np.full((16, 16), 200, np.uint8)).save(tmp_path / "a.png")
    result = arenite("run", model_file, "--input", tmp_path / "a.png")
    assert "     a.png, 16x16 resized to 8x8, pixels 0..255 as 0..1, quantised" in result.stdout
    result = arenite("run", model_file, "-i", tmp_path / "a.png", "--pixel-range", -1, 1)
    assert "pixels 0..255 as -1..1, quantised" in result.stdout


# -- what is refused ---------------------------------------------------------------------


def error(result):
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: ")
    return result.stderr.removeprefix("error: ").rstrip("\n")


def test_a_missing_model(arenite):
    assert error(arenite("run", "no [such] model")) == "no [such] model: No such file or directory"


def test_a_missing_input(arenite, model_file, tmp_path):
    missing = tmp_path / "[x].npy"
    result = arenite("run", model_file, "--input", missing)
    assert error(result) == f"{missing}: No such file or directory"


def test_a_directory(arenite, tmp_path):
    assert error(arenite("run", tmp_path)) == f"{tmp_path}: Is a directory"


def test_an_unknown_format(arenite, model_file, tmp_path):
    result = arenite("run", model_file, "--input", tmp_path / "x.tiff")
    assert error(result) == (
        f"{tmp_path / 'x.tiff'}: expected one of the formats .npy, .npz, .csv, .png, .bmp, "
        ".jpg, .jpeg, .wav, got .tiff"
    )


def test_too_many_inputs(arenite, model_file, pixels):
    result = arenite("run", model_file, "-i", pixels[0], "-i", pixels[0])
    assert error(result) == "expected 1 input file, one for each of 'image', got 2"


def test_labels_of_another_number(arenite, model_file, tmp_path):
    (tmp_path / "labels.txt").write_text("a\nb\n")
    result = arenite("run", model_file, "--labels", tmp_path / "labels.txt")
    assert error(result) == (
        "expected 4 labels, one per value of output 'probabilities' (int8[1,4]), got 2"
    )


def test_an_unsupported_operator(arenite, tmp_path):
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    b.operator("MY_OP", [x], [x], custom_options=b"")
    b.output(x)
    result = arenite("run", saved(b.build(), tmp_path / "m.tflite"))
    assert "MY_OP" in error(result).splitlines()[0]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--repeat", "0"],
        ["--seed", "-1"],
        ["--repeat", "many"],
        ["--nonsense"],
        ["--raw-pixels", "--pixel-range", "0", "1"],
    ],
)
def test_wrong_usage_is_code_2(arenite, model_file, arguments):
    assert arenite("run", model_file, *arguments).exit_code == 2


def test_types_without_a_numpy_dtype_have_no_files():
    b = ModelBuilder()
    b.input("x", (1, 4), "string")
    message = "input 'x': expected numbers of whole bytes, got string"
    with pytest.raises(InputError, match=message):
        random_inputs(b.build(), 0)
    with pytest.raises(InputError, match=message):
        read_inputs(b.build(), [__import__("pathlib").Path("x.npy")])


def test_saved_outputs_have_names_of_their_own(tmp_path):
    names = ["a", "", "a", "x/y:0", "output_5", ""]
    save_npz(tmp_path / "y.npz", names, [np.full(1, i) for i in range(6)])
    with np.load(tmp_path / "y.npz") as outputs:
        assert {name: int(outputs[name][0]) for name in outputs} == {
            "a": 0,
            "output_1": 1,
            "output_2": 2,
            "x/y:0": 3,
            "output_5": 4,
            "output_6": 5,
        }


@pytest.mark.parametrize(
    "name",
    [
        *("../../x", "/x", "x/../y", "..", ".", "a//b", "a/", "a/. ./b", "a\\b"),
        *("a\x1b[31mb", "a\nb", "a\u202eb", "a\udc80", "x" * 201),
    ],
    ids=ascii,
)
def test_a_name_that_leads_elsewhere_is_no_name_of_a_member(name):
    assert member_names([name]) == ["output_0"]


@pytest.mark.parametrize("option", ["model", "input", "labels"])
def test_what_is_read_is_not_written(arenite, tmp_path, option):
    model = saved(classifier(), tmp_path / "m.npz")
    np.savez(tmp_path / "x.npz", np.zeros((1, 8, 8, 1), np.int8))
    (tmp_path / "l.npz").write_text("a\nb\nc\nd\n")
    paths = {"model": model, "input": tmp_path / "x.npz", "labels": tmp_path / "l.npz"}
    before = paths[option].read_bytes()
    (tmp_path / "y.npz").symlink_to(paths[option].name)
    fed = ["--input", paths["input"], "--labels", paths["labels"]]
    result = arenite("run", model, *fed, "--output", tmp_path / "y.npz")
    assert (result.exit_code, paths[option].read_bytes()) == (2, before)
    assert "expected a file that is not read as well" in result.stderr


def test_a_failure_leaves_the_old_output(arenite, model_file, tmp_path, monkeypatch):
    (tmp_path / "y.npz").write_bytes(b"old")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np.lib.format, "write_array", full)
    result = arenite("run", model_file, "--output", tmp_path / "y.npz")
    assert error(result) == f"{tmp_path / 'y.npz'}: No space left on device"
    assert (tmp_path / "y.npz").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["digits.tflite", "y.npz"]


def test_threads_give_the_same_results(arenite, model_file, pixels):
    path, _ = pixels
    found = [
        json.loads(arenite("run", model_file, "-i", path, "--threads", count, "--json").stdout)
        for count in (1, 2, 3)
    ]
    assert found[0]["outputs"] == found[1]["outputs"] == found[2]["outputs"]


@pytest.mark.parametrize("count", [0, -1, 1025])
@pytest.mark.parametrize("command", ["run", "bench"])
def test_threads_are_refused_as_by_an_interpreter(arenite, model_file, command, count):
    with pytest.raises(ValueError, match="threads") as refused:
        ar.Interpreter(str(model_file), threads=count)
    result = arenite(command, model_file, "--threads", count)
    assert result.exit_code == 2
    said = " ".join(result.stderr.replace("│", " ").split())
    assert str(refused.value) in said
