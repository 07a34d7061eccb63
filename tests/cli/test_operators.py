"""``--ops``: operators from a module that the command line names."""

import json

import numpy as np
import pytest

import arenite as ar
from arenite.cli.operators import OperatorsError, read_operators
from arenite.model import ModelBuilder
from tests.cli.models import saved

TWICE = """
import arenite as ar

def invoke(context, node):
    x, y = (context.get_eval_tensor(i).data for i in (node.inputs[0], node.outputs[0]))
    y[...] = x * 2

OPERATORS = {"TWICE": ar.Registration(invoke=invoke)}
"""


@pytest.fixture
def model(tmp_path):
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "int8"), b.tensor("y", (1, 4), "int8")
    b.operator("TWICE", [x], [y], custom_options=b"")
    b.output(y)
    return saved(b.build(), tmp_path / "twice.tflite")


@pytest.fixture
def ops(tmp_path):
    path = tmp_path / "twice.py"
    path.write_text(TWICE)
    return path


def written(tmp_path, text):
    path = tmp_path / "mine.py"
    path.write_text(text)
    return path


def test_a_model_runs_with_them(arenite, model, ops, tmp_path):
    np.save(tmp_path / "x.npy", np.array([[1, 2, 3, -4]], np.int8))
    files = ("--input", tmp_path / "x.npy", "--output", tmp_path / "y.npz")
    assert arenite("run", model, "--ops", ops, *files).exit_code == 0
    assert np.load(tmp_path / "y.npz")["y"].tolist() == [[2, 4, 6, -8]]


@pytest.fixture
def relu(tmp_path):
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "float32"), b.tensor("y", (1, 4), "float32")
    b.operator("RELU", [x], [y])
    b.output(y)
    return saved(b.build(), tmp_path / "relu.tflite")


def test_one_takes_the_place_of_arenites_with_replace(arenite, relu, tmp_path):
    ops = written(tmp_path, TWICE.replace('"TWICE"', '"RELU"'))
    np.save(tmp_path / "x.npy", np.array([[1, 2, 3, -4]], np.float32))
    files = ("--input", tmp_path / "x.npy", "--output", tmp_path / "y.npz")
    assert arenite("run", relu, "--ops", ops, "--replace", *files).exit_code == 0
    (outputs,) = np.load(tmp_path / "y.npz").values()
    assert outputs.tolist() == [[2, 4, 6, -8]]


def test_one_of_arenites_names_is_refused_without_replace(arenite, relu, tmp_path):
    ops = written(tmp_path, TWICE.replace('"TWICE"', '"RELU"'))
    result = arenite("run", relu, "--ops", ops)
    assert result.exit_code == 1
    assert "'RELU': Arenite has one of that name" in result.stderr
    assert "--replace" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["info"],
        ["memory"],
        ["memory", "--target", "m4", "--passes"],
        ["fit", "--ram", "96k"],
        ["cost"],
        ["explain"],
        ["optimize", "--target", "m4"],
        ["bench", "--repeat", "1"],
        ["compare", "@m4"],
        ["export", "--library", "tflm", "-o", "folder"],
    ],
    ids=" ".join,
)
def test_every_command_finds_them(arenite, monkeypatch, model, ops, arguments):
    monkeypatch.chdir(model.parent)
    name, *options = arguments
    result = arenite(name, model, *options, "--ops", ops, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout)


def test_an_export_says_that_they_have_no_kernel(arenite, model, ops, tmp_path):
    result = arenite("export", model, "-o", tmp_path / "folder", "--ops", ops)
    assert result.exit_code == 1
    assert "TWICE" in result.stderr


def test_without_them_the_error_says_how_to_bring_them(arenite, model):
    result = arenite("run", model)
    assert result.exit_code == 1
    assert "--ops MODULE.py" in result.stderr


def test_what_a_model_came_with_is_found_without_a_resolver(model, ops):
    loaded = ar.load(model, operators=read_operators(ops))
    x = np.array([[5, 6, 7, 8]], np.int8)
    assert ar.Interpreter(loaded)(x).tolist() == [[10, 12, 14, 16]]
    assert ar.HeapInterpreter(loaded).allocate_tensors() is None
    assert ar.smallest_arena(loaded) > 0


def test_a_resolver_of_ones_own_has_what_was_added_and_no_more(model, ops):
    loaded = ar.load(model, operators=read_operators(ops))
    with pytest.raises(ar.UnsupportedOperatorError):
        ar.Interpreter(loaded, resolver=ar.MutableOpResolver())


def test_a_module_can_import_its_neighbours(tmp_path):
    (tmp_path / "neighbour_of_mine.py").write_text(TWICE)
    path = written(tmp_path, "from neighbour_of_mine import OPERATORS\n")
    assert list(read_operators(path)) == ["TWICE"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\n\nimport no_such_package_anywhere\n", "line 3: ModuleNotFoundError: No module"),
        ("def f(:\n", "line 1: SyntaxError: invalid syntax"),
        ("def f():\n    return 1 / 0\n\n\nf()\n", "line 2: ZeroDivisionError"),
        ("x = 1\n", "expected a dict such as OPERATORS = "),
        ("OPERATORS = {}\n", "got {}"),
        ("OPERATORS = [1]\n", "got [1]"),
        (
            "OPERATORS = {'A': print}\n",
            "OPERATORS: operator 'A': expected a Registration, got builtin",
        ),
    ],
    ids=[
        "import",
        "syntax",
        "exception",
        "no hook",
        "empty",
        "no dict",
        "no registration",
    ],
)
def test_a_module_that_is_none_is_refused_with_its_file(tmp_path, text, words):
    path = written(tmp_path, text)
    with pytest.raises(OperatorsError) as raised:
        read_operators(path)
    assert str(raised.value).startswith(str(path))
    assert words in str(raised.value)


def test_a_module_that_fails_is_one_line_and_code_1(arenite, model, tmp_path):
    path = written(tmp_path, "1 / 0\n")
    result = arenite("info", model, "--ops", path)
    assert result.exit_code == 1
    assert result.stderr == f"error: {path}, line 1: ZeroDivisionError: division by zero\n"


def test_a_file_that_is_missing_is_said(arenite, model, tmp_path):
    result = arenite("info", model, "--ops", tmp_path / "no.py")
    assert result.exit_code == 1
    assert result.stderr.endswith("no.py: No such file or directory\n")
