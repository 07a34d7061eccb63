"""Data from folders, .npz, .csv and .wav files, whole ones and broken ones."""

import wave
import zipfile

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.inputs.files import read_input
from arenite.analysis.inputs.values import InputError, Pixels
from tests.analysis.evaluated import given, linear, saved, scores
from tests.cli.models import classifier
from tests.ops.signal.models import signal_model
from tests.shared import DIGITS

IMAGES = DIGITS.parent / "images"


@pytest.fixture
def folder(tmp_path):
    """``folder({"cat/a.png": 3})`` has pictures of digits in folders."""
    pytest.importorskip("PIL")

    def make(files, root=tmp_path / "data"):
        for name, digit in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes((IMAGES / f"{digit}.png").read_bytes())
        return root

    return make


def ten(make):
    return make({f"{digit}/a.png": digit for digit in range(10)})


# -- folders -----------------------------------------------------------------------------


def test_folders_of_numbers_are_classes_of_that_number(folder):
    found = ar.evaluate(DIGITS, folder({"7/a.png": 7, "3/deep/b.png": 3}))
    assert found.labels.tolist() == [3, 7]
    assert found.accuracy == 1


def test_a_picture_becomes_what_run_makes_of_it(folder):
    found = ar.evaluate(DIGITS, ten(folder))
    interpreter = ar.Interpreter(DIGITS)
    for digit in range(10):
        given_ = read_input(IMAGES / f"{digit}.png", interpreter.model.inputs[0], Pixels()).array
        row = (interpreter(given_).astype(np.float32) + 128) / 256
        assert found.score.values[digit].tolist() == row.reshape(-1).tolist()


def test_names_of_folders_are_classes_in_sorted_order(folder):
    model = classifier()
    root = folder({"cat/a.png": 1, "ant/a.png": 2, "dog/a.png": 3, "bee/a.png": 4})
    found = ar.evaluate(model, root)
    assert found.classes == ("ant", "bee", "cat", "dog")
    assert found.labels.tolist() == [0, 1, 2, 3]


def test_labels_say_which_output_a_folder_is(folder, tmp_path):
    root = folder({"cat/a.png": 1, "ant/a.png": 2})
    labels = tmp_path / "labels.txt"
    labels.write_text("dog\ncat\nbee\nant\n")
    assert ar.evaluate(classifier(), root, scoring=ar.Scoring(labels=labels)).labels.tolist() == [
        3,
        1,
    ]


def test_a_class_that_is_a_link_to_elsewhere_is_refused(folder, tmp_path):
    root = ten(folder)
    (root / "10").symlink_to("/")
    with pytest.raises(InputError, match=r"got a link out of .* to /; copy the files"):
        ar.evaluate(DIGITS, root)


def test_a_class_that_is_a_link_to_the_data_themselves_is_refused(folder):
    root = ten(folder)
    (root / "10").symlink_to(root)
    with pytest.raises(InputError, match="got a link out of"):
        ar.evaluate(DIGITS, root)


def test_files_of_other_kinds_are_counted_and_hidden_ones_are_not(folder):
    root = ten(folder)
    (root / "3" / "notes.txt").write_text("x")
    (root / "3" / ".DS_Store").write_text("x")
    assert ar.evaluate(DIGITS, root).ignored == 1


@pytest.mark.parametrize(
    ("files", "labels", "words"),
    [
        ({"cat/a.png": 1, "ant/a.png": 2}, (), "expected 4 classes.*got 2: ant, cat"),
        ({"cat/a.png": 1}, ("a", "b"), "expected 4 labels.*got 2: a, b"),
        ({"cat/a.png": 1}, ("a", "b", "c", "d"), "expected classes of the labels.*got 'cat'"),
        ({"a/a.png": 1}, ("a", "b", "a", "d"), "every label once, got 'a' as 0 and 2"),
        ({"4/a.png": 1}, (), r"y\[0\]: expected a class from 0 to 3, got 4"),
    ],
)
def test_classes_that_do_not_fit_the_output_are_refused(folder, files, labels, words):
    with pytest.raises(ar.EvaluateError, match=words):
        ar.evaluate(classifier(), folder(files), scoring=ar.Scoring(labels=labels))


def test_an_empty_folder_of_a_class_is_refused(folder):
    root = ten(folder)
    (root / "10").mkdir()
    (root / "10" / "x.gif").write_text("")
    with pytest.raises(InputError, match=r"10: expected \.png.* files of a class, got none of 1"):
        ar.evaluate(DIGITS, root)


def test_a_folder_without_folders_is_refused(tmp_path):
    with pytest.raises(InputError, match="expected a folder per class"):
        ar.evaluate(DIGITS, tmp_path)


