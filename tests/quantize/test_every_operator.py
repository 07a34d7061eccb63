"""What operators state of their quantisation holds: TFLM runs it, with Arenite's bits."""

import pytest

import arenite as ar
from arenite.errors import AreniteError, QuantizationError
from arenite.model import TensorType
from arenite.ops import builtin_names, scheme_of
from arenite.ops.registry import traits_of
from tests.native.strategies import judge
from tests.oracle import Oracle, skip_without_tflm
from tests.quantize.agreement import agrees, samples

NAMES = [name for name in builtin_names() if scheme_of(name)]
#: How many models of an operator's own tests are quantised.
FEW = 3
#: How many models are drawn for that, more where few of them are without scales.
DRAWN = (15, 60, 600)


@pytest.fixture(scope="module")
def oracle():
    skip_without_tflm()
    one = Oracle()
    yield one
    one.close()


def float_models(name):
    """Models that an operator's own test draws, of floats without scales."""
    found = []

    def keep(oracle, model, seed, **arguments):
        kinds = {tensor.type for tensor in model.main.tensors}
        scaled = {tensor.type for tensor in model.main.tensors if tensor.quantization}
        if TensorType.FLOAT32 in kinds and scaled <= {TensorType.FLOAT32}:
            found.append(model)

    for cases in DRAWN:
        found.clear()
        judge(name, keep, cases)
        if len(found) >= FEW:
            break
    assert found
    return found[:FEW]


@pytest.mark.filterwarnings("error::arenite.UndefinedWarning")
@pytest.mark.parametrize("name", NAMES)
def test_quantised_operators_run_in_tflm_with_the_same_bits(name, oracle):
    for model in float_models(name):
        for activations in ("int8", "int16"):
            try:
                result, _ = ar.quantize(
                    model, samples(model, 4), activations=activations, passes=(), accept=True
                )
            except QuantizationError as error:
                assert "expected" in str(error)  # NaN, no dimensions, nothing that integers do
                continue
            except AreniteError:
                continue  # the float model does not run, or not on these samples
            verdict = agrees(oracle, result, samples(model, 4, 1))
            # A small divisor may be no integer but zero, and C leaves that division open.
            by_zero = name == "DIV" and verdict.endswith("no zero to divide by")
            assert verdict == "ok" or by_zero, verdict


@pytest.mark.parametrize("name", NAMES)
def test_prescribed_outputs_are_those_of_the_traits(name):
    scheme = scheme_of(name)
    assert bool(scheme.fixed) == traits_of(name).fixed_output
    assert set(scheme.fixed) <= set(scheme.types)


@pytest.mark.parametrize("name", NAMES)
def test_a_bias_names_values_and_weights(name):
    scheme = scheme_of(name)
    for bias in scheme.biases.values():
        assert bias.weights in scheme.weights
        assert bias.values not in scheme.weights


def test_operators_that_tflm_has_in_float_alone_state_nothing():
    assert [scheme_of(name) for name in ("EXP", "FLOOR", "L2_POOL_2D")] == [None] * 3
