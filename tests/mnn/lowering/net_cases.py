"""Nets with one of MNN's operators each, written row by row.

They reach what the converters of ONNX and TensorFlow Lite do not write: operators of Caffe and
of older files, and rows that say the same in another way.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from arenite.formats.flatbuffer import Row
from arenite.mnn.file.enums import BinaryKind, UnaryKind
from arenite.mnn.lowering.models import OpType
from tests.mnn.nets import FLOAT, INT32, NC4HW4, NCHW, NHWC, given, op, unary, write

Shape = tuple[int, ...]
CASES: dict[str, partial[bytes]] = {}
IMAGE = (1, 6, 8, 7)


def ints(*numbers: int) -> Any:
    """A vector of int32."""
    return np.array(numbers, np.int32)


def rand(*shape: int, seed: int = 0) -> Any:
    """Normal numbers."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def case(
    name: str,
    inputs: Sequence[Any],
    main: tuple[str, Row] | None = None,
    *,
    form: int = NC4HW4,
    outputs: int = 1,
    op_form: int = NCHW,
    dtype: int = FLOAT,
    before: UnaryKind | None = None,
) -> None:
    """A net with one operator, that of the name's first word.

    Shapes become inputs of the net, arrays constants. ``before`` is a function of the first
    input that keeps it where the operator is defined.
    """
    CASES[name] = partial(
        net, name, inputs, main, form, outputs=outputs, op_form=op_form, dtype=dtype, before=before
    )


def net(
    name: str,
    inputs: Sequence[Any],
    main: tuple[str, Row] | None,
    form: int,
    *,
    outputs: int = 1,
    op_form: int = NCHW,
    dtype: int = FLOAT,
    before: UnaryKind | None = None,
) -> bytes:
    """The case's net."""
    type_ = OpType[name.split(maxsplit=1)[0]]
    rows = []
    for index, value in enumerate(inputs):
        if isinstance(value, tuple):
            rows.append(given("xzw"[index], index, list(value), form, dtype))
        else:
            rows.append(constant(f"c{index}", index, value))
    sources = list(range(len(inputs)))
    count = len(inputs)
    if before is not None:
        rows.append(unary("before", 0, count, before))
        sources[0], count = count, count + 1
    last = op("y", type_, sources, list(range(count, count + outputs)), main)
    return write([*rows, {**last, "defaultDimentionFormat": op_form}])


def constant(name: str, index: int, value: Any) -> Row:
    """A Const."""
    is_int = value.dtype == np.int32
    main = {
        "dims": np.array(value.shape, np.int32),
        "dataFormat": NCHW,
        "dataType": INT32 if is_int else FLOAT,
        ("int32s" if is_int else "float32s"): value.reshape(-1),
    }
    return op(name, OpType.Const, [], [index], ("Blob", main))


# -- windows

_KERNEL = {"kernelX": 3, "kernelY": 3, "outputCount": 4, "inputCount": 6}
for _name, _more in {
    "pads": {"padX": 1, "padY": 1},
    "four pads": {"pads": ints(0, 1, 2, 1)},
    "same": {"padMode": 2, "strideX": 2, "strideY": 2},
    "valid": {"padMode": 1, "strideX": 2},
    "ReLU": {"relu": True},
    "ReLU6": {"relu6": True},
}.items():
    case(f"Convolution {_name}", [IMAGE], ("Convolution2D", {
        "common": {**_KERNEL, **_more}, "weight": rand(216), "bias": rand(4)}))  # fmt: skip
    case(f"Deconvolution {_name}", [IMAGE], ("Convolution2D", {
        "common": {**_KERNEL, **_more}, "weight": rand(216), "bias": rand(4)}))  # fmt: skip
case("ConvolutionDepthwise", [IMAGE], ("Convolution2D", {
    "common": {**_KERNEL, "outputCount": 6, "group": 6, "padX": 1, "padY": 1},
    "weight": rand(54), "bias": rand(6)}))  # fmt: skip
case("DeconvolutionDepthwise", [IMAGE], ("Convolution2D", {
    "common": {**_KERNEL, "outputCount": 6, "group": 6, "strideX": 2, "strideY": 2},
    "weight": rand(54), "bias": rand(6)}))  # fmt: skip
case("InnerProduct", [(1, 10)], ("InnerProduct", {
    "outputCount": 4, "biasTerm": 1, "weightSize": 40, "weight": rand(40), "bias": rand(4),
    "axis": 1, "transpose": False}), form=NHWC)  # fmt: skip
