"""Verification: it finds what differs, on every way there is to run a model."""

from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite import peers
from arenite.errors import OptimizationError, PlanError
from arenite.model import Model
from arenite.model.model import constant_bytes
from arenite.optimize import optimizer, samples
from arenite.optimize import verify as verification
from arenite.optimize.outcome import Outcome
from arenite.optimize.settings import Settings
from arenite.optimize.verify import first_difference, surviving, verify
from arenite.target import find_target
from tests.ops.signal.models import signal_model
from tests.optimize.layers import Layers
from tests.optimize.networks import network
from tests.optimize.planned import conv
from tests.runtime.models import conv_model, custom_chain, memory_of_three

SETTINGS = Settings()


def with_constant(model: Model, number: int, value: np.ndarray) -> Model:
    """The model with another value for the tensor ``number``."""
    tensors = list(model.main.tensors)
    tensors[number] = replace(tensors[number], data=constant_bytes(value), buffer=0)
    return replace(model, subgraphs=(replace(model.main, tensors=tuple(tensors)),))


def one_weight_off(model: Model) -> Model:
    """The last convolution's first weight is another one."""
    number = model.main.operators[-1].inputs[1]
    value = model.main.tensors[number].value
    assert value is not None
    changed = value.copy()
    changed.flat[0] ^= 0x40
    return with_constant(model, number, changed)


def test_equal_models_are_compared_on_all_ways():
    model = conv_model()
    found = verify(model, replace(model, description="other"), SETTINGS, 3)
    assert found.inferences == 4 + 3 + 3
    assert found.ways[0] == "reference"
    assert ("tflite_micro" in found.ways) == peers.is_installed("tflm")
    assert found.tensors == 2
    assert found.stand_ins == ()


def test_one_weight_is_found():
    with pytest.raises(OptimizationError, match=r"with NumPy kernels, inference 0, .*: expected"):
        verify(conv_model(), one_weight_off(conv_model()), SETTINGS, 2)


def test_tensors_inside_are_compared():
    net = Layers(0)
    x = net.input(1, 4)
    net.relu(x)
    net.output(net.add(x, x))
    model = net.build()
    other = replace(model.main.operators[0], name="RELU6")
    operators = (other, *model.main.operators[1:])
    changed = replace(model, subgraphs=(replace(model.main, operators=operators),))
    with pytest.raises(OptimizationError, match=f"inference ., {model.main.tensors[1].name}: exp"):
        verify(model, changed, SETTINGS, 2)


def test_a_tensor_of_another_shape_or_quantisation_is_another_one():
    model = conv_model()
    assert set(surviving(model, model)) == {"y0", "y1"}
    tensors = list(model.main.tensors)
    number = next(i for i, tensor in enumerate(tensors) if tensor.name == "y0")
    tensors[number] = replace(tensors[number], quantization=None)
    other = replace(model, subgraphs=(replace(model.main, tensors=tuple(tensors)),))
    assert set(surviving(model, other)) == {"y1"}


def test_what_is_remembered_counts():
    model = memory_of_three()
    number = next(i for i, t in enumerate(model.main.tensors) if t.name == "time")
    forgets = with_constant(model, number, np.array([[4, 0, 1]], np.float32))
    with pytest.raises(OptimizationError, match="inference 1"):
        verify(model, forgets, SETTINGS, 4)
    verify(model, replace(model, description="other"), SETTINGS, 4)


@pytest.mark.skipif(not peers.is_installed("tflm"), reason="tflite_micro is not installed")
def test_the_package_finds_differences_alone(monkeypatch):
    monkeypatch.setattr(verification, "compare_apart", lambda pair: 0)
    monkeypatch.setattr(verification, "compare_in_arena", lambda pair, engine: None)
    with pytest.raises(OptimizationError, match="in tflite_micro, inference 0, output 0"):
        verify(conv_model(), one_weight_off(conv_model()), SETTINGS, 2)


@pytest.mark.skipif(not peers.is_installed("tflm"), reason="tflite_micro is not installed")
@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
def test_the_package_is_not_asked_for_results_that_it_leaves_undefined():
    indices = {"start_index": 0, "end_index": 9}
    energies = signal_model("SignalEnergy", indices, [((18,), "int16")], [((62,), "uint32")])
    found = verify(energies, replace(energies, description="other"), SETTINGS, 2)
    assert "tflite_micro" not in found.ways
    assert "depends on what lies in the arena" in found.skipped[-1]


