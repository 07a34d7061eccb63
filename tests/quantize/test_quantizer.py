"""``ar.quantize``: what comes out runs in TFLM, is near the float model, and is the same twice."""

from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.evaluation.data import Reading
from arenite.analysis.inputs.values import Pixels
from arenite.errors import QuantizationError
from arenite.formats import tflite
from arenite.model import ModelBuilder, SignatureDef
from arenite.model.types import FLOAT32, INT8, INT16
from arenite.ops.shared.add_sub import AddOptions, SubOptions
from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.ops.tflite.div import DivOptions
from arenite.ops.tflite.mul import MulOptions
from arenite.processes.workers import worker_pool
from arenite.quantize.calibration import calibrated
from arenite.quantize.data import read_data
from arenite.quantize.judge import Judge
from arenite.quantize.outcome import quantization_facts
from arenite.quantize.rewriting import rewritten
from arenite.runtime.io_conversion import dequantized, real_range
from tests.ops.lstm import lstm
from tests.ops.svdf import svdf
from tests.optimize.networks import KINDS, network
from tests.oracle import Oracle, skip_without_tflm
from tests.quantize.agreement import agrees, samples
from tests.quantize.models import dense, normalised, random_dense, streaming
from tests.shared import shared_model


@pytest.fixture(scope="module")
def oracle():
    skip_without_tflm()
    one = Oracle()
    yield one
    one.close()


def quantized(model, **settings):
    settings = {"passes": (), **settings}
    return ar.quantize(model, samples(model, 30), **settings)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_random_networks_run_in_tflm_with_the_same_bits(kind, oracle):
    model = network(3, kind, "float32")
    result, report = quantized(model, passes=("ranges", "correct"))
    assert agrees(oracle, result, samples(model, 3, 1)) == "ok"
    assert report.sqnr > 15


@pytest.mark.parametrize("activations", ["int8", "int16"])
def test_recurrent_layers_run_in_tflm_with_the_same_bits(activations, oracle):
    model = lstm("float32", np.random.default_rng(0))
    result, report = quantized(model, activations=activations)
    assert agrees(oracle, result, samples(model, 4, 1)) == "ok"
    assert report.sqnr > 25
    assert report.floating == ()


def test_layers_with_a_memory_see_it_in_sequences(oracle):
    model = svdf("float32")
    sequences = np.random.default_rng(1).normal(0, 1, (12, 20, *model.inputs[0].shape[1:]))
    result, report = ar.quantize(model, sequences.astype(np.float32), passes=())
    assert agrees(oracle, result, samples(model, 30, 1)) == "ok"
    assert report.sqnr > 20
    assert report.floating == ()


def test_variables_become_integers_with_all_that_touches_them(oracle):
    model = streaming()
    sequences = np.random.default_rng(1).normal(0, 1, (12, 10, *model.inputs[0].shape[1:]))
    for activations in ("int8", "int16"):
        result, report = ar.quantize(
            model, sequences.astype(np.float32), activations=activations, passes=()
        )
        assert agrees(oracle, result, samples(model, 12, 1)) == "ok"
        assert report.sqnr > 30
        assert report.floating == ()
        assert "DEQUANTIZE" not in [op.name for op in result.main.operators]


def test_a_variable_that_something_leaves_float_stays_so_everywhere():
    model = streaming()
    _, report = quantized(model, keep_float=["READ_VARIABLE"])
    assert [one.name for one in report.floating] == ["READ_VARIABLE", "ASSIGN_VARIABLE"]


def test_a_variable_that_another_subgraph_writes_stays_float(oracle):
    model = streaming(begins=True)
    result, report = quantized(model)
    assert [one.name for one in report.floating] == ["READ_VARIABLE", "ASSIGN_VARIABLE"]
    assert report.floating[0].reason == "another subgraph uses the variable"
    assert agrees(oracle, result, samples(model, 8, 1)) == "ok"


def test_16_bits_are_nearer_than_8():
    model = random_dense(16, 32, 8)
    _, narrow = quantized(model)
    _, wide = quantized(model, activations="int16")
    assert wide.sqnr > narrow.sqnr + 3


