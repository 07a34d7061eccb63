"""The bundled digits model: what it is, how well it reads, and TFLM's bits on every digit."""

from typing import Any

import data
import pytest

pytest.importorskip("PIL")

import demo
import network
import numpy as np
import pytest
from evaluate import evaluate

import arenite as ar
from tests.oracle import Oracle

HERE = data.HERE


@pytest.fixture(scope="module")
def held_out() -> Any:
    return data.load_held_out()


@pytest.fixture(scope="module")
def outputs(held_out: Any) -> Any:
    """Arenite's output for every held-out digit, int8 ``(360, 10)``."""
    interp = ar.Interpreter(ar.load(data.MODEL))
    return np.concatenate([interp(data.as_int8(image)).copy() for image in held_out.images])


def test_the_model_is_a_few_kilobytes_of_the_operators_that_tutorials_use():
    model = ar.load(data.MODEL)
    assert data.MODEL.stat().st_size < 12_000
    assert {op.name for op in model.main.operators} == {
        "CONV_2D",
        "DEPTHWISE_CONV_2D",
        "MAX_POOL_2D",
        "AVERAGE_POOL_2D",
        "RESHAPE",
        "FULLY_CONNECTED",
        "SOFTMAX",
    }


def test_it_reads_over_97_percent_of_the_held_out_digits(held_out, outputs):
    assert len(held_out.labels) == 360
    assert (outputs.argmax(1) == held_out.labels).mean() > 0.97


def test_evaluate_states_that_accuracy(held_out, outputs):
    right = int((outputs.argmax(1) == held_out.labels).sum())
    assert f"({right} of 360)" in evaluate()


def test_it_equals_tflm_on_every_held_out_digit(oracle: Oracle, held_out, outputs):
    steps = [[data.as_int8(image)] for image in held_out.images]
    answer = oracle.run(data.MODEL.read_bytes(), steps)
    assert answer.status == "ok"
    np.testing.assert_array_equal(outputs, np.concatenate([out for (out,) in answer.outputs]))


def test_the_float_model_quantised_is_the_bundled_one():
    """But for the RESHAPE, which a float model does without."""
    pytest.importorskip("sklearn")
    training, _ = data.load()
    images = data.as_floats(training.images)
    model, _ = ar.quantize(data.FLOAT_MODEL, images, passes=())
    bundled = {tensor.name: tensor for tensor in ar.load(data.MODEL).main.tensors}
    layers = [tensor for tensor in model.main.tensors if tensor.name in bundled]
    assert len(layers) > 15
    for tensor in layers:
        theirs = bundled[tensor.name]
        assert tensor.is_constant == theirs.is_constant
        np.testing.assert_allclose(tensor.quantization.scale, theirs.quantization.scale, rtol=1e-6)
        if tensor.is_constant:
            assert np.array_equal(tensor.value, theirs.value)


@pytest.mark.parametrize("activations", ["int8", "int16"])
def test_the_float_model_keeps_its_accuracy(activations, held_out):
    samples = (data.as_floats(held_out.images), held_out.labels)
    _, report = ar.quantize(data.FLOAT_MODEL, samples, activations=activations)
    ours, theirs = report.scores["accuracy"]
    assert ours > 0.97
    assert theirs > ours - 0.01


def test_the_held_out_digits_are_those_of_the_split_and_in_no_training_set(held_out):
    pytest.importorskip("sklearn")
    training, expected = data.load()
    assert len(training.labels) == 1797 - 360
    np.testing.assert_array_equal(held_out.images, expected.images)
    np.testing.assert_array_equal(held_out.labels, expected.labels)


@pytest.mark.parametrize("digit", range(10))
def test_every_picture_is_read_as_its_digit(digit, held_out):
    image = demo.read_grey(HERE / "images" / f"{digit}.png")
    assert any(np.array_equal(image, other) for other in held_out.images)
    interp = ar.Interpreter(ar.load(data.MODEL))
    assert interp(data.as_int8(image)).argmax() == digit


def test_there_is_a_label_per_class():
    assert (HERE / "labels.txt").read_text().split() == [str(digit) for digit in range(10)]


def test_the_demo_names_the_digit_and_fits_a_terminal(capsys):
    demo.main(["3"])
    lines = capsys.readouterr().out.splitlines()
    assert any("sees a 3" in line for line in lines)
    assert len(lines) < 40
    assert max(map(len, lines)) <= 100


def test_the_demo_says_what_it_takes(capsys):
    with pytest.raises(SystemExit, match="expected a digit 0 to 9 or an image file, got 'x'"):
        demo.main(["x"])


# -- the training code -------------------------------------------------------------------


def convolution(shape: tuple[int, ...], filters: int, depthwise: bool = False) -> network.Layer:
    rng = np.random.default_rng(0)
    return network.Convolution(rng.normal(size=shape), rng.normal(size=filters), depthwise)


LAYERS = {
    "conv": convolution((3, 3, 3, 2), 3),
    "depthwise": convolution((1, 3, 3, 2), 2, depthwise=True),
    "pointwise": convolution((3, 1, 1, 2), 3),
    "max pool": network.MaxPool(),
    "average pool": network.AveragePool(),
    "flatten": network.Flatten(),
    "dense": network.Dense(np.linspace(-1, 1, 6).reshape(3, 2), np.linspace(0, 1, 3)),
}


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
def test_backward_is_the_derivative_of_forward(layer):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2, 2) if isinstance(layer, network.Dense) else (2, 4, 4, 2))
    dy = rng.normal(size=layer.forward(x).shape)
    dx = layer.backward(dy)
    for value, gradient in ((x, dx), *zip(layer.parameters, layer.gradients, strict=True)):
        direction = rng.normal(size=value.shape) * 1e-6
        np.add(value, direction, out=value)
        ahead = layer.forward(x).copy()
        np.subtract(value, 2 * direction, out=value)
        behind = layer.forward(x)
        change = float((dy * (ahead - behind)).sum()) / 2
        np.add(value, direction, out=value)
        assert float((gradient * direction).sum()) == pytest.approx(change, rel=1e-4)
