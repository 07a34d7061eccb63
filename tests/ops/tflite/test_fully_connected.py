"""FULLY_CONNECTED equals TFLM for all of its types, ranks and biases."""

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.convolutions import FLOAT, INT8, INT16, INT16_SHORT, Operands, exact_inputs, run
from tests.ops.differential import equals_tflm, one_operator, refuses_in_words
from tests.oracle import Oracle
from tests.variants import interpreter, variants

#: Weights of these models may have zero points, which kernels do not count, as they warn.
pytestmark = pytest.mark.filterwarnings("ignore:.*have a zero point:arenite.UndefinedWarning")


@st.composite
def models(draw: st.DrawFn) -> Model:
    kind = draw(st.sampled_from(FLOAT + INT8 * 2 + INT16 + INT16_SHORT))
    leading = tuple(draw(st.lists(st.integers(1, 4), max_size=3)))
    depth, units = draw(st.integers(1, 40)), draw(st.integers(1, 12))
    if draw(st.integers(0, 9)) == 0:
        depth = 2000
    operands = Operands(draw, kind)
    b = operands.builder
    per_channel = kind.weights == "int8" and units > 1 and draw(st.booleans())
    inputs = [
        operands.x((*leading, depth)),
        operands.weights((units, depth), axis=0, per_channel=per_channel),
        *operands.bias(units),
    ]
    keep = draw(st.booleans())
    flat = (int(np.prod(leading)), units)
    y = operands.y((*leading, units) if keep else flat)
    options = FullyConnectedOptions(
        fused_activation_function=draw(st.integers(0, 5)),
        keep_num_dims=keep,
        quantized_bias_type=draw(st.sampled_from([0, 2, 4])),
    )
    return one_operator(b, "FULLY_CONNECTED", inputs, [y], options)


test_equals_tflm = equals_tflm(models(), inputs=exact_inputs)


def dense(
    weights: Any,
    bias: Any = None,
    *,
    x: tuple[int, ...] | None = None,
    y: tuple[int, ...] | None = None,
    kind: str = "int8",
    zeros: tuple[int, int, int] = (0, 0, 0),
    scales: tuple[float, Any, float] = (1.0, 1.0, 1.0),
    bias_scale: float = 1.0,
    axis: int = 0,
    keep_num_dims: bool = False,
) -> Model:
    """Zero points and scales of input, weights and output."""
    b = ModelBuilder()
    values = np.asarray(weights)
    units, depth = values.shape[-2:]
    x_index = b.input("x", x or (1, depth), kind, scale=scales[0], zero_point=zeros[0])
    scale = scales[1] if values.dtype.kind == "i" else None
    w = b.constant("w", values, scale=scale, zero_point=zeros[1], quantized_dimension=axis)
    inputs = [x_index, w, *([] if bias is None else [b.constant("b", bias, scale=bias_scale)])]
    out = b.tensor("y", y or (1, units), kind, scale=scales[2], zero_point=zeros[2])
    return one_operator(
        b, "FULLY_CONNECTED", inputs, [out], FullyConnectedOptions(keep_num_dims=keep_num_dims)
    )


def int8(*rows: list[int]) -> Any:
    return np.array(rows, np.int8)


def test_output_is_the_scaled_product_with_bias() -> None:
    """((1 - 3) * 10 + (2 - 3) * 20 + 8) * 0.5 + 7 = -9"""
    model = dense(int8([10, 20]), np.array([8], np.int32), zeros=(3, 0, 7), scales=(0.5, 1, 1))
    with_bias_scale = dense(
        int8([10, 20]),
        np.array([8], np.int32),
        zeros=(3, 0, 7),
        scales=(0.5, 1, 1),
        bias_scale=0.5,
    )
    with pytest.raises(ConstraintError, match=r"within 0\.02 \* output"):
        run(model, [1, 2])
    assert run(with_bias_scale, [1, 2]) == [[-9]]


def test_each_unit_may_have_its_own_scale() -> None:
    model = dense(int8([2], [2]), scales=(1.0, [1.0, 0.5], 1.0))
    assert run(model, [10]) == [[20, 10]]


def test_zero_point_of_the_weights_counts() -> None:
    """(3 - 1) * 10 + (4 - 1) * 20 = 80"""
    assert run(dense(int8([3, 4]), zeros=(0, 1, 0)), [10, 20]) == [[80]]


def test_zero_point_of_the_weights_does_not_count_with_scales_per_unit() -> None:
    model = dense(int8([3], [4]), zeros=(0, 1, 0), scales=(1.0, [1.0, 1.0], 1.0))
    assert run(model, [10]) == [[30, 40]]


def test_leading_dimensions_are_batches() -> None:
    model = dense(int8([1, 1]), x=(2, 1, 2), y=(2, 1))
    assert run(model, [1, 2, 3, 4]) == [[3], [7]]


@pytest.mark.parametrize(("keep", "shape"), [(False, (6, 4)), (True, (3, 2, 4))])
def test_output_of_a_resized_input_keeps_its_rank_where_asked(
    keep: bool, shape: tuple[int, ...]
) -> None:
    model = dense(
        int8(*[[1, 1]] * 4), x=(1, 2, 2), y=(1, 2, 4) if keep else (2, 4), keep_num_dims=keep
    )
    interpreter = HeapInterpreter(model)
    interpreter.resize_input(0, (3, 2, 2))
    interpreter.allocate_tensors()
    assert interpreter.output(0).shape == shape


test_refuses = refuses_in_words(
    (dense(int8([1]), kind="float32"), "TFLM runs no hybrid models"),
    (dense(int8([1, 1, 1]), x=(1, 4)), "a multiple of the weights' last dimension"),
    (dense(np.ones((2, 1, 1), np.int8)), "The weights have shape (units, depth)"),
    (dense(int8([1]), np.zeros(1, np.int64)), "int32 with int8 ones"),
    (dense(int8([1], [2]), scales=(1, [1, 2], 1), axis=1), "one per unit, got 2 along axis 1"),
    (dense(int8([1], [2]), scales=(1, [1, 2], 1), axis=7), "one per unit, got 2 along axis 7"),
)


@pytest.mark.parametrize("variant", variants())
def test_few_floats_are_summed_in_tflms_order(oracle: Oracle, variant: str) -> None:
    rng = np.random.default_rng(0)
    b = ModelBuilder()
    x = b.input("x", (3, 40), "float32")
    w = b.constant("w", rng.normal(0, 1, (9, 40)).astype(np.float32))
    bias = b.constant("bias", rng.normal(0, 1, 9).astype(np.float32))
    y = b.tensor("y", (3, 9), "float32")
    b.operator("FULLY_CONNECTED", [x, w, bias], [y], FullyConnectedOptions())
    b.output(y)
    values = rng.normal(0, 1, (3, 40)).astype(np.float32)
    answer = oracle.run(tflite.write(b.build()), [[values]])
    np.testing.assert_array_equal(interpreter(b.build(), variant)(values), answer.outputs[0][0])
