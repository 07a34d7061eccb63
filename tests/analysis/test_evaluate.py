"""Metrics of what a model says about data."""

import sys

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.evaluate import evaluation_facts
from tests.analysis.evaluated import given, linear, scores
from tests.shared import DIGITS

THREE = given([1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.9, 0.2])


@pytest.fixture(scope="module")
def digits():
    with np.load(DIGITS.parent / "held_out.npz") as file:
        return file["images"], file["labels"]


def test_accuracy_is_the_share_of_right_classes():
    found = ar.evaluate(scores(3), (THREE, np.array([0, 1, 2, 2])))
    assert found.accuracy == 0.75
    assert found.confusion.tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 1]]


def test_recall_and_precision_are_those_of_rows_and_columns():
    found = ar.evaluate(scores(3), (THREE, np.array([0, 1, 2, 2])))
    assert [(one.samples, one.recall, one.precision) for one in found.score.classes] == [
        (1, 1, 1),
        (1, 1, 0.5),
        (2, 0.5, 1),
    ]
    assert found.metrics["balanced accuracy"] == pytest.approx(2.5 / 3)


def test_the_right_class_counts_among_the_first_k():
    x = given([3, 2, 1], [3, 2, 1], [3, 2, 1])
    found = ar.evaluate(scores(3), (x, np.array([0, 1, 2])), scoring=ar.Scoring(top_k=(1, 2, 3, 9)))
    assert found.metrics["top-2"] == pytest.approx(2 / 3)
    assert [name for name in found.metrics if "top" in name] == ["top-2"]


def test_of_equal_scores_the_first_counts_as_in_what_run_shows():
    found = ar.evaluate(scores(3), (given([1, 1, 1]), np.array([1])), scoring=ar.Scoring(top_k=2))
    assert (found.accuracy, found.metrics["top-2"]) == (0, 1)
    assert found.score.predicted.tolist() == [0]


def test_a_sample_without_any_number_is_wrong_and_said():
    x = given([1, 0, 0], [np.inf, -np.inf, 0])
    nan = linear([[1, 1, 0], [1, 1, 0]])  # inf - inf
    found = ar.evaluate(nan, (x[:, :3], np.array([0, 0])))
    assert found.accuracy == 0.5
    assert found.score.predicted.tolist() == [0, -1]
    assert found.confusion.sum() == 1
    assert "1 samples have no score but NaN" in " ".join(found.score.notes)


def test_metrics_of_the_digits_are_those_of_scikit_learn(digits):
    metrics = pytest.importorskip("sklearn.metrics")
    images, labels = digits
    found = ar.evaluate(DIGITS, digits, scoring=ar.Scoring(top_k=3))
    pixels = (images ^ 0x80).view(np.int8)[..., None]
    outputs = ar.Interpreter(DIGITS).predict(pixels, quantize=True)
    np.testing.assert_array_equal(found.score.values, outputs)
    assert found.accuracy == metrics.accuracy_score(labels, outputs.argmax(axis=1))
    assert found.auc == metrics.roc_auc_score(np.eye(10)[labels], outputs, average="macro")
    wanted = metrics.confusion_matrix(labels, outputs.argmax(axis=1))
    assert found.confusion.tolist() == wanted.tolist()
    recalls = metrics.recall_score(labels, outputs.argmax(axis=1), average=None)
    assert [one.recall for one in found.score.classes] == recalls.tolist()


def test_the_auc_of_two_classes_is_that_of_the_second():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    x, y = given(*rng.normal(size=(40, 2))), rng.integers(0, 2, 40)
    assert ar.evaluate(scores(2), (x, y)).auc == metrics.roc_auc_score(y, x[:, 1])


def test_a_single_score_is_for_the_second_class_from_a_half_on():
    x = np.array([[0.5, 9], [0.49, 9], [0.6, 9]], np.float32)
    found = ar.evaluate(linear([[1, 0]]), (x, np.array([1, 0, 0])))
    assert found.score.predicted.tolist() == [1, 0, 1]
    assert found.accuracy == pytest.approx(2 / 3)


