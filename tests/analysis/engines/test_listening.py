"""Windows of sound in, words over time out."""

from typing import Any

import numpy as np
import pytest

from arenite.analysis.engines.listening import Listener, Word, keeps_state, largest, windows, words
from arenite.analysis.engines.ranking import Ranked
from arenite.errors import ShapeError
from arenite.model import Model, ModelBuilder, Tensor
from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.runtime.interpreter import Interpreter
from tests.ops.signal.models import signal_model


def identity(shape: tuple[int, ...], kind: str = "int16") -> Model:
    """A model whose output is its input."""
    b = ModelBuilder()
    x, y = b.input("x", shape, kind), b.tensor("y", shape, kind)
    b.operator("CONCATENATION", [x], [y], ConcatenationOptions(axis=0))
    b.output(y)
    return b.build()


def delay(size: int, length: int = 1) -> Model:
    """A model that keeps a state."""
    ports: list[Any] = [((size,), "int16")]
    return signal_model("SignalDelay", {"delay_length": length}, [*ports], ports)


# -- windows ------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(("size", "step"), [(4, 1), (4, 3), (4, 4), (2, 5), (1, 1)])
def test_windows_do_not_depend_on_how_the_signal_comes(block: int, size: int, step: int) -> None:
    x = np.arange(23)
    blocks = [x[i : i + block] for i in range(0, 23, block)]
    expected = [x[i : i + size].tolist() for i in range(0, 23 - size + 1, step)]
    assert [window.tolist() for window in windows(blocks, size, step)] == expected


# -- words --------------------------------------------------------------------------------


def ranked(index: int, value: float) -> Ranked:
    return Ranked(index, "", value, value)


def test_the_same_word_over_and_over_is_one_with_its_best_score() -> None:
    heard = [(1.0, ranked(2, 0.6)), (2.0, ranked(2, 0.9)), (3.0, ranked(2, 0.7))]
    assert list(words(heard, 0.5)) == [Word(1.0, 3.0, ranked(2, 0.9))]


def test_another_word_and_a_low_score_end_a_word() -> None:
    heard = [(1.0, ranked(2, 0.9)), (2.0, ranked(3, 0.8)), (3.0, ranked(3, 0.4))]
    heard += [(4.0, ranked(3, 0.8))]
    got = [(word.begin, word.end, word.ranked.index) for word in words(heard, 0.5)]
    assert got == [(1.0, 1.0, 2), (2.0, 2.0, 3), (4.0, 4.0, 3)]


def test_what_is_no_number_is_not_heard() -> None:
    assert list(words([(1.0, ranked(0, float("nan"))), (2.0, None)], 0.5)) == []


def tensor(shape: tuple[int, ...]) -> Tensor:
    b = ModelBuilder()
    b.input("score", shape, "uint8", scale=1 / 256)
    return b.build().inputs[0]


def test_a_single_score_is_a_word_too() -> None:
    found = largest(np.array([[128]], np.uint8), tensor((1, 1)), [])
    assert found == Ranked(0, "score", 0.5, 128)


def test_the_largest_of_several_has_its_label() -> None:
    found = largest(np.array([[1, 128]], np.uint8), tensor((1, 2)), ["no", "yes"])
    assert found == Ranked(1, "yes", 0.5, 128)


# -- models -------------------------------------------------------------------------------


def test_who_keeps_a_state() -> None:
    b = ModelBuilder()
    b.variable("v", (1,), "int8")
    assert [keeps_state(m) for m in (identity((3,)), delay(3), b.build())] == [False, True, True]


def test_a_model_without_front_end_hears_every_window() -> None:
    listener = Listener(Interpreter(delay(2)))
    heard = [listener.hear(np.array(pair, np.int16)) for pair in ([1, 2], [3, 4])]
    assert [outputs[0].tolist() for outputs in heard if outputs] == [[0, 1], [2, 3]]


def test_a_model_without_state_gets_the_last_features() -> None:
    listener = Listener(Interpreter(identity((1, 4))), Interpreter(identity((2,))))
    heard = [listener.hear(np.array([i, i], np.int16)) for i in range(4)]
    assert heard[0] is None
    assert [outputs[0].tolist() for outputs in heard[1:] if outputs] == [
        [[0, 0, 1, 1]],
        [[1, 1, 2, 2]],
        [[2, 2, 3, 3]],
    ]


def test_a_model_with_a_state_gets_all_features_once() -> None:
    listener = Listener(Interpreter(delay(4, 0)), Interpreter(identity((2,))))
    heard = [listener.hear(np.array([i, i], np.int16)) for i in range(5)]
    got = [None if outputs is None else outputs[0].tolist() for outputs in heard]
    assert got == [None, [0, 0, 1, 1], None, [2, 2, 3, 3], None]


def test_features_are_quantised_for_the_model() -> None:
    b = ModelBuilder()
    x = b.input("x", (2,), "int8", scale=0.5, zero_point=1)
    y = b.tensor("y", (2,), "int8", scale=0.5, zero_point=1)
    b.operator("CONCATENATION", [x], [y], ConcatenationOptions(axis=0))
    b.output(y)
    listener = Listener(Interpreter(b.build()), Interpreter(identity((2,), "float32")))
    heard = listener.hear(np.array([1.0, -2.0], np.float32))
    assert heard is not None
    assert heard[0].tolist() == [3, -3]


def test_refuses_features_that_do_not_fill_the_input() -> None:
    with pytest.raises(ShapeError, match="a multiple of the 2 features of"):
        Listener(Interpreter(identity((1, 3))), Interpreter(identity((2,))))


def test_refuses_models_with_several_inputs() -> None:
    b = ModelBuilder()
    parts = [b.input(name, (2,), "int16") for name in "xy"]
    z = b.tensor("z", (4,), "int16")
    b.operator("CONCATENATION", parts, [z], ConcatenationOptions(axis=0))
    b.output(z)
    with pytest.raises(ShapeError, match="expected a model with 1 input to listen, got 2"):
        Listener(Interpreter(b.build()))
