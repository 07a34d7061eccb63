"""Calls in the wrong order, and with objects that are not this interpreter's."""

import numpy as np
import pytest

import arenite as ar
import arenite.mnn as MNN  # noqa: N812
from tests.mnn import nets
from tests.mnn.running import FLOAT, X, interpreter_of, run

CALLS = {
    "runSession": lambda i, s: i.runSession(s),
    "runSessionWithCallBack": lambda i, s: i.runSessionWithCallBack(s),
    "runSessionWithCallBackInfo": lambda i, s: i.runSessionWithCallBackInfo(s),
    "resizeSession": lambda i, s: i.resizeSession(s),
    "getSessionInput": lambda i, s: i.getSessionInput(s),
    "getSessionOutput": lambda i, s: i.getSessionOutput(s),
    "getSessionInputAll": lambda i, s: i.getSessionInputAll(s),
    "getSessionOutputAll": lambda i, s: i.getSessionOutputAll(s),
    "getSessionInfo": lambda i, s: i.getSessionInfo(s, 0),
    "updateSessionToModel": lambda i, s: i.updateSessionToModel(s),
    "updateCacheFile": lambda i, s: i.updateCacheFile(s, 0),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_released_session_is_refused(chain, call):
    session, other = chain.createSession(), chain.createSession()
    assert chain.releaseSession(session) is True
    with pytest.raises(ar.StateError, match=f"{call}: the session was released"):
        CALLS[call](chain, session)
    np.testing.assert_array_equal(run(chain, other)["y"], nets.chain(X)["y"])


@pytest.mark.parametrize("call", CALLS)
def test_another_interpreter_s_session_is_refused(chain, call):
    other = interpreter_of(nets.square_net([1, 2]))
    session = other.createSession()
    with pytest.raises(ar.StateError, match=f"{call}: the session belongs to another"):
        CALLS[call](chain, session)
    assert other.runSession(session) == 0


@pytest.mark.parametrize("call", CALLS)
def test_a_session_made_by_hand_is_refused(chain, call):
    with pytest.raises(ar.StateError, match=f"{call}: the session was not made by createSession"):
        CALLS[call](chain, MNN.Session())


@pytest.mark.parametrize("call", [*CALLS, "releaseSession"])
@pytest.mark.parametrize("value", [None, 5, "session"])
def test_what_is_no_session_is_refused(chain, call, value):
    calls = {**CALLS, "releaseSession": lambda i, s: i.releaseSession(s)}
    with pytest.raises(TypeError, match=f"{call}: expected a Session, got {type(value).__name__}"):
        calls[call](chain, value)


def test_releasing_twice_or_elsewhere_is_false(chain):
    session = chain.createSession()
    other = interpreter_of(nets.chain_net())
    assert other.releaseSession(session) is False
    assert chain.runSession(session) == 0
    assert chain.releaseSession(session) is True
    assert chain.releaseSession(session) is False


def test_tensors_of_a_released_session_are_gone_but_arrays_of_them_stay(chain):
    session = chain.createSession()
    tensor = chain.getSessionInput(session)
    view = tensor.getNumpyData()
    view[...] = X
    chain.releaseSession(session)
    for call in (tensor.getShape, tensor.getNumpyData, tensor.getData, tensor.getDataType):
        with pytest.raises(ar.StateError, match="the tensor is gone: its session was released"):
            call()
    with pytest.raises(ar.StateError, match="its session was released"):
        chain.resizeTensor(tensor, (2, 4))
    np.testing.assert_array_equal(view, X)


def test_tensors_that_belong_elsewhere_cannot_be_resized(chain):
    other = interpreter_of(nets.square_net([1, 2]))
    session = other.createSession()
    own = chain.createSession()
    host = MNN.Tensor((1, 4), FLOAT, MNN.Tensor_DimensionType_Caffe)
    for tensor in (other.getSessionInput(session), host, MNN.Tensor()):
        with pytest.raises(ar.StateError, match="not of one of this interpreter's sessions"):
            chain.resizeTensor(tensor, (2, 2))
    with pytest.raises(ar.StateError, match="only inputs can be resized"):
        chain.resizeTensor(chain.getSessionOutput(own), (2, 2))
    with pytest.raises(TypeError, match="resizeTensor: expected a Tensor, got int"):
        chain.resizeTensor(5, (2, 2))
    assert other.runSession(session) == 0
    assert chain.runSession(own) == 0


@pytest.mark.parametrize("call", ["getSessionInput", "getSessionOutput"])
def test_names_that_are_none_are_refused(chain, call):
    with pytest.raises(ValueError, match=r"expected an (in|out)put of \['.'\], got 'nope'"):
        getattr(chain, call)(chain.createSession(), "nope")


def test_an_operator_that_is_not_there_is_named_and_leaves_no_session():
    data = nets.write([nets.given("x", 0, [1, 2]), nets.op("y", nets.OpType.Svd, [0], [1])])
    interpreter = interpreter_of(data)
    with pytest.raises(ar.UnsupportedOperatorError, match="Svd") as caught:
        interpreter.createSession()
    assert caught.value.missing == ("Svd",)
    assert "0 sessions" in repr(interpreter)