def test_the_same_seed_gives_the_same_file():
    model = network(5, "residual", "float32")
    first, second = (quantized(model, passes=("ranges", "smooth", "correct"))[0] for _ in range(2))
    assert tflite.write(first) == tflite.write(second)


def test_inputs_and_outputs_may_stay_float():
    model = random_dense(4, 3)
    result, _ = quantized(model, io="float")
    assert [op.name for op in result.main.operators] == [
        "QUANTIZE",
        "FULLY_CONNECTED",
        "DEQUANTIZE",
    ]
    assert {result.inputs[0].type, result.outputs[0].type} == {FLOAT32}


def test_inputs_and_outputs_are_what_values_are():
    model = random_dense(4, 3)
    for activations, kind in (("int8", INT8), ("int16", INT16)):
        result, _ = quantized(model, activations=activations)
        assert (result.inputs[0].type, result.outputs[0].type) == (kind, kind)


@pytest.mark.parametrize("name", ["SOFTMAX", "2", "scores"])
def test_operators_stay_float_by_kind_position_and_output(name):
    result, report = quantized(random_dense(4, 5, 3, softmax=True), keep_float=[name])
    assert [(one.name, one.reason) for one in report.floating] == [("SOFTMAX", "asked for")]
    assert [op.name for op in result.main.operators][-3:] == ["DEQUANTIZE", "SOFTMAX", "QUANTIZE"]


@pytest.mark.parametrize("name", ["CONV_2D", "99", "nobody"])
def test_what_is_not_there_cannot_stay_float(name):
    with pytest.raises(ValueError, match="keep_float"):
        quantized(random_dense(4, 3), keep_float=[name])


def test_what_tflm_has_no_integers_for_is_named_and_stays_float(oracle):
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    y, z = (b.tensor(name, (1, 4), "float32") for name in "yz")
    b.operator("TANH", [x], [y])
    b.operator("EXP", [y], [z])
    b.output(z)
    model = b.build()
    result, report = quantized(model)
    assert [(one.position, one.name) for one in report.floating] == [(1, "EXP")]
    assert "EXP" in report.floating[0].reason
    assert agrees(oracle, result, samples(model, 3)) == "ok"


def test_a_prescribed_scale_is_converted_where_others_share_theirs(oracle):
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    y, z = b.tensor("y", (1, 4), "float32"), b.tensor("z", (1, 8), "float32")
    b.operator("LOGISTIC", [x], [y])
    b.operator("CONCATENATION", [x, y], [z], ConcatenationOptions(axis=1))
    b.output(z)
    model = b.build()
    result, report = quantized(model)
    assert [op.name for op in result.main.operators] == ["LOGISTIC", "QUANTIZE", "CONCATENATION"]
    assert result.main.tensors[result.main.operators[0].outputs[0]].quantization.scale[0] == 1 / 256
    assert agrees(oracle, result, samples(model, 3)) == "ok"
    assert report.sqnr > 30


def test_a_prescribed_scale_is_shared_where_it_serves_all():
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    y, z = b.tensor("y", (1, 4), "float32"), b.tensor("z", (4,), "float32")
    b.operator("SOFTMAX", [x], [y], random_dense(1, 1, softmax=True).main.operators[1].options)
    b.operator("SQUEEZE", [y], [z])
    b.output(z)
    result, _ = quantized(b.build())
    assert [op.name for op in result.main.operators] == ["SOFTMAX", "SQUEEZE"]


def test_batch_normalisation_goes_into_the_weights(oracle):
    model = normalised()
    changed, notes = rewritten(model)
    assert [op.name for op in changed.main.operators] == ["CONV_2D"]
    assert len(notes) >= 3
    x = samples(model, 1)[0][0]
    np.testing.assert_allclose(
        ar.Interpreter(changed)(x), ar.Interpreter(model)(x), rtol=1e-4, atol=1e-5
    )
    result, report = quantized(model)
    assert agrees(oracle, result, samples(model, 3)) == "ok"
    assert report.sqnr > 25


