"""A custom operator in Python, inside a model, in the arena and on the heap."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.refusal import refusal
from arenite.formats import tflite
from arenite.memory.recording import Category
from arenite.model import OptionsTable, slot
from arenite.ops import AllOpsResolver, Registration
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.runtime.models import custom_chain

Array = np.ndarray[Any, Any]


# The whole operator: a running mean over the last inferences, per channel. It has custom
# options, persistent memory for the sums, and scratch memory for the squares.
def init(context: Any, options: bytes) -> dict[str, Any]:
    return {"length": options[0], "calls": 0}


def prepare(context: Any, node: Any) -> dict[str, Any]:
    x = context.allocate_temp_input_tensor(node, 0)
    context.resize_tensor(node.outputs[0], x.shape)
    sums = context.allocate_persistent_buffer(8 * x.size, "sums").view(np.int64)
    sums[...] = 0
    scratch = context.request_scratch_buffer_in_arena(8 * x.size, "mean")
    context.deallocate_temp_tflite_tensor(x)
    return {"sums": sums, "scratch": scratch, "state": node.user_data}


def invoke(context: Any, node: Any) -> None:
    p = node.params
    p["state"]["calls"] = min(p["state"]["calls"] + 1, p["state"]["length"])
    mean = context.get_scratch_buffer(p["scratch"]).view(np.int64)
    p["sums"] += context.get_eval_tensor(node.inputs[0]).data.reshape(-1)
    np.floor_divide(p["sums"], p["state"]["calls"], out=mean)
    out = context.get_eval_tensor(node.outputs[0]).data
    out[...] = np.clip(mean, -128, 127).reshape(out.shape)


RUNNING_MEAN = ar.Registration(init=init, prepare=prepare, invoke=invoke)


def model() -> ar.Model:
    rng = np.random.default_rng(0)
    b = ar.ModelBuilder()
    x = b.input("x", (1, 4, 4, 2), "int8", scale=0.1)
    w = b.constant("w", rng.integers(-127, 128, (3, 1, 1, 2), dtype=np.int8), scale=0.01)
    y = b.tensor("y", (1, 4, 4, 3), "int8", scale=0.1)
    z = b.tensor("z", (1, 4, 4, 3), "int8", scale=0.1)
    b.operator("CONV_2D", [x, w], [y], Conv2DOptions(1, 1, 1))
    b.operator("RUNNING_MEAN", [y], [z], custom_options=bytes([100]))
    b.output(z)
    return b.build()


def resolver() -> ar.MutableOpResolver:
    return ar.MutableOpResolver().add("CONV_2D").add_custom("RUNNING_MEAN", RUNNING_MEAN)


def heap() -> Callable[[Array], Array]:
    interpreter = ar.HeapInterpreter(model(), resolver())
    interpreter.allocate_tensors()
    return feeding(interpreter)


def arena() -> Callable[[Array], Array]:
    interpreter = ar.MicroInterpreter(model(), resolver(), bytearray(b"\x77" * 8192))
    interpreter.allocate_tensors()
    return feeding(interpreter)


def feeding(interpreter: Any) -> Callable[[Array], Array]:
    def run(x: Array) -> Array:
        interpreter.input()[...] = x
        interpreter.invoke()
        return np.array(interpreter.output())

    return run


def friendly() -> Any:
    return ar.Interpreter(model(), resolver=resolver())


@pytest.mark.parametrize("make", [heap, arena, friendly])
def test_it_runs_inside_a_model(make: Callable[[], Any]) -> None:
    convolve = ar.HeapInterpreter(model(), resolver())
    convolve.allocate_tensors()
    run = make()
    total = np.zeros((1, 4, 4, 3), np.int64)
    for number in range(1, 4):
        x = np.full((1, 4, 4, 2), 10 * number, np.int8)
        convolve.input()[...] = x
        convolve.invoke()
        total += convolve.eval_tensor(2).data
        np.testing.assert_array_equal(run(x), np.clip(total // number, -128, 127))


def test_its_memory_is_in_the_arena_and_in_the_records() -> None:
    interpreter = ar.Interpreter(model(), resolver=resolver())
    records = [r for r in interpreter.allocations().records if r.operator == "#1 RUNNING_MEAN"]
    assert [(r.category, r.requested, r.purpose) for r in records] == [
        (Category.PERSISTENT_BUFFER, 8 * 48, "sums")
    ]
    scratch = [buffer for buffer in interpreter.plan.buffers if buffer.kind == "scratch"]
    assert [(buffer.name, buffer.size) for buffer in scratch] == [("#1 RUNNING_MEAN mean", 8 * 48)]


def test_it_takes_less_than_25_lines() -> None:
    source = Path(__file__).read_text()
    operator = source[source.index("def init") : source.index("\n\ndef model")]
    assert len([line for line in operator.splitlines() if line.strip()]) < 25


def test_a_registration_says_which_functions_it_has() -> None:
    own = ar.Registration(init=init, invoke=invoke)
    assert repr(own) == "<Registration without a name yet: init, invoke>"
    found = ar.MutableOpResolver().add_custom("RUNNING_MEAN", own).find("RUNNING_MEAN")
    assert repr(found) == "<Registration RUNNING_MEAN: init, invoke>"


# -- a builtin that Arenite does not have, with a row of the user's own


@dataclass(frozen=True)
class OwnOptions(OptionsTable):
    """``table SkipGramOptions``, as a user writes it."""

    UNION_TYPE: ClassVar[int] = 18

    ngram_size: int = slot(0, "int32")


def skip_gram(**options: Any) -> bytes:
    b = ar.ModelBuilder()
    x, y = b.input("x", (1, 2, 2, 1), "int8"), b.tensor("y", (1, 1, 1, 4), "int8")
    b.operator("SKIP_GRAM", [x], [y], OwnOptions(**options))
    b.output(y)
    return tflite.write(b.build())


def copy(context: Any, node: Any) -> None:
    out = context.get_eval_tensor(node.outputs[0]).data
    out[...] = context.get_eval_tensor(node.inputs[0]).data.reshape(out.shape)


def options_seen(data: bytes, row: type[OptionsTable] | None) -> list[Any]:
    seen: list[Any] = []
    registration = ar.Registration(
        invoke=copy, init=lambda context, options: seen.append(options), options=row
    )
    resolver = ar.MutableOpResolver().add("SKIP_GRAM", registration)
    ar.MicroInterpreter(data, resolver, 4096).allocate_tensors()
    return seen


def test_options_are_read_through_the_registrations_row() -> None:
    assert options_seen(skip_gram(ngram_size=2), OwnOptions) == [OwnOptions(2)]


def test_without_a_row_they_are_the_files_table() -> None:
    (raw,) = options_seen(skip_gram(ngram_size=2), None)
    assert raw.union_type == 18
    assert tflite.parse_options(raw, OwnOptions) == OwnOptions(2)
    assert repr(raw) == f"<options of union type 18 at byte {raw.position}>"


def test_an_options_table_of_another_operator_says_nothing() -> None:
    @dataclass(frozen=True)
    class OtherOptions(OptionsTable):
        UNION_TYPE: ClassVar[int] = 20

        ngram_size: int = slot(0, "int32", 7)

    assert options_seen(skip_gram(ngram_size=2), OtherOptions) == [OtherOptions(7)]


def test_a_malformed_table_is_found_when_its_row_is_known() -> None:
    @dataclass(frozen=True)
    class WideOptions(OptionsTable):
        UNION_TYPE: ClassVar[int] = 18

        names: str = slot(0, "string", "")

    with pytest.raises(ar.ModelError, match=r"\$.subgraphs\[0\].operators\[0\].builtin_options"):
        options_seen(skip_gram(ngram_size=1 << 30), WideOptions)


def test_a_row_has_the_types_that_tables_have() -> None:
    with pytest.raises(ValueError, match=r"expected a type of bool, .*, got 'int'"):
        ar.slot(0, "int")


def test_a_row_and_a_struct_are_found_under_public_names() -> None:
    assert ar.OptionsTable is OptionsTable
    data = ar.Struct("TfLiteSkipGramParams", ("int", "int", "bool"))
    registration = ar.Registration(invoke=copy, options=OwnOptions, builtin_data=data)
    resolver = ar.MutableOpResolver().add("SKIP_GRAM", registration)
    micro = ar.MicroInterpreter(skip_gram(ngram_size=2), resolver, 4096, target="cortex-m4")
    micro.allocate_tensors()
    parsed = [r for r in micro.allocations().records if r.purpose == data.name]
    assert [(r.category, r.requested) for r in parsed] == [(Category.BUILTIN_DATA, 12)]


def test_a_row_that_is_not_the_models_is_refused() -> None:
    b = ar.ModelBuilder()
    x, y = b.input("x", (1,), "int8"), b.tensor("y", (1,), "int8")
    b.operator("SKIP_GRAM", [x], [y], OwnOptions(2))
    b.output(y)
    resolver = ar.MutableOpResolver().add(
        "SKIP_GRAM", ar.Registration(invoke=copy, options=Conv2DOptions)
    )
    with pytest.raises(ar.ModelError, match="expects Conv2DOptions, the model has OwnOptions"):
        ar.MicroInterpreter(b.build(), resolver, 4096)


def test_a_model_that_is_pickled_keeps_options_that_nobody_knows() -> None:
    model = pickle.loads(pickle.dumps(ar.load(skip_gram(ngram_size=2))))
    resolver = ar.MutableOpResolver().add(
        "SKIP_GRAM",
        ar.Registration(
            invoke=copy, init=lambda context, options: seen.append(options), options=OwnOptions
        ),
    )
    seen: list[Any] = []
    ar.MicroInterpreter(model, resolver, 4096).allocate_tensors()
    assert seen == [OwnOptions(2)]


def test_arenites_own_custom_operators_read_custom_options_only() -> None:
    """A file may give them builtin options besides, which TFLM does not look at."""
    b = ar.ModelBuilder()
    x, y = b.input("x", (1, 1, 1, 2), "int8"), b.variable("y", (1, 5, 1, 2), "int8")
    b.operator("CIRCULAR_BUFFER", [x], [y], Conv2DOptions(1, 1, 1), custom_options=b"")
    b.output(y)
    assert ar.Interpreter(tflite.read(tflite.write(b.build()))).invoke()


# -- inputs that nobody writes: memory to work in, as operators of accelerators have it ---


def with_scratch() -> ar.Model:
    """y = (x + 1) + 1: both operators have the same tensor to work in."""
    b = ar.ModelBuilder()
    x = b.input("x", (8,), "int8")
    scratch = b.tensor("scratch", (40,), "uint8")
    y, z = (b.tensor(name, (8,), "int8") for name in "yz")
    b.operator("STEP", [x, scratch], [y], custom_options=b"")
    b.operator("STEP", [y, scratch], [z], custom_options=b"")
    b.output(z)
    return b.build()


def step(context: Any, node: Any) -> None:
    x, work, y = (context.get_eval_tensor(i).data for i in (*node.inputs, *node.outputs))
    work[:] = 99
    y[:] = x + 1


STEP = ar.Registration(invoke=step)


@pytest.mark.parametrize("kind", [ar.MicroInterpreter, ar.Interpreter, HeapInterpreter])
def test_an_input_that_nobody_writes_is_memory_to_work_in(kind: Any) -> None:
    resolver = ar.AllOpsResolver().add_custom("STEP", STEP)
    arena = (1 << 12,) if kind is ar.MicroInterpreter else ()
    more = {} if arena or kind is HeapInterpreter else {"resolver": resolver}
    interpreter = kind(with_scratch(), *((resolver, *arena) if not more else ()), **more)
    if not more:
        interpreter.allocate_tensors()
    interpreter.input(0)[:] = np.arange(8)
    interpreter.invoke()
    assert interpreter.output(0).tolist() == list(range(2, 10))


def test_a_model_with_such_an_input_is_optimised() -> None:
    model = ar.load(tflite.write(with_scratch()), operators={"STEP": STEP})
    smaller, _ = ar.optimize(model)
    assert [one.name for one in smaller.main.operators] == ["STEP", "STEP"]


def test_the_facts_of_a_model_for_an_accelerator_do_not_say_that_tflm_refuses_it() -> None:
    b = ar.ModelBuilder()
    x, stream = b.input("x", (8,), "int8"), b.constant("stream", np.zeros(4, np.uint8))
    scratch, y = b.tensor("scratch", (40,), "uint8"), b.tensor("y", (8,), "int8")
    b.operator("edgetpu-custom-op", [stream, scratch, scratch, x], [y], custom_options=b"")
    b.output(y)
    assert refusal(ar.load(tflite.write(b.build()))) is None


def test_what_a_builtin_operator_reads_is_written_by_somebody() -> None:
    b = ar.ModelBuilder()
    y = b.tensor("y", (8,), "float32")
    b.operator("RELU", [b.tensor("nobody", (8,), "float32")], [y])
    b.output(y)
    with pytest.raises(ar.ModelError, match="nothing writes it"):
        ar.Interpreter(b.build())


def logged(make: Callable[[AllOpsResolver], Any]) -> list[str]:
    """Which functions of an operator ran when an interpreter was made and has its tensors."""
    log: list[str] = []

    def note(function: str) -> Callable[..., None]:
        return lambda *_: log.append(function)

    functions = {name: note(name) for name in ("init", "prepare", "reset", "free")}
    step = Registration(copy, **functions)
    interpreter = make(AllOpsResolver().add_custom("STEP", step))
    if isinstance(interpreter, MicroInterpreter):
        interpreter.allocate_tensors()
    return list(log)


def test_reset_runs_when_tensors_are_allocated_as_in_tflm() -> None:
    model = custom_chain()
    assert logged(lambda r: MicroInterpreter(model, r, 10_000)) == ["init", "prepare", "reset"]


def test_an_interpreter_that_finds_its_arenas_size_prepares_twice() -> None:
    model = custom_chain()
    dry, life = ["init", "prepare", "free"], ["init", "prepare", "reset"]
    assert logged(lambda r: ar.Interpreter(model, resolver=r)) == dry + life
    assert logged(lambda r: ar.Interpreter(model, resolver=r, arena=10_000)) == life
