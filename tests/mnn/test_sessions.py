"""Sessions: their data, sizes, parts of nets, and calls that are not legal."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import arenite as ar
import arenite.mnn as MNN  # noqa: N812
from tests.mnn import nets

FLOAT = MNN.Halide_Type_Float
X = np.array([[1, 2, 3, 4]], np.float32)


def interpreter_of(data: bytes) -> MNN.Interpreter:
    return MNN.Interpreter.createFromBuffer(data)


@pytest.fixture
def chain() -> MNN.Interpreter:
    return interpreter_of(nets.chain_net())


def run(interpreter, session, x: np.ndarray = X) -> dict[str, np.ndarray]:
    interpreter.getSessionInput(session).fromNumpy(x)
    assert interpreter.runSession(session) == 0
    outputs = interpreter.getSessionOutputAll(session)
    return {name: tensor.getNumpyData().copy() for name, tensor in outputs.items()}


# -- data --------------------------------------------------------------------------------


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


# -- sizes -------------------------------------------------------------------------------


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


# -- modes -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["Session_Resize_Defer", "Session_Input_User"])
def test_a_deferred_session_is_planned_by_resize_session(chain, mode):
    chain.setSessionMode(MNN.SessionMode[mode])
    session = chain.createSession()
    with pytest.raises(ar.StateError, match="resizeSession"):
        chain.runSession(session)
    chain.resizeSession(session)
    np.testing.assert_array_equal(run(chain, session)["y"], nets.chain(X)["y"])


def test_the_later_mode_of_a_group_holds(chain):
    chain.setSessionMode(MNN.SessionMode.Session_Resize_Defer)
    chain.setSessionMode(MNN.SessionMode.Session_Resize_Direct)
    assert chain.runSession(chain.createSession()) == 0


@pytest.mark.parametrize(("mode", "error"), [(18, ValueError), (-1, ValueError), ("x", TypeError)])
def test_modes_that_are_none_are_refused(chain, mode, error):
    with pytest.raises(error):
        chain.setSessionMode(mode)


def test_hints_are_accepted(chain):
    chain.setSessionHint(0, 5)
    chain.setSessionHint(14, [0, 1])
    chain.setSessionHint(14, (0, 1))


@pytest.mark.parametrize(
    ("hint", "value", "error"), [(19, 1, ValueError), (0, "a", TypeError), ("a", 1, TypeError)]
)
def test_hints_that_are_none_are_refused(chain, hint, value, error):
    with pytest.raises(error):
        chain.setSessionHint(hint, value)


# -- configurations ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "config",
    [
        None,
        {},
        {"backend": "CPU", "numThread": 2, "precision": "high"},
        {"backend": "AUTO", "precision": 1, "power": 0, "memory": "low"},
        {"backend": 0, "numThread": 0, "precision": "Low_BF16"},
    ],
)
def test_configurations_that_mnn_takes_are_taken(chain, config):
    np.testing.assert_array_equal(run(chain, chain.createSession(config))["y"], nets.chain(X)["y"])


@pytest.mark.parametrize(("threads", "said"), [(3, 3), (0, 1), (-4, 1)])
def test_the_number_of_threads_is_remembered(chain, threads, said):
    session = chain.createSession({"numThread": threads})
    assert chain.getSessionInfo(session, MNN.SessionInfoCode.THREAD_NUMBER) == said


@pytest.mark.parametrize("backend", ["OPENCL", "CUDA", 7])
def test_a_backend_that_is_not_there_is_the_cpu_and_said(chain, backend):
    with pytest.warns(UserWarning, match="the CPU is used"):
        session = chain.createSession({"backend": backend})
    assert chain.getSessionInfo(session, MNN.SessionInfoCode.BACKENDS) == 0


def test_keys_that_are_not_known_are_ignored_and_said(chain):
    with pytest.warns(UserWarning, match="ignored 'numThreads'; known are backend, numThread"):
        chain.createSession({"numThreads": 2})


@pytest.mark.parametrize(
    ("config", "error", "text"),
    [
        (5, TypeError, "expected a dict, got int"),
        ({"backend": "FOO"}, ValueError, "backend: expected one of CPU, .* got 'FOO'"),
        ({"backend": 1.5}, TypeError, "backend: expected an int"),
        ({"numThread": "2"}, TypeError, "numThread: expected an int, got '2'"),
        ({"numThread": True}, TypeError, "numThread"),
        ({"precision": "exact"}, ValueError, r"precision: expected one of 0 \(normal\)"),
        ({"precision": 9}, ValueError, "got 9"),
        ({"memory": None}, TypeError, "memory: expected an int"),
        ({"saveTensors": "b"}, TypeError, "saveTensors: expected a tuple of names, got 'b'"),
        ({"saveTensors": (1,)}, TypeError, "saveTensors"),
        ({"saveTensors": ("nope",)}, ValueError, r"saveTensors: the model has no \['nope'\]"),
        ({"inputPaths": ("nope",)}, ValueError, "inputPaths: the model has no"),
        ({"outputPaths": ("nope",)}, ValueError, "outputPaths: the model has no"),
        ({"saveTensors": ("y",), "outputPaths": ("b",)}, ValueError, "does not compute"),
    ],
)
def test_configurations_that_are_wrong_are_explained_and_leave_no_session(
    chain, config, error, text
):
    with pytest.raises(error, match=text):
        chain.createSession(config)
    assert "0 sessions" in repr(chain)


def test_a_runtime_can_be_given(chain):
    runtime, there = MNN.Interpreter.createRuntime([{"numThread": 2}, {"backend": "CPU"}])
    assert there == (True, True)
    assert chain.runSession(chain.createSession({}, runtime)) == 0
    with pytest.raises(TypeError, match="expected a runtime of createRuntime, got int"):
        chain.createSession({}, 5)


def test_a_runtime_says_which_backends_are_there():
    with pytest.warns(UserWarning, match="the CPU is used"):
        _, there = MNN.Interpreter.createRuntime([{}, {"backend": "OPENCL"}])
    assert there == (True, False)


# -- parts of nets -----------------------------------------------------------------------


def test_saved_tensors_are_outputs_beside_the_model_s_own():
    data = nets.write(
        [nets.given("x", 0, [1, 4]), nets.unary("a", 0, 1), nets.unary("y", 1, 2)],
        outputName=["y"],
    )
    interpreter = interpreter_of(data)
    outputs = run(interpreter, interpreter.createSession({"saveTensors": ("a",)}))
    np.testing.assert_array_equal(outputs["a"], X**2)
    np.testing.assert_array_equal(outputs["y"], X**4)


def test_output_paths_end_the_net_early(chain):
    session = chain.createSession({"outputPaths": ("b",)})
    outputs = run(chain, session)
    assert list(outputs) == ["b"]
    np.testing.assert_array_equal(outputs["b"], nets.chain(X)["b"])


def test_input_paths_begin_the_net_late_with_inputs_that_wait_for_their_shapes(chain):
    session = chain.createSession({"inputPaths": ("b",), "outputPaths": ("y",)})
    (tensor,) = chain.getSessionInputAll(session).values()
    assert tensor is chain.getSessionInput(session, "a")
    assert tensor.getShape() == (0, 0, 0, 0)
    chain.resizeTensor(tensor, (1, 4))
    chain.resizeSession(session)
    np.testing.assert_array_equal(run(chain, session)["y"], (X + X) ** 2)


def test_a_path_s_input_of_another_shape_is_refused_by_the_operator_that_reads_it(chain):
    session = chain.createSession({"inputPaths": ("b",)})
    chain.resizeTensor(chain.getSessionInput(session), (3, 5))
    with pytest.raises(ar.ModelError, match=r"BinaryOp 'b': .* \$\.oplists\[3\]"):
        chain.resizeSession(session)


def test_a_path_s_input_that_is_too_large_is_named_with_the_operator_it_replaces(chain):
    session = chain.createSession({"inputPaths": ("b",)})
    chain.resizeTensor(chain.getSessionInput(session), (40000, 40000))
    with pytest.raises(ar.ModelError, match=r"Input 'a': .* \$\.oplists\[2\]"):
        chain.resizeSession(session)


def test_input_paths_alone_run_their_operators_alone(chain):
    session = chain.createSession({"inputPaths": ("a",)})
    assert list(run(chain, session)) == ["a"]


# -- facts -------------------------------------------------------------------------------


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


@pytest.mark.parametrize("code", [5, -1])
def test_codes_that_are_none_are_refused(chain, code):
    with pytest.raises(ValueError, match=f"code from 0 to 4, got {code}"):
        chain.getSessionInfo(chain.createSession(), code)


def test_a_session_says_what_it_is(chain):
    session = chain.createSession()
    assert repr(session) == "<Session: ready, x[1, 4] -> y>"
    chain.releaseSession(session)
    assert repr(session) == "<Session: the session was released>"


# -- calls that are not legal ----------------------------------------------------------------

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
