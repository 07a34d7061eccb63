"""Nets of one operator each: Arenite computes what MNN computes; broken ones are refused."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.formats import tflite
from arenite.mnn.file.enums import BinaryKind, UnaryKind
from arenite.mnn.lowering import models as formats_mnn
from arenite.mnn.lowering.mapping import MAPPERS
from arenite.mnn.lowering.models import OpType
from tests.mnn.lowering import int8_cases, net_cases, onnx_cases, tflite_cases
from tests.mnn.lowering.compare import agrees, difference
from tests.mnn.lowering.conftest import Converter
from tests.mnn.lowering.net_cases import CASES, IMAGE, ints, net, rand
from tests.mnn.nets import NC4HW4, NCHW, NHWC, add, const, given, op, square_net, unary, write
from tests.mnn_oracle import MnnOracle


@pytest.mark.parametrize("name", CASES)
def test_is_as_mnn_has_it(name: str, mnn: MnnOracle) -> None:
    agrees(mnn, CASES[name]())


def one(
    name: str,
    inputs: list[Any],
    main: Any = None,
    form: int = NC4HW4,
    outputs: int = 1,
) -> bytes:
    """A net with one operator."""
    return net(name, inputs, main, form, outputs=outputs, op_form=NCHW)


def run(data: bytes, *inputs: Any) -> Any:
    """The only output."""
    return ar.Interpreter(ar.load(data))(*inputs)


# -- what MNN itself does not run on the CPU, or not right -------------------------------------


def test_batch_norm_is_its_formula() -> None:
    slope, mean, bias = rand(3), rand(3, seed=1), rand(3, seed=2)
    var = np.abs(rand(3, seed=3)) + np.float32(0.1)
    row = {"slopeData": slope, "meanData": mean, "varData": var, "biasData": bias, "epsilon": 0.01}
    x = rand(1, 3, 4, 5)
    want = (x - mean[:, None, None]) / np.sqrt(var + np.float32(0.01))[:, None, None]
    want = want * slope[:, None, None] + bias[:, None, None]
    got = run(one("BatchNorm", [(1, 3, 4, 5)], ("BatchNorm", {"channels": 3, **row})), x)
    assert difference(got, want.astype(np.float32)) < 1e-6


def test_inner_product_adds_its_bias_to_every_row() -> None:
    weights, bias, x = rand(4, 10), rand(4), rand(3, 10)
    row = {"outputCount": 4, "weight": weights.reshape(-1), "bias": bias}
    got = run(one("InnerProduct", [(3, 10)], ("InnerProduct", row), NHWC), x)
    assert difference(got, x @ weights.T + bias) < 1e-6


def test_less_compares_negative_numbers() -> None:
    x, z = np.float32([-2, -1, 1, 3]), np.float32([-1, -2, 2, 2])
    data = one("BinaryOp", [(4,), (4,)], ("BinaryOp", {"opType": int(BinaryKind.LESS)}), NCHW)
    assert run(data, x, z).tolist() == [1, 0, 1, 0]


def test_a_scalar_can_be_filled() -> None:
    model = ar.load(one("Fill", [ints(), np.full((1,), 7, np.float32)]))
    assert model.outputs[0].shape == ()
    assert np.asarray(model.outputs[0].data).view(np.float32).tolist() == [7]


def test_a_trained_parameter_is_a_constant() -> None:
    row = {**const("c", 1, np.float32([1, 2])), "type": int(OpType.TrainableParam)}
    data = write([given("x", 0, [2]), row, add("y", 0, 1, 2)])
    assert run(data, np.float32([10, 20])).tolist() == [11, 22]


def test_eltwise_int8_adds_scaled_numbers_and_cuts_off() -> None:
    scales = [np.full(1, one, np.float32) for one in (0.5, 0.25, 3.0)]
    names = ("inputQuan0", "inputQuan1", "outputQuan")
    row = {name: {"tensorScale": one} for name, one in zip(names, scales, strict=True)}
    rows = [
        given("x", 0, [1, 4, 3, 2], NC4HW4),
        int8_cases.casts("a", OpType.FloatToInt8, 0, 1, 20.0),
        int8_cases.casts("b", OpType.FloatToInt8, 0, 2, 35.0),
        op("s", OpType.EltwiseInt8, [1, 2], [3], ("EltwiseInt8", row)),
        int8_cases.casts("y", OpType.Int8ToFloat, 3, 4, 1.0),
    ]
    x = rand(1, 4, 3, 2)
    a, b = (np.clip(np.trunc(x * f + np.copysign(0.5, x * f)), -128, 127) for f in (20, 35))
    want = np.trunc(np.clip((a * 0.5 + b * 0.25) * 3, -127, 127)).astype(np.float32)
    assert np.abs(want).max() > 20
    np.testing.assert_array_equal(run(write(rows), x), want)


@pytest.mark.parametrize(
    ("inputs", "main", "message"),
    [
        ([np.array([[4]], np.int32), (1, 5), ints(4, 5)], None, "do not lie inside of"),
        ([np.array([[-1]], np.int32), (1, 5), ints(4, 5)], None, "do not lie inside of"),
        ([np.array([[0]], np.int32), (2, 5), ints(4, 5)], None, "are no updates of 1 places"),
        ([np.array([[0]], np.int32), (1, 5), ints(4, 5)], ("BinaryOp", {"opType": 0}), "summed"),
    ],
)
def test_scatter_nd_refuses_what_does_not_fit(inputs: Any, main: Any, message: str) -> None:
    with pytest.raises(ar.ModelError, match=message):
        ar.load(one("ScatterNd", inputs, main, NCHW))


def test_a_file_without_weights_is_called_that() -> None:
    data = one("Convolution", [IMAGE], ("Convolution2D", {"common": CONV}))
    with pytest.raises(
        ar.ModelError, match=r"it has no weights; files without any, as MNN's bench"
    ):
        ar.load(data)


# -- layouts ----------------------------------------------------------------------------------


def test_a_convolution_of_images_with_channels_last_moves_nothing() -> None:
    image = (1, 8, 7, 6)
    rows = [
        given("x", 0, list(image), NHWC),
        op("a", OpType.ConvertTensor, [0], [1], ("TensorConvertInfo", {"source": 1, "dest": 2})),
        op("b", OpType.ReLU, [1], [2], ("Relu", {"slope": 0.1})),
        op("y", OpType.ConvertTensor, [2], [3], ("TensorConvertInfo", {"source": 2, "dest": 1})),
    ]
    model = ar.load(write(rows))
    assert [operator.name for operator in model.main.operators] == ["LEAKY_RELU"]
    assert model.outputs[0].shape == image


def test_images_with_channels_first_are_turned_once() -> None:
    rows = [
        given("x", 0, [1, 6, 8, 7], NCHW),
        op("a", OpType.Pooling, [0], [1], ("Pool", {"isGlobal": True})),
        op("b", OpType.Pooling, [0], [2], ("Pool", {"kernelX": 2, "kernelY": 2,
                                                    "strideX": 2, "strideY": 2})),
    ]  # fmt: skip
    names = [operator.name for operator in ar.load(write(rows)).main.operators]
    assert names == ["TRANSPOSE", "MAX_POOL_2D", "MAX_POOL_2D", "RESHAPE", "TRANSPOSE"]


def test_an_activation_that_nobody_else_waits_for_is_part_of_the_operator_before() -> None:
    relu = op("y", OpType.ReLU, [2], [3], ("Relu", {}))
    rows = [given("x", 0, [4]), given("z", 1, [4]), add("a", 0, 1, 2), relu]
    assert [operator.name for operator in ar.load(write(rows)).main.operators] == ["ADD"]
    kept = ar.load(write([*rows, unary("w", 2, 4)]))
    assert [operator.name for operator in kept.main.operators] == ["ADD", "RELU", "MNN_UNARY"]


def test_an_activation_of_an_output_stays() -> None:
    relu = op("y", OpType.ReLU, [2], [3], ("Relu", {}))
    rows = [given("x", 0, [4]), given("z", 1, [4]), add("a", 0, 1, 2), relu]
    model = ar.load(write(rows, outputName=["a", "y"]))
    assert [operator.name for operator in model.main.operators] == ["ADD", "RELU"]


# -- inputs and outputs -----------------------------------------------------------------------


def converted(data: bytes, **arguments: Any) -> Any:
    """The net, converted."""
    return formats_mnn.convert(formats_mnn.read_net(data), **arguments)


def test_inputs_take_other_shapes() -> None:
    found = converted(square_net([1, 4]), input_shapes={"x": (3, 5)})
    assert [port.shape for port in (*found.inputs, *found.outputs)] == [(3, 5), (3, 5)]


def test_an_open_batch_is_one() -> None:
    assert converted(square_net([-1, 4])).inputs[0].shape == (1, 4)


def test_other_open_dimensions_must_be_given() -> None:
    data = square_net([1, -1])
    with pytest.raises(ar.ModelError, match="input_shapes"):
        converted(data)
    assert converted(data, input_shapes={"x": (1, 2)}).inputs[0].shape == (1, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"input_shapes": {"z": (1, 2)}}, "expected the name of an input"),
        ({"input_shapes": {"x": (1, 2, 3)}}, "expected 2 dimensions"),
        ({"outputs": ["z"]}, "no tensor 'z'"),
    ],
)
def test_wrong_names_and_shapes(arguments: Any, message: str) -> None:
    with pytest.raises(ar.ModelError, match=message):
        converted(square_net([1, 4]), **arguments)


def test_any_tensor_can_be_an_output_and_what_it_does_not_need_is_left_out() -> None:
    data = write([given("x", 0, [2]), unary("a", 0, 1), unary("b", 1, 2)])
    found = converted(data, outputs=["a"])
    assert [port.name for port in found.outputs] == ["a"]
    assert len(found.model.main.operators) == 1


def test_a_constant_can_be_an_output() -> None:
    data = write([given("x", 0, [2]), const("c", 1, np.float32([1, 2])), add("y", 0, 1, 2)])
    assert converted(data, outputs=["c"]).outputs[0].shape == (2,)


# -- operators that are not there --------------------------------------------------------------


def test_everything_that_is_missing_is_listed_once() -> None:
    rows = [
        given("x", 0, [1, 4]),
        op("a", OpType.LSTM, [0], [1]),
        op("b", OpType.LSTM, [1], [2]),
        op("c", OpType.Proposal, [2], [3]),
        unary("d", 3, 4, kind=999),
        {**op("e", OpType.LSTM, [4], [5]), "type": 7777},
        op("y", OpType.Extra, [5], [6], ("Extra", {"type": "Mystery"})),
    ]
    with pytest.raises(ar.UnsupportedOperatorError) as caught:
        ar.load(write(rows))
    missing = ("LSTM", "Proposal", "UnaryOp.999", "OpType 7777", "Extra.Mystery")
    assert caught.value.missing == missing
    assert all(name in str(caught.value) for name in missing)


def test_operators_that_no_output_needs_may_be_missing() -> None:
    rows = [given("x", 0, [2]), unary("y", 0, 1), op("z", OpType.LSTM, [0], [2])]
    assert len(ar.load(write(rows, outputName=["y"])).main.operators) == 1


def test_every_mapping_has_a_case(converter: Converter) -> None:
    files = [make() for make in net_cases.CASES.values()]
    files += [make() for make in int8_cases.CASES.values()]
    files += [converter("ONNX", make()) for make in onnx_cases.CASES.values()]
    files += [
        converter("ONNX", onnx_cases.CASES[name](), "--saveStaticModel")
        for name in onnx_cases.FIXED
    ]
    files += [converter("TFLITE", tflite.write(make())) for make in tflite_cases.CASES.values()]
    seen = {op_.type for data in files for op_ in formats_mnn.read_net(data).ops}
    assert {kind.name for kind in set(MAPPERS) - seen} == UNREACHED


#: MNN's converters rewrite them, and its kernels do not run them: the tests below compare with
#: their formulas.
UNREACHED = {"BatchNorm", "EltwiseInt8", "TrainableParam"}


# -- broken operators --------------------------------------------------------------------------

CONV = {"kernelX": 3, "kernelY": 3, "outputCount": 4, "inputCount": 6}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (one("Pooling", [IMAGE]), "expected parameters of type Pool, got none"),
        (one("Pooling", [IMAGE], ("Axis", {})), "expected parameters of type Pool, got Axis"),
        (one("ReLU", []), "expected at least 1 inputs, got 0"),
        (one("Convolution", [IMAGE], ("Convolution2D", {})), "with 'common'"),
        (one("Convolution", [IMAGE], ("Convolution2D", {"common": CONV})), "no weights"),
        (
            one("Convolution", [IMAGE], ("Convolution2D", {"common": CONV, "weight": rand(9)})),
            r"expected 216 weights for \[4, 6, 3, 3\], got 9",
        ),
        (
            one(
                "Convolution",
                [IMAGE],
                ("Convolution2D", {"common": {**CONV, "strideX": 0}, "weight": rand(216)}),
            ),
            "strides and dilations of 1 or more",
        ),
        (
            one("Convolution", [(1, 6, 2, 7)], ("Convolution2D", {"common": CONV})),
            r"a window of \(3, 3\) .* does not fit \(2, 7\)",
        ),
        (
            one("Convolution", [IMAGE], ("Convolution2D", {"common": CONV, "external": ints(0)})),
            "in another file",
        ),
        (one("Concat", [IMAGE, (1, 2, 3, 4)], ("Axis", {"axis": 1})), "cannot concatenate"),
        (one("Concat", [IMAGE], ("Axis", {"axis": 9})), "expected an axis from -4 to 3, got 9"),
        (
            one("BinaryOp", [IMAGE, (1, 5, 1, 1)], ("BinaryOp", {})),
            "shapes do not broadcast",
        ),
        (one("Reshape", [IMAGE], ("Reshape", {"dims": ints(5, 5)})), "has 336 elements"),
        (one("Reshape", [IMAGE], ("Reshape", {"dims": ints(-1, -1)})), "one -1 at most"),
        (one("Permute", [IMAGE], ("Permute", {"dims": ints(0, 1, 1, 2)})), "every axis"),
        (one("Slice", [IMAGE], ("Slice", {"axis": 1}), outputs=3), "expected 2 ends of parts"),
        (one("PReLU", [IMAGE], ("PRelu", {"slope": rand(5)})), "expected 6 slopes"),
        (one("Padding", [IMAGE, ints(-1, 0)], ("PadParam", {})), "pairs of paddings"),
        (
            one("LayerNorm", [(2, 3)], ("LayerNorm", {"axis": ints(-3, -2, -1)}), NCHW),
            r"only the last axes can be normalised over, not \[-1, 0, 1\]",
        ),
        (one("GatherV2", [IMAGE, ints(0), ints()]), "expected a number as input 2"),
        (one("GatherV2", [IMAGE, ints(0), rand(1) * np.inf]), "expected a number as input 2"),
        (one("TopKV2", [IMAGE, ints(8)], outputs=2), "no 8 elements along axis 3"),
        (one("TopKV2", [IMAGE, ints(1)]), "two outputs"),
        (one("Interp", [IMAGE], ("Interp", {"resizeType": 77})), "cannot resize .* mode 77"),
        (
            one("BinaryOp", [IMAGE, IMAGE], ("BinaryOp", {"opType": int(BinaryKind.BITWISE_OR)})),
            "MNN has no BITWISE_OR of float32",
        ),
        (
            one(
                "BinaryOp", [rand(2), rand(2)], ("BinaryOp", {"opType": int(BinaryKind.LEFTSHIFT)})
            ),
            "MNN has no LEFTSHIFT of float32",
        ),
        (
            one("BinaryOp", [ints(1), ints(2)], ("BinaryOp", {"opType": int(BinaryKind.ATAN2)})),
            "MNN has no ATAN2 of int32",
        ),
        (
            one("UnaryOp", [ints(1)], ("UnaryOp", {"opType": int(UnaryKind.SQRT)})),
            "MNN has no SQRT of int32",
        ),
        (one("Raster", [IMAGE]), "not described in extraTensorDescribe"),
        (one("Cast", [IMAGE], ("CastParam", {"dstT": 99})), "data type 99 is not supported"),
    ],
)
def test_broken_operators(data: bytes, message: str) -> None:
    with pytest.raises(ar.ModelError, match=message) as caught:
        ar.load(data)
    assert caught.value.path.startswith("$.oplists[")
    assert caught.value.offset is not None


@pytest.mark.parametrize("kind", [1, 2, 4])
def test_the_positions_of_wide_images_take_little_memory(kind: int) -> None:
    row = {"outputWidth": 1 << 13, "outputHeight": 1, "resizeType": kind}
    data = one("Interp", [(1, 1, 1, 2)], ("Interp", row))
    ar.load(data)  # what is imported and kept is not counted
    tracemalloc.start()
    try:
        ar.load(data)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    wider = one("Interp", [(1, 1, 1, 2)], ("Interp", {**row, "outputWidth": 1 + (1 << 13)}))
    with pytest.raises(ar.ModelError, match="expected 1 to 8192 rows and columns"):
        ar.load(wider)


def test_a_shape_that_depends_on_data_is_refused_with_the_reason() -> None:
    rows = [given("x", 0, [4], dtype=3), given("z", 1, [2], dtype=3),
            op("y", OpType.Reshape, [0, 1], [2])]  # fmt: skip
    with pytest.raises(ar.ModelError, match="decides on shapes"):
        ar.load(write(rows))


def test_a_tensor_is_computed_once() -> None:
    with pytest.raises(ar.ModelError, match="computed twice"):
        ar.load(write([given("x", 0, [2]), unary("a", 0, 1), unary("b", 0, 1)]))


def test_operators_come_after_what_they_read() -> None:
    with pytest.raises(ar.ModelError, match="before any operator has computed it"):
        ar.load(write([given("x", 0, [2]), unary("y", 2, 1), unary("z", 0, 2)], outputName=["y"]))


def test_tensors_have_a_size_that_can_be() -> None:
    with pytest.raises(ar.ModelError, match="expected a tensor of at most"):
        ar.load(square_net([1 << 30, 1 << 30]))
