"""A user's own kernel in the arena: its results, its memory, and its mistakes in its own words."""

import pickle
import re

import numpy as np
import pytest

import arenite as ar
from arenite import hooks
from arenite.errors import ConstraintError, KernelBuildError, KernelError, StateError
from tests.kernels.trees import LENGTH, SAMPLES, any_tree, define, model

pytest.importorskip("ziglang")

#: What ends a kernel's call, by the options' byte of mistakes.cc, and what is said of it.
STOPPED = {
    1: (KernelError, r"prepare answered 1: \S*mistakes.cc this is not for you"),
    2: (KernelError, r"prepare stopped: check failed: .*kTfLiteFloat32.* \(\S*mistakes.cc:\d+\)"),
    3: (StateError, r"prepare must give all temporary memory back.* tensor 0 \('x'\)"),
    6: (KernelError, r"invoke answered 1: value 42 of x"),
    8: (KernelError, r"invoke stopped: abort\(\) at \S*mistakes.cc:\d+"),
    12: (KernelError, r"prepare stopped: MicroGraph::InvokeSubgraph\(1\) is not served"),
    13: (KernelError, r"invoke stopped: exit\(3\) at \S*mistakes.cc:\d+"),
    15: (StateError, r"allocate_persistent_buffer"),
    19: (KernelError, r"prepare stopped: DeallocateTempTfLiteTensor\(nullptr\)"),
}


@pytest.fixture(scope="module")
def mistakes():
    folder = any_tree()
    return ar.compile_kernels(SAMPLES / "mistakes.cc", tflm=folder, define=define(folder))


VALUES = np.arange(LENGTH, dtype=np.int8)[None]


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("through_scratch", [0, 9])
def test_it_computes_in_every_inference(mistakes, engine, through_scratch):
    run = ar.Interpreter(model(mistakes, through_scratch), engine=engine)
    for step in range(4):
        np.testing.assert_array_equal(run(VALUES + step), VALUES + step)


def test_the_native_engine_runs_it(mistakes):
    micro = ar.MicroInterpreter.in_smallest_arena(
        model(mistakes),
        ar.AllOpsResolver().add_custom("MISTAKES", mistakes["MISTAKES"]),
        engine="native",
    )
    assert micro.compiled is not None
    assert micro.compiled.kernel(0) != "python"


def test_samples_of_a_batch_on_two_threads_are_those_on_one(mistakes):
    samples = np.random.default_rng(0).integers(-128, 128, (50, 1, LENGTH)).astype(np.int8)
    run = ar.Interpreter(model(mistakes, 9), engine="native")
    np.testing.assert_array_equal(run.predict(samples, threads=2), samples[:, 0])
    np.testing.assert_array_equal(run.predict(samples), samples[:, 0])


def test_its_memory_is_the_arenas(mistakes):
    resolver = ar.AllOpsResolver().add_custom("MISTAKES", mistakes["MISTAKES"])
    micro = ar.MicroInterpreter(model(mistakes), resolver, bytearray(4096))
    micro.allocate_tensors()
    op_data = [one for one in micro.allocations().records if "op data" in one.purpose]
    assert sum(one.requested for one in op_data) == 12
    assert micro.arena.head_used == 192  # input, scratch and output of 64 bytes


@pytest.mark.parametrize("mistake", STOPPED)
def test_a_call_that_cannot_go_on_says_why_and_where(mistakes, mistake):
    error, text = STOPPED[mistake]
    with pytest.raises(error, match=text) as caught:
        ar.Interpreter(model(mistakes, mistake), engine="reference")(VALUES)
    assert "MISTAKES 0 (" in str(caught.value)


@pytest.mark.parametrize("mistake", [6, 8])
def test_a_native_step_that_fails_says_it_once_and_the_next_inference_goes_on(mistakes, mistake):
    run = ar.Interpreter(model(mistakes, mistake), engine="native")
    for _ in range(3):
        with pytest.raises(KernelError, match=STOPPED[mistake][1]):
            run(VALUES)


def test_an_arena_that_is_too_small_says_which_would_do(mistakes):
    resolver = ar.AllOpsResolver().add_custom("MISTAKES", mistakes["MISTAKES"])
    micro = ar.MicroInterpreter(model(mistakes, 4), resolver, 1 << 20)
    with pytest.raises(ar.ArenaError) as caught:
        micro.allocate_tensors()
    assert caught.value.needed > 100 << 20


