"""Files of finished chunks: whole, cut at any byte, damaged at any byte, made by an enemy."""

import hashlib
import json
import os
import struct
from concurrent.futures import BrokenExecutor, Future

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.evaluation import kept as kept_module
from arenite.analysis.evaluation.kept import Chunk, kept_in
from tests.analysis.evaluated import Hostile, given, linear, saved, scores

RNG = np.random.default_rng(2)
X = given(*RNG.normal(size=(6, 3)))
Y = RNG.integers(0, 3, 6)
WHOLE = ar.evaluate(scores(3), (X, Y))


def evaluated(file, progress=None, **spread):
    spread = ar.Spread(chunk=2, **spread)
    return ar.evaluate(scores(3), (X, Y), resume=file, progress=progress, spread=spread)


@pytest.fixture
def file(tmp_path):
    """Three chunks of two samples."""
    path = tmp_path / "kept"
    evaluated(path)
    return path


def same(found):
    assert found.score.values.tobytes() == WHOLE.score.values.tobytes()
    assert found.metrics == WHOLE.metrics
    assert found.samples == 6


def records(content):
    """Where each begins, and the file's end."""
    places = [len(kept_module._MAGIC)]
    while places[-1] < len(content):
        length, _ = struct.unpack_from("<Q32s", content, places[-1])
        places.append(places[-1] + 40 + length)
    return places


def test_a_second_run_does_nothing_again(file):
    content = file.read_bytes()
    found = evaluated(file)
    same(found)
    assert (found.scale.chunks, found.resumed.samples, found.resumed.cut) == (0, 6, 0)
    assert file.read_bytes() == content
    assert len(records(content)) == 1 + 4


def test_a_run_that_was_killed_within_a_record_is_gone_on_with(file):
    content = file.read_bytes()
    for number, place in enumerate(records(content)[2:]):
        for end in (place - 1, place, min(place + 1, len(content))):
            file.write_bytes(content[:end])
            found = evaluated(file)
            same(found)
            assert found.resumed.samples == 2 * (number + 1 - (end < place))
            assert evaluated(file).resumed.samples == 6


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"data": (X + 1, Y)}, "the data was 6 samples in float32.* and is 6 samples"),
        ({"model": linear([[2, 0, 0, 0]] * 3)}, "the model was sha256 .* and is sha256"),
        ({"against": scores(3)}, "the other model was none and is sha256"),
        ({"target": "m4"}, "the model was .*Interpreter host.* and is .*Interpreter cortex-m4"),
        ({"reading": ar.Reading(limit=3)}, "the choice of samples was all and is 3 of 6"),
        (
            {"scoring": ar.Scoring("regress"), "data": (X, np.zeros((6, 3)))},
            "the task was classify and is regress",
        ),
        (
            {"reading": ar.Reading(ar.Pixels((0, 2)))},
            r"the range of pixels was None and is \(0, 2\)",
        ),
    ],
)
def test_what_differs_is_named(file, change, words):
    content = file.read_bytes()
    options = {"model": scores(3), "data": (X, Y), "resume": file, **change}
    with pytest.raises(ar.EvaluateError, match=f"of another: {words}") as caught:
        ar.evaluate(**options)
    assert str(caught.value).count(" was ") == 1
    assert file.read_bytes() == content


def test_labels_and_top_k_may_change(file):
    found = ar.evaluate(scores(3), (X, (Y + 1) % 3), resume=file, scoring=ar.Scoring(top_k=2))
    assert found.resumed.samples == 6
    assert (
        found.metrics
        == ar.evaluate(scores(3), (X, (Y + 1) % 3), scoring=ar.Scoring(top_k=2)).metrics
    )


def test_a_file_of_samples_that_changed_is_other_data(tmp_path):
    model = saved(scores(3), tmp_path / "m.tflite")
    for name, row in zip("ab", X, strict=False):
        np.save(tmp_path / f"{name}.npy", row[None])
    (tmp_path / "data.csv").write_text("a.npy,0\nb.npy,1\n")
    ar.evaluate(model, tmp_path / "data.csv", resume=tmp_path / "kept")
    assert ar.evaluate(model, tmp_path / "data.csv", resume=tmp_path / "kept").resumed.samples == 2
    os.utime(tmp_path / "b.npy", ns=(1, 1))
    with pytest.raises(ar.EvaluateError, match="another: the data was 2 samples in files"):
        ar.evaluate(model, tmp_path / "data.csv", resume=tmp_path / "kept")


