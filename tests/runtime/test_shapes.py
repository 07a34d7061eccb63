"""Outputs whose dimensions the model declares otherwise than their operator computes them."""

from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.errors import ConstraintError, ModelError, ShapeError
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder
from arenite.ops.context import Context, Node
from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.gather import GatherOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.runtime.micro_interpreter import MicroInterpreter
from tests.oracle import Oracle
from tests.runtime.models import resolver_with
from tests.variants import interpreter, variants


def softmax_behind(name: str, shape: tuple[int, ...], declared: tuple[int, ...]) -> Model:
    """An elementwise operator whose output has other dimensions, and SOFTMAX behind it."""
    b = ModelBuilder()
    x = b.input("x", shape, "float32")
    y, z = b.tensor("y", declared, "float32"), b.tensor("z", declared, "float32")
    b.operator(name, [x], [y])
    b.operator("SOFTMAX", [y], [z], SoftmaxOptions(beta=1.0))
    b.output(z)
    return b.build()


@pytest.mark.parametrize("variant", variants())
@pytest.mark.parametrize("name", ["RELU", "LOGISTIC", "TANH"])
def test_the_next_operator_reads_the_declared_dimensions(
    oracle: Oracle, variant: str, name: str
) -> None:
    model = softmax_behind(name, (2, 6), (4, 3))
    x = np.random.default_rng(0).normal(0, 2, (2, 6)).astype(np.float32)
    answer = oracle.run(tflite.write(model), [[x]])
    y = interpreter(model, variant)(x)
    assert y.shape == (4, 3)
    np.testing.assert_allclose(y, answer.outputs[0][0], rtol=1e-5)
    np.testing.assert_allclose(y.sum(-1), 1, rtol=1e-5)


def gathered(declared: tuple[int, ...]) -> Model:
    """GATHER writes its own dimensions, (1, 6); SOFTMAX reads those."""
    b = ModelBuilder()
    x = b.input("x", (3, 6), "float32")
    y, z = b.tensor("y", declared, "float32"), b.tensor("z", (1, 6), "float32")
    b.operator("GATHER", [x, b.constant("i", np.array([1], np.int32))], [y], GatherOptions())
    b.operator("SOFTMAX", [y], [z], SoftmaxOptions(beta=1.0))
    b.output(z)
    return b.build()


@pytest.mark.parametrize("variant", variants())
def test_dimensions_that_tflm_writes_replace_the_declared_ones(
    oracle: Oracle, variant: str
) -> None:
    x = np.random.default_rng(0).normal(0, 2, (3, 6)).astype(np.float32)
    model = gathered((3, 2))
    answer = oracle.run(tflite.write(model), [[x]])
    np.testing.assert_allclose(interpreter(model, variant)(x), answer.outputs[0][0], rtol=1e-5)


def test_more_dimensions_than_declared_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"expected an output of shape \[6\] as the model says"):
        ar.Interpreter(gathered((6,)))


def test_an_operator_that_counts_along_dimensions_refuses_other_ones() -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 4, 4, 1), "float32")
    y = b.tensor("y", (1, 2, 8, 1), "float32")
    w = b.constant("w", np.ones((1, 1, 1, 1), np.float32))
    b.operator("CONV_2D", [x, w, -1], [y], Conv2DOptions(stride_w=1, stride_h=1))
    b.output(y)
    message = r"expected an output of shape \[1, 2, 8, 1\] as the model says, got \[1, 4, 4, 1\]"
    with pytest.raises(ShapeError, match=message):
        ar.Interpreter(b.build())


def test_a_later_operator_cannot_reshape_what_a_convolution_was_prepared_for() -> None:
    b = ModelBuilder()
    affine: dict[str, Any] = {"scale": 1.0, "zero_point": 0}
    z = b.input("z", (1, 64, 64, 1), "int8", **affine)
    x = b.tensor("x", (1, 640, 64, 1), "int8", **affine)
    w = b.constant("w", np.ones((16, 1, 1, 1), np.int8), scale=np.ones(16))
    y = b.tensor("y", (1, 640, 64, 16), "int8", **affine)
    b.operator("CONV_2D", [x, w, -1], [y], Conv2DOptions(stride_w=1, stride_h=1))
    b.operator("CONCATENATION", [z] * 10, [x], ConcatenationOptions(axis=0))
    b.output(y)
    with pytest.raises(ModelError, match=r"CONV_2D reads tensor 1 .*, and operator 1 writes it"):
        ar.Interpreter(tflite.write(b.build()))


def test_a_scalar_in_old_spelling_keeps_its_shape_for_those_who_were_prepared() -> None:
    b = ModelBuilder()
    x = b.input("x", (1,), "int8")
    scalar, y = b.tensor("scalar", (0,), "int8"), b.tensor("y", (1,), "int8")
    b.operator("STEP", [scalar], [y], custom_options=b"")
    b.operator("STEP", [x], [scalar], custom_options=b"")
    b.output(y)

    def prepare(context: Context, node: Node) -> None:
        if node.outputs[0] == scalar:
            context.resize_tensor(scalar, ())

    micro = MicroInterpreter(b.build(), resolver_with(prepare=prepare), 4096)
    message = r" 1 .*would get the shape \[\], and an earlier operator uses it"
    with pytest.raises(ConstraintError, match=message):
        micro.allocate_tensors()


def test_a_kernel_sees_its_output_in_the_shape_that_it_asked_for() -> None:
    b = ModelBuilder()
    x, y = b.input("x", (6,), "int8"), b.tensor("y", (6,), "int8")
    b.operator("STEP", [x], [y], custom_options=b"")
    b.output(y)
    seen = []

    def prepare(context: Context, node: Node) -> None:
        context.resize_tensor(y, (2, 3))

    def invoke(context: Context, node: Node) -> None:
        data = context.get_eval_tensor(y).data
        assert data is not None
        seen.append(data.shape)
        data[1] = 7

    micro = MicroInterpreter(b.build(), resolver_with(prepare=prepare, invoke=invoke), 4096)
    micro.allocate_tensors()
    micro.invoke()
    assert seen == [(2, 3)]
    assert micro.output().tolist() == [0, 0, 0, 7, 7, 7]
