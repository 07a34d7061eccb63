"""Whole models: what Vela compiled computes what the original computes, bit by bit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import arenite as ar
from arenite import litert
from arenite.model.offline_plan import OFFLINE_METADATA
from arenite.native import available
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.profiler import MicroProfiler
from tests.npu.vela import CONFIGURATIONS, KEPT, LARGE, MODELS, compiled
from tests.shared import DIGITS, shared_model, shared_wake_word

native = pytest.mark.skipif(not available(), reason="the native engine was not built")


def inputs(model: ar.Model, count: int) -> list[np.ndarray]:
    """Random values of the model's only input."""
    (tensor,) = model.inputs
    info, rng = np.iinfo(tensor.type.dtype), np.random.default_rng(7)
    shape = (count, *tensor.shape)
    return list(rng.integers(info.min, info.max + 1, shape).astype(tensor.type.dtype))


def assert_same(original: Path, file: bytes | Path, count: int) -> None:
    one, other = ar.Interpreter(original), ar.Interpreter(file)
    for x in inputs(ar.load(original), count):
        assert np.array_equal(one(x), other(x))


@pytest.mark.parametrize("name", KEPT)
def test_digits_that_vela_compiled_are_digits(name: str) -> None:
    assert_same(DIGITS, KEPT[name], 20)


@pytest.mark.parametrize("name", KEPT)
def test_the_kept_files_are_what_vela_makes(name: str) -> None:
    assert compiled(DIGITS, name) == KEPT[name].read_bytes()


ALL = {**CONFIGURATIONS, **LARGE}
#: One model in all configurations, all models in three.
CASES = [
    (name, configuration)
    for name in MODELS
    for configuration in ALL
    if name == MODELS[0] or configuration in ("u55-128", "u65-256", "u85-256")
]


@pytest.mark.parametrize(("name", "configuration"), CASES)
def test_a_compiled_model_has_the_original_s_bits(name: str, configuration: str) -> None:
    original = shared_model(name)
    assert_same(original, compiled(original, *ALL[configuration]), 2)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("name", KEPT)
def test_batches_are_predicted(name: str, engine: str, threads: int) -> None:
    batch = np.concatenate(inputs(ar.load(DIGITS), 60))
    expected = ar.Interpreter(DIGITS).predict(batch)
    found = ar.Interpreter(KEPT[name], engine=engine).predict(batch, threads=threads)
    assert np.array_equal(found, expected)


@native
@pytest.mark.parametrize("name", KEPT)
def test_threads_share_an_inference(name: str) -> None:
    shared = ar.Interpreter(KEPT[name], threads=2)
    for x in inputs(ar.load(DIGITS), 5):
        assert np.array_equal(shared(x), ar.Interpreter(DIGITS)(x))
    shared.close()


@native
@pytest.mark.parametrize("name", KEPT)
def test_a_profile_runs_commands_in_c(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arenite.ops.custom.ethos_u.run", None)
    model, (x,) = ar.load(KEPT[name]), inputs(ar.load(DIGITS), 1)
    profiler = MicroProfiler()
    found = ar.Interpreter(model, engine="native", profiler=profiler)(x)
    assert np.array_equal(found, ar.Interpreter(DIGITS)(x))
    assert [event.tag for event in profiler.events] == ["ethos-u"]


@native
@pytest.mark.parametrize(("name", "configuration"), CASES)
def test_all_commands_of_a_model_run_in_c(name: str, configuration: str) -> None:
    file = compiled(shared_model(name), *ALL[configuration])
    interpreter = ar.MicroInterpreter.in_smallest_arena(file, ar.AllOpsResolver(), engine="native")
    graph = interpreter.compiled
    assert graph is not None
    operators = interpreter.model.main.operators
    kernels = [graph.kernel(i) for i, one in enumerate(operators) if one.name == "ethos-u"]
    assert "python" not in kernels


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_variables_on_the_cpu_go_from_one_inference_to_the_next(engine: str) -> None:
    original = shared_wake_word("vad")
    model = ar.load(compiled(original, *CONFIGURATIONS["u55-128"]))
    names = [one.name for subgraph in model.subgraphs for one in subgraph.operators]
    assert (names.count("ethos-u"), names.count("READ_VARIABLE")) == (1, 4)
    one, other, seen = ar.Interpreter(original), ar.Interpreter(model, engine=engine), set()
    rng = np.random.default_rng(1)
    for _ in range(40):
        center, width = rng.integers(-128, 128), rng.integers(1, 60)
        x = np.clip(rng.normal(center, width, one.input(0).shape), -128, 127).astype(np.int8)
        y = one(x)
        assert np.array_equal(y, other(x))
        seen.add(int(y.max()))
    assert len(seen) > 5


def test_tflm_s_way_runs_it() -> None:
    model, (x,) = ar.load(KEPT["ethos-u55-128"]), inputs(ar.load(DIGITS), 1)
    arena = bytearray(ar.smallest_arena(model))
    micro = ar.MicroInterpreter(model, ar.AllOpsResolver(), arena)
    micro.allocate_tensors()
    micro.input(0)[:] = x
    micro.invoke()
    assert np.array_equal(micro.output(0), ar.Interpreter(DIGITS)(x))


@pytest.mark.parametrize("name", KEPT)
def test_on_a_heap_operands_are_copied_to_where_commands_have_them(name: str) -> None:
    interpreter, original = HeapInterpreter(ar.load(KEPT[name])), ar.Interpreter(DIGITS)
    interpreter.allocate_tensors()
    for x in inputs(ar.load(DIGITS), 5):
        interpreter.input(0)[:] = x
        interpreter.invoke()
        assert np.array_equal(interpreter.output(0), original(x))


def test_the_api_of_litert_runs_it() -> None:
    (x,) = inputs(ar.load(DIGITS), 1)
    interpreter = litert.Interpreter(model_path=str(KEPT["ethos-u55-128"]))
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
    interpreter.invoke()
    found = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    assert np.array_equal(found, ar.Interpreter(DIGITS)(x))


def test_a_mixed_file_runs_on_a_heap() -> None:
    original = shared_model("keyword_scrambled_8bit")
    interpreter = HeapInterpreter(ar.load(compiled(original, "ethos-u65-256")))
    interpreter.allocate_tensors()
    expected = ar.Interpreter(original)
    for x in inputs(ar.load(original), 3):
        interpreter.input(0)[:] = x
        interpreter.invoke()
        assert np.array_equal(interpreter.output(0), expected(x))


@pytest.mark.parametrize("offset", [-1, 1 << 20])
def test_on_a_heap_a_plan_without_places_for_operands_is_refused(offset: int) -> None:
    model = ar.load(KEPT["ethos-u55-128"])
    plan = np.frombuffer(model.metadata[OFFLINE_METADATA], "<i4").copy()
    plan[3 + model.main.operators[0].outputs[0]] = offset
    damaged = replace(model, metadata={**model.metadata, OFFLINE_METADATA: plan.tobytes()})
    interpreter = HeapInterpreter(damaged)
    interpreter.allocate_tensors()
    with pytest.raises(ar.ConstraintError, match="run it in an arena"):
        interpreter.invoke()


def test_preserving_all_tensors_leaves_out_the_plan_that_is_part_of_such_a_file() -> None:
    interpreter = ar.Interpreter(KEPT["ethos-u55-128"], preserve_all_tensors=True)
    with pytest.raises(ar.ConstraintError, match="in an arena, without preserve_all_tensors"):
        interpreter.invoke()