@pytest.mark.parametrize(
    "content", [b"my notes", b"arenite evaluate: something else\n" + b"x" * 99]
)
def test_another_file_is_refused_and_stays(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(
        ar.EvaluateError, match="expected a file that evaluate has written, or none"
    ):
        evaluated(path)
    assert path.read_bytes() == content


@pytest.mark.skipif(os.name != "posix", reason="POSIX pipes and locks")
def test_a_pipe_is_refused_and_a_file_in_use_too(tmp_path, file):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ar.EvaluateError, match="pipe: expected a regular file"):
        evaluated(tmp_path / "pipe")
    with pytest.raises(ar.EvaluateError, match="another evaluation is using it"):
        evaluated(file, progress=lambda *_: evaluated(file))


# -- files with the right digests that no run has written ----------------------------------

META = {"begin": 0, "end": 2, "arrays": ["<f4"], "read_seconds": 0.0, "seconds": [0.0]}
META |= {"inferences": 2, "left_out": []}
ROWS = bytes(2 * 3 * 4)
IDENTITY = {"the model": "m"}


def forged(path, *chunks):
    """A file of chunks, sealed as they should be."""

    def sealed(key, content):
        return struct.pack("<Q", len(content)) + hashlib.sha256(key + content).digest() + content

    key = hashlib.sha256(kept_module._MAGIC).digest()
    said = json.dumps(IDENTITY).encode()
    content = kept_module._MAGIC + sealed(key, said)
    key = hashlib.sha256(key + said).digest()
    for meta, data in chunks:
        text = meta if isinstance(meta, bytes) else json.dumps(meta).encode()
        content += sealed(key, struct.pack("<I", len(text)) + text + data)
    path.write_bytes(content)
    return path


def opened(path):
    with kept_in(str(path), IDENTITY, 4, [(3,)]) as kept:
        return kept.chunks


@pytest.fixture
def two(tmp_path):
    """A file of two chunks."""
    later = {**META, "begin": 2, "end": 4}
    return forged(tmp_path / "two", (META, ROWS), (later, ROWS))


def test_a_file_that_was_cut_at_any_byte_grows_to_what_it_was(two):
    content = two.read_bytes()
    places = records(content)
    for end in range(len(content)):
        two.write_bytes(content[:end])
        with kept_in(str(two), IDENTITY, 4, [(3,)]) as kept:
            whole = max(0, sum(place <= end for place in places) - 2)
            assert len(kept.chunks) == whole
            if whole == 1:
                kept.add(Chunk(2, 4, kept.chunks[0].answers))
        assert len(opened(two)) == 2 * whole
        assert two.read_bytes()[: places[1 + whole]] == content[: places[1 + whole]]


def test_what_is_behind_a_damaged_byte_is_not_read(two):
    content = two.read_bytes()
    first = records(content)[1]
    refused = []
    for place in range(len(content)):
        two.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        try:
            assert len(opened(two)) == sum(end <= place for end in records(content)[2:])
        except ar.EvaluateError as error:
            refused.append(place)
            assert str(two) in str(error)
    assert set(range(len(kept_module._MAGIC))) < set(refused) <= set(range(first))


def test_a_forged_file_like_a_real_one_is_read(tmp_path):
    later = {**META, "begin": 2, "end": 4}
    chunks = opened(forged(tmp_path / "kept", (later, ROWS), (META, ROWS)))
    assert [(one.begin, one.end) for one in chunks] == [(0, 2), (2, 4)]


@pytest.mark.parametrize(
    ("meta", "data"),
    [
        ({**META, "begin": 2}, ROWS),
        ({**META, "begin": -1}, ROWS),
        ({**META, "begin": True}, ROWS),
        ({**META, "end": 5}, ROWS),
        ({**META, "end": 1 << 70}, ROWS),
        ({**META, "end": 2.0}, ROWS),
        ({**META, "arrays": ["O"]}, ROWS),
        ({**META, "arrays": ["<f4", "<f4"]}, ROWS * 2),
        ({**META, "arrays": ["V4"]}, ROWS),
        ({**META, "arrays": ["no type"]}, ROWS),
        ({**META, "arrays": [["a", 3]]}, ROWS),
        ({**META, "arrays": ["<f8"]}, ROWS),
        ({**META, "arrays": 7}, ROWS),
        (META, ROWS[1:]),
        (META, ROWS + b"x"),
        ({**META, "seconds": []}, ROWS),
        ({**META, "seconds": [float("nan")]}, ROWS),
        ({**META, "seconds": ["1"]}, ROWS),
        ({**META, "inferences": -1}, ROWS),
        ({**META, "left_out": [[2, "why"]]}, ROWS[12:]),
        ({**META, "left_out": [[0, "why"], [0, "why"]]}, b""),
        ({**META, "left_out": [[0, "why"]]}, ROWS),
        ({**META, "left_out": [0]}, ROWS),
        ({"begin": 0, "end": 2}, ROWS),
        ([], ROWS),
        (b"[" * 100_000, ROWS),
        (b'{"begin": ' + b"9" * 5000 + b"}", ROWS),
        (b"\xff", ROWS),
        (b"cposix\nsystem\n(S'false'\ntR.", ROWS),
    ],
)
def test_what_no_run_writes_is_refused_by_its_place(tmp_path, meta, data):
    with pytest.raises(ar.EvaluateError, match=r"byte [0-9]+: expected a chunk as evaluate writes"):
        opened(forged(tmp_path / "kept", (meta, data)))