def test_workers_see_what_one_process_sees():
    model = random_dense(4, 6, 3)
    source = read_data(samples(model, 150)[0], model, Reading()).source
    here = calibrated(model, source)
    with worker_pool(2) as pool:
        there = calibrated(model, source, executor=pool)
    assert here.keys() == there.keys()
    for index, one in here.items():
        assert (one.low, one.high, one.count) == (
            there[index].low,
            there[index].high,
            there[index].count,
        )
        assert np.array_equal(one.bins, there[index].bins)


def test_labels_give_the_accuracy_of_both():
    model = random_dense(4, 3)
    x = samples(model, 40)[0].reshape(40, 4)
    y = ar.Interpreter(model).predict(x).reshape(40, 3).argmax(axis=1)
    _, report = ar.quantize(model, (x, y), passes=())
    ours, theirs = report.scores["accuracy"]
    assert ours == 1
    assert 0.8 < theirs <= 1


def test_dense_layers_with_one_scale_take_less_of_the_arena():
    model = random_dense(8, 64, 4)
    per_unit, _ = quantized(model)
    per_tensor, _ = quantized(model, dense="tensor")
    assert ar.smallest_arena(per_tensor) <= ar.smallest_arena(per_unit) - 8 * 64


def test_a_notebook_shows_the_layers():
    _, report = quantized(random_dense(8, 16, 4))
    assert "FULLY_CONNECTED" in report._repr_html_()


def test_signatures_name_the_new_tensors():
    model = random_dense(4, 3)
    signature = SignatureDef("serve", {"x": model.main.inputs[0]}, {"y": model.main.outputs[0]})
    result, _ = quantized(replace(model, signatures=(signature,)), io="float")
    (found,) = result.signatures
    assert found.inputs == {"x": result.main.inputs[0]}
    assert found.outputs == {"y": result.main.outputs[0]}


def test_facts_say_where_precision_is_lost():
    _, report = quantized(random_dense(8, 16, 4))
    facts = quantization_facts(report)
    assert facts["sqnr_db"] == report.sqnr
    assert [one["name"] for one in facts["layers"]] == ["FULLY_CONNECTED"] * 2
    assert all(one["lost_db"] >= 0 for one in facts["layers"])


# -- what is refused ---------------------------------------------------------------------


def test_a_model_that_is_quantised_already_is_refused():
    result, _ = quantized(random_dense(4, 3))
    with pytest.raises(QuantizationError, match="quantised already"):
        ar.quantize(result, np.zeros((4, 4), np.float32))


def test_unknown_dimensions_are_refused():
    model = random_dense(4, 3)
    tensors = list(model.main.tensors)
    tensors[0] = replace(tensors[0], shape_signature=(1, -1))
    main = replace(model.main, tensors=tuple(tensors))
    with pytest.raises(QuantizationError, match=r"unknown dimensions, got \[1, -1\]"):
        ar.quantize(replace(model, subgraphs=(main,)), samples(model, 4))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_finite_are_refused(value):
    weights = np.ones((3, 4))
    weights[1, 2] = value

    model = dense([(weights, np.zeros(3))], softmax=False)
    with pytest.raises(QuantizationError, match="constant 'w0': expected finite numbers"):
        ar.quantize(model, np.zeros((4, 4), np.float32))


def test_a_single_sample_is_refused():
    with pytest.raises(QuantizationError, match=r"at least 2 samples .* got 1"):
        ar.quantize(random_dense(4, 3), np.zeros((1, 4), np.float32))


def test_samples_with_nan_are_refused():
    x = np.zeros((4, 4), np.float32)
    x[2, 1] = np.nan
    with pytest.raises(ar.EvaluateError, match="sample 2: expected numbers, got NaN"):
        ar.quantize(random_dense(4, 3), x)


def test_samples_of_another_shape_are_refused():
    with pytest.raises(ar.ShapeError, match="expected samples of shape"):
        ar.quantize(random_dense(4, 3), np.zeros((4, 5), np.float32))


def test_a_model_of_floats_that_integers_cannot_do_is_refused():
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    y = b.tensor("y", (1, 4), "float32")
    b.operator("EXP", [x], [y])
    b.output(y)
    with pytest.raises(QuantizationError, match="no integer kernel of TFLM does EXP"):
        quantized(b.build())