_WINDOW = {"kernelX": 3, "kernelY": 2, "strideX": 2, "strideY": 1}
for _kind, _type in (("max", 0), ("average", 1)):
    for _name, _more in {
        "pads": {"padX": 1, "padY": 1},
        "floor": {"padX": 1, "padY": 1, "ceilModel": False},
        "four pads": {"pads": ints(1, 1, 1, 1)},
        "same": {"padType": 2},
        "valid": {"padType": 1},
        "counts": {"padX": 1, "padY": 1, "countType": 1},
        "leaves out": {"padX": 1, "padY": 1, "countType": 2},
        "global": {"isGlobal": True},
    }.items():
        case(f"Pooling {_kind} {_name}", [IMAGE],
             ("Pool", {**_WINDOW, "type": _type, **_more}))  # fmt: skip
case("Pooling images of a plain order", [IMAGE], ("Pool", _WINDOW), form=NHWC, op_form=NHWC)

# -- element by element

case("ReLU", [IMAGE], ("Relu", {}))
case("ReLU slope", [IMAGE], ("Relu", {"slope": 0.2}))
case("ReLU6", [IMAGE], ("Relu6", {}))
case("ReLU6 range", [IMAGE], ("Relu6", {"minValue": -0.5, "maxValue": 0.75}))
case("PReLU", [IMAGE], ("PRelu", {"slopeCount": 6, "slope": rand(6)}))
case("PReLU one slope", [IMAGE], ("PRelu", {"slopeCount": 1, "slope": rand(1)}))
case("ELU", [IMAGE], ("ELU", {"alpha": 1.0}))
case("ELU alpha", [IMAGE], ("ELU", {"alpha": 0.3}))
case("Selu", [IMAGE], ("Selu", {"scale": 1.05, "alpha": 1.67}))
case("Sigmoid", [IMAGE])
case("TanH", [IMAGE])
case("Identity", [IMAGE])
case("Scale", [IMAGE], ("Scale", {"channels": 6, "scaleData": rand(6), "biasData": rand(6)}))
for _name, _type in (("PROD", 0), ("SUM", 1), ("MAXIMUM", 2), ("SUB", 3)):
    case(f"Eltwise {_name}", [IMAGE, IMAGE, IMAGE][: 2 if _type == 3 else 3],
         ("Eltwise", {"type": _type}))  # fmt: skip
for _function in UnaryKind:
    _range = UnaryKind.SIGMOID if _function is not UnaryKind.ACOSH else UnaryKind.COSH
    case(f"UnaryOp {_function.name}", [IMAGE], ("UnaryOp", {"opType": int(_function), "T": FLOAT}),
         before=_range)  # fmt: skip
# MNN has no kernels for these.
_MISSING = (BinaryKind.DIV, BinaryKind.MAX_TEMP, BinaryKind.MIN_TEMP, BinaryKind.MUL_SILU)
for _pair in (kind for kind in BinaryKind if kind not in _MISSING):
    _ints = _pair.name.startswith(("BITWISE", "LOGICAL", "LEFT", "RIGHT"))
    case(f"BinaryOp {_pair.name}", [(2, 3, 4), (3, 4)], ("BinaryOp", {"opType": int(_pair)}),
         form=NCHW, dtype=INT32 if _ints else FLOAT,
         before=None if _ints else UnaryKind.ABS)  # fmt: skip
case("BinaryOp ReLU", [IMAGE, IMAGE], ("BinaryOp", {"opType": 1, "activationType": 1}))
case("Cast", [IMAGE], ("CastParam", {"srcT": FLOAT, "dstT": INT32}))

# -- along axes

case("Softmax", [IMAGE], ("Axis", {"axis": 1}))
case("Softmax rows", [IMAGE], ("Axis", {"axis": 3}), form=NCHW)
case("LRN", [IMAGE], ("LRN", {"localSize": 3, "alpha": 0.1, "beta": 0.75}))
for _name, _type in (("SUM", 0), ("MEAN", 3), ("MAXIMUM", 4), ("MINIMUM", 5), ("PROD", 6)):
    case(f"Reduction {_name}", [IMAGE], ("ReductionParam", {
        "operation": _type, "dim": ints(2, 3), "keepDims": True}), form=NCHW)  # fmt: skip
case("Reduction of all", [IMAGE], ("ReductionParam", {"operation": 3}), form=NCHW)
case("LayerNorm", [(2, 3, 10)], ("LayerNorm", {
    "axis": ints(-1), "epsilon": 1e-3, "gamma": rand(10), "beta": rand(10)}),
    form=NCHW)  # fmt: skip
case("CumSum", [(2, 3, 4), ints(1)], ("CumSum", {"exclusive": True}), form=NCHW)
case("ArgMax", [(2, 10)], ("ArgMax", {"axis": 1}), form=NHWC)

