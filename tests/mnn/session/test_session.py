"""Sessions: their data, tensors and threads, and facts about them."""

import threading

import numpy as np
import pytest

import arenite as ar
import arenite.mnn as MNN  # noqa: N812
from arenite.mnn.session.flops import flops
from tests.mnn import nets
from tests.mnn.operator_models import LEGAL
from tests.mnn.running import FLOAT, X, interpreter_of, run

# -- data -------------------------------------------------------------------------------


def test_a_session_computes(chain):
    np.testing.assert_array_equal(run(chain, chain.createSession())["y"], nets.chain(X)["y"])


def test_sessions_of_one_interpreter_have_data_of_their_own(chain):
    first, second = chain.createSession(), chain.createSession()
    run(chain, first, X)
    run(chain, second, X + 1)
    np.testing.assert_array_equal(chain.getSessionInput(first).getNumpyData(), X)
    y = chain.getSessionOutput(first).getNumpyData()
    np.testing.assert_array_equal(y, nets.chain(X)["y"])


def test_inputs_are_still_there_for_the_next_run(chain):
    session = chain.createSession()
    first = run(chain, session)["y"]
    assert chain.runSession(session) == 0
    np.testing.assert_array_equal(chain.getSessionOutput(session).getNumpyData(), first)


def test_tensors_are_the_same_objects_every_time(chain):
    session = chain.createSession()
    assert chain.getSessionInput(session) is chain.getSessionInput(session, "x")
    assert chain.getSessionOutput(session) is chain.getSessionOutputAll(session)["y"]


def test_ports_come_in_the_order_of_their_names_and_the_first_is_the_default():
    ops = [
        nets.given("b", 0, [1, 2]),
        nets.given("a", 1, [1, 2]),
        nets.add("z", 0, 1, 2),
        nets.unary("q", 2, 3),
    ]
    interpreter = interpreter_of(nets.write(ops, outputName=["z", "q"]))
    session = interpreter.createSession()
    assert list(interpreter.getSessionInputAll(session)) == ["a", "b"]
    assert list(interpreter.getSessionOutputAll(session)) == ["q", "z"]
    inputs = interpreter.getSessionInputAll(session)
    assert interpreter.getSessionInput(session) is inputs["a"]
    inputs["a"].fromNumpy(np.array([[1, 2]], np.float32))
    inputs["b"].fromNumpy(np.array([[10, 20]], np.float32))
    interpreter.runSession(session)
    assert interpreter.getSessionOutput(session, "z").getData() == (11, 22)
    assert interpreter.getSessionOutput(session, "q").getData() == (121, 484)


@pytest.mark.parametrize(("form", "dimension"), [(nets.NHWC, 0), (nets.NCHW, 1), (nets.NC4HW4, 1)])
def test_session_tensors_keep_mnn_s_dimension_types(form, dimension):
    interpreter = interpreter_of(nets.square_net([1, 5, 2, 3], form))
    session = interpreter.createSession()
    for tensor in (interpreter.getSessionInput(session), interpreter.getSessionOutput(session)):
        assert tensor.getShape() == (1, 5, 2, 3)
        assert tensor.getDimensionType() == dimension
        assert tensor.getDataType() is FLOAT


def test_host_tensors_of_every_order_can_be_copied_in_and_out():
    interpreter = interpreter_of(nets.image_net())
    session = interpreter.createSession()
    x = np.random.default_rng(0).uniform(-1, 1, (1, 3, 4, 4)).astype(np.float32)
    results = []
    for dimension in range(3):
        plain = MNN.Tensor(x.shape, FLOAT, x, MNN.Tensor_DimensionType_Caffe)
        host = MNN.Tensor(plain, dimension)
        host.copyFrom(plain)
        assert interpreter.getSessionInput(session).copyFrom(host)
        interpreter.runSession(session)
        output = interpreter.getSessionOutput(session)
        far = MNN.Tensor(output, dimension)
        assert output.copyToHostTensor(far)
        back = MNN.Tensor(output, MNN.Tensor_DimensionType_Caffe)
        back.copyFrom(far)
        results.append(back.getNumpyData())
    assert results[0].shape == (1, 5, 4, 4)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_sessions_of_integers_have_tensors_of_integers():
    ops = [nets.given("x", 0, [1, 3], dtype=nets.INT32), nets.add("y", 0, 0, 1)]
    interpreter = interpreter_of(nets.write(ops))
    session = interpreter.createSession()
    assert interpreter.getSessionInput(session).getDataType() is MNN.Halide_Type_Int
    x = np.array([[1, -2, 3]], np.int32)
    np.testing.assert_array_equal(run(interpreter, session, x)["y"], x + x)
    assert interpreter.getSessionOutput(session).getDataType() is MNN.Halide_Type_Int