@pytest.mark.parametrize(
    "setting",
    [
        {"activations": "int4"},
        {"io": "int8"},
        {"method": "kl"},
        {"passes": ("magic",)},
        {"reading": ar.Reading(limit=0)},
    ],
)
def test_settings_that_mean_nothing_are_refused(setting):
    with pytest.raises(ValueError, match="expected"):
        quantized(random_dense(4, 3), **setting)


def notes_of(model, x):
    return " ".join(ar.quantize(model, x, passes=(), accept=True)[1].notes)


def bytes_and_shares():
    """Pixels from 0 to 255 as real numbers, and the same from 0 to 1."""
    x = np.random.default_rng(0).integers(0, 256, (40, 1, 40)).astype(np.float32)
    return x, x / 255


def test_bytes_where_a_model_may_want_numbers_up_to_1_get_a_hint_that_says_what_to_do():
    x, shares = bytes_and_shares()
    model = random_dense(40, 3)
    assert "whole numbers from 0 to 255" in notes_of(model, x)
    assert "divide them by 255" in notes_of(model, x)
    assert notes_of(model, shares) == ""


@pytest.mark.parametrize(
    ("name", "constant"),
    [("MUL", 1 / 255), ("DIV", 127.5), ("SUB", 120.0), ("ADD", -120.0)],
)
def test_numbers_up_to_1_where_a_model_scales_bytes_are_an_error(name, constant):
    x, shares = bytes_and_shares()
    model = scaling(name, constant)
    with pytest.raises(QuantizationError, match=f"begins with a {name} as for bytes .*255"):
        ar.quantize(model, shares, passes=())
    assert notes_of(model, x) == ""


def test_numbers_up_to_1_are_taken_where_somebody_says_that_they_are_meant():
    _, shares = bytes_and_shares()
    meant = Reading(pixels=Pixels((0, 1)))
    _, report = ar.quantize(scaling("MUL", 1 / 255), shares, passes=(), reading=meant)
    assert report.sqnr > 30


def test_an_operator_that_moves_values_may_come_before_the_one_that_scales_bytes():
    _, shares = bytes_and_shares()
    with pytest.raises(QuantizationError, match="begins with a MUL"):
        ar.quantize(scaling("MUL", 1 / 255, moved=True), shares, passes=())


def test_pictures_make_the_input_hold_all_that_their_bytes_stand_for():
    dark = np.random.default_rng(0).integers(0, 99, (30, 4, 4, 1)).astype(np.uint8)
    b = ModelBuilder()
    x = b.input("x", (1, 4, 4, 1), "float32")
    y = b.tensor("y", (1, 4, 4, 1), "float32")
    b.operator("RELU", [x], [y])
    b.output(y)
    result, _ = ar.quantize(b.build(), dark, passes=("ranges",))
    assert real_range(result.inputs[0]) == pytest.approx((0, 1))


@pytest.mark.parametrize(("name", "constant"), [("MUL", 2.0), ("DIV", 0.5), ("SUB", 0.45)])
def test_operators_on_small_numbers_are_none_that_scale_bytes(name, constant):
    _, shares = bytes_and_shares()
    assert notes_of(scaling(name, constant), shares) == ""


def test_a_constant_that_comes_first_scales_as_well_and_is_not_divided_by():
    _, shares = bytes_and_shares()
    with pytest.raises(QuantizationError, match="begins with a MUL"):
        ar.quantize(scaling("MUL", 1 / 255, first=True), shares, passes=())
    shifted = shares + 1  # nothing is divided by 0
    assert notes_of(scaling("DIV", 255.0, first=True), shifted / 2) == ""


def scaling(name, constant, *, first=False, moved=False):
    """A model that begins with a sum or product of its input and a number, or behind a RESHAPE."""
    options = {"MUL": MulOptions, "DIV": DivOptions, "SUB": SubOptions, "ADD": AddOptions}[name]
    b = ModelBuilder()
    x = b.input("x", (1, 40), "float32")
    if moved:
        flat = b.tensor("flat", (1, 40), "float32")
        b.operator("RESHAPE", [x, b.constant("shape", np.array([1, 40], np.int32))], [flat])
        x = flat
    c = b.constant("c", np.full((1,), constant, np.float32))
    y = b.tensor("y", (1, 40), "float32")
    b.operator(name, [c, x] if first else [x, c], [y], options())
    b.output(y)
    return b.build()


