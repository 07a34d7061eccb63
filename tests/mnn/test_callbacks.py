"""Callbacks around every operator."""

import threading

import numpy as np
import pytest

import arenite as ar
import arenite.mnn as MNN  # noqa: N812
from tests.mnn import nets

X = np.array([[1, 2, 3, 4]], np.float32)


@pytest.fixture
def chain():
    interpreter = MNN.Interpreter.createFromBuffer(nets.chain_net())
    session = interpreter.createSession()
    interpreter.getSessionInput(session).fromNumpy(X)
    return interpreter, session


def yes(*_) -> bool:
    return True


def test_every_operator_is_told_of_before_and_after_with_its_tensors(chain):
    interpreter, session = chain
    calls = []

    def note(kind):
        def callback(tensors, name):
            calls.append((kind, name, [tensor.getNumpyData().tolist() for tensor in tensors]))
            return True

        return callback

    assert interpreter.runSessionWithCallBack(session, note("begin"), note("end")) == 0
    values = {"x": X, **nets.chain(X)}
    assert calls == [
        ("begin", "a", [values["x"].tolist()]),
        ("end", "a", [values["a"].tolist()]),
        ("begin", "b", [values["a"].tolist()]),
        ("end", "b", [values["b"].tolist()]),
        ("begin", "y", [values["b"].tolist()]),
        ("end", "y", [values["y"].tolist()]),
    ]
    np.testing.assert_array_equal(interpreter.getSessionOutput(session).getNumpyData(), values["y"])


def test_info_callbacks_are_told_name_type_and_work(chain):
    interpreter, session = chain
    infos = []

    def note(_, info):
        infos.append((info.getName(), info.getType(), info.getFlops()))
        return True

    assert interpreter.runSessionWithCallBackInfo(session, note, yes) == 0
    work = 4 / 2**20
    assert infos == [("a", "UnaryOp", work), ("b", "BinaryOp", work), ("y", "UnaryOp", work)]


@pytest.mark.parametrize("callbacks", [(), (None, None), (yes, None), (None, yes)])
def test_callbacks_may_be_left_out(chain, callbacks):
    interpreter, session = chain
    assert interpreter.runSessionWithCallBack(session, *callbacks) == 0
    assert interpreter.runSessionWithCallBackInfo(session, *callbacks) == 0
    y = interpreter.getSessionOutput(session).getNumpyData()
    np.testing.assert_array_equal(y, nets.chain(X)["y"])


def test_an_operator_whose_begin_is_false_does_not_run_and_its_end_is_called(chain):
    interpreter, session = chain
    ran = []

    def begin(tensors, name):
        if name == "y":
            tensors[0].getNumpyData()[...] = -1
        return name != "y"

    def end(tensors, name):
        if name == "y":
            tensors[0].getNumpyData()[...] = 7
        ran.append(name)
        return True

    assert interpreter.runSessionWithCallBack(session, begin, end) == 0
    assert ran == ["a", "b", "y"]
    assert interpreter.getSessionOutput(session).getData() == (7, 7, 7, 7)


def test_what_a_callback_writes_is_what_the_operator_reads(chain):
    interpreter, session = chain

    def begin(tensors, name):
        if name == "y":
            tensors[0].getNumpyData()[...] = 3
        return True

    interpreter.runSessionWithCallBack(session, begin, yes)
    assert interpreter.getSessionOutput(session).getData() == (9, 9, 9, 9)


def test_an_end_that_is_false_ends_the_run(chain):
    interpreter, session = chain
    ran = []

    def end(_, name):
        ran.append(name)
        return name != "b"

    code = interpreter.runSessionWithCallBack(session, yes, end)
    assert code == MNN.ErrorCode.CALL_BACK_STOP == 11
    assert ran == ["a", "b"]
    assert interpreter.runSession(session) == 0
    y = interpreter.getSessionOutput(session).getNumpyData()
    np.testing.assert_array_equal(y, nets.chain(X)["y"])


def test_an_error_in_a_callback_comes_out_and_the_session_goes_on(chain):
    interpreter, session = chain

    def broken(*_):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        interpreter.runSessionWithCallBack(session, broken, yes)
    assert interpreter.runSession(session) == 0


@pytest.mark.parametrize("which", ["begin", "end"])
@pytest.mark.parametrize("answer", [None, "yes", 1.0])
def test_an_answer_that_is_neither_true_nor_false_is_refused(chain, which, answer):
    interpreter, session = chain
    callbacks = {"begin": yes, "end": yes, which: lambda *_: answer}
    with pytest.raises(TypeError, match=f"the {which} callback .* True or False, got"):
        interpreter.runSessionWithCallBack(session, callbacks["begin"], callbacks["end"])
    assert interpreter.runSession(session) == 0


def test_tensors_are_gone_after_their_callback(chain):
    interpreter, session = chain
    kept = []

    def keep(tensors, _):
        kept.extend(tensors)
        return True

    interpreter.runSessionWithCallBack(session, keep, yes)
    with pytest.raises(ar.StateError, match="it was valid during its callback"):
        kept[0].getNumpyData()


def test_a_session_may_be_released_from_its_callback(chain):
    interpreter, session = chain

    def begin(*_):
        interpreter.releaseSession(session)
        return True

    interpreter.runSessionWithCallBack(session, begin, yes)
    with pytest.raises(ar.StateError, match="released"):
        interpreter.runSession(session)


@pytest.mark.parametrize("call", ["releaseSession", "resizeSession", "releaseModel"])
def test_a_callback_may_use_the_interpreter_while_another_thread_waits_for_the_session(chain, call):
    interpreter, session = chain
    other = interpreter.createSession()
    arguments = () if call == "releaseModel" else (session,)
    waiting = threading.Thread(target=getattr(interpreter, call), args=arguments, daemon=True)
    seen = []

    def begin(*_):
        if not seen:
            waiting.start()
            waiting.join(0.1)
            seen.append(interpreter.getSessionInput(other).getShape())
        return True

    run = threading.Thread(
        target=interpreter.runSessionWithCallBack, args=(session, begin, yes), daemon=True
    )
    run.start()
    run.join(20)
    waiting.join(20)
    assert seen == [(1, 4)]
    assert not run.is_alive()
    assert not waiting.is_alive()


def test_a_session_in_release_mode_calls_nobody(chain):
    interpreter, _ = chain
    interpreter.setSessionMode(MNN.SessionMode.Session_Release)
    session = interpreter.createSession()
    called = []
    assert interpreter.runSessionWithCallBack(session, called.append, called.append) == 0
    assert called == []


def test_operators_that_move_data_for_another_one_have_a_number_behind_its_name():
    interpreter = MNN.Interpreter.createFromBuffer(nets.image_net())
    session = interpreter.createSession()
    infos = {}

    def note(_, info):
        infos[info.getName()] = info.getType()
        return True

    interpreter.runSessionWithCallBackInfo(session, note, None)
    assert infos["conv"] == "Convolution"
    assert infos["y"] == "UnaryOp"
    others = {name for name in infos if name not in ("conv", "y")}
    assert others
    assert all(name.startswith(("conv_", "y_")) or name == "y" for name in others)


def test_info_made_by_hand_is_empty():
    with pytest.raises(ar.StateError, match="the OpInfo is empty"):
        MNN.OpInfo().getName()
