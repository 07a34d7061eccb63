"""Passes: each helps where it should, and leaves the float model what it was."""

from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.evaluation.data import Reading
from arenite.model import ModelBuilder
from arenite.model.types import INT8
from arenite.ops.shared.add_sub import AddOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.quantize.calibration import calibrated
from arenite.quantize.data import read_data
from arenite.quantize.layers import as_kernel, as_matrix, columns, layers_of
from arenite.quantize.numbers import along, quantized, symmetric
from arenite.quantize.passes.round import rounded
from arenite.quantize.passes.smooth import evened_out, links_of
from tests.optimize.networks import network
from tests.oracle import Oracle, skip_without_tflm
from tests.quantize.agreement import agrees, samples
from tests.quantize.models import attention, random_dense, recurrent, streaming_filters, uneven


def gains(report, name):
    return [one for one in report.steps if one.name == name]


def outlying(model, count=60):
    x = samples(model, count)[0]
    x[::7, ..., 0] *= 40
    return x


def test_ranges_are_chosen_where_outliers_spoil_those_from_end_to_end():
    model = random_dense(16, 32, 8, seed=2)
    x = np.concatenate([samples(model, 200)[0], 8 * samples(model, 4, 1)[0]])
    _, report = ar.quantize(model, x, passes=("ranges",), accept=True)
    tried = gains(report, "ranges")
    assert len(tried) == 3
    assert all(one.after > one.before for one in tried if one.kept)


def test_smooth_helps_channels_that_differ():
    model = uneven()
    _, report = ar.quantize(model, samples(model, 100), passes=("smooth",))
    (kept,) = [one for one in gains(report, "smooth") if one.kept]
    assert kept.after > kept.before + 3


@pytest.mark.parametrize(
    ("model", "activations"),
    [
        (attention(), "int8"),
        (attention(), "int16"),
        (recurrent(), "int8"),
        (recurrent(), "int16"),
        (streaming_filters(), "int8"),
    ],
    ids=["attention", "attention 16x8", "LSTM", "LSTM 16x8", "SVDF"],
)
def test_smooth_helps_what_attention_lstms_and_svdfs_read_and_tflm_runs_it(model, activations):
    skip_without_tflm()
    x = samples(model, 100)[0]
    if any(op.name == "SVDF" for op in model.main.operators):
        x = x.reshape(20, 5, *x.shape[2:])  # a sequence is a sample
    result, report = ar.quantize(model, x, passes=("smooth",), activations=activations)
    (kept,) = [one for one in gains(report, "smooth") if one.kept]
    assert kept.after > kept.before + 9
    assert report.floating == ()
    oracle = Oracle()
    assert agrees(oracle, result, samples(model, 4, 1)) == "ok"
    oracle.close()


def test_factors_and_summands_of_a_normalisation_go_into_all_that_read_it():
    (link,) = links_of(model := attention())
    assert model.main.tensors[link.tensor].name == "normalised"
    named = [
        model.main.tensors[model.main.operators[one.position].inputs[one.operand]].name
        for one in (*link.before, *link.after)
    ]
    assert named == ["beta", "gamma", "q weights", "k weights", "v weights"]


def test_what_something_else_reads_too_keeps_its_channels():
    model = attention()
    (link,) = links_of(model)
    main = replace(model.main, outputs=(*model.main.outputs, link.tensor))
    assert links_of(replace(model, subgraphs=(main,))) == []


def test_summands_alone_cannot_make_channels_smaller():
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "float32"), b.tensor("y", (1, 4), "float32")
    z = b.tensor("z", (1, 3), "float32")
    summand = b.constant("summand", np.ones(4, np.float32))
    b.operator("ADD", [x, summand], [y], AddOptions())
    weights = b.constant("weights", np.ones((3, 4), np.float32))
    b.operator("FULLY_CONNECTED", [y, weights], [z], FullyConnectedOptions())
    b.output(z)
    assert links_of(b.build()) == []