def test_pictures_and_sounds_together_are_refused(folder):
    root = ten(folder)
    (root / "1" / "a.wav").write_bytes(b"")
    with pytest.raises(InputError, match="got 10 pictures and 1 sounds"):
        ar.evaluate(DIGITS, root)


def test_a_broken_picture_is_named(folder):
    root = ten(folder)
    (root / "4" / "a.png").write_bytes(b"no picture")
    with pytest.raises(InputError, match=r"4/a\.png: not a readable image"):
        ar.evaluate(DIGITS, root)


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(FileNotFoundError):
        ar.evaluate(DIGITS, tmp_path / "none")
    (tmp_path / "x.txt").write_text("")
    with pytest.raises(InputError, match=r"expected a folder of class folders.*got \.txt"):
        ar.evaluate(DIGITS, tmp_path / "x.txt")


# -- arrays ------------------------------------------------------------------------------


@pytest.fixture
def archive(tmp_path):
    def save(**arrays):
        np.savez_compressed(tmp_path / "data.npz", **arrays)
        return tmp_path / "data.npz"

    return save


@pytest.mark.parametrize(
    "names", [("x", "y"), ("images", "labels"), ("arr_0", "arr_1"), ("anything", "target")]
)
def test_arrays_are_found_by_usual_names(archive, names):
    path = archive(**dict(zip(names, (given([1, 0], [0, 1]), np.array([0, 1])), strict=True)))
    assert ar.evaluate(scores(2), path).accuracy == 1


def test_arrays_of_other_names_are_said(archive):
    path = archive(a=given([1, 0]), b=np.array([0]), c=np.array([1]))
    assert ar.evaluate(scores(2), path, reading=ar.Reading(x="a", y="c")).accuracy == 0
    with pytest.raises(InputError, match=r"say which they are.*a \(float32\[1, 3\]\)"):
        ar.evaluate(scores(2), path)
    with pytest.raises(InputError, match="expected an array 'z'"):
        ar.evaluate(scores(2), path, reading=ar.Reading(x="z", y="c"))


def test_pickles_are_refused(archive):
    path = archive(x=given([1, 0]), y=np.array([{"a": 1}], object))
    with pytest.raises(InputError, match="Python objects"):
        ar.evaluate(scores(2), path)


def test_an_archive_that_grows_beyond_the_limit_is_not_unpacked(archive):
    path = archive(x=np.zeros((1 << 20, 100), np.int8), y=np.zeros(1 << 20, np.int8))
    assert path.stat().st_size < 1 << 18
    ar.set_memory_limit(1 << 24)
    try:
        with pytest.raises(ar.MemoryLimitError, match=r"data\.npz\[x\] would take 104,857,600"):
            ar.evaluate(scores(2), path)
    finally:
        ar.set_memory_limit(None)


def test_a_broken_archive_is_said(tmp_path):
    (tmp_path / "data.npz").write_bytes(b"PK nothing")
    with pytest.raises(InputError, match=r"not a readable \.npz archive"):
        ar.evaluate(scores(2), tmp_path / "data.npz")
    with zipfile.ZipFile(tmp_path / "data.npz", "w") as file:
        file.writestr("x.npy", b"\x93NUMPY\x01\x00")
    with pytest.raises(InputError, match=r"not a readable \.npz archive"):
        ar.evaluate(scores(2), tmp_path / "data.npz")


