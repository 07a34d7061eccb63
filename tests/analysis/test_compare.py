"""Two computations of one network, next to each other."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.compare import compared
from arenite.analysis.engines.sides import Side, peer_tensors, side_of
from arenite.errors import CompareError
from arenite.formats.tflite import write
from arenite.model import Model, ModelBuilder
from tests.analysis.rescaled import with_other_scale
from tests.firmware.models import chain
from tests.ops.binary import binary_model
from tests.shared import DIGITS, shared_model, shared_wake_word

PEERS = {"litert": "ai_edge_litert", "tflm": "tflite_micro"}


def saved(model: Model, folder, name="model.tflite") -> str:
    path = folder / name
    path.write_bytes(write(model))
    return str(path)


def test_a_model_equals_itself():
    found = ar.compare(str(DIGITS), str(DIGITS), runs=1)
    assert found
    assert found.first_different is None
    assert len(found.layers) == 10
    assert all(one.sqnr == math.inf and one.cosine == pytest.approx(1) for one in found.layers)


@pytest.mark.parametrize("engine", sorted(PEERS))
def test_peers_are_asked_for_every_tensor(engine):
    if importlib.util.find_spec(PEERS[engine]) is None:
        pytest.skip(f"{engine} is not installed")
    found = ar.compare(str(DIGITS), f"@{engine}", runs=1)
    assert len(found.layers) == 10
    assert found.equal or engine == "litert"


@pytest.mark.parametrize("engine", [*sorted(PEERS), "litert-reference"])
def test_peers_are_not_asked_for_handles_of_variables(engine):
    if importlib.util.find_spec(PEERS.get(engine, "ai_edge_litert")) is None:
        pytest.skip(f"{engine} is not installed")
    found = ar.compare(shared_wake_word("vad"), f"@{engine}", runs=1)
    assert "stream/states" in found.missing
    assert found.equal or engine == "litert"


def test_a_peer_that_ends_says_how_far_it_came():
    if importlib.util.find_spec("tflite_micro") is None:
        pytest.skip("tflite_micro is not installed")
    unscaled = {"scales": (0.0, 0.0, 1.0), "zero_points": (0, 0, 0)}
    ends_it = binary_model("SQUARED_DIFFERENCE", ((2,), (2,)), "int8", **unscaled)
    with pytest.raises(CompareError, match="while it loaded the model; whether the package or"):
        peer_tensors(ends_it, "tflm", [[np.ones(2, np.int8)] * 2])


@pytest.mark.parametrize("take", [ar.load, Path, Path.read_bytes, lambda path: path])
def test_a_side_is_a_model_a_path_or_a_file_s_content(take):
    assert ar.compare(take(DIGITS), take(DIGITS), runs=1)
    assert ar.compare(take(DIGITS), "@cortex-m4", runs=1)


def test_a_side_that_is_no_model_is_a_type_error():
    with pytest.raises(TypeError, match="expected a model file's path or its bytes, got int"):
        ar.compare(3, "@cortex-m4")


@pytest.mark.parametrize("operator", [0, 2, 5])
def test_a_wrong_requantisation_is_found_at_its_operator(operator, tmp_path):
    wrong = with_other_scale(ar.load(DIGITS), operator, 1.02)
    found = ar.compare(str(DIGITS), saved(wrong, tmp_path), runs=3)
    assert found.first_different is not None
    assert found.first_different.operator == operator
    assert [one.operator for one in found.origins] == [operator]


def test_an_operator_is_an_origin_only_if_what_it_reads_is_equal():
    model = chain()
    a, b = Side("a", model), Side("b", model)
    ran = a.tensors([[np.ones((1, 4), np.int8)]])
    other = [{index: value.copy() for index, value in ran[0].items()}]
    first, second, third = (one.outputs[0] for one in model.main.operators)
    for index in (first, third):
        other[0][index] = other[0][index] ^ 1
    found = compared(a, b, ran, other)
    assert [one.different for one in found.layers] == [4, 0, 4]
    assert [one.is_origin for one in found.layers] == [True, False, True]
    assert {first, second, third} == {one.tensors[0] for one in found.layers}


def test_the_worst_element_is_named_with_its_inference_and_place():
    model = chain()
    side = Side("a", model)
    ran = side.tensors([[np.zeros((1, 4), np.int8)], [np.ones((1, 4), np.int8)]])
    other = [{index: value.copy() for index, value in run.items()} for run in ran]
    index = model.main.operators[0].outputs[0]
    other[1][index][0, 2] += 9
    other[0][index][0, 1] += 5
    layer = compared(side, side, ran, other).layers[0]
    assert (layer.different, layer.steps, layer.elements) == (2, 9, 8)
    assert layer.worst is not None
    assert (layer.worst.run, layer.worst.place) == (1, (0, 2))
    assert layer.worst.second - layer.worst.first == 9


def test_the_ratio_of_signal_to_error_is_in_decibels():
    model = chain()
    side, index = Side("a", model), model.main.operators[0].outputs[0]
    ran = [{index: np.array([[10, 10, 10, 10]], np.int8)}]
    other = [{index: np.array([[10, 10, 10, 11]], np.int8)}]
    assert compared(side, side, ran, other).layers[0].sqnr == pytest.approx(10 * math.log10(400))


def test_floats_are_equal_within_a_share_of_the_largest():
    b = ModelBuilder()
    x = b.input("x", (1, 2), "float32")
    y = b.tensor("y", (1, 2), "float32")
    b.operator("RELU", [x], [y])
    b.output(y)
    side = Side("a", b.build())
    ran = [{1: np.array([[100.0, 1.0]], np.float32)}]
    near = [{1: np.array([[100.0, 1.0009]], np.float32)}]
    far = [{1: np.array([[100.0, np.nan]], np.float32)}]
    assert compared(side, side, ran, near).equal
    assert compared(side, side, ran, far).layers[0].different == 1


def test_a_quantised_network_is_paired_with_its_original_and_losses_are_ranked():
    quantised, original = shared_model("ic_int8"), shared_model("ic_float32")
    found = ar.compare(str(quantised), str(original), runs=1)
    assert found.is_quantised_against_float
    assert len(found.layers) == 16
    losses = [one.loss for one in found.most_lost]
    assert losses == sorted(losses, reverse=True)
    assert all(one.sqnr > 5 for one in found.layers)
    turned = ar.compare(str(original), str(quantised), runs=1)
    assert len(turned.layers) == 16


def test_networks_of_other_kinds_are_paired_by_name(tmp_path):
    b = ModelBuilder()
    x = b.input("x", (1, 4), "int8", scale=1.0)
    y = b.tensor("y0", (1, 4), "int8", scale=1.0)
    b.operator("RELU", [x], [y])
    b.output(y)
    found = ar.compare(saved(chain(), tmp_path, "a.tflite"), saved(b.build(), tmp_path), runs=1)
    assert [(one.tensor_name, one.paired) for one in found.layers] == [("y0", "name")]
    assert found.missing == ("y1", "y2")


def test_networks_that_have_nothing_in_common_are_refused(tmp_path):
    b = ModelBuilder()
    x = b.input("x", (1, 4), "int8", scale=1.0)
    y = b.tensor("other", (1, 4), "int8", scale=1.0)
    b.operator("RELU", [x], [y])
    b.output(y)
    with pytest.raises(ar.CompareError, match="no tensor in common"):
        ar.compare(saved(chain(), tmp_path, "a.tflite"), saved(b.build(), tmp_path), runs=1)


def test_networks_with_other_inputs_are_refused(tmp_path):
    with pytest.raises(ar.CompareError, match="other inputs"):
        ar.compare(str(DIGITS), saved(chain(), tmp_path), runs=1)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("@litert", "x", "expected MODEL"),
        (str(DIGITS), "@nothing", "expected an engine of"),
        ("dump.npz", "x", "expected a model before the dump"),
    ],
)
def test_sides_that_are_none_say_what_is_expected(first, second, words):
    with pytest.raises(ValueError, match=words):
        ar.compare(first, second)


def test_an_input_of_another_shape_is_refused():
    with pytest.raises(ar.CompareError, match="expected int8"):
        ar.compare(str(DIGITS), str(DIGITS), [np.zeros((8, 8), np.int8)])


def test_a_name_with_an_at_sign_is_a_file(tmp_path):
    path = saved(chain(), tmp_path, "a@b.tflite")
    assert side_of(path).engine == ""
    assert side_of(f"{path}@m4").engine == "cortex-m4"


def batches(constant: float, blocks: int = 2) -> Model:
    """A network that computes shapes: ``[2, 2, 1]``, where the file says ``[1, 2, 1]``."""
    builder = ModelBuilder()
    x = builder.input("x", (1, 4, 1), "float32")
    block = builder.constant("block", np.array([blocks], np.int32))
    pads = builder.constant("pads", np.zeros((1, 2), np.int32))
    y = builder.tensor("y", (1, 4 // blocks, 1), "float32")
    z = builder.tensor("z", (1, 4 // blocks, 1), "float32")
    builder.operator("SPACE_TO_BATCH_ND", [x, block, pads], [y])
    c = builder.constant("c", np.full(1, constant, np.float32))
    builder.operator("ADD", [y, c], [z])
    builder.output(z)
    return builder.build()


def test_the_shape_is_the_inferences_where_an_operator_computes_it():
    x = np.arange(4, dtype=np.float32)[None, :, None]
    found = ar.compare(batches(1.0), batches(2.0), [x])
    assert [(one.elements, one.different) for one in found.layers] == [(4, 0), (4, 4)]
    assert found.layers[1].worst.place == (0, 0, 0)
    assert found.layers[1].error == 1.0


def test_the_worst_element_lies_in_the_shape_that_was_computed():
    x = np.arange(4, dtype=np.float32)[None, :, None]
    a, b = batches(1.0), batches(1.0)
    one, two = (Side("m", model).tensors([[x], [x]]) for model in (a, b))
    two[1][a.main.operators[0].outputs[0]][1, 1, 0] += 5
    worst = compared(Side("a", a), Side("b", b), one, two).layers[0].worst
    assert (worst.run, worst.place, worst.second - worst.first) == (1, (1, 1, 0), 5.0)


def test_other_shapes_of_one_tensor_are_a_difference():
    if importlib.util.find_spec("tflite_micro") is None:
        pytest.skip("tflite_micro is not installed")
    # TFLM's tensor has the shape in the file, whatever the operator computes.
    first = ar.compare(batches(1.0), "@tflm", runs=1).first_different
    assert first.name == "SPACE_TO_BATCH_ND"
    assert first.shapes == ((2, 2, 1), (1, 2, 1))
    assert math.isinf(first.error)


def test_shapes_that_litert_computes_are_compared_whole():
    if importlib.util.find_spec("ai_edge_litert") is None:
        pytest.skip("ai_edge_litert is not installed")
    found = ar.compare(batches(1.0), "@litert", runs=1)
    assert found.equal
    assert [one.elements for one in found.layers] == [4 * found.runs] * 2
