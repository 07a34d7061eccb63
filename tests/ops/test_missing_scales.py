"""A scale that is 0 or not there: one rule for all operators, TFLM's package's.

A ratio of scales that is no finite number counts as 0.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arenite.errors import AreniteError, UndefinedWarning
from arenite.formats import tflite
from arenite.model import Model
from arenite.runtime.heap_host import HeapInterpreter
from tests.inferences import take
from tests.ops.differential import CASES, agrees, differential, models_of, module_of, random_array
from tests.ops.lstm import lstm
from tests.oracle import Oracle

#: Operators whose own tests have a strategy for models.
NAMES = (
    *("BATCH_MATMUL", "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "LEAKY_RELU", "PRELU"),
    *("QUANTIZE", "SVDF", "TRANSPOSE_CONV", "LOGISTIC", "TANH", "RELU", "RELU6", "ELU"),
    *("HARD_SWISH", "MUL", "SQUARED_DIFFERENCE", "UNIDIRECTIONAL_SEQUENCE_LSTM"),
)
#: An operator has a few models only: it is the rule that all of them share.
some = settings(differential, max_examples=max(4, CASES // 4))

pytestmark = pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")


@st.composite
def without_scales(draw: st.DrawFn, models: st.SearchStrategy[Model]) -> Model:
    """A random model, of which one or two tensors have a scale of 0, or none."""
    model = draw(models.filter(lambda one: any(t.quantization for t in one.main.tensors)))
    tensors = list(model.main.tensors)
    quantized = [number for number, one in enumerate(tensors) if one.quantization]
    chosen = draw(st.lists(st.sampled_from(quantized), min_size=1, max_size=2, unique=True))
    for number in chosen:
        quantization = tensors[number].quantization
        assert quantization is not None
        zero = replace(quantization, scale=np.zeros_like(quantization.scale))
        changed = draw(st.sampled_from([None, zero]))
        tensors[number] = replace(tensors[number], quantization=changed)
    main = replace(model.main, tensors=tuple(tensors))
    return replace(model, subgraphs=(main, *model.subgraphs[1:]))


def check(oracle: Oracle, model: Model, seed: int) -> None:
    agrees(oracle, model, seed)
    try:
        reference, native = (made(model, seed, engine) for engine in ("reference", "auto"))
    except AreniteError:
        return
    for ours, theirs in zip(reference, native, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def made(model, seed, engine):
    model = tflite.read(tflite.write(model))
    rng = np.random.default_rng(seed)
    interpreter = HeapInterpreter(model, engine=engine)
    interpreter.allocate_tensors()
    (outputs,) = take(interpreter, model, [[random_array(t, rng) for t in model.inputs]])
    return outputs


@pytest.mark.parametrize("name", NAMES)
@some
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_a_missing_scale_gives_what_tflm_gives(
    oracle: Oracle, name: str, data: st.DataObject, seed: int
) -> None:
    check(oracle, data.draw(without_scales(models_of(name))), seed)


def test_a_dense_layer_without_a_scale_of_its_output_gives_its_zero_point(oracle: Oracle):
    model = module_of("FULLY_CONNECTED").dense(
        np.array([[1, 2]], np.int8), scales=(1.0, 1.0, 0.0), zeros=(0, 0, 3)
    )
    answer = agrees(oracle, model, 0)
    assert answer.outputs[0][0].tolist() == [[3]]


@pytest.mark.filterwarnings("error")
def test_a_missing_scale_is_said():
    dense = module_of("FULLY_CONNECTED").dense
    unscaled = dense(np.array([[1, 2]], np.int8), scales=(1.0, 1.0, 0.0))
    interpreter = HeapInterpreter(unscaled)
    with pytest.warns(UndefinedWarning, match=r"input \* weights / output is inf"):
        interpreter.allocate_tensors()


@pytest.mark.parametrize("states", [(0.0, 0.01), (2.0**-11, 0.0), (0.0, 0.0)])
def test_an_lstm_whose_states_have_no_scale_gives_the_zero_point(
    oracle: Oracle, states: tuple[float, float]
):
    cell, hidden = states
    rng = np.random.default_rng(0)
    model = lstm("int8", rng, cell_scale=cell, hidden_scale=hidden, cell_clip=1.0)
    check(oracle, model, 0)
    answer = agrees(oracle, model, 0, invokes=3, reset=True)
    assert answer.status == "ok"
    assert set(np.ravel(answer.outputs)) == {-2}
