"""TensorFlow Lite models that lead MNN's converter to each of MNN's operators."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arenite.model import Model, ModelBuilder, OptionsTable, slot
from arenite.ops.shared.add_sub import AddOptions, SubOptions
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.shared.reduction import ReducerOptions
from arenite.ops.tflite.batch_matmul import BatchMatMulOptions
from arenite.ops.tflite.cast import CastOptions
from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depth_to_space import DepthToSpaceOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.div import DivOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.gather import GatherOptions
from arenite.ops.tflite.hard_swish import HardSwishOptions
from arenite.ops.tflite.leaky_relu import LeakyReluOptions
from arenite.ops.tflite.mirror_pad import MirrorPadOptions
from arenite.ops.tflite.mul import MulOptions
from arenite.ops.tflite.pack import PackOptions
from arenite.ops.tflite.pad import PadOptions
from arenite.ops.tflite.reshape import ReshapeOptions
from arenite.ops.tflite.resize_bilinear import ResizeBilinearOptions
from arenite.ops.tflite.resize_nearest_neighbor import ResizeNearestNeighborOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.ops.tflite.space_to_depth import SpaceToDepthOptions
from arenite.ops.tflite.split import SplitOptions
from arenite.ops.tflite.squeeze import SqueezeOptions
from arenite.ops.tflite.strided_slice import StridedSliceOptions
from arenite.ops.tflite.transpose import TransposeOptions
from arenite.ops.tflite.transpose_conv import TransposeConvOptions
from arenite.ops.tflite.unpack import UnpackOptions

Shape = tuple[int, ...]
CASES: dict[str, Callable[[], Model]] = {}

SAME, VALID = 0, 1
RELU, RELU6 = 1, 3
IMAGE = (1, 6, 5, 4)


@dataclass(frozen=True)
class OneHotOptions(OptionsTable):
    UNION_TYPE: ClassVar[int] = 61
    axis: int = slot(0, "int32")


def rand(*shape: int, seed: int = 0) -> Any:
    """Normal numbers."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def ints(*numbers: Any) -> Any:
    """A constant of int32."""
    return np.array(numbers, np.int32)


def case(
    name: str,
    operator: str,
    inputs: Sequence[Any],
    output: Shape | Sequence[Shape],
    options: OptionsTable | None = None,
    *,
    kind: str = "float32",
) -> None:
    """A model with one operator: shapes become inputs of the model, arrays constants."""
    CASES[name] = lambda: model(operator, inputs, output, options, kind)


def model(
    operator: str,
    inputs: Sequence[Any],
    output: Shape | Sequence[Shape],
    options: OptionsTable | None,
    kind: str,
) -> Model:
    """The case's model."""
    b = ModelBuilder()
    indices = []
    for place, given in enumerate(inputs):
        if isinstance(given, tuple):
            indices.append(b.input("xzw"[place], given, "float32"))
        else:
            indices.append(b.constant(f"c{place}", given))
    shapes = [output] if not output or not isinstance(output[0], tuple) else output
    names = ["y"] if len(shapes) == 1 else [f"y{place}" for place in range(len(shapes))]
    outputs = [b.tensor(name, shape, kind) for name, shape in zip(names, shapes, strict=True)]
    b.operator(operator, indices, outputs, options)
    for index in outputs:
        b.output(index)
    return b.build()


# -- windows

for _name, _options, _taps, _out in [
    ("valid", Conv2DOptions(VALID, 1, 1), (3, 3), (4, 3)),
    ("same", Conv2DOptions(SAME, 1, 1), (3, 3), (6, 5)),
    ("same strided", Conv2DOptions(SAME, 2, 2), (3, 3), (3, 3)),
    ("valid strided", Conv2DOptions(VALID, 2, 1), (2, 3), (5, 2)),
    ("dilated", Conv2DOptions(SAME, 1, 1, 0, 2, 2), (3, 3), (6, 5)),
    ("RELU", Conv2DOptions(SAME, 1, 1, RELU), (1, 1), (6, 5)),
    ("RELU6", Conv2DOptions(SAME, 1, 1, RELU6), (1, 1), (6, 5)),
]:
    case(f"CONV_2D {_name}", "CONV_2D", [IMAGE, rand(8, *_taps, 4), rand(8)], (1, *_out, 8),
         _options)  # fmt: skip
    _depthwise = DepthwiseConv2DOptions(
        _options.padding, _options.stride_w, _options.stride_h, 1,
        _options.fused_activation_function, _options.dilation_w_factor, _options.dilation_h_factor,
    )  # fmt: skip
    case(f"DEPTHWISE_CONV_2D {_name}", "DEPTHWISE_CONV_2D",
         [IMAGE, rand(1, *_taps, 4), rand(4)], (1, *_out, 4), _depthwise)  # fmt: skip
    if _name in ("dilated", "RELU", "RELU6"):
        continue
    _pool = Pool2DOptions(_options.padding, _options.stride_w, _options.stride_h, *_taps[::-1])
    case(f"AVERAGE_POOL_2D {_name}", "AVERAGE_POOL_2D", [IMAGE], (1, *_out, 4), _pool)
    case(f"MAX_POOL_2D {_name}", "MAX_POOL_2D", [IMAGE], (1, *_out, 4), _pool)
