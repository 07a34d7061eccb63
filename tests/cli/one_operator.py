"""A model of one operator, for every operator of TensorFlow Lite that there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import arenite.ops.tflite
from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.ops.shared.add_sub import AddOptions
from arenite.ops.shared.reduction import ReducerOptions
from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.ops.tflite.gather import GatherOptions
from arenite.ops.tflite.mul import MulOptions
from arenite.ops.tflite.pack import PackOptions
from arenite.ops.tflite.resize_bilinear import ResizeBilinearOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.ops.tflite.split import SplitOptions
from arenite.ops.tflite.strided_slice import StridedSliceOptions
from arenite.ops.tflite.unpack import UnpackOptions
from tests.native import sizes

KINDS = ("int8", "int16", "int32", "int64", "uint8", "float32", "bool")
Shape = tuple[int, ...]
_SCALES: dict[str, dict[str, Any]] = {
    "int8": {"scale": 1 / 256, "zero_point": -128},
    "int16": {"scale": 1 / 32768, "zero_point": 0},
    "uint8": {"scale": 1 / 256, "zero_point": 0},
}
_IMAGE = (1, 4, 4, 2)


class Case:
    """Shapes of what is fed, constants behind them, shapes of the outputs, options."""

    def __init__(
        self,
        fed: Sequence[Shape],
        outputs: Sequence[Shape],
        *constants: Any,
        options: OptionsTable | None = None,
        output: str = "",
        first: bool = False,
    ) -> None:
        self.fed, self.outputs, self.constants = fed, outputs, constants
        self.options, self.output, self.first = options, output, first


def ints(*values: int) -> Any:
    return np.array(values, np.int32)


SAME = Case([_IMAGE], [_IMAGE])
TWO = Case([_IMAGE, _IMAGE], [_IMAGE])
CASES = {
    "ADD": Case([_IMAGE, _IMAGE], [_IMAGE], options=AddOptions()),
    "ARG_MAX": Case([(2, 3)], [(2,)], ints(1), output="int32"),
    "ARG_MIN": Case([(2, 3)], [(2,)], ints(1), output="int32"),
    "CAST": Case([_IMAGE], [_IMAGE], output="float32"),
    "CONCATENATION": Case([(1, 2), (1, 3)], [(1, 5)], options=ConcatenationOptions(axis=1)),
    "DEQUANTIZE": Case([_IMAGE], [_IMAGE], output="float32"),
    "DIV": TWO,
    "ELU": SAME,
    "EXPAND_DIMS": Case([(2, 3)], [(1, 2, 3)], ints(0)),
    "GATHER": Case([(4, 3)], [(2, 3)], ints(3, 1), options=GatherOptions()),
    "GATHER_ND": Case([(4, 3)], [(2, 3)], np.array([[3], [1]], np.int32)),
    "HARD_SWISH": SAME,
    "LEAKY_RELU": SAME,
    "LOGISTIC": SAME,
    "LOG_SOFTMAX": Case([(1, 4)], [(1, 4)]),
    "MAXIMUM": TWO,
    "MEAN": Case([_IMAGE], [(1, 2)], ints(1, 2), options=ReducerOptions()),
    "MINIMUM": TWO,
    "MUL": Case([_IMAGE, _IMAGE], [_IMAGE], options=MulOptions()),
    "PACK": Case([(2, 3), (2, 3)], [(2, 2, 3)], options=PackOptions(values_count=2)),
    "PAD": Case([(1, 2)], [(1, 4)], np.array([[0, 0], [1, 1]], np.int32)),
    "PADV2": Case([(1, 2)], [(1, 4)], np.array([[0, 0], [1, 1]], np.int32), None),
    "PRELU": Case([_IMAGE, (1, 1, 2)], [_IMAGE]),
    "QUANTIZE": Case([_IMAGE], [_IMAGE], output="int8"),
    "RELU": SAME,
    "RELU6": SAME,
    "RESHAPE": Case([(2, 3)], [(3, 2)], ints(3, 2)),
    "RESIZE_BILINEAR": Case([_IMAGE], [(1, 8, 8, 2)], ints(8, 8), options=ResizeBilinearOptions()),
    "RESIZE_NEAREST_NEIGHBOR": Case([_IMAGE], [(1, 8, 8, 2)], ints(8, 8)),
    "SOFTMAX": Case([(1, 4)], [(1, 4)], options=SoftmaxOptions(beta=1.0)),
    "SPLIT": Case([(1, 4)], [(1, 2), (1, 2)], ints(1), options=SplitOptions(2), first=True),
    "SQUEEZE": Case([(1, 2, 3)], [(2, 3)]),
    "STRIDED_SLICE": Case(
        [(4, 3)], [(2, 3)], ints(0, 0), ints(2, 3), ints(1, 1), options=StridedSliceOptions()
    ),
    "SUB": TWO,
    "TANH": SAME,
    "TRANSPOSE": Case([(2, 3)], [(3, 2)], ints(1, 0)),
    "UNPACK": Case([(2, 3)], [(3,), (3,)], options=UnpackOptions(num=2)),
}
#: Operators with weights, states or windows: built elsewhere.
ELSEWHERE = {
    "AVERAGE_POOL_2D": "AVERAGE_POOL_2D",
    "BATCH_MATMUL": "batched_product",
    "CONV_2D": "convolution",
    "DEPTHWISE_CONV_2D": "depthwise",
    "FULLY_CONNECTED": "fully_connected",
    "MAX_POOL_2D": "MAX_POOL_2D",
    "SVDF": "svdf",
    "TRANSPOSE_CONV": "transposed_convolution",
    "UNIDIRECTIONAL_SEQUENCE_LSTM": "lstm",
}


def operators() -> list[str]:
    """The name of every operator."""
    folder = arenite.ops.tflite.__path__[0]
    from pathlib import Path

    return sorted(p.stem.upper() for p in Path(folder).glob("*.py") if p.stem != "__init__")


def models(name: str) -> dict[str, Model]:
    """Models of one operator, by the element type of what it is fed."""
    if name in ELSEWHERE:
        cases = [case for case in sizes.CASES if case.startswith(ELSEWHERE[name] + " ")][:3]
        return {case: sizes.build(case) for case in cases}
    return {kind: _build(name, CASES[name], kind) for kind in KINDS}


def _build(name: str, case: Case, kind: str) -> Model:
    b = ModelBuilder()
    quantization = _SCALES.get(kind, {})
    inputs = [b.input(f"x{i}", s, kind, **quantization) for i, s in enumerate(case.fed)]
    for index, value in enumerate(case.constants):
        padding = np.zeros(1, kind)
        scales = quantization if value is None else {}
        inputs.append(b.constant(f"c{index}", padding if value is None else value, **scales))
    output = case.output or kind
    outputs = [
        b.tensor(f"y{i}", shape, output, **_SCALES.get(output, {}))
        for i, shape in enumerate(case.outputs)
    ]
    b.operator(name, inputs[::-1] if case.first else inputs, outputs, case.options)
    for tensor in outputs:
        b.output(tensor)
    return b.build()
