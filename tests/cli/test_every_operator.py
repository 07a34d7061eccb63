"""Every command on every operator: an answer, or a refusal in words."""

from __future__ import annotations

import json
from math import prod

import numpy as np
import pytest

from arenite.model import ModelBuilder, TensorType
from tests.cli.models import saved
from tests.native.strategies import OPERATORS, judge

COMMANDS = (
    ["info"],
    ["run"],
    ["memory"],
    ["explain"],
    ["explain", "--op", "0"],
    ["cost"],
    ["cost", "--op", "0"],
)


def models(name):
    """Models of one operator, from its own test: one for all types of its tensors."""
    found = {}

    def keep(oracle, model, seed, **arguments):
        found.setdefault(tuple(str(tensor.type) for tensor in model.main.tensors), model)

    judge(name, keep)
    return found


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
@pytest.mark.parametrize("name", OPERATORS)
def test_every_command_answers_or_refuses_in_words(arenite, tmp_path, name):
    ran = set()
    for kind, model in models(name).items():
        path = saved(model, tmp_path / "m.tflite")
        for command, *options in COMMANDS:
            result = arenite(command, path, *options, "--json")
            assert isinstance(result.exception, SystemExit | None), (kind, command)
            if result.exit_code:
                assert result.stderr.startswith("error: "), (kind, command)
            else:
                json.loads(result.stdout)
                ran.add((command, *options))
                assert arenite(command, path, *options).exit_code == 0, (kind, command)
    assert ran == {tuple(command) for command in COMMANDS}


#: Element types that TFLM runs no tensor of.
REFUSED = ("STRING", "VARIANT", "INT2", "UINT4", "FLOAT8_E4M3FN", "FLOAT8_E5M2")
#: A resource has no value in a file.
TYPES = [type_ for type_ in TensorType if type_.name not in (*REFUSED, "RESOURCE")]


@pytest.mark.parametrize("name", REFUSED)
def test_types_that_tflm_does_not_run_are_refused_in_words(arenite, tmp_path, name):
    b = ModelBuilder()
    b.output(b.input("y", (1,), TensorType[name]))
    result = arenite("memory", saved(b.build(), tmp_path / "m.tflite"))
    assert result.stderr == f"error: tensor 'y': TFLM does not run type {name.lower()}\n"


@pytest.mark.parametrize("shape", [(1, 4), (2, 2), (1,), (0,)], ids=str)
@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_an_output_of_every_type_is_shown(arenite, tmp_path, type_, shape):
    b = ModelBuilder()
    data = np.zeros(type_.nbytes(prod(shape)), np.uint8).view(type_.dtype)
    whole = type_.bits == type_.dtype.itemsize * 8
    b.output(b.constant("y", data.reshape(shape) if whole else data, type=type_, shape=shape))
    path = saved(b.build(), tmp_path / "m.tflite")
    for options in [], ["--json"], ["--output", tmp_path / "y.npz"]:
        result = arenite("run", path, *options)
        assert (result.exit_code, result.stderr) == (0, "")


def test_a_bool_output_is_ranked_true_first(arenite, tmp_path):
    b = ModelBuilder()
    b.output(b.constant("y", np.array([False, True, False, True])))
    result = arenite("run", saved(b.build(), tmp_path / "m.tflite"), "--json")
    output = json.loads(result.stdout)["outputs"][0]
    assert output["values"] == [False, True, False, True]
    assert [one["index"] for one in output["top"]] == [1, 3, 0, 2]


def test_complex_numbers_are_pairs_in_json(arenite, tmp_path):
    b = ModelBuilder()
    b.output(b.constant("y", np.array([1 + 2j], np.complex64)))
    result = arenite("run", saved(b.build(), tmp_path / "m.tflite"), "--json")
    assert json.loads(result.stdout)["outputs"][0]["values"] == [[1.0, 2.0]]
