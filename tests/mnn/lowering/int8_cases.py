"""Nets with int8: of old operators that say their scales themselves, and with scales of tensors."""

from collections.abc import Callable

import numpy as np

from arenite.formats.flatbuffer import Row
from arenite.mnn.file.enums import BinaryKind, UnaryKind
from arenite.mnn.lowering.int8 import INT8
from arenite.mnn.lowering.models import OpType
from tests.mnn.lowering.net_cases import rand
from tests.mnn.nets import NC4HW4, NCHW, given, op, write


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


X = given("x", 0, [1, 8, 6, 5], NC4HW4)
_TO_INT8 = casts("q", OpType.FloatToInt8, 0, 1, 20.0)

OLD = {
    "casts": [X, _TO_INT8, casts("y", OpType.Int8ToFloat, 1, 2, 0.05)],
    "ConvInt8": [X, _TO_INT8, old_convolution("c", 1, 2),
                 casts("y", OpType.Int8ToFloat, 2, 3, 0.05)],
    "DepthwiseConvInt8": [X, _TO_INT8, old_convolution("c", 1, 2, depthwise=True),
                          casts("y", OpType.Int8ToFloat, 2, 3, 0.05)],
    "several": [X, _TO_INT8, old_convolution("c", 1, 2), old_convolution("d", 2, 3),
                old_convolution("e", 3, 4, depthwise=True),
                casts("y", OpType.Int8ToFloat, 4, 5, 0.05)],
    "float output": [X, _TO_INT8, old_convolution("y", 1, 2, dtype=1)],
}  # fmt: skip

# -- scales of tensors ----------------------------------------------------------------------------


def quantized_net(rows: list[Row]) -> bytes:
    """A file whose tensors all have scales: 0.02, 0.04 and so on, and the zeros 0, -5, ..."""
    described = [
        {
            "index": index,
            "quantInfo": {"scale": 0.02 * (1 + index), "zero": -5 * index, "type": 6},
        }
        for index in range(len(rows))
    ]
    return write(rows, extraTensorDescribe=described)


def of_one(kind: OpType, main: tuple[str, Row] | None = None) -> list[Row]:
    """A net of one operator on one input."""
    return [X, op("y", kind, [0], [1], main)]


def of_two(kind: OpType, main: tuple[str, Row]) -> list[Row]:
    """A net of one operator on two inputs."""
    return [X, given("z", 1, [1, 8, 6, 5], NC4HW4), op("y", kind, [0, 1], [2], main)]


def resized(kind: int, size: tuple[int, int]) -> list[Row]:
    """An Interp."""
    row = {
        "resizeType": kind,
        "outputHeight": size[0],
        "outputWidth": size[1],
        "heightScale": size[0] / 6,
        "widthScale": size[1] / 5,
        "ctm": 2,
    }
    return of_one(OpType.Interp, ("Interp", row))


_POOL = {"kernelX": 2, "kernelY": 2, "strideX": 2, "strideY": 2}
_NORM = {"axis": np.array([-1], "i4"), "epsilon": 1e-3, "gamma": rand(10), "beta": rand(10)}

QUANTIZED: dict[str, list[Row]] = {
    **{
        f"UnaryOp {kind.name}": of_one(OpType.UnaryOp, ("UnaryOp", {"opType": int(kind), "T": 1}))
        for kind in (UnaryKind.NEG, UnaryKind.ABS, UnaryKind.SIGN)
    },
    **{
        f"BinaryOp {kind}{' ReLU' * relu}": of_two(OpType.BinaryOp, ("BinaryOp", {
            "opType": int(BinaryKind[kind]), "T": 1, "activationType": relu}))
        for kind in sorted(INT8)
        for relu in (0, 1)
    },
    **{
        f"Interp {kind} to {size}": resized(kind, size)
        for kind in (1, 2, 3, 4)
        for size in ((9, 11), (3, 2), (6, 5))
    },
    "Softmax": of_one(OpType.Softmax, ("Axis", {"axis": 1})),
    "PReLU": of_one(OpType.PReLU, ("PRelu", {"slopeCount": 8, "slope": rand(8)})),
    "Scale": of_one(OpType.Scale, ("Scale", {"channels": 8, "scaleData": rand(8),
                                             "biasData": rand(8, seed=1)})),
    "LayerNorm": [given("x", 0, [2, 3, 10], NCHW),
                  {**op("y", OpType.LayerNorm, [0], [1], ("LayerNorm", _NORM)),
                   "defaultDimentionFormat": NCHW}],
    "Pooling": of_one(OpType.Pooling, ("Pool", {**_POOL, "type": 1})),
    "Concat": of_two(OpType.Concat, ("Axis", {"axis": 1})),
    "Eltwise": of_two(OpType.Eltwise, ("Eltwise", {"type": 1})),
    "Permute": of_one(OpType.Permute, ("Permute", {"dims": np.array([0, 1, 3, 2], "i4")})),
    "Sigmoid": of_one(OpType.Sigmoid),
}  # fmt: skip

#: All of them, for the fuzz.
CASES: dict[str, Callable[[], bytes]] = {
    **{f"old {name}": lambda rows=rows: write(rows) for name, rows in OLD.items()},
    **{f"int8 {name}": lambda rows=rows: quantized_net(rows) for name, rows in QUANTIZED.items()},
}