# -- next to what others made ------------------------------------------------------------


@pytest.mark.parametrize("name", ["vww", "ad", "ic"])
def test_published_models_are_not_nearer_to_their_float_siblings(name):
    model = ar.load(shared_model(f"{name}_float32"))
    other = ar.load(shared_model(f"{name}_int8"))
    rng = np.random.default_rng(0)
    shape = model.inputs[0].shape[1:]
    smooth = rng.uniform(0, 1, (60, *shape)).cumsum(axis=1)
    x = (smooth / smooth.max()).astype(np.float32)
    scale = float(other.inputs[0].quantization.scale[0]) * 255
    low = -float(other.inputs[0].quantization.zero_point[0] + 128) * scale / 255
    x = (low + x * scale).astype(np.float32)
    result, report = ar.quantize(model, x, passes=("ranges",))

    judge = Judge.of(model, read_data(x, model, Reading()).source, None)
    assert judge.sqnr(result) > judge.sqnr(other) - 0.5
    assert report.floating == ()


def test_single_steps_of_a_model_that_remembers_are_pointed_out():
    model = streaming()
    rng, shape = np.random.default_rng(1), model.inputs[0].shape
    steps = rng.normal(0, 1, (32, *shape)).astype(np.float32)
    sequences = rng.normal(0, 1, (32, 5, *shape[1:])).astype(np.float32)
    assert "give sequences, (samples, steps, ...)" in notes_of(model, steps)
    assert notes_of(model, sequences) == ""


def test_of_more_samples_than_help_some_are_taken_and_a_note_says_so():
    x = np.zeros((2_500, 1, 4), np.float32)
    x[:, 0, 0] = np.arange(2_500)
    model = random_dense(4, 2)
    _, report = ar.quantize(model, x, passes=())
    assert report.samples + report.judged == 2_000
    assert "2,000 of 2,500 samples are taken" in report.notes[0]
    _, report = ar.quantize(model, x, passes=(), reading=Reading(limit=2_200))
    assert report.samples + report.judged == 2_200


def test_a_model_that_is_not_sound_is_a_model_error():
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    y = b.tensor("y", (1, 4), "float32")
    b.operator("RELU", [x], [y])
    b.operator("TANH", [x], [y])
    b.output(y)
    with pytest.raises(ar.ModelError, match="has another writer"):
        ar.quantize(b.build(), np.zeros((30, 1, 4), np.float32))


def powers():
    """``x ** 0.5``, which TFLM has no kernel for."""
    b = ModelBuilder()
    x = b.input("x", (1, 8), "float32")
    y, z = (b.tensor(name, (1, 8), "float32") for name in "yz")
    b.operator("POW", [x, b.constant("half", np.full((1,), 0.5, np.float32))], [y])
    b.operator("MUL", [y, b.constant("two", np.full((1,), 2, np.float32))], [z], MulOptions())
    b.output(z)
    return b.build()


def test_what_tflm_lacks_is_written_from_what_it_has_first(oracle):
    x = np.random.default_rng(0).uniform(1, 4, (40, 1, 8)).astype(np.float32)
    result, report = ar.quantize(powers(), x, passes=())
    assert any("POW" in text for text in report.rewritten)
    assert "POW" not in {op.name for op in result.main.operators}
    assert agrees(oracle, result, [x[:4]]) == "ok"
    found = ar.Interpreter(result).predict(x, quantize=True)
    real = dequantized(found, result.outputs[0])
    np.testing.assert_allclose(real.reshape(x.shape), 2 * np.sqrt(x), atol=0.1)


def test_progress_names_what_is_done_and_each_pass():
    told = []
    model = random_dense(4, 3)
    ar.quantize(model, samples(model, 30), progress=lambda *one: told.append(one))
    names = list(dict.fromkeys(name for name, _, _ in told))
    assert names == ["calibrating", "pass ranges", "pass smooth", "pass correct", "judging"]
    assert all(done <= total for _, done, total in told)
