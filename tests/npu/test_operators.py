"""Single operators through Vela: random int8 models of four dimensions have the original's bits."""

from itertools import islice

import numpy as np
import pytest

import arenite as ar
from arenite.model import Model, ModelBuilder, Tensor
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from tests.fuzz.seeds import random_models
from tests.npu.vela import compiled_apart
from tests.ops.differential import CASES

#: How many models of an operator are compiled, of those that its own test draws.
WANTED = max(1, CASES // 15)
OPERATORS = ("CONV_2D", "FULLY_CONNECTED", "DEPTHWISE_CONV_2D", "ADD", "AVERAGE_POOL_2D", "SOFTMAX")
#: In ``make test-long`` alone.
MORE = (
    *("TRANSPOSE_CONV", "MUL", "MAXIMUM", "MAX_POOL_2D", "CONCATENATION"),
    *("HARD_SWISH", "LEAKY_RELU", "RESIZE_BILINEAR"),
)
ACCELERATORS = ("ethos-u55-128", "ethos-u85-256")


#: ``ActivationFunctionType.TANH`` of TFLite's schema.
TANH = 4


def is_ordinary(model: Model) -> bool:
    """int8 of at most four dimensions, scales as networks have them, weights without offsets.

    And without what Vela is known to compute otherwise, which tests below show.
    """
    if getattr(model.main.operators[0].options, "fused_activation_function", 0) == TANH:
        return False
    tensors = (*model.inputs, *model.outputs)
    for tensor in tensors:
        q = tensor.quantization
        if str(tensor.type) != "int8" or len(tensor.shape) > 4 or q is None or not len(q.scale):
            return False
        if not 1e-3 < float(q.scale[0]) < 10:
            return False
    weights = (t.quantization for t in model.main.tensors if t.is_constant and t.quantization)
    return not any(q.zero_point.any() for q in weights)


@pytest.mark.parametrize("accelerator", ACCELERATORS)
@pytest.mark.parametrize("name", OPERATORS if CASES <= 50 else (*OPERATORS, *MORE))
def test_a_compiled_operator_has_the_original_s_bits(name: str, accelerator: str) -> None:
    found = 0
    for model in islice(filter(is_ordinary, random_models(name, 12 * WANTED)), 4 * WANTED):
        file = compiled_apart(model, accelerator)
        if file is None or ar.load(file).main.operators[0].name != "ethos-u":
            continue  # Vela leaves it to the CPU, or makes nothing of it
        one, other = ar.Interpreter(model), ar.Interpreter(file)
        rng = np.random.default_rng(11)
        for _ in range(3):
            x = [rng.integers(-128, 128, t.shape).astype(np.int8) for t in model.inputs]
            assert np.array_equal(one(*x), other(*x))
        found += 1
        if found == WANTED:
            break


@pytest.mark.parametrize("accelerator", ACCELERATORS)
@pytest.mark.parametrize("name", OPERATORS if CASES <= 50 else (*OPERATORS, *MORE))
def test_c_has_the_reference_s_bits_on_whatever_vela_compiles(name: str, accelerator: str) -> None:
    found = 0
    for model in islice(random_models(name, 12 * WANTED), 4 * WANTED):
        file = compiled_apart(model, accelerator)
        if file is None or ar.load(file).main.operators[0].name != "ethos-u":
            continue  # Vela leaves it to the CPU, or makes nothing of it
        one, other = (ar.Interpreter(file, engine=engine) for engine in ("reference", "native"))
        rng = np.random.default_rng(12)
        for _ in range(3):
            x = [any_values(rng, tensor) for tensor in model.inputs]
            try:
                expected = one(*x)
            except ar.ConstraintError:
                break  # commands outside of memory
            assert np.array_equal(expected, other(*x))
        found += 1
        if found == WANTED:
            break


def any_values(rng: np.random.Generator, tensor: Tensor) -> np.ndarray:
    info = np.iinfo(tensor.type.dtype)
    values = rng.integers(info.min, info.max, tensor.shape, endpoint=True)
    return values.astype(tensor.type.dtype)


def convolution(batch: int, groups: int, activation: int = 0) -> Model:
    """A 1x1 convolution of four channels to two."""
    rng = np.random.default_rng(3)
    b = ModelBuilder()
    x = b.input("x", (batch, 4, 8, 4), "int8", scale=0.05, zero_point=0)
    weights = rng.integers(-127, 128, (2, 1, 1, 4 // groups)).astype(np.int8)
    w = b.constant("w", weights, scale=[0.02, 0.03])
    y = b.tensor("y", (batch, 4, 8, 2), "int8", scale=1.0, zero_point=0)
    options = Conv2DOptions(stride_w=1, stride_h=1, fused_activation_function=activation)
    b.operator("CONV_2D", [x, w], [y], options, version=3)
    b.output(y)
    return b.build()


def outputs(model: Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A random input, what the model makes of it, and what Vela's commands make of it."""
    file = compiled_apart(model, "ethos-u55-128")
    assert file is not None
    x = np.random.default_rng(4).integers(-128, 128, model.inputs[0].shape).astype(np.int8)
    return x, ar.Interpreter(model)(x), ar.Interpreter(file)(x)


@pytest.mark.parametrize(("batch", "groups"), [(1, 1), (2, 1), (1, 2)])
def test_a_convolution_of_groups_or_of_a_batch_has_the_original_s_bits(
    batch: int, groups: int
) -> None:
    _, one, other = outputs(convolution(batch, groups))
    assert np.array_equal(one, other)


def test_of_groups_and_a_batch_vela_s_commands_read_the_first_sample_twice() -> None:
    model = convolution(batch=2, groups=2)
    x, one, other = outputs(model)
    first = ar.Interpreter(model)(np.stack([x[0], x[0]]))
    assert not np.array_equal(one, first)
    assert np.array_equal(other, first)


def test_vela_multiplies_the_scales_of_a_dense_layer_in_single_precision() -> None:
    # The scales of the last layer of MLPerf Tiny's ad, and a sum that lies half a step from both
    # results: the lowest bits of the multiplier decide.
    b = ModelBuilder()
    x = b.input("x", (1, 16), "int8", scale=0.024790890514850616, zero_point=0)
    w = b.constant("w", np.zeros((1, 16), np.int8), scale=0.0195566825568676)
    bias = b.constant("b", np.array([-88337], np.int32), scale=0.00048482755)
    y = b.tensor("y", (1, 1), "int8", scale=0.36449846625328064, zero_point=96)
    b.operator("FULLY_CONNECTED", [x, w, bias], [y], FullyConnectedOptions(), version=4)
    b.output(y)
    _, one, other = outputs(b.build())
    assert (one.item(), other.item()) == (96 - 117, 96 - 118)


def test_vela_computes_a_fused_tanh_that_tflm_ignores() -> None:
    _, one, other = outputs(convolution(1, 1, TANH))
    assert np.abs(one).max() > 1
    assert np.abs(other).max() == 1
