"""From a file or a buffer to an interpreter, and every way in which that fails."""

import builtins
import gc
import os
import weakref
from pathlib import Path

import numpy as np
import pytest

import arenite as ar
import arenite.mnn as MNN  # noqa: N812
from tests.mnn import nets


@pytest.fixture
def model(tmp_path) -> Path:
    path = tmp_path / "model.mnn"
    path.write_bytes(nets.chain_net())
    return path


@pytest.fixture
def opened(monkeypatch):
    """Every file that is opened."""
    files = []
    real = builtins.open

    def opening(*args, **kwargs):
        files.append(real(*args, **kwargs))
        return files[-1]

    monkeypatch.setattr(builtins, "open", opening)
    return files


# -- what works --------------------------------------------------------------------------


@pytest.mark.parametrize("make", [MNN.Interpreter, MNN.Interpreter.createFromFile])
@pytest.mark.parametrize("kind", [str, Path, os.fsencode])
def test_a_file_becomes_an_interpreter(model, opened, make, kind):
    interpreter = make(kind(model))
    assert len(interpreter.getModelBuffer()) == model.stat().st_size
    assert [file.closed for file in opened] == [True]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, np.array])
def test_a_buffer_becomes_an_interpreter_with_a_copy(kind):
    data = bytearray(nets.chain_net())
    given = np.frombuffer(data, np.uint8) if kind is np.array else kind(data)
    interpreter = MNN.Interpreter.createFromBuffer(given)
    before = bytes(interpreter.getModelBuffer())
    data[:] = bytes(len(data))
    assert interpreter.getModelBuffer() == before == nets.chain_net()


def test_a_model_may_be_the_beginning_of_a_buffer():
    data = nets.chain_net()
    interpreter = MNN.Interpreter.createFromBuffer(data + b"more", len(data))
    assert interpreter.getModelBuffer() == data


@pytest.mark.parametrize(
    ("size", "error", "text"),
    [
        (10_000, ValueError, "expected a size from 0 to 4, what the buffer has, got 10000"),
        (-1, ValueError, "got -1"),
        (0, ar.ModelError, "got an empty buffer"),
        (2.5, TypeError, "integer"),
    ],
)
def test_a_size_is_a_number_of_the_buffers_bytes(size, error, text):
    with pytest.raises(error, match=text):
        MNN.Interpreter.createFromBuffer(b"1234", size)


def test_the_buffer_is_aligned_to_32_bytes_and_read_only():
    view = MNN.Interpreter.createFromBuffer(nets.chain_net()).getModelBuffer()
    assert np.frombuffer(view, np.uint8).ctypes.data % 32 == 0
    assert view.readonly


def test_what_the_model_says_of_itself():
    data = nets.square_net([1, 2], bizCode="shop", mnn_uuid="1-2-3")
    interpreter = MNN.Interpreter.createFromBuffer(data)
    assert interpreter.bizCode() == "shop"
    assert interpreter.uuid() == "1-2-3"
    assert interpreter.getModelVersion() == "3.6.1"
    interpreter.releaseModel()
    facts = (interpreter.bizCode(), interpreter.uuid(), interpreter.getModelVersion())
    assert facts == ("shop", "1-2-3", "3.6.1")


def test_a_model_that_says_nothing_of_itself_is_an_old_one():
    interpreter = MNN.Interpreter.createFromBuffer(nets.square_net([1, 2], extraInfo=None))
    facts = (interpreter.bizCode(), interpreter.uuid(), interpreter.getModelVersion())
    assert facts == ("", "", "<2.0.0")


def test_the_uuid_of_a_file(tmp_path):
    path = tmp_path / "model.mnn"
    path.write_bytes(nets.square_net([1, 2], mnn_uuid="1-2-3"))
    assert MNN.get_model_uuid(str(path)) == "1-2-3"


def test_content_holds_buffer_net_sessions_and_the_map_from_tensors_to_sessions(model):
    interpreter = MNN.Interpreter(str(model))
    first, second = interpreter.createSession(), interpreter.createSession()
    tensor = interpreter.getSessionInput(second)
    content = interpreter._content
    assert content.buffer.get().tobytes() == model.read_bytes()
    assert [op.name for op in content.net.ops] == ["x", "c", "a", "b", "y"]
    assert content.sessions == [first, second]
    assert content.tensorMap == {tensor: second}


