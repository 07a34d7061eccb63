"""An input with a dimension of 0 runs, or is refused in Arenite's words, on both engines alike."""

import random

import numpy as np
import pytest

from arenite.errors import AreniteError
from arenite.formats import tflite
from arenite.model import Array, Model
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.interpreter_config import Engine
from tests.native.contract_models import conv
from tests.native.strategies import OPERATORS, judge

ENGINES: tuple[Engine, ...] = ("reference", "auto")


@pytest.mark.parametrize("name", OPERATORS)
def test_an_empty_input_runs_or_is_refused(name: str) -> None:
    judge(name, on_both_engines)


@pytest.mark.parametrize("taps", [1, 3])
@pytest.mark.parametrize("kind", ["int8", "float32"])
def test_a_batch_of_none_gives_none(kind: str, taps: int) -> None:
    model = conv(kind, (4, taps, taps, 3))
    for engine in ENGINES:
        (out,) = emptied(model, 0, 0, engine) or [None]
        assert out is not None
        assert out.shape == (0, *model.outputs[0].shape[1:])


def on_both_engines(oracle: object, model: Model, seed: int, **_: object) -> None:
    """One dimension of an input becomes 0, another one for every model."""
    places = [(i, axis) for i, t in enumerate(model.inputs) for axis in range(len(t.shape))]
    if not places:
        return
    place = random.Random(seed).choice(places)
    reference, native = (emptied(model, *place, engine) for engine in ENGINES)
    assert (reference is None) == (native is None)
    for ours, theirs in zip(reference or (), native or (), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def emptied(model: Model, number: int, axis: int, engine: Engine) -> list[Array] | None:
    """The outputs where one dimension of an input is 0; None where that is refused."""
    shape = list(model.inputs[number].shape)
    shape[axis] = 0
    try:
        interpreter = HeapInterpreter(tflite.read(tflite.write(model)), engine=engine)
        interpreter.resize_input(number, tuple(shape))
        interpreter.allocate_tensors()
        for index in range(len(model.inputs)):
            interpreter.input(index)[...] = 0
        interpreter.invoke()
    except AreniteError:
        return None
    return [interpreter.output(index).copy() for index in range(len(model.outputs))]
