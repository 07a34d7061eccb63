"""Single layers through Vela for U85: what it alone has."""

from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.compare import compare
from arenite.analysis.ethos_u import npu_operators
from arenite.model import Model, ModelBuilder
from arenite.npu.operations import Resize
from arenite.npu.stream import read_stream
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.gather import GatherOptions
from arenite.ops.tflite.resize_bilinear import ResizeBilinearOptions
from arenite.ops.tflite.resize_nearest_neighbor import ResizeNearestNeighborOptions
from tests.npu.vela import compiled_apart

Shape = tuple[int, int, int, int]
#: WEIGHT_FORMAT: the fast format; weights of which two of four are 0.
_FAST, _SPARSE, _WEIGHT_FORMAT = 1, 16, 0x12E


def values(model: Model, seed: int = 3) -> np.ndarray[Any, Any]:
    (tensor,) = model.inputs
    info, rng = np.iinfo(tensor.type.dtype), np.random.default_rng(seed)
    found = rng.integers(info.min, info.max, tensor.shape, endpoint=True)
    return found.astype(tensor.type.dtype)


def assert_same(model: Model, accelerator: str = "ethos-u85-256") -> Model:
    """The model that Vela makes, which computes the same in NumPy and in C."""
    file = compiled_apart(model, accelerator)
    assert file is not None
    compiled, x = ar.load(file), values(model)
    assert [one.name for one in compiled.main.operators] == ["ethos-u"]
    expected = ar.Interpreter(model)(x)
    for engine in ("reference", "auto"):
        assert np.array_equal(ar.Interpreter(compiled, engine=engine)(x), expected)
    return compiled


def formats(model: Model) -> set[int]:
    """The weight formats that commands set."""
    data = model.main.tensors[model.main.operators[0].inputs[0]].data
    assert data is not None
    commands = read_stream(data).commands()
    return {one.parameter for one in commands if (one.code, one.value) == (_WEIGHT_FORMAT, None)}


