"""All passes over every operator there is, and over broken files: nothing differs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite import peers
from arenite.errors import AreniteError
from arenite.model.model import constant_bytes
from tests.fuzz.targets import CORPUS
from tests.native.strategies import OPERATORS, judge


@pytest.fixture(autouse=True)
def _fast(monkeypatch):
    monkeypatch.setattr(peers, "is_installed", lambda name: name != "tflm")


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
@pytest.mark.parametrize("name", OPERATORS)
def test_models_of_one_operator_stay_the_same(name):
    found = {}

    def keep(oracle, model, seed, **arguments):
        found.setdefault(tuple(str(tensor.type) for tensor in model.main.tensors), model)

    judge(name, keep)
    for model in found.values():
        _, report = ar.optimize(model, verify=2, strip=True)
        assert report.original is model


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
def test_files_that_fuzzing_kept_stay_the_same_or_are_refused():
    outcomes = set()
    for path in sorted((CORPUS / "tflite").glob("*")):
        try:
            model = ar.load(path.read_bytes())
        except AreniteError:
            continue
        result, _ = ar.optimize(model, verify=2)
        outcomes.add(result is model)
    assert outcomes == {True, False}


def with_constants(model):
    """The model whose inputs have values in the file, and are no inputs any more."""
    rng = np.random.default_rng(0)
    tensors = list(model.main.tensors)
    for index in model.main.inputs:
        value = rng.integers(0, 2, tensors[index].nbytes, np.uint8)
        tensors[index] = replace(tensors[index], data=constant_bytes(value), buffer=0)
    main = replace(model.main, tensors=tuple(tensors), inputs=())
    return replace(model, subgraphs=(main, *model.subgraphs[1:]))


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_on_constants_of_the_file_stays_the_same(name):
    found = {}

    def keep(oracle, model, seed, **arguments):
        found.setdefault(tuple(str(tensor.type) for tensor in model.main.tensors), model)

    judge(name, keep)
    for model in found.values():
        given = with_constants(model)
        try:
            _, report = ar.optimize(given, verify=1, strip=True)
        except ar.ModelError:
            continue
        assert report.original is given
