"""Every scalar option of every operator, set to another value: Arenite next to TFLM's package."""

import warnings
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.errors import AreniteError
from arenite.formats.tflite import write
from arenite.model import BuiltinOperator
from arenite.ops.registry import builtin
from arenite.peers import PeerError, PeerProcess, is_installed
from tests.formats.edited import edited, schema
from tests.native.strategies import OPERATORS, judge, steps_of

pytestmark = [
    pytest.mark.skipif(not is_installed("tflm"), reason="tflite_micro is not installed"),
    pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning"),
]


def has_fields(name: str) -> bool:
    """Whether an operator's options have any."""
    row = getattr(builtin(name), "options", None)
    return row is not None and bool(fields(row))


NAMES = [name for name in OPERATORS if name in BuiltinOperator.__members__ and has_fields(name)]
#: Fields that are enumerations, with the values that the schema has.
ENUMERATIONS = {
    "padding": (0, 1),
    "fusedActivationFunction": (0, 1, 2, 3),
    "weightsFormat": (0, 1),
    "mode": (0, 1),
    "kernelType": (0, 1),
}
#: Geometry that is none: TFLM divides by it.
POSITIVE = ("stride", "dilation", "filter", "depthMultiplier", "blockSize", "numSplits")


@pytest.fixture(scope="module")
def tflm():
    with PeerProcess("tflm", b"", 1) as peer:
        yield peer


def others(name: str, value: Any) -> list[Any]:
    """Other values of an option."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, float):
        return [value + 0.5]
    if not isinstance(value, int):
        return []
    known = ENUMERATIONS.get(name, (value + 1,) if name.startswith(POSITIVE) else (0, value + 1))
    return [one for one in known if one != value]


def first_model(name):
    """A model of the operator's own test, and inputs."""
    found: list[Any] = []

    def keep(_: object, model: Any, seed: int, **more: Any) -> None:
        found.append((model, steps_of(model, seed, **more)))

    judge(name, keep, 1)
    model, steps = found[0]
    return model, next(step for step in steps if isinstance(step, list | tuple))


def ours(file, inputs):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outputs = ar.Interpreter(file)(*inputs)
    except AreniteError:
        return None
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


@pytest.mark.parametrize("name", NAMES)
def test_an_option_has_the_effect_that_it_has_in_tflm(tflm, name):
    model, inputs = first_model(name)
    data, code = write(model), [one.name for one in model.main.operators].index(name)
    options = schema().ModelT.InitFromPackedBuf(data, 0).subgraphs[0].operators[code].builtinOptions
    for field, value in vars(options).items() if options is not None else ():
        for other in others(field, value):

            def edit(found, field=field, other=other):
                setattr(found.subgraphs[0].operators[code].builtinOptions, field, other)

            file = edited(data, edit)
            mine = ours(file, inputs)
            if mine is None:
                continue
            try:
                tflm.open(file, len(model.outputs))
                (theirs,) = tflm.infer([inputs])
            except PeerError as error:
                pytest.fail(f"{field}={other}: Arenite runs it, TFLM does not: {error}")
            for one, expected in zip(mine, theirs, strict=True):
                near = {"rtol": 1e-4, "atol": 1e-4} if expected.dtype.kind == "f" else {}
                check = np.testing.assert_allclose if near else np.testing.assert_array_equal
                check(one.reshape(-1), expected.reshape(-1), err_msg=f"{field}={other}", **near)