def test_an_external_context_is_memory_that_the_kernel_sees(mistakes):
    resolver = ar.AllOpsResolver().add_custom("MISTAKES", mistakes["MISTAKES"])
    counter = np.array([40], np.int32)
    micro = ar.MicroInterpreter(model(mistakes, 16), resolver, 4096, engine="native")
    micro.set_micro_external_context(counter)
    micro.allocate_tensors()
    micro.invoke()
    micro.invoke()
    assert counter.tolist() == [42]


def test_its_registration_goes_to_other_processes(mistakes):
    again = pickle.loads(pickle.dumps(model(mistakes, 9)))
    np.testing.assert_array_equal(ar.Interpreter(again)(VALUES), VALUES)


def test_a_target_of_32_bits_without_its_core_is_refused(mistakes, monkeypatch):
    monkeypatch.setitem(hooks._HOOKS, "asked_on_core", "tests.kernels.no_core")
    with pytest.raises(KernelError, match=r"arena of cortex-m4.* is not known: .*no emulator"):
        ar.Interpreter(model(mistakes, 0), target="cortex-m4")


def test_memory_that_invoke_asks_for_is_refused_on_a_target_of_32_bits(mistakes, monkeypatch):
    sizes = [("persistent", 12), ("scratch", LENGTH)]
    monkeypatch.setattr("arenite.kernels.instance.asked_for", lambda *_: sizes)
    run = ar.Interpreter(model(mistakes, 15), target="cortex-m4")
    with pytest.raises(StateError, match="allocate_persistent_buffer"):
        run(VALUES)


def test_an_operator_of_arenites_is_replaced_where_that_is_asked_for(mistakes):
    from tests.shared import DIGITS

    other = {"SOFTMAX": mistakes["MISTAKES"]}
    with pytest.raises(ValueError, match="replace=True"):
        ar.load(DIGITS, operators=other)
    replaced = ar.load(DIGITS, operators=other, replace=True)
    assert replaced.registrations["SOFTMAX"].invoke is mistakes["MISTAKES"].invoke


# -- what does not compile ---------------------------------------------------------------


def test_the_compilers_first_error_is_said(tmp_path):
    wrong = tmp_path / "wrong.cc"
    wrong.write_text("TFLMRegistration* Register_X() { return nothing; }\n")
    with pytest.raises(KernelBuildError, match=r"wrong.cc:1:1: unknown type name") as caught:
        ar.compile_kernels(wrong, tflm=any_tree())
    assert caught.value.command[:2] == ("zig", "c++")


def test_a_header_that_is_missing_is_named(tmp_path):
    wrong = tmp_path / "wrong.cc"
    wrong.write_text('#include "lib_nn/conv.h"\n')
    with pytest.raises(KernelBuildError, match=r"with 'lib_nn/conv.h' among --include"):
        ar.compile_kernels(wrong, tflm=any_tree())


def test_a_source_without_a_registration_is_refused(tmp_path):
    empty = tmp_path / "empty.cc"
    empty.write_text("int nothing;\n")
    with pytest.raises(KernelBuildError, match=r"Register_MY_OP\(\)', got none"):
        ar.compile_kernels(empty, tflm=any_tree())


def test_a_function_that_nobody_has_is_refused(mistakes):
    folder = any_tree()
    with pytest.raises(KernelBuildError, match=r"'Register_OTHER' there, got sample::Register_M"):
        ar.compile_kernels(
            SAMPLES / "mistakes.cc",
            tflm=folder,
            define=define(folder),
            names={"X": "Register_OTHER"},
        )


def test_a_folder_that_is_no_tree_is_refused(tmp_path):
    with pytest.raises(KernelBuildError, match="has no tensorflow"):
        ar.compile_kernels(SAMPLES / "mistakes.cc", tflm=tmp_path)


def test_a_source_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(KernelBuildError, match=re.escape("there is no file")):
        ar.compile_kernels(tmp_path / "none.cc", tflm=tmp_path)


def test_checks_are_off_in_a_release_build():
    folder = any_tree()
    macros = {**define(folder), "NDEBUG": "1"}
    kernels = ar.compile_kernels(SAMPLES / "mistakes.cc", tflm=folder, define=macros)
    run = ar.Interpreter(model(kernels, 2), engine="reference")
    np.testing.assert_array_equal(run(VALUES), VALUES)


def test_constraint_errors_are_its_base():
    assert issubclass(KernelError, ConstraintError)
