"""What a session is asked to be: configuration, modes, a part of the net."""

import numpy as np
import pytest

import arenite as ar
import arenite.mnn as MNN  # noqa: N812
from tests.mnn import nets
from tests.mnn.running import X, interpreter_of, run

# -- configurations ---------------------------------------------------------------------


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


# -- modes ------------------------------------------------------------------------------


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


# -- parts of nets ----------------------------------------------------------------------


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
