"""Methods in C for the shortest calls: what they take, and what they leave to Python."""

import gc
import inspect
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

import arenite as ar
from arenite.model import Array, Model, ModelBuilder
from arenite.ops.tflite.div import DivOptions
from tests.runtime.models import conv_model, halves_of_a_sum, image, memory_of_three
from tests.runtime.subgraphs import counter

pytestmark = pytest.mark.skipif(
    not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="needs the global interpreter lock"
)


def division() -> Model:
    """``y = a // b``, with samples: a division by zero is for Python to refuse."""
    b = ModelBuilder()
    a = b.input("a", (1, 2), "int32")
    half = b.constant("two", np.array([[2, 2]], np.int32))
    y = b.tensor("y", (1, 2), "int32")
    b.operator("DIV", [half, a], [y], DivOptions())
    b.output(y)
    return b.build()


BUILT = {
    "one port": conv_model,
    "several ports": halves_of_a_sum,
    "a loop": lambda: counter(10),
}


@pytest.mark.parametrize("name", BUILT)
def test_a_call_gives_what_the_method_in_python_gives(name: str) -> None:
    interp, plain = ar.Interpreter(BUILT[name]()), ar.Interpreter(BUILT[name]())
    assert interp._shortcut is not None
    plain._shortcut = None
    rng = np.random.default_rng(0)
    for _ in range(3):
        inputs = [
            rng.integers(-9, 9, tensor.shape).astype(tensor.type.dtype)
            for tensor in interp.model.inputs
        ]
        got, expected = interp(*inputs), plain(*inputs)
        assert type(got) is type(expected)
        for mine, its in zip(np.atleast_1d(got), np.atleast_1d(expected), strict=True):
            np.testing.assert_array_equal(mine, its)


def test_a_result_is_an_array_of_its_own() -> None:
    interp = ar.Interpreter(conv_model())
    y, again = interp(image()), interp(image())
    assert y.flags.owndata
    assert y.flags.writeable
    assert y.dtype is np.dtype(np.int8)
    assert not np.shares_memory(y, again)
    expected = again.copy()
    y[...] = 0
    np.testing.assert_array_equal(again, expected)


@pytest.mark.parametrize(
    "arrange",
    [
        np.asfortranarray,
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: x.tolist(),
        lambda x: x.view(type("Mine", (np.ndarray,), {})),
        lambda x: np.frombuffer(x.tobytes(), np.int8).reshape(x.shape),  # read-only
    ],
    ids=["Fortran order", "every second", "list", "a class of its own", "read-only"],
)
def test_inputs_may_be_arranged_otherwise(arrange: Callable[[Array], Any]) -> None:
    interp = ar.Interpreter(conv_model())
    np.testing.assert_array_equal(interp(arrange(image())), interp(image()))


def test_bytes_in_another_order_are_refused_as_ever() -> None:
    interp = ar.Interpreter(division())
    swapped = np.ones((1, 2), np.dtype(np.int32).newbyteorder())
    with pytest.raises(TypeError, match="expected dtype int32"):
        interp(swapped)


def test_the_input_itself_may_be_given() -> None:
    interp = ar.Interpreter(conv_model())
    expected = interp(image())
    interp.input(0)[...] = image()
    np.testing.assert_array_equal(interp(interp.input(0)), expected)


def test_what_does_not_fit_is_refused_in_words() -> None:
    interp = ar.Interpreter(conv_model())
    with pytest.raises(ar.ShapeError, match=r"expected shape \[1, 8, 8, 3\], got \[8, 8, 3\]"):
        interp(image()[0])
    with pytest.raises(ValueError, match="expected 1 input"):
        interp()
    with pytest.raises(ValueError, match="expected 1 input"):
        interp(image(), image())
    with pytest.raises(TypeError, match="takes no arguments"):
        interp.invoke(1)  # type: ignore[call-arg]
    np.testing.assert_array_equal(interp(image=image()), interp(image()))


def test_an_arena_in_use_is_refused_and_stays_in_use() -> None:
    interp = ar.Interpreter(conv_model())
    turn = interp._turn
    turn.pop()
    for call in (lambda: interp(image()), interp.invoke, lambda: interp.predict(image())):
        with pytest.raises(ar.StateError, match="in use"):
            call()
        assert turn == [None]
    turn.append(None)
    interp(image())
    assert turn == [None, None]