def test_without_the_native_engine_sessions_run_in_numpy(monkeypatch):
    monkeypatch.setattr("arenite.native.available", lambda: False)
    interpreter = interpreter_of(nets.chain_net())
    session = interpreter.createSession()
    assert session.memory()["kernels"] == 0
    np.testing.assert_array_equal(run(interpreter, session)["y"], nets.chain(X)["y"])
    interpreter.getSessionInput(session).fromNumpy(X + 1)
    names = []

    def end(tensors, name):
        names.append(name)
        return True

    assert interpreter.runSessionWithCallBack(session, None, end) == 0
    assert names == ["a", "b", "y"]
    y = interpreter.getSessionOutput(session).getNumpyData()
    np.testing.assert_array_equal(y, nets.chain(X + 1)["y"])


def test_two_sessions_used_from_two_threads_at_once_give_the_right_answers():
    interpreter = interpreter_of(nets.image_net())
    rng = np.random.default_rng(1)
    inputs = [rng.uniform(-1, 1, (1, 3, 4, 4)).astype(np.float32) for _ in range(2)]
    sessions = [interpreter.createSession() for _ in inputs]
    expected = [
        run(interpreter, session, x)["y"] for session, x in zip(sessions, inputs, strict=True)
    ]
    wrong: list[int] = []
    start = threading.Barrier(2)

    def work(number: int) -> None:
        start.wait()
        for _ in range(200):
            y = run(interpreter, sessions[number], inputs[number])["y"]
            if not np.array_equal(y, expected[number]):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_sessions_are_made_run_resized_and_released_from_many_threads_at_once():
    interpreter = interpreter_of(nets.square_net([1, 3]))
    wrong: list[str] = []

    def work(number: int) -> None:
        for turn in range(20):
            session = interpreter.createSession()
            rows = 1 + (number + turn) % 4
            interpreter.resizeTensor(interpreter.getSessionInput(session), (rows, 3))
            interpreter.resizeSession(session)
            x = np.full((rows, 3), number, np.float32)
            if not np.array_equal(run(interpreter, session, x)["y"], x**2):
                wrong.append(f"{number} in turn {turn}")
            interpreter.releaseSession(session)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert "0 sessions" in repr(interpreter)


def run_until_refused(interpreter, session, errors: list[Exception]) -> None:
    while not errors:
        try:
            interpreter.runSession(session)
        except Exception as error:
            errors.append(error)


def test_a_session_that_is_released_while_it_runs_ends_its_run_first():
    interpreter = interpreter_of(nets.image_net())
    for _ in range(50):
        session = interpreter.createSession()
        errors: list[Exception] = []
        thread = threading.Thread(target=run_until_refused, args=(interpreter, session, errors))
        thread.start()
        interpreter.releaseSession(session)
        thread.join()
        assert [type(error) for error in errors] == [ar.StateError]


# -- facts ------------------------------------------------------------------------------


def test_memory_is_the_arena_the_tensors_and_what_the_kernels_keep(chain):
    session = chain.createSession()
    parts = session.memory()
    assert list(parts) == ["arena", "tensors", "kernels"]
    assert parts["tensors"] == 2 * 4 * 4
    info = chain.getSessionInfo(session, MNN.SessionInfoCode.MEMORY)
    assert info == sum(parts.values()) / 2**20


def test_flops_are_counted_as_mnn_counts_them():
    interpreter = interpreter_of(nets.image_net())
    session = interpreter.createSession()
    work: dict[str, float] = {}

    def note(_, info):
        work[info.getType()] = info.getFlops()
        return True

    interpreter.runSessionWithCallBackInfo(session, note, None)
    assert work["Convolution"] == 4 * 4 * 9 * 3 * 5 / 1e6
    assert work["UnaryOp"] == 5 * 4 * 4 / 2**20
    total = interpreter.getSessionInfo(session, MNN.SessionInfoCode.FLOPS)
    assert total >= work["Convolution"] + work["UnaryOp"]


def test_int8_convolutions_count_like_others():
    model = LEGAL["MNN_CONV_INT8"].model()
    assert flops(model, model.main.operators[0]) == 2 * 3 * (4 * 3 * 3 * 3) / 1e6


@pytest.mark.parametrize("code", [5, -1])
def test_codes_that_are_none_are_refused(chain, code):
    with pytest.raises(ValueError, match=f"code from 0 to 4, got {code}"):
        chain.getSessionInfo(chain.createSession(), code)


def test_a_session_says_what_it_is(chain):
    session = chain.createSession()
    assert repr(session) == "<Session: ready, x[1, 4] -> y>"
    chain.releaseSession(session)
    assert repr(session) == "<Session: the session was released>"