def test_an_interpreter_says_what_it_is(model):
    interpreter = MNN.Interpreter(str(model))
    assert repr(interpreter).endswith("572 bytes, MNN 3.6.1, 0 sessions>")
    interpreter.releaseModel()
    assert "model released" in repr(interpreter)


# -- what fails --------------------------------------------------------------------------


@pytest.mark.parametrize("path", [None, 5, ["model.mnn"]])
def test_no_path(path):
    with pytest.raises(TypeError, match="expected the path of a model, got"):
        MNN.Interpreter(path)


def test_an_empty_path():
    with pytest.raises(ValueError, match="the path of a model, got an empty one"):
        MNN.Interpreter("")


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.mnn"):
        MNN.Interpreter(str(tmp_path / "nowhere.mnn"))


def test_a_folder(tmp_path):
    with pytest.raises(OSError, match=tmp_path.name):
        MNN.Interpreter(str(tmp_path))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_that_may_not_be_read(model):
    model.chmod(0)
    with pytest.raises(PermissionError, match=model.name):
        MNN.Interpreter(str(model))


def test_a_file_that_may_not_be_opened(model, monkeypatch):
    def refusing(path):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("arenite.mnn.session.file_loader.open_regular", refusing)
    with pytest.raises(PermissionError, match=model.name):
        MNN.Interpreter(str(model))


def test_a_read_error(model, monkeypatch):
    class Broken:
        closed = False

        def readinto(self, buffer):
            raise OSError(5, "Input/output error")

        def close(self):
            self.closed = True

    file = Broken()
    monkeypatch.setattr("arenite.mnn.session.file_loader.open_regular", lambda _: file)
    with pytest.raises(OSError, match="read error after 0 bytes: Input/output error"):
        MNN.Interpreter(str(model))
    assert file.closed