def test_samples_that_are_there_twice_are_refused(tmp_path):
    with pytest.raises(ar.EvaluateError, match="samples that were there before"):
        opened(forged(tmp_path / "kept", (META, ROWS), ({**META, "begin": 1, "end": 3}, ROWS)))


# -- on executors ------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", [1, 2, 5, 6, None])
def test_scores_are_the_same_for_chunks_of_any_size(chunk):
    same(ar.evaluate(scores(3), (X, Y), spread=ar.Spread(chunk=chunk)))
    same(ar.evaluate(scores(3), (X, Y), spread=ar.Spread(Hostile([]), workers=2, chunk=chunk)))


def test_what_an_executor_has_done_is_kept_and_not_asked_for_again(tmp_path):
    with pytest.raises(ar.EvaluateError, match="2 of 6 samples were done"):
        evaluated(tmp_path / "kept", executor=Hostile(["run", *["raise"] * 9]), workers=1)
    executor = Hostile([])
    found = evaluated(tmp_path / "kept", executor=executor, workers=1)
    same(found)
    assert found.resumed.samples == 2
    assert [(job.begin, job.end) for job in executor.jobs if job.bench.content] == [(2, 4)]


class Broken(Hostile):
    """Does some jobs; all others are lost with it."""

    def submit(self, function, job):
        if self.script:
            return super().submit(function, job)
        future = Future()
        future.set_exception(BrokenExecutor("a worker is gone"))
        return future


def test_a_broken_executor_is_replaced_where_a_function_makes_one():
    made = [Broken(["run"]), Broken([]), Hostile([])]
    rest = iter(made)
    found = ar.evaluate(
        scores(3), (X, Y), spread=ar.Spread(lambda: next(rest), workers=1, chunk=2), progress=None
    )
    same(found)
    assert found.scale.pools == 2
    assert found.scale.again > 0


def test_what_is_lost_with_every_executor_ends_the_run():
    with pytest.raises(ar.EvaluateError, match=r"lost one of the chunks 0 .*a worker is gone"):
        ar.evaluate(scores(3), (X, Y), spread=ar.Spread(lambda: Broken([]), workers=2, chunk=2))


def test_a_lasting_chunk_is_followed_by_smaller_ones_and_a_short_one_by_larger_ones():
    from arenite.analysis.evaluation.spans import cutter_of

    cutter = cutter_of([(16, 20)], 10_000, None, 5_000)
    assert [cutter.cut(), cutter.cut()] == [(0, 16), (20, 36)]
    cutter.learn(16, 0.001)
    assert cutter.cut() == (36, 36 + 16 * 8)
    cutter.learn(128, 2.0)
    assert cutter.cut() == (164, 164 + 32)


def test_progress_moves_after_the_first_few_samples_of_many():
    x, y = np.tile(X, (500, 1)), np.tile(Y, 500)
    told: list[tuple[int, int]] = []
    executor = Hostile([])
    ar.evaluate(
        scores(3),
        (x, y),
        spread=ar.Spread(executor, workers=2),
        progress=lambda *one: told.append(one),
    )
    assert [job.end - job.begin for job in executor.jobs[:4]] == [16] * 4
    assert told[:2] == [(0, 3000), (64, 3000)]
    assert told[-1] == (3000, 3000)


def test_nothing_is_left_out_unless_it_is_asked_for():
    x = X.copy()
    x[4, 1] = np.nan
    model = scores(3)
    with pytest.raises(ar.EvaluateError, match="sample 4: expected numbers, got NaN"):
        ar.evaluate(model, (x, Y))
    found = ar.evaluate(model, (x, Y), on_error="skip")
    assert [(one.index, one.name) for one in found.left_out] == [(4, "sample 4")]
    assert found.indices.tolist() == [0, 1, 2, 3, 5]
    assert found.score.values.tobytes() == np.delete(WHOLE.score.values, 4, 0).tobytes()
    with pytest.raises(ValueError, match="expected on_error of 'raise' or 'skip'"):
        ar.evaluate(model, (x, Y), on_error="stop")