@pytest.mark.skipif(not peers.is_installed("tflm"), reason="tflite_micro is not installed")
def test_the_package_gets_no_plan_that_is_wrong_for_its_kernels():
    model, target = conv(3), find_target("cortex-m4")
    planned, _ = ar.optimize(model, target, only=["plan"], overlap="target", verify=0)
    with pytest.raises(PlanError):
        ar.smallest_arena(planned)
    found = verify(planned, replace(planned, description="other"), Settings(target=target), 2)
    assert "tflite_micro" in found.ways


def test_the_arena_finds_differences_alone(monkeypatch):
    monkeypatch.setattr(verification, "compare_apart", lambda pair: 0)
    with pytest.raises(OptimizationError, match="in an arena with the reference engine"):
        verify(conv_model(), one_weight_off(conv_model()), SETTINGS, 2)


def test_other_ports_are_another_model():
    model = conv_model()
    main = replace(model.main, outputs=(model.main.outputs[0],) * 2)
    with pytest.raises(OptimizationError, match="expected 1 outputs, got 2"):
        verify(model, replace(model, subgraphs=(main,)), SETTINGS, 1)


def test_a_result_that_does_not_run_is_a_difference():
    model = conv_model()
    first, second = model.main.operators
    broken = replace(first, inputs=(first.inputs[0], first.inputs[0], first.inputs[2]))
    main = replace(model.main, operators=(broken, second))
    with pytest.raises(OptimizationError, match="the original runs, the result does not"):
        verify(model, replace(model, subgraphs=(main,)), SETTINGS, 1)


def test_operators_that_nobody_knows_have_stand_ins():
    model = custom_chain(2)
    found = verify(model, replace(model, description="x"), SETTINGS, 2)
    assert found.stand_ins == ("STEP",)
    assert "tflite_micro: an operator is not known to it" in found.skipped
    shorter = replace(
        model.main,
        operators=(replace(model.main.operators[1], inputs=model.main.operators[0].inputs),),
    )
    with pytest.raises(OptimizationError):
        verify(model, replace(model, subgraphs=(shorter,)), SETTINGS, 2)


def test_a_difference_throws_the_result_away_and_names_the_pass(monkeypatch):
    monkeypatch.setattr(optimizer, "sequence", lambda only: ("wrong",))
    monkeypatch.setattr(
        optimizer, "find", lambda name: lambda model, settings: Outcome(one_weight_off(model))
    )
    with pytest.raises(OptimizationError, match="pass 'wrong' changed the outputs"):
        ar.optimize(conv_model(), verify=2)
    got, report = ar.optimize(conv_model(), verify=0)
    assert report.verification is None
    assert got is report.model


def test_a_model_that_does_not_run_comes_back_with_the_reason():
    model = conv_model()
    first, second = model.main.operators
    broken = replace(first, inputs=(first.inputs[0], first.inputs[0], first.inputs[2]))
    model = replace(model, subgraphs=(replace(model.main, operators=(broken, second)),))
    got, report = ar.optimize(model)
    assert got is model
    assert "it does not run" in report.declined[0].text


def test_inputs_stay_in_the_range_that_is_promised():
    model = conv_model()
    steps = samples.sequence(model, 5, {"image": (-1.0, 2.0)})
    values = np.concatenate([step[0].reshape(-1) for step in steps if step is not None])
    assert (values.min(), values.max()) == (3 - 10, 3 + 20)


def test_extreme_inputs_are_among_the_samples():
    steps = samples.sequence(conv_model(), 0)
    assert steps[0] is not None
    assert steps[1] is not None
    assert (steps[0][0] == -128).all()
    assert (steps[1][0] == 127).all()


@pytest.mark.parametrize(
    ("a", "b", "place"),
    [
        ([1.0, 2.0], [1.0, 2.0], None),
        ([np.nan], [np.nan], None),
        ([0.0, 0.0], [0.0, -0.0], 1),
        ([1.0], [np.nan], 0),
    ],
)
def test_bits_are_compared(a, b, place):
    assert first_difference(np.float32(a), np.float32(b)) == place


def test_without_a_change_nothing_is_verified():
    once, _ = ar.optimize(network(5), verify=0)
    got, report = ar.optimize(once)
    assert got is once
    assert report.verification is None
