"""ONNX models that lead MNN's converter to each of MNN's operators."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.mnn.lowering.onnx_models import node, onnx_model

F, I = np.float32, np.int64  # noqa: E741 - ONNX's integers


def rand(*shape: int, seed: int = 0) -> Any:
    """Normal numbers."""
    return np.random.default_rng(seed).normal(size=shape).astype(F)


CASES: dict[str, Callable[[], bytes]] = {}


def case(name: str, *nodes: Any, x: Any = (1, 4, 6, 5), **arguments: Any) -> None:
    """A model with one input ``x`` (or those of ``inputs``) and the output ``y``."""
    inputs = arguments.pop("inputs", {"x": x})
    CASES[name] = lambda: onnx_model(nodes, inputs, **arguments)


# -- convolutions

for _name, _w, _attributes in [
    ("plain", (8, 4, 3, 3), {}),
    ("pads", (8, 4, 3, 3), {"pads": [1, 1, 1, 1]}),
    ("strided", (8, 4, 3, 3), {"pads": [1, 1, 1, 1], "strides": [2, 2]}),
    ("uneven pads", (8, 4, 2, 3), {"pads": [0, 2, 1, 1], "strides": [1, 2]}),
    ("same upper", (8, 4, 3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    ("dilated", (8, 4, 2, 2), {"dilations": [2, 2], "pads": [1, 1, 1, 1]}),
    ("pointwise", (8, 4, 1, 1), {}),
    ("gaps", (8, 4, 1, 1), {"strides": [3, 2]}),
    ("same gaps", (8, 4, 1, 1), {"auto_pad": "SAME_UPPER", "strides": [8, 8]}),
    ("depthwise", (4, 1, 3, 3), {"group": 4, "pads": [1, 1, 1, 1]}),
    ("depthwise strided", (4, 1, 3, 3), {"group": 4, "pads": [1, 1, 1, 1], "strides": [2, 2]}),
    ("groups", (6, 2, 3, 3), {"group": 2, "pads": [1, 1, 1, 1]}),
]:
    case(
        f"Convolution {_name}",
        node("Conv", "x w b", **_attributes),
        constants={"w": rand(*_w), "b": rand(_w[0], seed=1)},
    )
case(
    "Convolution 1-D",
    node("Conv", "x w b", pads=[1, 1]),
    x=(1, 4, 9),
    constants={"w": rand(5, 4, 3), "b": rand(5)},
)
case(
    "Convolution fused",
    node("Conv", "x w b", "c", pads=[1, 1, 1, 1]),
    node("BatchNormalization", "c s o m v", "n"),
    node("Relu", "n"),
    constants={
        "w": rand(8, 4, 3, 3),
        "b": rand(8),
        "s": rand(8, seed=2),
        "o": rand(8, seed=3),
        "m": rand(8, seed=4),
        "v": np.abs(rand(8, seed=5)) + F(0.5),
    },
)
case(
    "Convolution ReLU6",
    node("Conv", "x w b", "c", pads=[1, 1, 1, 1]),
    node("Clip", "c lo hi"),
    constants={"w": rand(8, 4, 3, 3), "b": rand(8), "lo": F(0), "hi": F(6)},
)
case("Gemm", node("Gemm", "x w b", transB=1), x=(3, 10), constants={"w": rand(7, 10), "b": rand(7)})
case("MatMul constant", node("MatMul", "x w"), x=(2, 3, 10), constants={"w": rand(10, 7)})
case("MatMul two inputs", node("MatMul", "x z"), inputs={"x": (2, 3, 4), "z": (2, 4, 5)})
case("MatMul broadcast", node("MatMul", "x z"), inputs={"x": (2, 3, 4), "z": (4, 5)})
case("MatMul vector", node("MatMul", "x z"), inputs={"x": (3, 4), "z": (4,)})

# -- pooling

# Where strides are missing, MNN's converter takes 0 for the 1 that they are.
_STEP = {"kernel_shape": [3, 3], "strides": [1, 1]}
for _name, _kind, _attributes in [
    ("max", "MaxPool", {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ("max pads", "MaxPool", {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ("max ceil", "MaxPool", {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    ("average", "AveragePool", {"kernel_shape": [2, 3], "strides": [2, 1]}),
    ("average pads", "AveragePool", {**_STEP, "pads": [1, 1, 1, 1]}),
    ("average counts", "AveragePool", {**_STEP, "pads": [1, 1, 1, 1], "count_include_pad": 1}),
    (
        "average ceil counts",
        "AveragePool",
        {**_STEP, "strides": [2, 2], "pads": [1, 1, 1, 1], "ceil_mode": 1, "count_include_pad": 1},
    ),
    ("average same", "AveragePool", {**_STEP, "auto_pad": "SAME_UPPER"}),
    ("global average", "GlobalAveragePool", {}),
    ("global max", "GlobalMaxPool", {}),
]:
    case(f"Pooling {_name}", node(_kind, "x", **_attributes))

# -- elementwise

for _kind in (
    *("Abs", "Neg", "Floor", "Ceil", "Exp", "Sin", "Cos", "Tan", "Atan", "Erf", "Sign", "Round"),
    *("Sigmoid", "Tanh", "Relu", "HardSwish", "Softplus", "Sinh", "Cosh", "Asinh", "Softsign"),
    *("HardSigmoid", "Selu", "Elu", "Identity", "Not"),
):
    if _kind == "Not":
        continue
    case(f"unary {_kind}", node(_kind, "x"), opset=14)
for _kind in ("Sqrt", "Log", "Reciprocal"):
    case(f"unary {_kind}", node("Abs", "x", "a"), node("Add", "a c", "b"), node(_kind, "b"),
         constants={"c": F(0.1)})  # fmt: skip
for _kind in ("Asin", "Acos", "Atanh"):
    case(f"unary {_kind}", node("Tanh", "x", "a"), node("Mul", "a c", "b"), node(_kind, "b"),
         constants={"c": F(0.9)})  # fmt: skip
case("unary Acosh", node("Abs", "x", "a"), node("Add", "a c", "b"), node("Acosh", "b"),
     constants={"c": F(1.1)})  # fmt: skip
case("unary Elu", node("Elu", "x", alpha=1.0))
case("unary Elu alpha", node("Elu", "x", alpha=0.5))
case("LeakyRelu", node("LeakyRelu", "x", alpha=0.2))
case("PRelu", node("PRelu", "x s"), constants={"s": rand(4, 1, 1)})
case("PRelu one slope", node("PRelu", "x s"), constants={"s": rand(1)})
case("Clip", node("Clip", "x lo hi"), constants={"lo": F(-0.5), "hi": F(1.5)})
case("Clip below", node("Clip", "x lo"), constants={"lo": F(0.25)})
case("SiLU", node("Sigmoid", "x", "s"), node("Mul", "x s"))
case("Gelu", node("Div", "x r", "d"), node("Erf", "d", "e"), node("Add", "e one", "p"),
     node("Mul", "x p", "q"), node("Mul", "q half"),
     constants={"r": F(2**0.5), "one": F(1), "half": F(0.5)})  # fmt: skip

_two = {"x": (1, 4, 6, 5), "z": (1, 4, 6, 5)}
for _kind in ("Add", "Sub", "Mul", "Div", "Max", "Min"):
    case(f"binary {_kind}", node(_kind, "x z"), inputs=_two)
    case(f"binary {_kind} channels", node(_kind, "x c"), constants={"c": rand(4, 1, 1)})
    case(f"binary {_kind} scalar", node(_kind, "x c"), constants={"c": F(1.5)})
    case(f"binary {_kind} rows", node(_kind, "x z"), inputs={"x": (2, 3, 4), "z": (4,)})
    case(f"binary {_kind} both", node(_kind, "x z"), inputs={"x": (2, 1, 4), "z": (3, 1)})
case("binary Pow", node("Abs", "x", "a"), node("Pow", "a c"), constants={"c": F(2.5)})
case("binary Pow square", node("Pow", "x c"), constants={"c": F(2)})
case("binary Mod", node("Mod", "x c", fmod=1), constants={"c": F(0.7)})
for _kind in ("Greater", "Equal", "GreaterOrEqual", "LessOrEqual"):
    case(f"binary {_kind}", node(_kind, "x z", "b"), node("Cast", "b", to=1), inputs=_two)
# MNN 3.6.1 compares floats for LESS as the integers that they look like: wrong below zero.
case("binary Less", node("Abs", "x", "a"), node("Abs", "z", "c"), node("Less", "a c", "b"),
     node("Cast", "b", to=1), inputs=_two)  # fmt: skip
case("logic", node("Greater", "x z", "a"), node("Less", "x h", "b"), node("And", "a b", "c"),
     node("Or", "c a", "d"), node("Not", "d", "e"), node("Cast", "e", to=1),
     inputs=_two, constants={"h": F(0.5)})  # fmt: skip
case("Where", node("Greater", "x z", "a"), node("Where", "a x z"), inputs=_two)
case("conv and add", node("Conv", "x w", "c", pads=[1, 1, 1, 1]), node("Add", "c x", "d"),
     node("Relu", "d"), constants={"w": rand(4, 4, 3, 3)})  # fmt: skip
case("conv and channel add", node("Conv", "x w", "c"), node("Mul", "c s", "d"),
     node("Add", "d t", "e"), node("Sigmoid", "e"),
     constants={"w": rand(4, 4, 3, 3), "s": rand(1, 4, 1, 1), "t": rand(4, 1, 1)})  # fmt: skip
case("squeeze and excite", node("Conv", "x w", "c"), node("GlobalAveragePool", "c", "g"),
     node("Conv", "g v", "h"), node("HardSigmoid", "h", "s"), node("Mul", "c s"),
     constants={"w": rand(8, 4, 3, 3), "v": rand(8, 8, 1, 1)})  # fmt: skip
case("BatchNormalization", node("BatchNormalization", "x s o m v"),
     constants={"s": rand(4), "o": rand(4, seed=1), "m": rand(4, seed=2),
                "v": np.abs(rand(4, seed=3)) + F(0.5)})  # fmt: skip
case("InstanceNormalization", node("InstanceNormalization", "x s o"),
     constants={"s": rand(4), "o": rand(4, seed=1)})  # fmt: skip
case("LRN", node("LRN", "x", size=3, alpha=0.1, beta=0.75, bias=1.0))

# -- shapes

case("Reshape", node("Reshape", "x s"), constants={"s": np.array([0, -1, 3], I)})
case("Flatten", node("Flatten", "x", axis=2))
case("conv and flatten", node("Conv", "x w", "c"), node("Flatten", "c", "f"),
     node("Gemm", "f v", transB=1),
     constants={"w": rand(8, 4, 3, 3), "v": rand(5, 96)})  # fmt: skip
case("Squeeze", node("Squeeze", "x s"), x=(1, 4, 1, 5), constants={"s": np.array([2], I)})
case("Unsqueeze", node("Unsqueeze", "x s"), x=(4, 5), constants={"s": np.array([0, 2], I)})
for _perm in ([0, 2, 3, 1], [0, 3, 1, 2], [3, 2, 1, 0], [0, 1, 3, 2]):
    case(f"Transpose {_perm}", node("Transpose", "x", perm=_perm))
case("conv and transpose", node("Conv", "x w", "c"), node("Transpose", "c", perm=[0, 2, 3, 1]),
     constants={"w": rand(8, 4, 3, 3)})  # fmt: skip
case("channel shuffle", node("Reshape", "x s", "a"), node("Transpose", "a", "b",
     perm=[0, 2, 1, 3, 4]), node("Reshape", "b t"),
     constants={"s": np.array([1, 2, 2, 6, 5], I), "t": np.array([1, 4, 6, 5], I)})  # fmt: skip
for _axis in (0, 1, 2, 3, -1):
    case(f"Concat {_axis}", node("Concat", "x z", axis=_axis), inputs=_two)
case("conv and concat", node("Conv", "x w", "c", pads=[1, 1, 1, 1]), node("Concat", "c x", axis=1),
     constants={"w": rand(3, 4, 3, 3)})  # fmt: skip
case("Split", node("Split", "x s", "a b", axis=1), node("Mul", "a a", "c"), node("Concat", "b c",
     axis=1), constants={"s": np.array([1, 3], I)})  # fmt: skip
case("Slice", node("Slice", "x b e a s"), constants={
    "b": np.array([1, 0], I), "e": np.array([5, 4], I), "a": np.array([2, 3], I),
    "s": np.array([2, 1], I)})  # fmt: skip
case("Slice backwards", node("Slice", "x b e a s"), constants={
    "b": np.array([-1], I), "e": np.array([-9999], I), "a": np.array([2], I),
    "s": np.array([-1], I)})  # fmt: skip
case("conv and slice", node("Conv", "x w", "c"), node("Slice", "c b e a"), constants={
    "w": rand(8, 4, 3, 3), "b": np.array([2], I), "e": np.array([6], I), "a": np.array([1], I),
})  # fmt: skip
case("Pad", node("Pad", "x p"), constants={"p": np.array([0, 0, 1, 2, 0, 0, 3, 1], I)})
case("Pad value", node("Pad", "x p v"),
     constants={"p": np.array([0, 1, 1, 2, 0, 0, 0, 1], I), "v": F(1.5)})  # fmt: skip
for _mode in ("reflect", "edge"):
    case(f"Pad {_mode}", node("Pad", "x p", mode=_mode),
         constants={"p": np.array([0, 0, 1, 2, 0, 0, 3, 1], I)})  # fmt: skip
case("Tile", node("Tile", "x r"), constants={"r": np.array([1, 2, 1, 3], I)})
case("Expand", node("Expand", "x s"), x=(1, 4, 1, 5), constants={"s": np.array([2, 4, 3, 5], I)})
case("Gather", node("Gather", "x i", axis=2), constants={"i": np.array([[4, 0], [1, 1]], I)})
case("Gather one", node("Gather", "x i", axis=1), constants={"i": np.array(2, I)})
case("GatherND", node("GatherND", "x i"), x=(3, 4, 5),
     constants={"i": np.array([[0, 1], [2, 3]], I)})  # fmt: skip
case("GatherElements", node("GatherElements", "x i", axis=1), x=(2, 3),
     constants={"i": np.array([[2, 0], [1, 1]], I)})  # fmt: skip
case("Shape", node("Shape", "x", "s"), node("Cast", "s", to=1))
case("shape arithmetic", node("Shape", "x", "s"), node("Gather", "s zero", "n", axis=0),
     node("Unsqueeze", "n axes", "u"), node("Concat", "u rest", "t", axis=0),
     node("Reshape", "x t"), constants={"zero": np.array(0, I), "axes": np.array([0], I),
                                        "rest": np.array([-1], I)})  # fmt: skip
# Without a value MNN's converter writes what its memory happens to hold.
case("ConstantOfShape", node("Shape", "x", "s"),
     node("ConstantOfShape", "s", "c", value=np.array([1.5], F)), node("Add", "x c"))  # fmt: skip
case("Range", node("Range", "a b c", "r"), node("Cast", "r", "f", to=1), node("Add", "x f"),
     constants={"a": np.array(0, I), "b": np.array(5, I), "c": np.array(1, I)})  # fmt: skip
case("OneHot", node("Cast", "x", "i", to=7), node("OneHot", "i d v"), x=(2, 3),
     constants={"d": np.array(4, I), "v": np.array([0.5, 2], F)})  # fmt: skip
case("DepthToSpace", node("DepthToSpace", "x", blocksize=2, mode="DCR"), x=(1, 8, 3, 2))
case("DepthToSpace CRD", node("DepthToSpace", "x", blocksize=2, mode="CRD"), x=(1, 8, 3, 2))
case("SpaceToDepth", node("SpaceToDepth", "x", blocksize=2), x=(1, 2, 6, 4))
case("CumSum", node("CumSum", "x a"), constants={"a": np.array(1, I)})

# -- along axes

for _kind in ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2"):
    _axes = {"constants": {"a": np.array([2, 3], I)}} if _kind == "ReduceSum" else {}
    _inputs = "x a" if _axes else "x"
    _given = {} if _axes else {"axes": [2, 3]}
    case(f"{_kind}", node(_kind, _inputs, keepdims=1, **_given), **_axes)
    case(f"{_kind} gone", node(_kind, _inputs, keepdims=0, **_given), **_axes)
case("ReduceMean channels", node("Conv", "x w", "c"), node("ReduceMean", "c", axes=[1]),
     constants={"w": rand(8, 4, 3, 3)})  # fmt: skip
case("ReduceMean all", node("ReduceMean", "x", keepdims=0))
for _axis in (1, 2, -1):
    case(f"Softmax {_axis}", node("Softmax", "x", axis=_axis))
case("LogSoftmax", node("LogSoftmax", "x", axis=-1), x=(3, 7))
case("Softmax matrix", node("Softmax", "x", axis=1), x=(3, 7))
case("ArgMax", node("ArgMax", "x", "i", axis=1, keepdims=0), node("Cast", "i", to=1))
case("ArgMax kept", node("ArgMax", "x", "i", axis=-1, keepdims=1), node("Cast", "i", to=1))
case("ArgMin", node("ArgMin", "x", "i", axis=2, keepdims=0), node("Cast", "i", to=1))
case("TopK", node("TopK", "x k", "v i", axis=1), node("Cast", "i", "f", to=1),
     node("Concat", "v f", axis=1), constants={"k": np.array([2], I)})  # fmt: skip
case("LayerNorm", node("ReduceMean", "x", "m", axes=[-1]), node("Sub", "x m", "d"),
     node("Mul", "d d", "q"), node("ReduceMean", "q", "v", axes=[-1]), node("Add", "v e", "w"),
     node("Sqrt", "w", "r"), node("Div", "d r", "n"), node("Mul", "n g", "o"), node("Add", "o h"),
     x=(2, 3, 8), constants={"e": F(1e-5), "g": rand(8), "h": rand(8, seed=1)})  # fmt: skip
case("LayerNormalization", node("LayerNormalization", "x g h", axis=-1), x=(2, 3, 8),
     constants={"g": rand(8), "h": rand(8, seed=1)}, opset=17)  # fmt: skip

# -- images

for _mode in ("nearest", "linear", "cubic"):
    for _ctm in ("asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"):
        case(f"Resize {_mode} {_ctm}", node("Resize", ["x", "", "s"], mode=_mode,
             coordinate_transformation_mode=_ctm, nearest_mode="floor"),
             constants={"s": np.array([1, 1, 2, 2], F)})  # fmt: skip
case("Resize sizes", node("Resize", ["x", "", "", "s"], mode="linear",
     coordinate_transformation_mode="half_pixel"),
     constants={"s": np.array([1, 4, 9, 3], I)})  # fmt: skip
case("Upsample", node("Upsample", "x s", mode="nearest"), opset=9,
     constants={"s": np.array([1, 1, 2, 3], F)})  # fmt: skip

# -- transposed convolutions

for _name, _w, _attributes in [
    ("plain", (4, 6, 3, 3), {}),
    ("strided", (4, 6, 3, 3), {"strides": [2, 2]}),
    ("pads", (4, 6, 3, 3), {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ("output padding", (4, 6, 3, 3), {"strides": [2, 2], "pads": [1, 1, 1, 1],
                                      "output_padding": [1, 1]}),
    ("kernel 4", (4, 6, 4, 4), {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ("kernel 2", (4, 6, 2, 2), {"strides": [2, 2]}),
    ("dilated", (4, 6, 3, 3), {"dilations": [2, 2]}),
    ("depthwise", (4, 1, 3, 3), {"group": 4, "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ("groups", (4, 3, 3, 3), {"group": 2, "strides": [2, 2]}),
]:  # fmt: skip
    case(
        f"Deconvolution {_name}",
        node("ConvTranspose", "x w b", **_attributes),
        constants={
            "w": rand(*_w),
            "b": rand(_w[1] * _attributes.get("group", 1), seed=1),  # type: ignore[operator]
        },
    )

#: Some that are converted with their shapes fixed too.
FIXED = [
    *("Concat 1", "Slice backwards", "Transpose [0, 2, 3, 1]", "Resize sizes", "Tile"),
    *("Resize nearest half_pixel", "DepthToSpace", "BatchNormalization", "Pooling max pads"),
]
