"""Samples as people have them; of mistakes an error of ours, never one of NumPy's."""

import numpy as np
import pytest

import arenite as ar
from arenite.errors import AreniteError, DTypeError, EvaluateError, ShapeError
from arenite.formats import tflite
from arenite.model import ModelBuilder, SignatureDef
from arenite.model.types import FLOAT32, INT8
from arenite.ops.shared.add_sub import AddOptions
from tests.quantize.models import random_dense

X = np.random.default_rng(0).normal(0, 1, (40, 4)).astype(np.float32)
Y = np.arange(40) % 3


class Tensor:
    """An object of TensorFlow's or PyTorch's, which is no array."""

    def __init__(self, value):
        self.value = value

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return np.asarray(self.value)


class Dataset:
    """A dataset as PyTorch has it: a length and places."""

    def __len__(self):
        return len(X)

    def __getitem__(self, place):
        return Tensor(X[place]), int(Y[place])


def converter():
    for row in X:
        yield [row[None]]


def by_name():
    for row in X:
        yield {"x": row[None]}


WAYS = {
    "an array": X,
    "float64": X.astype(np.float64),
    "a list of one array": [X],
    "a dict of arrays": {"x": X},
    "a function": converter,
    "a generator": lambda: iter(converter()),
    "a function of dicts": by_name,
    "samples": list(X),
    "samples with a leading 1": [row[None] for row in X],
    "lists of numbers": X.tolist(),
    "batches": [X[:16], X[16:32], X[32:]],
    "samples and labels": list(zip(X, Y, strict=True)),
    "batches and labels": [(X[:25], Y[:25]), (X[25:], Y[25:])],
    "objects": [Tensor(row) for row in X],
    "a dataset": Dataset(),
}
LABELLED = ("samples and labels", "batches and labels", "a dataset")


@pytest.mark.parametrize("way", WAYS)
def test_all_ways_to_give_samples_make_the_same_file(way):
    model = random_dense(4, 3)
    expected, _ = ar.quantize(model, X, passes=())
    result, report = ar.quantize(model, WAYS[way], passes=())
    assert tflite.write(result) == tflite.write(expected)
    assert report.samples + report.judged == 40
    assert bool(report.scores) == (way in LABELLED)
    assert [t.quantization.scale.tolist() for t in result.main.tensors if t.quantization] == [
        t.quantization.scale.tolist() for t in expected.main.tensors if t.quantization
    ]


def two_inputs():
    b = ModelBuilder()
    one, two = b.input("one", (1, 4), "float32"), b.input("two", (1, 2, 4), "float32")
    y = b.tensor("y", (1, 2, 4), "float32")
    b.operator("ADD", [two, one], [y], AddOptions())
    b.output(y)
    return b.build(signatures=[SignatureDef("serving_default", {"a": one, "b": two}, {"y": y}, 0)])


PAIR = X, np.stack([X, -X], axis=1)


@pytest.mark.parametrize(
    "data",
    [
        list(PAIR),
        (PAIR, None),
        {"one": PAIR[0], "two": PAIR[1]},
        {"a": PAIR[0], "b": PAIR[1]},
        list(zip(*PAIR, strict=True)),
        [list(pair) for pair in zip(*PAIR, strict=True)],
        lambda: (dict(zip("ab", pair, strict=True)) for pair in zip(*PAIR, strict=True)),
        [(pair, 1) for pair in zip(*PAIR, strict=True)],
    ],
)
def test_several_inputs_have_a_value_each(data):
    result, report = ar.quantize(two_inputs(), data, passes=())
    assert report.samples + report.judged == 40
    assert result.inputs[0].quantization.scale[0] == pytest.approx(
        np.ptp(X[np.sort(np.random.default_rng(0).permutation(40)[8:])]) / 255, rel=0.05
    )


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (lambda: ({"z": row} for row in X), EvaluateError, "expected a value called 'x', got 'z'"),
        ([], EvaluateError, "expected samples, got none"),
        (lambda: iter(()), EvaluateError, "expected samples, got none"),
        (lambda: None, EvaluateError, "expected a function that yields samples"),
        ([[1, 2, 3], [1, 2]], ShapeError, r"sample 0, input 'x': expected shape \[1, 4\]"),
        ([[[1], [1, 2]]], ShapeError, "expected an array of numbers"),
        (["a", "b"], DTypeError, "expected numbers"),
        (np.array([None, None]), DTypeError, "expected numbers, got object"),
        (np.zeros((30, 5)), ShapeError, "got"),
        (np.zeros((30, 4), complex), DTypeError, "expected numbers, got complex128"),
        (None, TypeError, "a function that yields samples, or a dataset; got NoneType"),
        (7, TypeError, "got int"),
        (np.full((30, 4), 1e39), AreniteError, "infinity"),
        (np.full((30, 4), np.nan), AreniteError, "NaN"),
    ],
)
def test_mistakes_are_said_with_the_sample(data, error, words):
    with pytest.raises(error, match=words):
        ar.quantize(random_dense(4, 3), data, passes=())


@pytest.mark.parametrize("kind", ["int8", np.int8, np.dtype("int8")])
def test_ends_have_the_types_that_tensorflow_lites_converter_names(kind):
    result, _ = ar.quantize(random_dense(4, 3), X, passes=(), inference_input_type=np.float32)
    assert [t.type for t in (*result.inputs, *result.outputs)] == [FLOAT32, INT8]
    result, _ = ar.quantize(
        random_dense(4, 3), X, passes=(), io="float", inference_output_type=kind
    )
    assert [t.type for t in (*result.inputs, *result.outputs)] == [FLOAT32, INT8]


@pytest.mark.parametrize("kind", [np.uint8, "int16", np.float64, "nothing"])
def test_ends_that_no_kernel_has_are_refused(kind):
    with pytest.raises(ValueError, match="expected inference_input_type of int8, float32"):
        ar.quantize(random_dense(4, 3), X, passes=(), inference_input_type=kind)
