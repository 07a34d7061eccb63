"""Weights with a zero point, which TFLM's kernels do not count and LiteRT refuses."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite.formats.tflite import write
from arenite.model import Model, Quantization
from tests.libraries.cmsis_nn.small_models import MODELS
from tests.oracle import Oracle, skip_without_tflm

OF_ANY = ["conv int8", "conv int16", "conv int4", "depthwise int8", "depthwise int16"]
OF_ANY += ["transposed int8 few", "svdf int8", "dense int8 per unit"]


def with_zero_point(model: Model, zero_point: int) -> Model:
    """The model with that zero point in its first operator's weights."""
    graph, operator = model.main, model.main.operators[0]
    position = 1
    index = operator.inputs[position]
    weights = graph.tensors[index]
    assert weights.quantization is not None
    old = weights.quantization
    new = Quantization(old.scale, np.full_like(old.zero_point, zero_point), old.quantized_dimension)
    tensors = list(graph.tensors)
    tensors[index] = replace(weights, quantization=new)
    return replace(model, subgraphs=(replace(graph, tensors=tuple(tensors)),))


def warned(model: Model, target: str | None = None) -> list[str]:
    """What is said of the model's weights when it is prepared."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ar.HeapInterpreter(model, target=target).allocate_tensors()
    texts = [str(one.message) for one in caught if one.category is ar.UndefinedWarning]
    return [text for text in texts if "have a zero point of" in text]


@pytest.mark.parametrize("name", OF_ANY)
@pytest.mark.parametrize("target", [None, "cortex-m4"])
def test_a_zero_point_that_no_kernel_reads_is_said(name: str, target: str | None) -> None:
    model = MODELS[name]()
    assert warned(model, target) == []
    assert len(warned(with_zero_point(model, 3), target)) == 1


def test_the_message_names_the_weights_and_what_to_do() -> None:
    model = with_zero_point(MODELS["conv int8"](), 3)
    name = model.main.tensors[model.main.operators[0].inputs[1]].name
    [text] = warned(model)
    assert re.match(f"CONV_2D 0 \\(.*\\): weights {name!r} have a zero", text)
    assert re.search("Quantise weights symmetrically", text)


@pytest.mark.parametrize("name", ["dense int8 3 dimensions", "dense int4", "dense int16"])
def test_the_one_zero_point_of_a_dense_layer_counts_but_for_some_functions_of_cmsis_nn(
    name: str,
) -> None:
    model = with_zero_point(MODELS[name](), 3)
    assert warned(model) == []
    assert len(warned(model, "cortex-m4")) == 1


def test_a_dense_layers_function_of_cmsis_nn_that_counts_it_is_silent() -> None:
    assert warned(with_zero_point(MODELS["dense int8"](), 3), "cortex-m4") == []


def test_weights_of_an_lstm_have_none_with_cmsis_nn() -> None:
    model = with_zero_point(MODELS["lstm int8"](), 3)
    assert warned(model) == []
    assert len(warned(model, "cortex-m4")) == 1


@pytest.mark.parametrize("name", ["conv int8", "depthwise int8", "dense int8 per unit"])
@pytest.mark.filterwarnings("ignore:.*have a zero point:arenite.UndefinedWarning")
def test_results_are_tflms(name: str) -> None:
    skip_without_tflm()
    oracle = Oracle()
    model = with_zero_point(MODELS[name](), 3)
    x = np.random.default_rng(1).integers(-128, 128, model.inputs[0].shape).astype(np.int8)
    answer = oracle.run(write(model), [[x]])
    oracle.close()
    assert answer.status == "ok"
    assert np.array_equal(ar.Interpreter(model)(x), answer.outputs[0][0])
