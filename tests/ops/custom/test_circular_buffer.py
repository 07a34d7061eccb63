"""CIRCULAR_BUFFER equals TFLM: what it holds, and when it ends an inference."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import arenite as ar
from arenite.errors import ModelError
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.ops.differential import agrees, equals_tflm, one_operator, refuses
from tests.ops.flexbuffers import packed, untyped
from tests.oracle import Oracle, skip_without_tflm
from tests.variants import interpreter, variants


def buffer(
    slots: int,
    slot: tuple[int, ...] = (1, 2),
    options: bytes = b"",
    *,
    batches: int = 1,
    zero_point: int = 0,
    kind: str = "int8",
) -> Model:
    """One buffer, which is the output."""
    b = ModelBuilder()
    x = b.input("x", (batches, 1, *slot), kind, scale=0.5, zero_point=zero_point)
    y = b.variable("y", (batches, slots, *slot), kind, scale=0.5, zero_point=zero_point)
    return one_operator(b, "CIRCULAR_BUFFER", [x], [y], custom_options=options)


@st.composite
def models(draw: st.DrawFn) -> Model:
    period = draw(st.integers(1, 4) | st.integers(-3, 0) | st.sampled_from([300, 2**32 + 2, 70000]))
    options = [
        b"",
        untyped(period),
        untyped(period, 70000),
        packed({"cycles_max": period}),
        packed({"cycles_max": period, "later": 7}),
        packed({"before": draw(st.integers(1, 3)), "cycles_max": 1}),
    ]
    slot = draw(st.lists(st.integers(1, 4), min_size=2, max_size=3))
    return buffer(
        draw(st.integers(1, 6) | st.sampled_from([13, 25])),
        tuple(slot),
        draw(st.sampled_from(options)),
        batches=draw(st.sampled_from([1, 1, 2])),
        zero_point=draw(st.integers(-128, 127)),
    )


test_equals_tflm = equals_tflm(models(), invokes=4, reset=True)


def behind(period: int, slots: int = 2) -> Model:
    """A buffer, and RELU of what it holds as the output."""
    b = ModelBuilder()
    x = b.input("x", (1, 1, 1, 1), "int8", scale=1.0)
    held = b.variable("held", (1, slots, 1, 1), "int8", scale=1.0)
    y = b.tensor("y", (1, slots, 1, 1), "int8", scale=1.0)
    b.operator("CIRCULAR_BUFFER", [x], [held], custom_options=untyped(period))
    return one_operator(b, "RELU", [held], [y])


def test_what_is_behind_it_equals_tflm_where_it_runs(oracle: Oracle) -> None:
    steps = [[np.full((1, 1, 1, 1), value, np.int8)] for value in range(1, 10)]
    answer = oracle.run(tflite.write(behind(3)), steps)
    got = [held for done, held in runs(ar.Interpreter(behind(3)), range(1, 10)) if done]
    assert got == [output.reshape(-1).tolist() for (output,) in answer.outputs[2::3]]


def runs(interp: Any, values: range) -> Iterator[tuple[bool, list[int]]]:
    """Of every inference whether it came to its end, and what the output holds then."""
    for value in values:
        interp.input()[...] = value
        yield interp.invoke(), interp.output().reshape(-1).tolist()


@pytest.mark.parametrize("variant", variants())
def test_an_inference_ends_at_it_until_its_period_is_over(variant: str) -> None:
    interp = interpreter(behind(2, slots=3), variant)
    got = list(runs(interp, range(1, 7)))
    assert [done for done, _ in got] == [False, True] * 3
    assert [held for done, held in got if done] == [[0, 1, 2], [2, 3, 4], [4, 5, 6]]


@pytest.mark.parametrize("variant", variants())
def test_reset_counts_anew_and_empties_the_buffer(variant: str) -> None:
    interp = interpreter(behind(2), variant)
    list(runs(interp, range(1, 4)))
    interp.reset()
    assert list(runs(interp, range(5, 7)))[1] == (True, [5, 6])


@pytest.mark.parametrize("variant", variants())
def test_the_buffer_is_emptied_to_its_zero_point(variant: str) -> None:
    interp = interpreter(buffer(2, (1, 1), untyped(1), zero_point=-7), variant)
    assert list(runs(interp, range(9, 10))) == [(True, [-7, 9])]


@pytest.mark.parametrize("variant", variants())
def test_predict_goes_on_behind_an_inference_that_ended_early(variant: str) -> None:
    batch = np.arange(1, 9, dtype=np.int8).reshape(8, 1, 1, 1)
    interp = interpreter(behind(2), variant)
    got = interp.predict(batch, stateful=True).reshape(8, 2).tolist()
    assert [got[number] for number in (1, 3, 5, 7)] == [[1, 2], [3, 4], [5, 6], [7, 8]]


@pytest.mark.parametrize("variant", variants())
def test_a_call_gives_what_the_output_holds(variant: str) -> None:
    interp = interpreter(buffer(2, (1, 1), untyped(4)), variant)
    held = [interp(np.full((1, 1, 1, 1), value, np.int8)).reshape(-1).tolist() for value in (3, 4)]
    assert held == [[0, 3], [3, 4]]


@pytest.mark.parametrize(("slots", "period"), [(5, 1), (13, 1), (25, 1), (4, 2)])
def test_without_options_the_period_is_guessed(slots: int, period: int) -> None:
    interp = HeapInterpreter(buffer(slots))
    interp.allocate_tensors()
    assert [interp.invoke() for _ in range(2)] == [period == 1, True]


def five_buffers() -> Model:
    """The model in which TFLM counts: its fifth buffer, of 2 by 96, runs in every cycle."""
    b = ModelBuilder()
    x = b.input("x", (1, 1, 2, 96), "int8", scale=1.0)
    for number in range(5):
        held = b.variable(f"held{number}", (1, 3, 2, 96), "int8", scale=1.0)
        b.operator("CIRCULAR_BUFFER", [x], [held], custom_options=b"")
        b.output(held)
    return b.build()


def test_the_fifth_buffer_of_a_model_equals_tflm() -> None:
    skip_without_tflm()
    fresh = Oracle()  # TFLM counts in a variable of the process
    try:
        agrees(fresh, five_buffers(), 0, invokes=40)
    finally:
        fresh.close()


def test_its_counters_are_in_the_arena() -> None:
    micro = MicroInterpreter.in_smallest_arena(buffer(2, (1, 1), untyped(3)), ar.AllOpsResolver())
    (record,) = [r for r in micro.allocations().records if r.purpose == "OpDataCircularBuffer"]
    counters = micro.arena.view(record.offset, record.requested).view(np.int32)
    seen = []
    for _ in range(4):
        seen.append(counters.tolist())
        micro.invoke()
    assert seen == [[3, 3], [2, 3], [1, 3], [3, 3]]


def test_an_output_that_is_no_variable_warns() -> None:
    b = ModelBuilder()
    x, y = b.input("x", (1, 1, 1, 2), "int8"), b.tensor("y", (1, 3, 1, 2), "int8")
    b.operator("CIRCULAR_BUFFER", [x], [y], custom_options=untyped(1))
    b.output(y)
    with pytest.warns(ar.UndefinedWarning, match="output 'y' is no variable"):
        interp = ar.Interpreter(b.build())
    interp(np.full((1, 1, 1, 2), 7, np.int8))
    assert interp(np.full((1, 1, 1, 2), 8, np.int8)).reshape(-1).tolist() == [0, 0, 7, 7, 8, 8]


test_refuses = refuses(
    (buffer(2, kind="int16"), "Input 0 is one of: int8"),
    (buffer(2, (1,)), "Both have at least 4 dimensions"),
    (buffer(0), "of at least 1 slot"),
    (buffer(3, batches=0), "of at least 1 slot"),
)


@pytest.mark.parametrize("options", [b"\x00", packed(3), untyped(), b"\x05\x04\x24\x01", b"xyz"])
def test_refuses_options_without_a_number(options: bytes) -> None:
    with pytest.raises(ModelError, match="FlexBuffer"):
        HeapInterpreter(buffer(2, options=options)).allocate_tensors()