def test_predict_of_one_sample_is_a_call() -> None:
    interp = ar.Interpreter(conv_model())
    got = interp.predict(image())
    interp._shortcut = None
    np.testing.assert_array_equal(got, interp.predict(image()))
    assert isinstance(got, np.ndarray)
    assert got.shape == (1, 8, 8, 2)


def test_a_model_with_state_is_asked_about_one_sample_as_well() -> None:
    interp = ar.Interpreter(memory_of_three())
    with pytest.raises(ValueError, match="the model has state"):
        interp.predict(np.ones((1, 1), np.float32))


def test_python_says_why_a_kernel_refused_and_the_turn_is_given_back() -> None:
    interp = ar.Interpreter(division())
    assert interp._shortcut is not None
    with pytest.raises(ar.ConstraintError, match="no zero"):
        interp(np.zeros((1, 2), np.int32))
    with pytest.raises(ar.PredictError, match=r"^sample 0: ConstraintError: .*no zero") as caught:
        interp.predict(np.zeros((1, 2), np.int32))
    assert caught.value.index == 0
    interp.input(0)[...] = 0
    with pytest.raises(ar.ConstraintError, match="no zero"):
        interp.invoke()
    assert interp(np.ones((1, 2), np.int32)).tolist() == [[2, 2]]


def test_a_profiler_takes_the_shortcut_away() -> None:
    profiler = ar.MicroProfiler()
    interp = ar.Interpreter(conv_model(), profiler=profiler)
    interp(image())
    interp.invoke()
    interp.predict(image())
    assert len(profiler.events) == 6
    interp.profiler = None
    interp(image())
    assert len(profiler.events) == 6


def test_a_class_may_be_derived() -> None:
    class Mine(ar.Interpreter):
        def __call__(self, *inputs: Any, **named: Any) -> Any:
            return "mine", super().__call__(*inputs, **named)

    interp = Mine(conv_model())
    name, y = interp(image())
    assert name == "mine"
    np.testing.assert_array_equal(y, ar.Interpreter(conv_model())(image()))


def test_methods_keep_their_signatures_and_texts() -> None:
    ar.Interpreter(conv_model())
    names = list(inspect.signature(ar.Interpreter.__call__).parameters)
    assert names == ["self", "inputs", "quantize", "named"]
    assert "threads" in inspect.signature(ar.Interpreter.predict).parameters
    for name in ("__call__", "invoke", "predict"):
        text = getattr(ar.Interpreter, name).__doc__
        assert text.startswith(("Run one inference", "Run the model"))


def test_calls_leave_nothing_behind() -> None:
    interp, x = ar.Interpreter(conv_model()), image()
    odd = np.zeros((1, 3), np.int8)

    def many(count: int) -> None:
        for _ in range(count):
            interp(x)
            interp.invoke()
            interp.predict(x)
            with pytest.raises(ar.ShapeError):
                interp(odd)

    many(50)
    gc.collect()
    counts = [sys.getrefcount(one) for one in (x, odd, x.dtype, interp, interp._shortcut, None)]
    blocks = sys.getallocatedblocks()
    many(500)
    gc.collect()
    after = [sys.getrefcount(one) for one in (x, odd, x.dtype, interp, interp._shortcut, None)]
    assert max(abs(a - b) for a, b in zip(after, counts, strict=True)) < 20
    assert sys.getallocatedblocks() - blocks < 200


def test_an_interpreter_that_knows_itself_is_collected() -> None:
    interp = ar.Interpreter(conv_model())
    interp(image())
    interp.itself = interp  # type: ignore[attr-defined]
    gone = weakref.ref(interp)
    shortcut = weakref.ref(interp._micro)
    del interp
    gc.collect()
    assert gone() is None
    assert shortcut() is None


def test_the_first_call_finds_the_shortcut() -> None:
    interp = ar.Interpreter(conv_model())
    assert "_shortcut" not in vars(interp)
    interp(np.zeros(interp.input().shape, np.int8))
    found = vars(interp)["_shortcut"]
    assert found is not None
    interp.profiler = ar.MicroProfiler()
    assert "_shortcut" not in vars(interp)
    interp.invoke()
    assert vars(interp)["_shortcut"] is None
    interp.profiler = None
    interp.invoke()
    assert type(vars(interp)["_shortcut"]) is type(found)