for _name, _padding, _size in [("same", SAME, (12, 10)), ("valid", VALID, (13, 11))]:
    case(f"TRANSPOSE_CONV {_name}", "TRANSPOSE_CONV",
         [ints(1, *_size, 3), rand(3, 3, 3, 4), IMAGE], (1, *_size, 3),
         TransposeConvOptions(_padding, 2, 2))  # fmt: skip
case("FULLY_CONNECTED", "FULLY_CONNECTED", [(2, 10), rand(7, 10), rand(7)], (2, 7),
     FullyConnectedOptions())  # fmt: skip
case("FULLY_CONNECTED RELU", "FULLY_CONNECTED", [(1, 10), rand(7, 10), rand(7)], (1, 7),
     FullyConnectedOptions(RELU))  # fmt: skip
case("BATCH_MATMUL", "BATCH_MATMUL", [(2, 3, 4), (2, 4, 5)], (2, 3, 5), BatchMatMulOptions())
case("BATCH_MATMUL turned", "BATCH_MATMUL", [(2, 4, 3), (2, 5, 4)], (2, 3, 5),
     BatchMatMulOptions(True, True))  # fmt: skip

# -- element by element

for _name in ("RELU", "RELU6", "LOGISTIC", "TANH", "EXP", "NEG", "ABS", "SIN", "COS", "FLOOR",
              "CEIL", "SQUARE", "ROUND", "ZEROS_LIKE"):  # fmt: skip
    case(_name, _name, [IMAGE], IMAGE)
case("HARD_SWISH", "HARD_SWISH", [IMAGE], IMAGE, HardSwishOptions())
case("LEAKY_RELU", "LEAKY_RELU", [IMAGE], IMAGE, LeakyReluOptions(0.3))
case("PRELU", "PRELU", [IMAGE, rand(1, 1, 4)], IMAGE)
case("PRELU one slope", "PRELU", [IMAGE, rand(1, 1, 1)], IMAGE)
for _name, _row in (("ADD", AddOptions()), ("SUB", SubOptions()), ("MUL", MulOptions()),
                    ("DIV", DivOptions()), ("MAXIMUM", None), ("MINIMUM", None),
                    ("SQUARED_DIFFERENCE", None), ("FLOOR_DIV", None),
                    ("FLOOR_MOD", None)):  # fmt: skip
    case(f"{_name} two", _name, [IMAGE, IMAGE], IMAGE, _row)
    case(f"{_name} channels", _name, [IMAGE, rand(4, seed=1) + 3], IMAGE, _row)
    case(f"{_name} number", _name, [IMAGE, np.float32(1.5)], IMAGE, _row)
case("ADD RELU", "ADD", [IMAGE, IMAGE], IMAGE, AddOptions(RELU))
case("POW", "POW", [IMAGE, np.float32(2)], IMAGE)
case("CAST", "CAST", [IMAGE], IMAGE, CastOptions(0, 2), kind="int32")

# -- along axes

case("SOFTMAX", "SOFTMAX", [(2, 7)], (2, 7), SoftmaxOptions(1.0))
case("SOFTMAX image", "SOFTMAX", [IMAGE], IMAGE, SoftmaxOptions(1.0))
for _name in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"):
    case(_name, _name, [IMAGE, ints(1, 2)], (1, 4), ReducerOptions())
    case(f"{_name} kept", _name, [IMAGE, ints(3)], (1, 6, 5, 1), ReducerOptions(True))

# -- places