X = given([1, 0], [0, 1])


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (X, [0, 2], r"y\[1\]: expected a class from 0 to 1, got 2"),
        (X, [0, -1], r"y\[1\]: expected a class from 0 to 1, got -1"),
        (X, [0], "expected 2 labels, one per sample, got 1"),
        (X, 0, "got one number"),
        (X, None, "expected labels"),
        (X[:0], [], "expected samples, got none"),
        (np.where(X == 0, np.nan, X), [0, 1], r"sample 0: expected numbers, got NaN at \[1\]"),
        ((X, X), [0, 1], "expected x for 1 inputs"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(x, y, words):
    with pytest.raises(ar.EvaluateError, match=words):
        ar.evaluate(
            scores(2), (x, None if y is None else np.array(y)), scoring=ar.Scoring("classify")
        )


def test_labels_that_are_no_numbers_are_refused():
    with pytest.raises(ar.EvaluateError, match=r"y\[1\]: expected finite numbers"):
        ar.evaluate(linear([[1]]), (np.ones((2, 1), np.float32), np.array([1, np.nan])))
    with pytest.raises(ar.EvaluateError, match="expected 2 numbers per sample"):
        ar.evaluate(scores(2), (X, np.array([1.5, 2.5])))


def test_a_place_of_nan_is_that_in_all_data():
    x = np.repeat(X, 100, axis=0)
    x[150, 2] = np.nan
    with pytest.raises(ar.EvaluateError, match=r"sample 150: expected numbers, got NaN at \[2\]"):
        ar.evaluate(scores(2), (x, np.zeros(200, int)))


def test_samples_of_another_shape_are_refused():
    with pytest.raises(ar.ShapeError, match="expected samples of shape"):
        ar.evaluate(scores(2), (np.ones((2, 4), np.float32), np.array([0, 1])))
    with pytest.raises(ar.ShapeError, match="expected pictures of shape"):
        ar.evaluate(DIGITS, (np.ones((2, 9, 9), np.uint8), np.array([0, 1])))


# -- tables ------------------------------------------------------------------------------


def table(path, *lines):
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_table_has_paths_from_its_own_folder_on(folder, tmp_path):
    folder({"a.png": 3, "b.png": 7}, tmp_path)
    for lines in (("a.png,3", "b.png,7"), ("label,note,path", "3,x,a.png", "7,y,b.png")):
        found = ar.evaluate(DIGITS, table(tmp_path / "data.csv", *lines))
        assert (found.labels.tolist(), found.accuracy) == ([3, 7], 1)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (
            ("a.png,3", "none.png,1", "no.png,1"),
            "line 2: there is no file '.*none.png', and 1 more",
        ),
        (("a.png,3", "a.png,4"), "line 2: a.png is '4' here and '3' in line 1"),
        (("path,label", "a.png"), r"line 2: expected a path and a label, got \['a.png'\]"),
        (("a.png,3,x",), "expected two columns"),
        ((), "expected rows of path and label, got none"),
    ],
)
def test_a_table_that_is_wrong_says_where(folder, tmp_path, lines, words):
    folder({"a.png": 3}, tmp_path)
    with pytest.raises(InputError, match=words):
        ar.evaluate(DIGITS, table(tmp_path / "data.csv", *lines))


def test_a_table_of_arrays_and_real_numbers_is_a_regression(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1.5]], np.float32))
    found = ar.evaluate(linear([[2]]), table(tmp_path / "d.csv", "a.npy,3.5"))
    assert (found.task, found.metrics["mae"]) == ("regress", 0.5)


# -- sounds ------------------------------------------------------------------------------


def sound(path, samples):
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(1000)
        file.writeframes(np.array(samples, "<i2").tobytes())


@pytest.fixture
def speech(tmp_path):
    """Sounds that are positive, and sounds that are not; a front end of 3 samples."""
    sound(tmp_path / "data/up/a.wav", [9] * 8)
    sound(tmp_path / "data/down/a.wav", [-9] * 20)
    ports = [((3,), "int16")]
    front = signal_model("SignalDelay", {"delay_length": 0}, [*ports], ports)
    return tmp_path / "data", saved(front, tmp_path / "front.tflite")


def test_sounds_are_heard_through_a_front_end(speech):
    data, front = speech
    model = linear([[-1] * 6, [1] * 6])
    found = ar.evaluate(model, data, front_end=front)
    assert found.classes == ("down", "up")
    assert found.accuracy == 1
    # Windows of 3, one every 2, two for an input: (20 - 3) // 2 and (8 - 3) // 2.
    assert found.inferences == 8 + 2
    assert found.score.values.tolist() == [[54, -54], [-54, 54]]


def test_a_single_score_counts_by_its_largest(speech):
    data, front = speech
    sound(data / "up" / "a.wav", [-9] * 8 + [9] * 8)
    found = ar.evaluate(
        linear([[1] * 6]), data, front_end=front, scoring=ar.Scoring(labels=("down", "up"))
    )
    assert found.score.values.tolist() == [[-54], [54]]


def test_a_sound_that_is_too_short_is_named(speech):
    data, front = speech
    sound(data / "up" / "b.wav", [1] * 4)
    with pytest.raises(ar.ShapeError, match=r"b\.wav: expected at least 5 samples"):
        ar.evaluate(linear([[1] * 6, [2] * 6]), data, front_end=front)


def test_a_model_with_state_forgets_it_before_every_sound(tmp_path):
    for name, value in (("a/1.wav", 1), ("b/1.wav", 2)):
        sound(tmp_path / name, [value] * 4)
    ports = [((2,), "int16")]
    delay = signal_model("SignalDelay", {"delay_length": 2}, [*ports], ports)
    found = ar.evaluate(delay, tmp_path, scoring=ar.Scoring("anomaly", positive="b"))
    # What comes out is what came before: nothing, then the same.
    assert found.inferences == 4
    assert found.score.values.tolist() == [0.5, 2]


def test_pictures_are_not_for_a_front_end(folder, speech):
    root = ten(lambda files: folder(files, speech[0].parent / "pictures"))
    with pytest.raises(InputError, match=r"expected \.wav files for a front end"):
        ar.evaluate(classifier(classes=10), root, front_end=speech[1])
