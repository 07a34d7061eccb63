"""Small models of one operator each, for :mod:`tests.native.test_contract`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from arenite.mnn.operators.conv_int8 import MnnConvInt8Options
from arenite.mnn.operators.float_to_int8 import MnnFloatToInt8Options
from arenite.mnn.operators.raster import MnnRasterOptions, Region
from arenite.mnn.operators.resize_bilinear_int8 import MnnResizeBilinearInt8Options
from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.shared.reduction import ReducerOptions
from arenite.ops.shared.window import Placement
from arenite.ops.tflite.add import AddOptions
from arenite.ops.tflite.arg_max import ArgMaxOptions
from arenite.ops.tflite.batch_matmul import BatchMatMulOptions
from arenite.ops.tflite.batch_to_space_nd import BatchToSpaceNDOptions
from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.cumsum import CumsumOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.dynamic_update_slice import DynamicUpdateSliceOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.gather import GatherOptions
from arenite.ops.tflite.l2_normalization import L2NormOptions
from arenite.ops.tflite.mirror_pad import MirrorPadOptions
from arenite.ops.tflite.resize_bilinear import ResizeBilinearOptions
from arenite.ops.tflite.resize_nearest_neighbor import ResizeNearestNeighborOptions
from arenite.ops.tflite.reverse_v2 import ReverseV2Options
from arenite.ops.tflite.slice import SliceOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.ops.tflite.space_to_batch_nd import SpaceToBatchNDOptions
from arenite.ops.tflite.space_to_depth import SpaceToDepthOptions
from arenite.ops.tflite.split import SplitOptions
from arenite.ops.tflite.split_v import SplitVOptions
from arenite.ops.tflite.strided_slice import StridedSliceOptions
from arenite.ops.tflite.svdf import SVDFOptions
from arenite.ops.tflite.transpose import TransposeOptions
from arenite.ops.tflite.transpose_conv import TransposeConvOptions
from tests.mnn.operator_models import Fed, Single, floats, integers
from tests.native.signal_models import SIGNAL_MODELS
from tests.native.sizes import plain, weighted
from tests.ops.codes import looked_up
from tests.ops.flexbuffers import packed, untyped
from tests.ops.lstm import lstm

Shape = tuple[int, ...]


def numbers(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """A constant of int32."""
    return np.array(values, np.int32)


def conv(kind: str, filters: Shape = (4, 3, 3, 3)) -> Model:
    """A SAME convolution of 6 by 6 pixels."""
    shapes = ((1, 6, 6, 3), filters, (1, 6, 6, 4))
    return weighted("CONV_2D", kind, shapes, Conv2DOptions(0, 1, 1), depth=27)


def depthwise(kind: str) -> Model:
    shapes = ((1, 6, 6, 8), (1, 3, 3, 8), (1, 6, 6, 8))
    options = DepthwiseConv2DOptions(0, 1, 1, 1)
    return weighted("DEPTHWISE_CONV_2D", kind, shapes, options, depth=9, axis=3)


def transpose_conv() -> Model:
    shapes = ((1, 3, 3, 3), (4, 3, 3, 3), (1, 6, 6, 4))
    return weighted("TRANSPOSE_CONV", "int8", shapes, TransposeConvOptions(0, 2, 2), depth=27)


def fully_connected() -> Model:
    shapes = ((2, 8), (4, 8), (2, 4))
    return weighted("FULLY_CONNECTED", "int8", shapes, FullyConnectedOptions(), depth=8)


def circular_buffer() -> Model:
    b = ModelBuilder()
    x, y = b.input("x", (1, 1, 2, 3), "int8"), b.variable("y", (1, 4, 2, 3), "int8")
    b.operator("CIRCULAR_BUFFER", [x], [y], custom_options=untyped(2))
    b.output(y)
    return b.build()


def detections() -> Model:
    numbers = {
        "max_detections": 2, "num_classes": 2, "use_regular_nms": True, "nms_iou_threshold": 0.5,
        "y_scale": 1.0, "x_scale": 1.0, "h_scale": 1.0, "w_scale": 1.0,
    }  # fmt: skip
    b = ModelBuilder()
    inputs = [b.input(n, s, "float32") for n, s in (("boxes", (1, 3, 4)), ("scores", (1, 3, 2)))]
    inputs.append(b.constant("anchors", np.ones((3, 4), np.float32)))
    shapes = ((1, 2, 4), (1, 2), (1, 2), (1,))
    outputs = [b.tensor(f"y{n}", shape, "float32") for n, shape in enumerate(shapes)]
    b.operator("TFLite_Detection_PostProcess", inputs, outputs, custom_options=packed(numbers))
    b.output(outputs[0])
    return b.build()


def decoded() -> Model:
    b = ModelBuilder()
    pair = looked_up(np.array([0, 1, 1, 0]), np.array([[5, 6]], np.int8), 1)
    inputs = [b.constant(name, part) for name, part in zip("ab", pair, strict=True)]
    y = b.tensor("y", (2, 2), "int8")
    b.operator("TFLM_DECODE", inputs, [y], custom_options=b"")
    b.output(y)
    return b.build()


def svdf() -> Model:
    b, rng = ModelBuilder(), np.random.default_rng(1)
    x = b.input("x", (1, 3), "float32")
    weights = [
        b.constant(name, rng.normal(size=shape).astype(np.float32))
        for name, shape in (("feature", (4, 3)), ("time", (4, 5)), ("bias", (2,)))
    ]
    y = b.tensor("y", (1, 2), "float32")
    b.operator("SVDF", [x, *weights, b.variable("state", (1, 20), "float32")], [y], SVDFOptions(2))
    b.output(y)
    return b.build()


def made(name: str, inputs: list[Any], outputs: Any, options: OptionsTable | None = None) -> Model:
    """An operator on tensors that are fed, and on constants."""
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    return Single(name, tuple(inputs), outputs, options).model()


def resized(name: str, options: OptionsTable) -> Model:
    return plain(name, "int8", ((1, 4, 4, 1), (1, 9, 9, 1)), options, numbers(9, 9))


INT8, INT16 = (Fed((2, 4), kind, 0.1) for kind in ("int8", "int16"))
ROWS = Fed((2, 3), "int8")
#: By the names of the cases.
MODELS: dict[str, Callable[[], Model]] = {
    "conv": lambda: conv("int8"),
    "float conv": lambda: conv("float32"),
    "pointwise float conv": lambda: conv("float32", (4, 1, 1, 3)),
    "depthwise": lambda: depthwise("int8"),
    "float depthwise": lambda: depthwise("float32"),
    "fully connected": fully_connected,
    "transpose conv": transpose_conv,
    "batch matmul": lambda: made(
        "BATCH_MATMUL", [Fed((2, 3, 4)), Fed((2, 4, 5))], Fed((2, 3, 5)), BatchMatMulOptions()
    ),
    "pool": lambda: plain(
        "MAX_POOL_2D", "int8", ((1, 6, 6, 4), (1, 3, 3, 4)), Pool2DOptions(0, 2, 2, 2, 2)
    ),
    "add": lambda: made("ADD", [INT16, INT16], INT16, AddOptions()),
    "comparison": lambda: made("LESS", [INT8, INT8], Fed((2, 4), "bool")),
    "add n": lambda: made("ADD_N", [INT8, INT8, INT8], INT8),
    "select": lambda: made(
        "SELECT_V2", [Fed((2, 4), "bool"), Fed((2, 4), "int8"), Fed((4,), "int8")],
        Fed((2, 4), "int8"),
    ),
    "broadcast to": lambda: plain(
        "BROADCAST_TO", "int8", ((2, 1), (2, 3)), None, numbers(2, 3)
    ),
    "softmax": lambda: plain(
        "SOFTMAX", "int8", ((2, 4), (2, 4)), SoftmaxOptions(1.0), scale=1 / 256, zero_point=-128
    ),
    "softmax int16": lambda: plain(
        "SOFTMAX", "int16", ((2, 4), (2, 4)), SoftmaxOptions(1.0), scale=1 / 32768, zero_point=0
    ),
    "log softmax": lambda: plain(
        "LOG_SOFTMAX", "int8", ((2, 4), (2, 4)), None, scale=16 / 256, zero_point=127
    ),
    "logistic": lambda: plain(
        "LOGISTIC", "int8", ((2, 4), (2, 4)), None, scale=1 / 256, zero_point=-128
    ),
    "relu": lambda: plain("RELU", "int8", ((2, 4), (2, 4)), None),
    "reshape": lambda: plain("RESHAPE", "int8", ((3, 4), (2, 6)), None, numbers(2, 6)),
    "concatenation": lambda: made(
        "CONCATENATION", [ROWS, ROWS], Fed((4, 3), "int8"), ConcatenationOptions(axis=0)
    ),
    "split": lambda: made(
        "SPLIT", [numbers(0), Fed((4, 3), "int8")], (ROWS, ROWS), SplitOptions(2)
    ),
    "split v": lambda: made(
        "SPLIT_V", [Fed((4, 3), "int8"), numbers(1, 3), numbers(0)],
        (Fed((1, 3), "int8"), Fed((3, 3), "int8")), SplitVOptions(2),
    ),
    "space to depth": lambda: plain(
        "SPACE_TO_DEPTH", "int8", ((1, 4, 6, 1), (1, 2, 3, 4)), SpaceToDepthOptions(2)
    ),
    "slice": lambda: plain(
        "SLICE", "int8", ((4, 4), (2, 2)), SliceOptions(), numbers(1, 1), numbers(2, 2)
    ),
    "update slice": lambda: made(
        "DYNAMIC_UPDATE_SLICE", [Fed((4, 4), "int8"), ROWS, Fed((2,), "int32")],
        Fed((4, 4), "int8"), DynamicUpdateSliceOptions(),
    ),
    "reverse": lambda: plain(
        "REVERSE_V2", "int8", ((4, 4), (4, 4)), ReverseV2Options(), numbers(0)
    ),
    "mirror pad": lambda: plain(
        "MIRROR_PAD", "int8", ((2, 3), (4, 5)), MirrorPadOptions(), np.ones((2, 2), np.int32)
    ),
    "space to batch": lambda: plain(
        "SPACE_TO_BATCH_ND", "int8", ((1, 4, 4, 2), (4, 2, 2, 2)), SpaceToBatchNDOptions(),
        numbers(2, 2), np.zeros((2, 2), np.int32),
    ),
    "batch to space": lambda: plain(
        "BATCH_TO_SPACE_ND", "int8", ((4, 2, 2, 2), (1, 4, 4, 2)), BatchToSpaceNDOptions(),
        numbers(2, 2), np.zeros((2, 2), np.int32),
    ),
    "embedding lookup": lambda: made(
        "EMBEDDING_LOOKUP", [Fed((2,), "int32"), Fed((4, 3), "int8")], ROWS
    ),
    "pad": lambda: plain(
        "PAD", "int8", ((2, 3), (4, 5)), None, np.ones((2, 2), np.int32)
    ),
    "strided slice": lambda: plain(
        "STRIDED_SLICE", "int8", ((4, 4), (2, 2)), StridedSliceOptions(),
        numbers(0, 0), numbers(4, 4), numbers(2, 2),
    ),
    "transpose": lambda: plain(
        "TRANSPOSE", "int8", ((2, 3), (3, 2)), TransposeOptions(), numbers(1, 0)
    ),
    "gather": lambda: made(
        "GATHER", [Fed((4, 2)), Fed((3,), "int32")], Fed((3, 2)), GatherOptions(0, 0)
    ),
    "gather nd": lambda: made("GATHER_ND", [Fed((4, 3)), Fed((2, 1), "int32")], Fed((2, 3))),
    "tile": lambda: plain("MNN_TILE", "int8", ((2, 3), (4, 6)), None, numbers(2, 2)),
    "mean": lambda: plain("MEAN", "int8", ((2, 3), (2,)), ReducerOptions(), numbers(1)),
    "reduce max": lambda: plain("REDUCE_MAX", "int8", ((2, 3), (2,)), ReducerOptions(), numbers(1)),
    "cumsum": lambda: plain("CUMSUM", "int8", ((2, 3), (2, 3)), CumsumOptions(), numbers(1)),
    "abs int16": lambda: plain("ABS", "int16", ((2, 4), (2, 4)), None),
    "abs": lambda: plain("ABS", "int8", ((2, 4), (2, 4)), None),
    "rsqrt int16": lambda: plain("RSQRT", "int16", ((2, 4), (2, 4)), None),
    "sin": lambda: plain("SIN", "float32", ((2, 4), (2, 4)), None, scale=None),
    "shape": lambda: plain("SHAPE", "int8", ((2, 4), (2,)), None, output="int32", scale=None),
    "l2 normalization": lambda: plain(
        "L2_NORMALIZATION", "int8", ((2, 4), (2, 4)), L2NormOptions()
    ),
    "l2 pool": lambda: plain(
        "L2_POOL_2D", "float32", ((1, 6, 6, 4), (1, 3, 3, 4)), Pool2DOptions(0, 2, 2, 2, 2),
        scale=None,
    ),
    "arg max": lambda: plain(
        "ARG_MAX", "int8", ((2, 3), (2,)), ArgMaxOptions(), numbers(1), output="int32", scale=None
    ),
    "resize nearest": lambda: resized("RESIZE_NEAREST_NEIGHBOR", ResizeNearestNeighborOptions()),
    "resize bilinear": lambda: resized("RESIZE_BILINEAR", ResizeBilinearOptions()),
    "svdf": svdf,
    "lstm": lambda: lstm(
        "int8", np.random.default_rng(0), batches=1, steps=3, inputs=4, units=5, spread=0
    ),
    "raster": lambda: made(
        "MNN_RASTER", [Fed((6,))], Fed((12,)),
        MnnRasterOptions((Region(0, 0, (1,), 0, (2,), (6,)),)),
    ),
    "mnn conv": lambda: made(
        "MNN_CONV_INT8",
        [Fed((1, 6, 6, 3), "int8"), integers((4, 3, 3, 3)), floats((4,)),
         np.full(4, 1e-3, np.float32)],
        Fed((1, 6, 6, 4), "int8"),
        MnnConvInt8Options(Placement((6, 6), (1, 1)), clamp=(-128, 127)),
    ),
    "mnn resize": lambda: made(
        "MNN_RESIZE_BILINEAR_INT8", [Fed((1, 4, 4, 2), "int8", 0.1, 3)],
        Fed((1, 7, 7, 2), "int8", 0.1, 3),
        MnnResizeBilinearInt8Options((7, 7), (0.5, 0.0), (0.5, 0.0)),
    ),
    "mnn casts": lambda: made(
        "MNN_FLOAT_TO_INT8", [Fed((2, 3))], Fed((2, 3), "int8"),
        MnnFloatToInt8Options((0.5, 1.0, 2.0), 0.0, -127, 127),
    ),
    "circular buffer": circular_buffer,
    "detections": detections,
    **SIGNAL_MODELS,
    "decode": decoded,
}  # fmt: skip