@pytest.mark.parametrize(
    "model",
    [network(4, "separable", "float32"), attention(), recurrent(), streaming_filters()],
    ids=["separable", "attention", "LSTM", "SVDF"],
)
def test_smoothing_leaves_what_the_model_computes(model):
    links = links_of(model)
    rng = np.random.default_rng(0)
    channels = {one.tensor: model.main.tensors[one.tensor].shape[-1] for one in links}
    largest = {tensor: rng.uniform(0.01, 10, count) for tensor, count in channels.items()}
    assert links
    changed = evened_out(model, links, largest, 0.5)
    x = samples(model, 1)[0][0]
    expected = ar.Interpreter(model)(x)
    np.testing.assert_allclose(ar.Interpreter(changed)(x), expected, rtol=1e-3, atol=1e-4)


def test_correct_takes_back_what_rounding_adds_on_average():
    model = random_dense(64, 64, 64, 8, seed=3)
    x = np.abs(samples(model, 100)[0]) + 1
    _, report = ar.quantize(model, x, activations="int16", passes=("correct",))
    (step,) = gains(report, "correct")
    assert step.kept
    assert step.after > step.before + 1


def test_round_keeps_sums_of_correlated_inputs():
    rng = np.random.default_rng(0)
    inputs = rng.normal(0, 1, (1, 500, 1)) + 0.05 * rng.normal(0, 1, (1, 500, 24))
    weights = rng.normal(0, 1, (1, 4, 24))
    found = symmetric(weights[0], 0, INT8)
    scales = np.broadcast_to(along(found, 2) * 16, weights.shape[1:])[None]
    nearest = np.rint(weights / scales) * scales
    together = rounded(weights, scales, inputs, 127) * scales

    def error(other):
        return float((((weights - other) @ inputs.transpose(0, 2, 1)) ** 2).sum())

    assert error(together) < error(nearest) / 4


def test_round_judges_by_the_integer_kernel():
    model = random_dense(32, 24, 4, seed=1)
    base = np.random.default_rng(2).normal(0, 1, (120, 1, 4))
    x = (np.repeat(base, 8, axis=2) + 0.1 * samples(model, 120)[0]).astype(np.float32)
    _, report = ar.quantize(model, x, activations="int16", passes=("round",))
    (step,) = gains(report, "round")
    assert step.after > step.before


def test_what_does_not_help_is_not_kept():
    model = random_dense(8, 8)
    _, report = ar.quantize(model, samples(model, 60), passes=("ranges", "smooth", "round"))
    best = report.steps[0].after
    for one in report.steps:
        assert one.before == best
        if one.kept:
            best = one.after


def test_columns_times_matrix_are_the_layers_sums():
    for kind in ("plain", "mobilenet", "dense"):
        model = network(2, kind, "float32")
        interpreter = ar.Interpreter(model, preserve_all_tensors=True)
        interpreter(samples(model, 1)[0][0])
        for layer in layers_of(model):
            x = interpreter.tensor(layer.source).astype(np.float64)
            y = interpreter.tensor(layer.operator.outputs[0])
            taps = columns(layer, x)
            sums = np.einsum("grt,got->rgo", taps, as_matrix(layer, layer.kernel))
            bias = model.main.tensors[layer.operator.inputs[layer.bias]].value
            made = sums.reshape(-1, y.shape[-1]) + bias
            low, high = y.min(), y.max()
            np.testing.assert_allclose(
                np.clip(made, low, high).reshape(y.shape), y, rtol=1e-3, atol=1e-3
            )


def test_a_matrix_becomes_the_kernel_it_was():
    for layer in layers_of(network(2, "mobilenet", "float32")):
        again = as_kernel(layer, as_matrix(layer, layer.kernel))
        assert np.array_equal(again, layer.kernel)


def test_ranges_after_smoothing_are_those_of_the_new_model():
    model = uneven()
    source = read_data(samples(model, 30)[0], model, Reading()).source
    before = calibrated(model, source)
    links = links_of(model)
    tensor = links[0].tensor
    weights = next(layers_of(model)).kernel
    largest = {tensor: np.abs(weights).max(axis=1)}
    after = calibrated(evened_out(model, links, largest, 0.9), source)
    assert after[tensor].high < before[tensor].high / 2
    assert quantized(weights, symmetric(weights, 0, INT8), INT8).max() == 127