case("CONCATENATION", "CONCATENATION", [IMAGE, IMAGE], (1, 6, 5, 8), ConcatenationOptions(3))
case("CONCATENATION rows", "CONCATENATION", [IMAGE, IMAGE], (1, 12, 5, 4), ConcatenationOptions(1))
case("SLICE", "SLICE", [IMAGE, ints(0, 1, 2, 0), ints(1, 4, -1, 3)], (1, 4, 3, 3))
case("STRIDED_SLICE", "STRIDED_SLICE",
     [IMAGE, ints(0, 1, 0, 0), ints(1, 6, 5, 3), ints(1, 2, 1, 1)], (1, 3, 5, 3),
     StridedSliceOptions(0, 0, 0, 0, 0))  # fmt: skip
case("STRIDED_SLICE shrunk", "STRIDED_SLICE",
     [IMAGE, ints(0, 1, 0, 0), ints(1, 2, 5, 3), ints(1, 1, 1, 1)], (1, 5, 4),
     StridedSliceOptions(0, 8, 0, 0, 2))  # fmt: skip
case("SPLIT", "SPLIT", [ints(3)[0], IMAGE], [(1, 6, 5, 2)] * 2, SplitOptions(2))
case("RESHAPE", "RESHAPE", [IMAGE, ints(1, 30, 4)], (1, 30, 4), ReshapeOptions((1, 30, 4)))
case("SQUEEZE", "SQUEEZE", [(1, 6, 1, 4)], (6, 4), SqueezeOptions((0, 2)))
case("EXPAND_DIMS", "EXPAND_DIMS", [(6, 4), ints(1)[0]], (6, 1, 4))
case("TRANSPOSE", "TRANSPOSE", [IMAGE, ints(0, 3, 1, 2)], (1, 4, 6, 5), TransposeOptions())
case("TRANSPOSE rows", "TRANSPOSE", [IMAGE, ints(0, 2, 1, 3)], (1, 5, 6, 4), TransposeOptions())
case("PAD", "PAD", [IMAGE, ints([0, 0], [1, 2], [0, 1], [0, 0])], (1, 9, 6, 4), PadOptions())
case("PADV2", "PADV2", [IMAGE, ints([0, 0], [1, 2], [0, 1], [0, 0]), np.float32(3)],
     (1, 9, 6, 4))  # fmt: skip
case("MIRROR_PAD reflect", "MIRROR_PAD", [IMAGE, ints([0, 0], [1, 2], [0, 1], [0, 0])],
     (1, 9, 6, 4), MirrorPadOptions(0))  # fmt: skip
case("MIRROR_PAD symmetric", "MIRROR_PAD", [IMAGE, ints([0, 0], [1, 2], [0, 1], [0, 0])],
     (1, 9, 6, 4), MirrorPadOptions(1))  # fmt: skip
case("PACK", "PACK", [(3, 4), (3, 4)], (3, 2, 4), PackOptions(2, 1))
case("UNPACK", "UNPACK", [(3, 2, 4)], [(3, 4)] * 2, UnpackOptions(2, 1))
case("GATHER", "GATHER", [IMAGE, ints(2, 0, 1)], (1, 3, 5, 4), GatherOptions(1))
case("TILE", "TILE", [IMAGE, ints(1, 2, 1, 3)], (1, 12, 5, 12))
case("SPACE_TO_DEPTH", "SPACE_TO_DEPTH", [(1, 6, 4, 3)], (1, 3, 2, 12), SpaceToDepthOptions(2))
case("DEPTH_TO_SPACE", "DEPTH_TO_SPACE", [(1, 3, 2, 12)], (1, 6, 4, 3), DepthToSpaceOptions(2))
case("SPACE_TO_BATCH_ND", "SPACE_TO_BATCH_ND", [(1, 4, 6, 3), ints(2, 3), ints([0, 0], [0, 0])],
     (6, 2, 2, 3))  # fmt: skip
case("BATCH_TO_SPACE_ND", "BATCH_TO_SPACE_ND", [(6, 2, 2, 3), ints(2, 3), ints([0, 0], [0, 0])],
     (1, 4, 6, 3))  # fmt: skip
for _name, _flags in (("", (False, False)), (" corners", (True, False)), (" half", (False, True))):
    for _size in ((12, 10), (9, 7), (3, 4)):
        case(f"RESIZE_BILINEAR{_name} {_size[0]}", "RESIZE_BILINEAR", [IMAGE, ints(*_size)],
             (1, *_size, 4), ResizeBilinearOptions(*_flags))  # fmt: skip
        case(f"RESIZE_NEAREST_NEIGHBOR{_name} {_size[0]}", "RESIZE_NEAREST_NEIGHBOR",
             [IMAGE, ints(*_size)], (1, *_size, 4), ResizeNearestNeighborOptions(*_flags)
             )  # fmt: skip