def convolution(
    shape: Shape, kernel: tuple[int, int], filters: int, *, dtype: str = "int8", stride: int = 1
) -> Model:
    """A convolution of random weights; of every four along the depth two are 0."""
    rng, b = np.random.default_rng(3), ModelBuilder()
    x = b.input("x", shape, dtype, scale=0.05, zero_point=3 if dtype == "int8" else 0)
    weights = rng.integers(-127, 128, (filters, *kernel, shape[3])).astype(np.int8)
    if shape[3] % 4 == 0:
        weights.reshape(-1, 4)[:, 2:] = 0
    w = b.constant("w", weights, scale=list(rng.uniform(0.01, 0.03, filters)))
    bias = rng.integers(-1000, 1000, filters)
    c = b.constant("b", bias.astype(np.int32 if dtype == "int8" else np.int64))
    size = (-(-n // stride) for n in shape[1:3])
    y = b.tensor("y", (shape[0], *size, filters), dtype, scale=1.5, zero_point=0)
    options = Conv2DOptions(stride_w=stride, stride_h=stride)
    b.operator("CONV_2D", [x, w, c], [y], options, version=5)
    b.output(y)
    return b.build()


@pytest.mark.parametrize("accelerator", ["ethos-u85-256", "ethos-u85-1024"])
@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_sparse_weights_have_the_original_s_bits(dtype: str, accelerator: str) -> None:
    model = convolution((1, 8, 8, 64), (3, 3), 32, dtype=dtype)
    assert formats(assert_same(model, accelerator)) == {_SPARSE}


def test_weights_in_the_fast_format_have_the_original_s_bits() -> None:
    model = convolution((1, 4, 4, 1023), (1, 1), 256)
    assert formats(assert_same(model)) == {_FAST}


@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_a_large_stride_has_the_original_s_bits(dtype: str) -> None:
    assert_same(convolution((1, 20, 20, 3), (4, 4), 8, dtype=dtype, stride=4))


@pytest.mark.parametrize("accelerator", ["ethos-u85-128", "ethos-u85-256", "ethos-u85-512"])
def test_depthwise_layers_of_int16_have_the_original_s_bits(accelerator: str) -> None:
    rng, b = np.random.default_rng(3), ModelBuilder()
    x = b.input("x", (1, 9, 9, 40), "int16", scale=0.05, zero_point=0)
    weights = rng.integers(-127, 128, (1, 5, 5, 40)).astype(np.int8)
    scale = list(rng.uniform(0.01, 0.03, 40))
    w = b.constant("w", weights, scale=scale, quantized_dimension=3)
    c = b.constant("b", rng.integers(-1000, 1000, 40).astype(np.int64))
    y = b.tensor("y", (1, 5, 5, 40), "int16", scale=2.0, zero_point=0)
    options = DepthwiseConv2DOptions(stride_w=2, stride_h=2, depth_multiplier=1)
    b.operator("DEPTHWISE_CONV_2D", [x, w, c], [y], options, version=5)
    b.output(y)
    assert_same(b.build(), accelerator)


def resizing(
    options: Any, shape: Shape, size: tuple[int, int], kind: str = "RESIZE_BILINEAR"
) -> Model:
    b = ModelBuilder()
    x = b.input("x", shape, "int8", scale=0.05, zero_point=3)
    s = b.constant("s", np.array(size, np.int32))
    y = b.tensor("y", (shape[0], *size, shape[3]), "int8", scale=0.05, zero_point=3)
    b.operator(kind, [x, s], [y], options, version=3)
    b.output(y)
    return b.build()


@pytest.mark.parametrize(
    ("corners", "halves", "size"),
    [(False, False, (8, 10)), (True, False, (13, 17)), (False, True, (16, 20))],
)
def test_elements_between_others_have_the_original_s_bits(
    corners: bool, halves: bool, size: tuple[int, int]
) -> None:
    options = ResizeBilinearOptions(align_corners=corners, half_pixel_centers=halves)
    model = assert_same(resizing(options, (1, 4, 5, 3), size))
    (operation,) = npu_operators(model)[0].program.operations
    assert isinstance(operation, Resize)


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("size", [(5, 7), (2, 3), (16, 20)])
def test_the_nearest_elements_have_the_original_s_bits(
    corners: bool, size: tuple[int, int]
) -> None:
    options = ResizeNearestNeighborOptions(align_corners=corners, half_pixel_centers=not corners)
    assert_same(resizing(options, (1, 4, 5, 3), size, "RESIZE_NEAREST_NEIGHBOR"))


def test_vela_takes_half_pixels_for_centres_of_the_nearest_elements() -> None:
    whole = resizing(
        ResizeNearestNeighborOptions(), (1, 4, 5, 3), (2, 3), "RESIZE_NEAREST_NEIGHBOR"
    )
    halves = resizing(
        ResizeNearestNeighborOptions(half_pixel_centers=True),
        *((1, 4, 5, 3), (2, 3), "RESIZE_NEAREST_NEIGHBOR"),
    )
    file = compiled_apart(whole, "ethos-u85-256")
    assert file is not None
    x = values(whole)
    found = ar.Interpreter(file)(x)
    assert not np.array_equal(found, ar.Interpreter(whole)(x))
    assert np.array_equal(found, ar.Interpreter(halves)(x))


@pytest.mark.parametrize("kind", ["GREATER", "LESS_EQUAL", "EQUAL"])
def test_inputs_of_two_scales_are_compared(kind: str) -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 40), "int8", scale=0.1, zero_point=1)
    c = b.constant("c", np.arange(-60, 60, 3).astype(np.int8)[None], scale=0.3, zero_point=11)
    z = b.tensor("z", (1, 40), "bool")
    b.operator(kind, [x, c], [z], None, version=2)
    b.output(z)
    assert_same(b.build())


def test_rows_are_gathered() -> None:
    b = ModelBuilder()
    x = b.input("x", (3, 10, 8), "int8", scale=0.1, zero_point=0)
    numbers = np.random.default_rng(5).integers(0, 10, (3, 4)).astype(np.int32)
    z = b.tensor("z", (3, 4, 8), "int8", scale=0.1, zero_point=0)
    options = GatherOptions(axis=1, batch_dims=1)
    b.operator("GATHER", [x, b.constant("i", numbers)], [z], options, version=2)
    b.output(z)
    assert_same(b.build())


def test_a_layer_that_is_turned_on_its_way_is_found() -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 3, 4, 5), "int8", scale=0.1, zero_point=0)
    y = b.tensor("y", (1, 4, 5, 3), "int8", scale=0.1, zero_point=0)
    order = b.constant("p", np.array([0, 2, 3, 1], np.int32))
    b.operator("TRANSPOSE", [x, order], [y], None, version=2)
    z = b.tensor("z", (1, 4, 5, 3), "int8", scale=0.2, zero_point=0)
    b.operator("RELU", [y], [z], None, version=2)
    b.output(z)
    model = b.build()
    found = compare(model, assert_same(model), runs=1)
    assert (found.equal, found.missing, len(found.layers)) == (True, (), 2)