def test_without_scikit_learn_the_auc_is_missing_and_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.metrics", None)
    found = ar.evaluate(scores(3), (THREE, np.array([0, 1, 2, 2])))
    assert "auc" not in found.metrics
    with pytest.raises(ar.EvaluateError, match=r"pip install 'arenite\[evaluate\]'"):
        _ = found.auc


def test_numbers_that_shall_come_out_have_errors():
    x = np.array([[1], [2], [3]], np.float32)
    found = ar.evaluate(linear([[2]]), (x, np.array([2.0, 4.0, 9.0])))
    assert found.task == "regress"
    assert found.metrics == pytest.approx(
        {"mse": 3, "mae": 1, "max error": 3, "r2": 1 - 9 / 26}, rel=1e-6
    )


def test_an_anomaly_is_what_a_model_does_not_give_back():
    pytest.importorskip("sklearn")
    x = np.array([[1, 0, 5], [2, 0, 5], [0, 3, 5], [0, 4, 5]], np.float32)
    keeps = linear([[1, 0, 0], [0, 0, 0], [0, 0, 1]])
    found = ar.evaluate(keeps, (x, np.array([0, 0, 1, 1])))
    assert found.task == "anomaly"
    assert found.score.values.tolist() == [0, 0, 3, 16 / 3]
    assert (found.auc, found.metrics["mse normal"]) == (1.0, 0)
    assert ar.evaluate(keeps, (x, None)).mse == pytest.approx((3 + 16 / 3) / 4)


def test_several_inferences_of_a_sample_give_one_score():
    x = np.array([[[1, 0, 5], [0, 3, 5]], [[0, 6, 5], [0, 0, 5]]], np.float32)
    found = ar.evaluate(linear([[1, 0, 0], [0, 0, 0], [0, 0, 1]]), (x, None))
    assert (found.samples, found.inferences) == (2, 4)
    assert found.score.values.tolist() == [1.5, 6]


def test_rows_with_a_single_one_are_classes():
    found = ar.evaluate(scores(3), (THREE, np.eye(3)[[0, 1, 2, 2]]))
    assert found.labels.tolist() == [0, 1, 2, 2]


def test_another_engine_gets_the_same_samples(digits):
    found = ar.evaluate(DIGITS, digits, against="@m4")
    assert [one.metrics["accuracy"] for one in found.scores] == [359 / 360, 359 / 360]
    assert len(found.different()) == 0


def test_samples_that_another_model_decides_otherwise_are_named():
    swapped = linear([[0, 1, 0], [1, 0, 0]])
    x = given([1, 0], [1, 1], [0, 1])
    found = ar.evaluate(scores(2), (x, np.array([0, 0, 1])), against=swapped)
    assert found.different().tolist() == [0, 2]
    assert found.unequal() == 2


def test_litert_decides_as_its_own_outputs_say(digits):
    package = pytest.importorskip("ai_edge_litert.interpreter")
    images, labels = digits[0][:40], digits[1][:40]
    found = ar.evaluate(DIGITS, (images, labels), against="@litert")
    peer = package.Interpreter(model_path=str(DIGITS), num_threads=1)
    peer.allocate_tensors()
    source, sink = peer.get_input_details()[0]["index"], peer.get_output_details()[0]["index"]
    classes = []
    for image in images:
        peer.set_tensor(source, (image ^ 0x80).view(np.int8).reshape(1, 8, 8, 1))
        peer.invoke()
        classes.append(int(peer.get_tensor(sink).argmax()))
    assert found.scores[1].predicted.tolist() == classes
    assert found.scores[1].latency.median > 0


