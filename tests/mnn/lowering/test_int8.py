"""Quantised nets: int8 within one step of MNN's, and how many values differ at all."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.formats.flatbuffer import Row
from arenite.mnn.lowering import models as formats_mnn
from arenite.mnn.lowering.models import OpType
from arenite.mnn.lowering.quantization import scales
from arenite.mnn.lowering.values import Steps
from arenite.model import Array
from tests.mnn.lowering.compare import random_inputs, run
from tests.mnn.lowering.conftest import Converter
from tests.mnn.lowering.int8_cases import OLD, QUANTIZED, X, quantized_net
from tests.mnn.lowering.onnx_cases import rand
from tests.mnn.lowering.onnx_models import node, onnx_model
from tests.mnn.nets import given, op, write
from tests.mnn_oracle import MnnOracle
from tests.shared import ROOT, shared_model

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
    net = formats_mnn.read_net(write([X], extraTensorDescribe=[row]))
    assert scales(net, net.ops) == {}


@pytest.mark.parametrize("name", [name for name in QUANTIZED if name.startswith("UnaryOp")])
@pytest.mark.parametrize("scales", [(0.02, 1e-45), (1e38, 1e-38), (1e-45, 1e38)])
def test_scales_at_the_ends_of_float32_do_no_harm(name: str, scales: tuple[float, float]) -> None:
    described = [
        {"index": index, "quantInfo": {"scale": scale, "type": 6}}
        for index, scale in enumerate(scales)
    ]
    model = ar.load(write(QUANTIZED[name], extraTensorDescribe=described))
    with np.errstate(all="ignore"):
        ar.Interpreter(model)(np.ones(model.inputs[0].shape, np.float32))


def test_whole_numbers_have_no_scale() -> None:
    rows = [
        given("x", 0, [2, 3], dtype=3),
        op("y", OpType.Softmax, [0], [1], ("Axis", {"axis": 1})),
    ]
    with pytest.raises(ar.ModelError, match="int8 stands for real numbers, not for int32"):
        ar.load(quantized_net(rows))


def test_constants_are_quantised_while_loading() -> None:
    steps = Steps(0.5, 10, -127, 127)
    numbers = np.float32([0, 0.24, 0.25, -0.25, 1000, -1000])
    assert steps.quantized(numbers).tolist() == [10, 10, 11, 9, 127, -127]


#: The share of values that differ: PReLU's output has twice the input's scale, so that halves are
#: common, and MNN rounds those below zero up.
DIFFERING = {"PReLU": 0.01}


@pytest.mark.parametrize("name", QUANTIZED)
def test_operators_of_int8_are_within_a_step_of_mnn(name: str, mnn: MnnOracle) -> None:
    rows = QUANTIZED[name]
    data = quantized_net(rows)
    converted = formats_mnn.convert(formats_mnn.read_net(data))
    inputs = random_inputs(converted)
    got, want = run(converted, inputs)["y"], mnn.run(data, inputs)["y"]
    apart = steps_apart(got, want, 0.02 * len(rows))
    assert apart.max() < 1.001
    assert (apart > 0.001).mean() < DIFFERING.get(name, 0.002)