#: What is wrong with a model, the model, and what is said of it.
BAD = {
    "empty": (b"", "got an empty"),
    "short": (b"12345", "not an MNN model, or an encrypted or damaged one"),
    "text": (b"this is no model at all, but text" * 4, "not an MNN model"),
    "truncated": (nets.chain_net()[:-200], "not an MNN model"),
    "tflite": (b"\x1c\0\0\0TFL3" + bytes(64), "but a TensorFlow Lite file, which arenite.load"),
    "no operators": (nets.square_net([1], oplists=None), "no operators"),
    "no names": (nets.square_net([1], tensorName=None), "no tensor names"),
    "encrypted": (
        nets.square_net([1], extraInfo={"buffer": np.ones(4, np.int8)}),
        "the model is encrypted",
    ),
    "newer": (nets.square_net([1], extraInfo={"version": "4.0.0"}), "schema is newer"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_is_no_model_says_why_and_leaves_nothing_open(tmp_path, opened, kind):
    data, text = BAD[kind]
    path = tmp_path / "bad.mnn"
    path.write_bytes(data)
    with pytest.raises(ar.ModelError, match=text) as caught:
        MNN.Interpreter(str(path))
    assert [file.closed for file in opened] == [True]
    assert caught.value.offset is not None


@pytest.mark.parametrize("kind", BAD)
def test_a_buffer_that_is_no_model_says_why(kind):
    data, text = BAD[kind]
    with pytest.raises(ar.ModelError, match=text):
        MNN.Interpreter.createFromBuffer(data)


@pytest.mark.parametrize("value", [None, "model.mnn", 5, np.zeros((4, 4), np.uint8)[:, ::2]])
def test_something_without_a_contiguous_buffer(value):
    with pytest.raises(TypeError, match="expected a model in a contiguous buffer"):
        MNN.Interpreter.createFromBuffer(value)


def test_an_input_with_an_unknown_format_is_refused_when_a_session_needs_it():
    interpreter = MNN.Interpreter.createFromBuffer(nets.square_net([1, 2], form=27))
    with pytest.raises(ar.ModelError, match=r"data format from 0 to 4, got 27 - at .*dformat"):
        interpreter.createSession()


# -- releasing the model -------------------------------------------------------------------


def test_release_model_frees_the_buffer_and_sessions_go_on():
    interpreter = MNN.Interpreter.createFromBuffer(nets.chain_net())
    session = interpreter.createSession()
    owner = weakref.ref(interpreter._content.buffer.get().base)
    x = np.array([[1, 2, 3, 4]], np.float32)
    interpreter.getSessionInput(session).fromNumpy(x)
    interpreter.releaseModel()
    interpreter.releaseModel()
    for _ in range(3):  # an engine's finaliser keeps its graph for one collection more
        gc.collect()
    assert owner() is None
    assert interpreter.runSession(session) == 0
    y = interpreter.getSessionOutput(session).getNumpyData()
    np.testing.assert_array_equal(y, nets.chain(x)["y"])
    assert interpreter.getSessionInfo(session, MNN.SessionInfoCode.MEMORY) > 0


def test_what_needs_the_model_is_refused_when_it_is_released():
    interpreter = MNN.Interpreter.createFromBuffer(nets.chain_net())
    session = interpreter.createSession()
    interpreter.releaseModel()
    for call in (
        interpreter.createSession,
        lambda: interpreter.resizeSession(session),
        lambda: interpreter.updateSessionToModel(session),
        interpreter.getModelBuffer,
    ):
        with pytest.raises(ar.StateError, match="the model was released"):
            call()
    assert interpreter.runSession(session) == 0


def test_a_session_that_was_never_planned_cannot_go_on_without_the_model():
    interpreter = MNN.Interpreter.createFromBuffer(nets.square_net([1, -1]))
    session = interpreter.createSession()
    interpreter.releaseModel()
    with pytest.raises(ar.StateError, match="the model was released, so the session cannot"):
        interpreter.runSession(session)


def test_update_session_to_model_writes_the_model(tmp_path, model):
    interpreter = MNN.Interpreter(str(model))
    session = interpreter.createSession()
    copy = tmp_path / "copy.mnn"
    assert interpreter.updateSessionToModel(session) is None
    interpreter.updateSessionToModel(session, str(copy))
    assert copy.read_bytes() == model.read_bytes()


# -- caches ------------------------------------------------------------------------------


def test_a_cached_interpreter_is_not_read_again(model):
    first = MNN.Interpreter(str(model))
    first.cache()
    try:
        model.unlink()
        assert MNN.Interpreter(str(model))._content is first._content
    finally:
        first.removeCache()
    with pytest.raises(FileNotFoundError):
        MNN.Interpreter(str(model))


def test_a_cached_session_answers_for_every_interpreter_of_the_file(model):
    first, second = MNN.Interpreter(str(model)), MNN.Interpreter(str(model))
    session = first.createSession()
    session.cache()
    try:
        assert second.createSession() is session
        assert second.runSession(session) == 0
    finally:
        session.removeCache()
    assert second.createSession() is not session


def test_a_released_session_is_cached_no_more(model):
    interpreter = MNN.Interpreter(str(model))
    session = interpreter.createSession()
    session.cache()
    interpreter.releaseSession(session)
    assert interpreter.createSession() is not session


def test_models_from_buffers_have_no_path_to_be_cached_under():
    interpreter = MNN.Interpreter.createFromBuffer(nets.chain_net())
    interpreter.cache()
    session = interpreter.createSession()
    session.cache()
    assert interpreter.createSession() is not session
    other = MNN.Interpreter.createFromBuffer(nets.square_net([1, 2]))
    assert other.createSession().getInput().getShape() == (1, 2)


def test_cache_files_and_external_files_are_accepted_and_not_written(model, tmp_path):
    interpreter = MNN.Interpreter(str(model))
    session = interpreter.createSession()
    assert interpreter.updateCacheFile(session, 0) == MNN.ErrorCode.NOT_SUPPORT
    interpreter.setCacheFile(str(tmp_path / "cache"))
    interpreter.setExternalFile(str(tmp_path / "weights"))
    assert interpreter.updateCacheFile(session, 0) == MNN.ErrorCode.NO_ERROR
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.mnn"]
