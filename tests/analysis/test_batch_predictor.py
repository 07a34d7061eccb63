"""A model as a function of arrays, dicts and frames."""

import pickle

import numpy as np
import pytest

import arenite as ar
from tests.analysis.evaluated import given, linear, scores
from tests.shared import DIGITS

X = given([1, 0], [0, 1], [2, 3])
WANTED = X[:, :2].tolist()


def test_arrays_become_arrays():
    assert ar.BatchPredictor(scores(2))(X).tolist() == WANTED


def test_of_a_dict_the_input_goes_and_the_rest_stays():
    found = ar.BatchPredictor(scores(2))({"x": X, "id": np.arange(3)})
    assert list(found) == ["id", "output"]
    assert found["output"].tolist() == WANTED


def test_one_number_per_sample_is_a_plain_column():
    found = ar.BatchPredictor(linear([[1, 2]]), inputs="v", outputs="sum")({"v": X[:, :2]})
    assert found["sum"].tolist() == [1, 2, 8]


def test_columns_of_numbers_make_an_input_together():
    batch = {"a": np.array([1, 3]), "b": np.array([2, 4]), "id": np.array([7, 8])}
    found = ar.BatchPredictor(linear([[10, 1]]), inputs=("a", "b"))(
        {name: values.astype(np.float32) for name, values in batch.items()}
    )
    assert list(found) == ["id", "output"]
    assert found["output"].tolist() == [12, 34]


def test_pictures_become_what_run_makes_of_them():
    with np.load(DIGITS.parent / "held_out.npz") as file:
        images = file["images"][:20]
    wanted = ar.Interpreter(DIGITS).predict((images ^ 0x80).view(np.int8)[..., None], quantize=True)
    assert ar.BatchPredictor(DIGITS)(images).tolist() == wanted.tolist()


def test_lists_of_lists_are_samples():
    cells = np.empty(2, object)
    cells[:] = [[1.0, 2.0], [3.0, 4.0]]
    predictor = ar.BatchPredictor(linear([[10, 1]]), inputs="v")
    with pytest.raises(ar.DTypeError):
        predictor({"v": cells})
    cells[:] = [np.float32([1, 2]), np.float32([3, 4])]
    assert predictor({"v": cells})["output"].tolist() == [12, 34]


def test_samples_of_other_shapes_are_refused():
    cells = np.empty(2, object)
    cells[:] = [np.float32([1, 2]), np.float32([3])]
    with pytest.raises(ar.ShapeError, match=r"one shape, got \[\[1\], \[2\]\]"):
        ar.BatchPredictor(linear([[10, 1]]), inputs="v")({"v": cells})


def test_no_samples_give_none():
    found = ar.BatchPredictor(scores(2))({"x": X[:0]})
    assert found["output"].shape == (0, 2)


def test_it_can_be_pickled_and_has_one_interpreter_per_process():
    predictor = pickle.loads(pickle.dumps(ar.BatchPredictor(scores(2))))
    with pytest.MonkeyPatch.context() as patch:
        assert predictor(X).tolist() == WANTED
        patch.setattr("pickle.loads", pytest.fail)
        assert predictor(X).tolist() == WANTED


@pytest.mark.parametrize(
    ("batch", "error", "words"),
    [
        ({"a": X, "b": X}, ValueError, r"expected columns of the inputs \['x'\]"),
        (3, TypeError, "expected an array, a dict of arrays or a DataFrame, got int"),
    ],
)
def test_what_is_no_batch_is_refused(batch, error, words):
    with pytest.raises(error, match=words):
        ar.BatchPredictor(scores(2))(batch)


def test_names_are_one_per_output():
    with pytest.raises(ValueError, match="expected 1 names of outputs"):
        ar.BatchPredictor(scores(2), outputs=("a", "b"))


def test_frames_become_frames_and_iterators_iterators():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": list(X), "id": [4, 5, 6]}, index=[7, 8, 9])
    predictor = ar.BatchPredictor(scores(2))
    found = predictor(frame)
    assert list(found.columns) == ["id", "output"]
    assert found.index.tolist() == [7, 8, 9]
    assert [row.tolist() for row in found["output"]] == WANTED
    assert [len(one) for one in predictor(iter([frame, frame[:0]]))] == [3, 0]
    assert list(predictor.like(frame).columns) == ["id", "output"]
