"""What kernels once did beside their memory: under ``make sanitize`` that ends the process."""

import numpy as np
import pytest

import arenite as ar
from arenite.errors import AreniteError
from arenite.memory.problem import Problem, Solution
from arenite.model import Model, OptionsTable
from arenite.ops.tflite.cast import CastOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.gather import GatherOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from tests.native.layouts import Layout, lay_out

pytest.importorskip("arenite.native._engine")

HUGE = 2**31 - 1


def at(*places: int) -> Layout:
    """The buffers' places, in the order of the tensors."""

    def layout(problem: Problem) -> Solution:
        ends = (at + buffer.size for at, buffer in zip(places, problem.buffers, strict=True))
        return Solution(places, max(ends))

    return layout


def test_a_softmax_one_byte_behind_its_input_stays_in_its_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    b = ar.ModelBuilder()
    x = b.input("x", (1, 32), "int8", scale=0.1, zero_point=0)
    y = b.tensor("y", (1, 32), "int8", scale=1 / 256, zero_point=-128)
    b.operator("SOFTMAX", [x], [y], SoftmaxOptions(beta=1.0))
    b.output(y)
    lay_out(monkeypatch, at(0, 1))
    interpreter = ar.Interpreter(b.build(), engine="native")
    interpreter.input(0)[:] = -128
    interpreter.invoke()


def test_gather_uses_the_indices_that_it_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every value that is copied becomes the next index, far outside."""
    count = 1 << 16
    b = ar.ModelBuilder()
    x = b.input("x", (4,), "float32")
    i = b.input("i", (count,), "int32")
    y = b.tensor("y", (count,), "float32")
    b.operator("GATHER", [x, i], [y], GatherOptions())
    b.output(y)
    lay_out(monkeypatch, at(0, 64, 68))
    interpreter = ar.Interpreter(b.build(), engine="native")
    interpreter.input(0).view(np.int32)[:] = 1 << 30
    interpreter.input(1)[:] = 0
    with pytest.raises(AreniteError, match="expected indices from 0 to 3, got"):
        interpreter.invoke()


def test_any_byte_but_zero_is_true() -> None:
    b = ar.ModelBuilder()
    x = b.input("x", (256,), "bool")
    y = b.tensor("y", (256,), "int32")
    b.operator("CAST", [x], [y], CastOptions())
    b.output(y)
    interpreter = ar.Interpreter(b.build(), engine="native")
    interpreter.input(0).view(np.uint8)[:] = np.arange(256)
    interpreter.invoke()
    np.testing.assert_array_equal(interpreter.output(0), np.arange(256) > 0)


def pointwise(name: str, weights: tuple[int, ...], options: OptionsTable) -> Model:
    """One output of an image of 4 by 4."""
    b = ar.ModelBuilder()
    x = b.input("x", (1, 4, 4, 64), "int8", scale=1.0, zero_point=0)
    w = b.constant("w", np.ones(weights, np.int8), scale=1.0)
    y = b.tensor("y", (1, 1, 1, 64), "int8", scale=1.0, zero_point=0)
    b.operator(name, [x, w, -1], [y], options)
    b.output(y)
    return b.build()


@pytest.mark.parametrize(
    "model",
    [
        pointwise("CONV_2D", (64, 1, 1, 64), Conv2DOptions(1, HUGE, HUGE)),
        pointwise("DEPTHWISE_CONV_2D", (1, 1, 1, 64), DepthwiseConv2DOptions(1, HUGE, HUGE, 1)),
    ],
    ids=["CONV_2D", "DEPTHWISE_CONV_2D"],
)
def test_the_largest_stride_moves_nothing(model: Model) -> None:
    y = ar.Interpreter(model, engine="native")(np.ones((1, 4, 4, 64), np.int8))
    assert np.unique(np.asarray(y)).size == 1
