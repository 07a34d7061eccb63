"""Quantised nets: int8 within one step of MNN's, and how many values differ at all."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.formats import mnn as formats_mnn
from arenite.formats.flatbuffer import Row
from arenite.formats.mnn import OpType
from arenite.formats.mnn.enums import BinaryKind, UnaryKind
from arenite.formats.mnn.int8 import INT8
from arenite.formats.mnn.quantization import scales
from arenite.formats.mnn.values import Steps
from tests.formats.mnn.compare import random_inputs, run
from tests.formats.mnn.conftest import Converter
from tests.formats.mnn.onnx_cases import rand
from tests.formats.mnn.onnx_models import node, onnx_model
from tests.mnn.nets import NC4HW4, given, op, write
from tests.mnn_oracle import MnnOracle
from tests.shared import ROOT, shared_model

Array = np.ndarray[Any, Any]

_PAD = {"pads": [1, 1, 1, 1]}
_WEIGHTS = {
    "w": rand(8, 3, 3, 3),
    "b": rand(8),
    "v": rand(8, 8, 3, 3),
    "d": rand(8, 1, 3, 3),
    "s": rand(8, 1, 1),
    "m": rand(5, 8),
    "roi": np.zeros(0, np.float32),
    "sizes": np.array([1, 1, 2, 1.5], np.float32),
}
_FIRST = node("Conv", "x w b", "c", **_PAD)
_SIZES = {
    "nearest": {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
    "linear": {"coordinate_transformation_mode": "half_pixel"},
}

#: Networks that MNN's own quantiser makes int8 of.
NETWORKS: dict[str, list[Any]] = {
    "convolutions": [_FIRST, node("Relu", "c", "r"), node("Conv", "r v", "y", strides=[2, 2])],
    "depthwise": [_FIRST, node("Conv", "c d", "y", group=8)],
    "taps beside the image": [
        _FIRST,
        node("MaxPool", "c", "e", kernel_shape=[12, 12], strides=[12, 12]),
        node("Conv", "e d", "f", group=8, **_PAD),
        node("Conv", "f v", "y", **_PAD),
    ],
    "addition": [
        _FIRST,
        node("Conv", "c v", "e", **_PAD),
        node("Add", "c e", "f"),
        node("Conv", "f v", "y"),
    ],
    "addition and ReLU": [
        _FIRST,
        node("Conv", "c v", "e", **_PAD),
        node("Add", "c e", "f"),
        node("Relu", "f", "g"),
        node("Conv", "g v", "y"),
    ],
    "product": [
        _FIRST,
        node("Sigmoid", "c", "e"),
        node("Conv", "e v", "f", **_PAD),
        node("Mul", "f c", "g"),
        node("Conv", "g v", "y"),
    ],
    "pooling": [
        _FIRST,
        node("MaxPool", "c", "e", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", "e v", "f", **_PAD),
        node("GlobalAveragePool", "f", "g"),
        node("Flatten", "g", "h"),
        node("Gemm", "h m", "y", transB=1),
    ],
    "turned": [
        _FIRST,
        node("Transpose", "c", "e", perm=[0, 1, 3, 2]),
        node("Conv", "e v", "y"),
    ],
    "maximum": [
        _FIRST,
        node("Conv", "c v", "e", **_PAD),
        node("Max", "c e", "f"),
        node("Conv", "f v", "y"),
    ],
    **{
        f"resized {mode}": [
            _FIRST,
            node("Resize", "c roi sizes", "e", mode=mode, **_SIZES[mode]),
            node("Conv", "e v", "y"),
        ]
        for mode in _SIZES
    },
    "joints": [
        _FIRST,
        node("Conv", "c v", "e", **_PAD),
        node("Concat", "c e", "f", axis=1),
        node("Split", "f", "g h", axis=1),
        node("Conv", "h v", "y"),
    ],
    "negation": [_FIRST, node("Neg", "c", "e"), node("Conv", "e v", "y")],
    "softmax": [_FIRST, node("Softmax", "c", "e", axis=1), node("Conv", "e v", "y")],
    "slopes": [_FIRST, node("PRelu", "c s", "e"), node("Conv", "e v", "y")],
}


def network(name: str) -> bytes:
    """The ONNX file."""
    nodes = NETWORKS[name]
    used = {key: w for key, w in _WEIGHTS.items() if any(key in node_[1] for node_ in nodes)}
    return onnx_model(nodes, {"x": (1, 3, 12, 12)}, used)


def steps_apart(got: Array, want: Array, scale: float) -> Array:
    """Differences in steps."""
    assert got.shape == want.shape
    return np.abs(got.astype(np.float64) - want) / scale


def last_scale(net: Any, name: str) -> float:
    """The scale of an output, or of the tensor that it is made of by moving numbers."""
    found = scales(net, net.ops)
    return found[net.tensor_names.index(name)].scale


@pytest.mark.parametrize("name", NETWORKS)
def test_outputs_are_within_a_step_of_mnn(
    name: str, mnn: MnnOracle, converter: Converter, quantizer: Converter
) -> None:
    data = quantizer(converter("ONNX", network(name)), 12)
    net = formats_mnn.read_net(data)
    converted = formats_mnn.convert(net)
    differing = total = 0
    for seed in range(3):
        x = np.random.default_rng(seed).random((1, 3, 12, 12)).astype(np.float32)
        got, want = run(converted, {"x": x}), mnn.run(data, {"x": x})
        apart = steps_apart(got["y"], want["y"], last_scale(net, "y"))
        assert apart.max() < 1.001
        differing += int((apart > 0.001).sum())
        total += apart.size
    assert differing <= 0.001 * total, f"{differing} of {total}"


@pytest.mark.parametrize("name", ["ic_float32", "vww_float32"])
def test_real_networks_are_within_a_step_of_mnn(
    name: str, mnn: MnnOracle, quantizer: Converter
) -> None:
    path = ROOT / f"models/mnn/{name}.mnn"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    converted = formats_mnn.convert(formats_mnn.read_net(path.read_bytes()))
    data = quantizer(path.read_bytes(), converted.inputs[0].shape[1])
    net = formats_mnn.read_net(data)
    [logits] = [op_.outputs[0] for op_ in net.ops if op_.type is OpType.Convolution][-1:]
    last = net.tensor_names[logits]
    converted = formats_mnn.convert(net, outputs=[last])
    [port] = converted.inputs
    for seed in range(3):
        x = np.random.default_rng(seed).random(port.shape).astype(np.float32)
        got, want = run(converted, {port.name: x}), mnn.run(data, {port.name: x}, (last,))
        assert steps_apart(got[last], want[last], net.quants[logits].scale).max() < 1.001


def test_what_is_int8_stays_int8(converter: Converter, quantizer: Converter) -> None:
    data = quantizer(converter("ONNX", network("addition and ReLU")), 12)
    names = Counter(operator.name for operator in ar.load(data).main.operators)
    assert names["MNN_CONV_INT8"] == 3
    assert names["MNN_BINARY_INT8"] == names["MNN_FLOAT_TO_INT8"] == names["DEQUANTIZE"] == 1


# -- the files with int8 that MNN's converter makes of TensorFlow Lite's ------------------------


def test_what_the_converter_broke_is_broken_alike(mnn: MnnOracle) -> None:
    """The converter of MNN 3.6.1 loses the input's scale, and the last layer's: it is NaN.

    MNN's outputs depend on no input then; nor do ours.
    """
    path = ROOT / "models/mnn/kws_int8.mnn"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    model = ar.load(path)
    interpreter = ar.Interpreter(model)
    [want] = mnn.run(path.read_bytes(), {}).values()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x = rng.integers(-128, 128, model.inputs[0].shape).astype(np.int8)
        assert np.abs(interpreter(x) - want).max() < 1e-6


def test_a_net_on_which_mnn_crashes_runs() -> None:
    path = ROOT / "models/mnn/ic_int8.mnn"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    model = ar.load(path)
    y = ar.Interpreter(model)(np.zeros(model.inputs[0].shape, np.int8))
    assert y.sum() == pytest.approx(1)


def test_convolutions_of_tflite_files_keep_their_weights() -> None:
    path = ROOT / "models/mnn/kws_int8.mnn"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    ours, source = ar.load(path), ar.load(shared_model("kws_int8"))
    # The first convolution's input has lost its scale, so it computes in floats.
    for place in range(1, 8):
        pair = [
            [op_ for op_ in model.main.operators if "CONV" in op_.name][place]
            for model in (ours, source)
        ]
        arrays = [
            np.asarray(model.main.tensors[op_.inputs[1]].data).reshape(-1)
            for op_, model in zip(pair, (ours, source), strict=True)
        ]
        assert np.array_equal(*arrays)


# -- operators that say their scales themselves -------------------------------------------------


def casts(name: str, kind: OpType, source: int, target: int, scale: float) -> Row:
    """FloatToInt8 or Int8ToFloat."""
    main = {"tensorScale": np.array([scale], np.float32)}
    return op(name, kind, [source], [target], ("QuantizedFloatParam", main))


def old_convolution(
    name: str, source: int, target: int, *, depthwise: bool = False, dtype: int = 6
) -> Row:
    """A ConvInt8 as old files have it."""
    rng = np.random.default_rng(0)
    depth = 1 if depthwise else 8
    main = {
        "common": {
            "kernelX": 3,
            "kernelY": 3,
            "padX": 1,
            "padY": 1,
            "outputCount": 8,
            "inputCount": 8,
            "group": 8 if depthwise else 1,
            "relu": not depthwise,
        },
        "symmetricQuan": {
            "weight": rng.integers(-127, 128, 8 * depth * 9).astype(np.int8),
            "bias": rng.integers(-500, 500, 8).astype(np.int32),
            "scale": (rng.random(8) * 0.003 + 0.001).astype(np.float32),
            "outputDataType": dtype,
        },
    }
    kind = OpType.DepthwiseConvInt8 if depthwise else OpType.ConvInt8
    return op(name, kind, [source], [target], ("Convolution2D", main))


_X = given("x", 0, [1, 8, 6, 5], NC4HW4)
_TO_INT8 = casts("q", OpType.FloatToInt8, 0, 1, 20.0)

OLD = {
    "casts": [_X, _TO_INT8, casts("y", OpType.Int8ToFloat, 1, 2, 0.05)],
    "ConvInt8": [_X, _TO_INT8, old_convolution("c", 1, 2),
                 casts("y", OpType.Int8ToFloat, 2, 3, 0.05)],
    "DepthwiseConvInt8": [_X, _TO_INT8, old_convolution("c", 1, 2, depthwise=True),
                          casts("y", OpType.Int8ToFloat, 2, 3, 0.05)],
    "several": [_X, _TO_INT8, old_convolution("c", 1, 2), old_convolution("d", 2, 3),
                old_convolution("e", 3, 4, depthwise=True),
                casts("y", OpType.Int8ToFloat, 4, 5, 0.05)],
    "float output": [_X, _TO_INT8, old_convolution("y", 1, 2, dtype=1)],
}  # fmt: skip


@pytest.mark.parametrize("name", OLD)
def test_old_files_give_what_mnn_gives(name: str, mnn: MnnOracle) -> None:
    data = write(OLD[name])
    converted = formats_mnn.convert(formats_mnn.read_net(data))
    inputs = random_inputs(converted)
    got, want = run(converted, inputs)["y"], mnn.run(data, inputs)["y"]
    assert np.allclose(got, want, rtol=1e-5, atol=1e-5)


# -- which tensors have scales -------------------------------------------------------------------


def quantized(rows: list[Row], **by_name: float) -> Any:
    """The scales of a net whose file says some of them, by name."""
    names = [row["name"] for row in rows]
    described = [
        {"index": names.index(name), "quantInfo": {"scale": scale, "zero": 3, "type": 6}}
        for name, scale in by_name.items()
    ]
    net = formats_mnn.read_net(write(rows, extraTensorDescribe=described))
    found = scales(net, net.ops)
    return {name: found[i].scale for i, name in enumerate(net.tensor_names) if i in found}


def moved(name: str, source: int, target: int) -> Row:
    """An operator that moves numbers."""
    return op(name, OpType.Reshape, [source], [target], ("Reshape", {"dims": np.array([-1], "i4")}))


def test_scales_are_passed_on_forwards_and_backwards() -> None:
    rows = [given("x", 0, [4]), moved("a", 0, 1), moved("b", 1, 2), moved("c", 2, 3)]
    assert quantized(rows, a=0.5) == dict.fromkeys("xabc", 0.5)


def test_scales_are_not_passed_through_functions() -> None:
    function = op("b", OpType.UnaryOp, [1], [2], ("UnaryOp", {"opType": 0}))
    rows = [given("x", 0, [4]), moved("a", 0, 1), function]
    assert quantized(rows, x=0.5) == {"x": 0.5, "a": 0.5}


def test_a_scale_that_the_file_says_is_kept() -> None:
    rows = [given("x", 0, [4]), moved("a", 0, 1), moved("b", 1, 2)]
    assert quantized(rows, x=0.5, b=0.25) == {"x": 0.5, "a": 0.5, "b": 0.25}


@pytest.mark.parametrize(
    "info",
    [
        {"scale": 0.0},
        {"scale": -1.0},
        {"scale": 1.0, "zero": 300.0},
        {"scale": 1.0, "type": 1},
    ],
)
def test_what_int8_cannot_say_is_no_scale(info: Row) -> None:
    row = {"index": 0, "quantInfo": {"type": 6, **info}}
    net = formats_mnn.read_net(write([_X], extraTensorDescribe=[row]))
    assert scales(net, net.ops) == {}


def test_constants_are_quantised_while_loading() -> None:
    steps = Steps(0.5, 10, -127, 127)
    numbers = np.float32([0, 0.24, 0.25, -0.25, 1000, -1000])
    assert steps.quantized(numbers).tolist() == [10, 10, 11, 9, 127, -127]


@pytest.mark.parametrize("kind", [UnaryKind.NEG, UnaryKind.ABS, UnaryKind.SIGN])
def test_functions_of_int8_cut_off_as_mnn_does(kind: UnaryKind, mnn: MnnOracle) -> None:
    function = op("y", OpType.UnaryOp, [0], [1], ("UnaryOp", {"opType": int(kind), "T": 1}))
    check_quantized([_X, function], mnn)


@pytest.mark.parametrize("kind", sorted(INT8))
@pytest.mark.parametrize("relu", [0, 1])
def test_functions_of_two_int8(kind: str, relu: int, mnn: MnnOracle) -> None:
    row = {"opType": int(BinaryKind[kind]), "T": 1, "activationType": relu}
    check_quantized(
        [_X, given("z", 1, [1, 8, 6, 5], NC4HW4), op("y", OpType.BinaryOp, [0, 1], [2],
                                                      ("BinaryOp", row))], mnn)  # fmt: skip


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [(9, 11), (3, 2), (6, 5)])
def test_resized_int8(kind: int, size: tuple[int, int], mnn: MnnOracle) -> None:
    row = {
        "resizeType": kind,
        "outputHeight": size[0],
        "outputWidth": size[1],
        "heightScale": size[0] / 6,
        "widthScale": size[1] / 5,
        "ctm": 2,
    }
    check_quantized([_X, op("y", OpType.Interp, [0], [1], ("Interp", row))], mnn)


def check_quantized(rows: list[Row], mnn: MnnOracle) -> None:
    """A net whose tensors all have scales: its output is within a step of MNN's."""
    described = [
        {
            "index": index,
            "quantInfo": {"scale": 0.02 * (1 + index), "zero": -5 * index, "type": 6},
        }
        for index in range(len(rows))
    ]
    data = write(rows, extraTensorDescribe=described)
    converted = formats_mnn.convert(formats_mnn.read_net(data))
    inputs = random_inputs(converted)
    got, want = run(converted, inputs)["y"], mnn.run(data, inputs)["y"]
    apart = steps_apart(got, want, 0.02 * len(rows))
    assert apart.max() < 1.001
    assert (apart > 0.001).mean() < 0.002