@pytest.mark.parametrize("kind", [ar.Interpreter, ar.HeapInterpreter])
def test_interpreters_are_evaluated_as_they_are(digits, kind):
    images, labels = digits[0][:50], digits[1][:50]
    found = ar.evaluate(kind(ar.load(DIGITS)), (images, labels))
    assert found.accuracy == ar.evaluate(DIGITS, (images, labels)).accuracy
    assert kind.__name__ in found.score.label


def test_float_models_get_pictures_from_0_to_1():
    b = ar.ModelBuilder()
    x = b.input("x", (1, 2, 2, 1), "float32")
    y = b.tensor("y", (1, 2, 2, 1), "float32")
    b.operator("RELU", [x], [y])
    b.output(y)
    picture = np.full((1, 2, 2), 51, np.uint8)
    found = ar.evaluate(b.build(), (picture, np.full((1, 4), 0.2)))
    assert found.score.values.tolist() == [[pytest.approx(0.2)] * 4]


def test_an_anomaly_among_pictures_is_measured_in_the_input_s_real_numbers():
    b = ar.ModelBuilder()
    x = b.input("x", (1, 2, 2, 1), "int8", scale=1 / 255, zero_point=-128)
    y = b.tensor("y", (1, 2, 2, 1), "int8", scale=1 / 255, zero_point=-128)
    b.operator("RELU", [x], [y])
    b.output(y)
    pictures = np.array([[[0, 51], [102, 255]]], np.uint8)
    assert ar.evaluate(b.build(), (pictures, None), scoring=ar.Scoring("anomaly")).mse == 0


@pytest.mark.parametrize("kind", ["int8", "int16"])
def test_bytes_become_what_a_table_of_a_picture_s_bytes_says(kind):
    from arenite.analysis.evaluation.samples import Arrays
    from arenite.analysis.inputs.media import pixel_table
    from arenite.analysis.inputs.values import Pixels
    from arenite.runtime.io_conversion import checked_samples

    zero_point = -128 if kind == "int8" else 0
    for scale in (1 / 255, 0.013, 1.0, 2.5):
        b = ar.ModelBuilder()
        b.input("x", (1, 16, 16, 1), kind, scale=scale, zero_point=zero_point)
        model = b.build()
        tensor, picture = model.inputs[0], np.arange(256, dtype=np.uint8).reshape(1, 16, 16)
        fed = Arrays((picture,)).feed(model, None).inputs[0]
        samples, given_ = checked_samples(fed, tensor, 0, quantize=True)
        table = pixel_table(tensor, Pixels(), "").array
        assert given_.converted(samples, tensor).reshape(-1).tolist() == table.tolist()


def test_a_limit_takes_the_same_samples_for_a_seed(digits):
    one, same = (
        ar.evaluate(DIGITS, digits, reading=ar.Reading(limit=20, seed=3)) for _ in range(2)
    )
    other = ar.evaluate(DIGITS, digits, reading=ar.Reading(limit=20, seed=4))
    assert one.indices.tolist() == same.indices.tolist() == sorted(one.indices)
    assert one.indices.tolist() != other.indices.tolist()
    assert one.labels.tolist() == digits[1][one.indices].tolist()


def test_progress_ends_with_all_samples(digits):
    told: list[tuple[int, int]] = []
    ar.evaluate(DIGITS, digits, progress=lambda *counts: told.append(counts))
    assert told[-1] == (360, 360)
    assert [done for done, _ in told] == sorted({done for done, _ in told})


def test_a_repr_says_what_was_found(digits):
    found = ar.evaluate(DIGITS, (digits[0][:30], digits[1][:30]))
    assert repr(found).startswith("<Evaluation of 30 samples of arrays: ")
    assert "accuracy" in repr(found)


def test_facts_are_what_json_has():
    import json

    found = ar.evaluate(scores(3), (THREE, np.array([0, 1, 2, 2])), against=scores(3))
    facts = json.loads(json.dumps(evaluation_facts(found)))
    assert facts["engines"][0]["metrics"]["accuracy"] == 0.75
    assert (facts["different"], facts["unequal"], facts["first_different"]) == (0, 0, [])