for _name, _type in (("largest", True), ("smallest", False)):
    case(f"TopKV2 {_name}", [IMAGE, ints(3)], ("TopKV2", {"T": FLOAT, "largest": _type}),
         form=NCHW, outputs=2)  # fmt: skip
    case(f"TopKV2 {_name} along an axis", [IMAGE, ints(4), ints(1)],
         ("TopKV2", {"T": FLOAT, "largest": _type}), form=NCHW, outputs=2)  # fmt: skip
case("TopKV2 one", [(3, 10), ints(1)], form=NCHW, outputs=2)

# -- places

case("Concat", [IMAGE, IMAGE], ("Axis", {"axis": 1}))
case("Concat rows", [IMAGE, IMAGE], ("Axis", {"axis": -2}))
case("Slice", [IMAGE], ("Slice", {"axis": 1, "slicePoints": ints(2, 5)}), outputs=3)
case("Slice evenly", [IMAGE], ("Slice", {"axis": 1, "sourceType": 1}), outputs=3)
case("SliceTf", [IMAGE, ints(0, 1, 2, 0), ints(1, 4, -1, 3)], form=NCHW)
case("Crop", [(1, 6, 8, 7), (1, 6, 5, 4)], ("Crop", {"axis": 2, "offset": ints(2, 1)}))
case("Padding", [IMAGE, ints(0, 0, 1, 2, 0, 1, 3, 0)], ("PadParam", {}), form=NCHW)
case("Reshape", [IMAGE], ("Reshape", {"dims": ints(0, -1, 7)}), form=NCHW)
case("Reshape packed", [IMAGE], ("Reshape", {"dims": ints(1, 12, 4, 7)}))
case("Flatten", [IMAGE], ("Flatten", {"axis": 1, "endAxis": -1}))
case("Squeeze", [(1, 6, 1, 7)], ("SqueezeParam", {"squeezeDims": ints(2)}), form=NCHW)
case("Unsqueeze", [(6, 7)], ("SqueezeParam", {"squeezeDims": ints(0)}), form=NCHW)
case("ExpandDims", [(6, 7)], ("ExpandDims", {"axis": 1}), form=NCHW)
case("Permute", [IMAGE], ("Permute", {"dims": ints(0, 2, 3, 1)}))
case("Transpose", [IMAGE, ints(0, 3, 1, 2)], form=NCHW)
case("ConvertTensor", [IMAGE], ("TensorConvertInfo", {"source": NC4HW4, "dest": NHWC}))
case("Pack", [(3, 4), (3, 4)], ("PackParam", {"dataType": FLOAT, "axis": 1}), form=NCHW)
case("Unpack", [(3, 2, 4)], ("Axis", {"axis": 1}), form=NCHW, outputs=2)
case("GatherV2", [IMAGE, ints(5, 0, 2), ints(1)], form=NCHW)
case("Tile", [(1, 3, 4), ints(2, 1, 3)], form=NCHW)
case("BroadcastTo", [(3, 1), ints(2, 3, 4)], form=NCHW)
case("StridedSlice", [IMAGE, ints(0, 1, 6, 0), ints(1, 6, 1, 7), ints(1, 2, -2, 3)],
     ("StridedSliceParam", {"beginMask": 1, "endMask": 8}), form=NCHW)  # fmt: skip
case("DepthToSpace", [(1, 8, 3, 2)], ("DepthSpaceParam", {"blockSize": 2}))
case("SpaceToDepth", [(1, 6, 4, 6)], ("DepthSpaceParam", {"blockSize": 2}))
for _type in (1, 2):
    case(f"Interp {_type}", [IMAGE], ("Interp", {
        "outputWidth": 9, "outputHeight": 5, "resizeType": _type, "alignCorners": True,
        "widthScale": 9 / 7, "heightScale": 5 / 8}))  # fmt: skip
case("Resize", [IMAGE], ("Resize", {"xScale": 2.0, "yScale": 1.5}))
case("Fill", [ints(2, 3), np.full((), 7, np.float32)])
case("ZerosLike", [IMAGE])
case("Range", [ints(2)[0], ints(11)[0], ints(3)[0]])
case("Size", [IMAGE])
case("CumProd", [(2, 3, 4)], ("Axis", {"axis": 1}), form=NCHW)
case("CastLike", [IMAGE, ints(1)])
case("ScatterNd", [np.array([[0], [3]], np.int32), (2, 5), ints(4, 5)], form=NCHW)
case("ScatterNd of elements", [np.array([[0, 4], [3, 1]], np.int32), (2,), ints(4, 5)], form=NCHW)
case("ScatterNd twice", [np.array([[1], [1]], np.int32), (2, 3), ints(2, 3)], form=NCHW)
case("Normalize", [IMAGE], ("Normalize", {"eps": 1e-6, "scale": rand(6)}))
case("Normalize images", [IMAGE], ("Normalize", {
    "acrossSpatial": 1, "eps": 1e-6, "scale": rand(6)}))  # fmt: skip
