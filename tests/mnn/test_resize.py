"""Sessions whose inputs get other shapes, or wait for one."""

import numpy as np
import pytest

import arenite as ar
import arenite.mnn as MNN  # noqa: N812
from tests.mnn import nets
from tests.mnn.running import X, interpreter_of, run


def test_a_resized_input_takes_effect_with_resize_session():
    interpreter = interpreter_of(nets.square_net([1, 3]))
    session = interpreter.createSession()
    tensor, output = interpreter.getSessionInput(session), interpreter.getSessionOutput(session)
    interpreter.resizeTensor(tensor, (2, 3))
    assert (tensor.getShape(), output.getShape()) == ((2, 3), (1, 3))
    assert interpreter.resizeSession(session) is True
    assert (tensor.getShape(), output.getShape()) == ((2, 3), (2, 3))
    x = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    np.testing.assert_array_equal(run(interpreter, session, x)["y"], x**2)


def test_resizing_plans_the_arena_again():
    interpreter = interpreter_of(nets.square_net([1, 3]))
    session = interpreter.createSession()
    small = session.memory()["arena"]
    interpreter.resizeTensor(interpreter.getSessionInput(session), (1000, 3))
    interpreter.resizeSession(session)
    assert session.memory()["arena"] >= small + 12000


def test_resizing_one_session_leaves_the_others():
    interpreter = interpreter_of(nets.square_net([1, 3]))
    first, second = interpreter.createSession(), interpreter.createSession()
    x = np.array([[1, 2, 3]], np.float32)
    interpreter.getSessionInput(second).fromNumpy(x)
    interpreter.resizeTensor(interpreter.getSessionInput(first), (5, 3))
    interpreter.resizeSession(first)
    interpreter.runSession(second)
    np.testing.assert_array_equal(interpreter.getSessionOutput(second).getNumpyData(), x**2)


def test_the_same_shape_is_no_resize_and_keeps_the_data(chain):
    session = chain.createSession()
    tensor = chain.getSessionInput(session)
    tensor.fromNumpy(X)
    chain.resizeTensor(tensor, (1, 4))
    chain.resizeSession(session)
    np.testing.assert_array_equal(tensor.getNumpyData(), X)


def test_inputs_that_keep_their_shape_keep_their_data():
    ops = [nets.given("a", 0, [1, 2]), nets.given("b", 1, [1, 2]), nets.add("z", 0, 1, 2)]
    interpreter = interpreter_of(nets.write(ops))
    session = interpreter.createSession()
    a, b = interpreter.getSessionInputAll(session).values()
    a.fromNumpy(np.array([[1, 2]], np.float32))
    interpreter.resizeTensor(b, (3, 2))
    interpreter.resizeSession(session)
    assert a.getData() == (1, 2)
    assert b.getData() == (0,) * 6


def test_the_rank_of_an_input_may_change():
    interpreter = interpreter_of(nets.square_net([1, 3]))
    session = interpreter.createSession()
    interpreter.resizeTensor(interpreter.getSessionInput(session), (2, 3, 4))
    interpreter.resizeSession(session)
    assert interpreter.getSessionOutput(session).getShape() == (2, 3, 4)


def test_an_open_input_waits_for_its_shape():
    interpreter = interpreter_of(nets.square_net([1, -1, 3]))
    session = interpreter.createSession()
    tensor = interpreter.getSessionInput(session)
    assert tensor.getShape() == (1, -1, 3)
    assert interpreter.getSessionOutput(session).getShape() == (0, 0, 0, 0)
    assert interpreter.getSessionInfo(session, MNN.SessionInfoCode.RESIZE_STATUS) == 2
    with pytest.raises(ar.StateError, match=r"runSession: .*'x' \[1, -1, 3\].*resizeTensor"):
        interpreter.runSession(session)
    with pytest.raises(ar.StateError, match=r"input 'x' has the open shape \[1, -1, 3\]"):
        interpreter.resizeSession(session)
    interpreter.resizeTensor(tensor, (1, 2, 3))
    interpreter.resizeSession(session)
    assert interpreter.getSessionInfo(session, MNN.SessionInfoCode.RESIZE_STATUS) == 0
    x = np.arange(6, dtype=np.float32).reshape(1, 2, 3)
    np.testing.assert_array_equal(run(interpreter, session, x)["y"], x**2)


def test_an_open_batch_is_one_sample():
    interpreter = interpreter_of(nets.square_net([-1, 3]))
    session = interpreter.createSession()
    assert interpreter.getSessionInput(session).getShape() == (1, 3)
    assert interpreter.runSession(session) == 0


def test_between_resize_tensor_and_resize_session_nothing_runs(chain):
    interpreter = interpreter_of(nets.square_net([1, 3]))
    session = interpreter.createSession()
    tensor = interpreter.getSessionInput(session)
    interpreter.resizeTensor(tensor, (2, 3))
    with pytest.raises(ar.StateError, match=r"runSession: .* then call resizeSession"):
        interpreter.runSession(session)
    with pytest.raises(ar.StateError, match="call resizeSession"):
        tensor.getNumpyData()
    with pytest.raises(ar.StateError, match="getSessionInfo"):
        interpreter.getSessionInfo(session, MNN.SessionInfoCode.MEMORY)
    interpreter.resizeTensor(tensor, (1, 3))
    interpreter.resizeSession(session)
    assert interpreter.runSession(session) == 0


def test_a_shape_that_the_net_cannot_take_is_refused_and_another_one_still_works():
    interpreter = interpreter_of(nets.image_net())
    session = interpreter.createSession()
    tensor = interpreter.getSessionInput(session)
    interpreter.resizeTensor(tensor, (1, 4, 4, 4))
    with pytest.raises((ar.ModelError, ar.ConstraintError), match="channels"):
        interpreter.resizeSession(session)
    with pytest.raises(ar.StateError, match="runSession"):
        interpreter.runSession(session)
    interpreter.resizeTensor(tensor, (1, 3, 6, 6))
    interpreter.resizeSession(session)
    assert interpreter.getSessionOutput(session).getShape() == (1, 5, 6, 6)
    assert interpreter.runSession(session) == 0


@pytest.mark.parametrize(
    ("shape", "error", "text"),
    [
        ((0, 3), ar.ShapeError, r"positive dimensions, got \[0, 3\]"),
        ((1, -3), ar.ShapeError, "got"),
        ((1,) * 10, ar.ShapeError, "at most 9"),
        ((2**40,), ar.ShapeError, "at most 2147483647 elements"),
        ("ab", TypeError, "expected a shape"),
        ((1, 2.5), TypeError, "float"),
        (None, TypeError, "expected a shape"),
    ],
)
def test_shapes_that_are_none_are_refused(chain, shape, error, text):
    session = chain.createSession()
    with pytest.raises(error, match=text):
        chain.resizeTensor(chain.getSessionInput(session), shape)
    assert chain.runSession(session) == 0
