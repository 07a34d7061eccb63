"""Operators with tensors of given shapes and types, and passes by step."""

from collections import Counter
from typing import Any

import numpy as np

from arenite.libraries.cmsis_nn.cost.loops import Loop
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.ops.context import TfLiteTensor

#: A shape and a type, or a constant.
Port = tuple[tuple[int, ...], str] | list[Any]


def tensor(port: Port) -> TfLiteTensor:
    if isinstance(port, list):
        data = np.array(port, np.int32)
        return TfLiteTensor(0, "c", TensorType.INT32, data.shape, data)
    shape, kind = port
    return TfLiteTensor(0, "x", TensorType[kind.upper()], shape)


def view(name: str, inputs: list[Port], outputs: list[Port], options: Any = None) -> NodeView:
    return NodeView(name, tuple(map(tensor, inputs)), tuple(map(tensor, outputs)), options)


def passes(loops: list[Loop], function: str = "") -> dict[str, int]:
    """By step; steps that never run are left out."""
    counted: Counter[str] = Counter()
    for loop in loops:
        if not function or loop.function == function:
            counted[loop.step] += loop.times
    return {step: times for step, times in counted.items() if times}
