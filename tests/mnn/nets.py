"""Small nets, built row by row, and written as ``.mnn`` files."""

from typing import Any

import numpy as np

from arenite.formats import flatbuffer
from arenite.formats.flatbuffer import Row, Union
from arenite.mnn.file.schema import OP_PARAMETERS
from arenite.mnn.lowering.models import SCHEMA, OpType

NCHW, NHWC, NC4HW4 = 0, 1, 2
FLOAT, INT32, UINT8, INT8 = 1, 3, 4, 6


def write(ops: list[Row], **fields: Any) -> bytes:
    """A file with these operators; tensors are named after the operators that make them.

    A field that is None is left out.
    """
    count = 1 + max(int(i) for op in ops for i in op["outputIndexes"])
    names = [f"t{index}" for index in range(count)]
    for op in ops:
        for place, index in enumerate(op["outputIndexes"]):
            names[index] = op["name"] if place == 0 else f"{op['name']}:{place}"
    net = {"oplists": ops, "tensorName": names, "extraInfo": {"version": "3.6.1"}, **fields}
    return flatbuffer.write(SCHEMA, net)


def op(
    name: str,
    type_: OpType,
    inputs: list[int],
    outputs: list[int],
    main: tuple[str, Row] | None = None,
) -> Row:
    """An operator; ``main`` is its parameters' table, by name."""
    row: Row = {
        "name": name,
        "type": int(type_),
        "outputIndexes": np.array(outputs, np.int32),
        "defaultDimentionFormat": NHWC,
    }
    if inputs:
        row["inputIndexes"] = np.array(inputs, np.int32)
    if main is not None:
        row["main"] = Union(OP_PARAMETERS.index(main[0]) + 1, main[1])
    return row


def given(name: str, index: int, dims: list[int], form: int = NHWC, dtype: int = FLOAT) -> Row:
    """An Input."""
    main = {"dims": np.array(dims, np.int32), "dtype": dtype, "dformat": form}
    return op(name, OpType.Input, [], [index], ("Input", main))


def const(name: str, index: int, values: np.ndarray) -> Row:
    """A Const of floats."""
    main = {
        "dims": np.array(values.shape, np.int32),
        "dataFormat": NHWC,
        "dataType": FLOAT,
        "float32s": values.astype(np.float32).reshape(-1),
    }
    return op(name, OpType.Const, [], [index], ("Blob", main))


def unary(name: str, source: int, target: int, kind: int = 4) -> Row:
    """An elementwise function; by default the square."""
    return op(name, OpType.UnaryOp, [source], [target], ("UnaryOp", {"opType": kind, "T": FLOAT}))


def add(name: str, a: int, b: int, target: int) -> Row:
    """A sum."""
    return op(name, OpType.BinaryOp, [a, b], [target], ("BinaryOp", {"opType": 0, "T": FLOAT}))


def convolution(name: str, source: int, target: int, channels: int, filters: int) -> Row:
    """A 3x3 convolution with padding 1, and weights from a generator."""
    rng = np.random.default_rng(7)
    main = {
        "common": {
            "padX": 1,
            "padY": 1,
            "kernelX": 3,
            "kernelY": 3,
            "outputCount": filters,
            "inputCount": channels,
        },
        "weight": rng.uniform(-1, 1, filters * channels * 9).astype(np.float32),
        "bias": rng.uniform(-1, 1, filters).astype(np.float32),
    }
    return op(name, OpType.Convolution, [source], [target], ("Convolution2D", main))


def square_net(dims: list[int], form: int = NHWC, **fields: Any) -> bytes:
    """``y = x ** 2``."""
    return write([given("x", 0, dims, form), unary("y", 0, 1)], **fields)


def chain_net() -> bytes:
    """``x`` (1, 4) -> ``a = x**2`` -> ``b = a + c`` -> ``y = b**2``, with the constant ``c``."""
    return write(
        [
            given("x", 0, [1, 4]),
            const("c", 1, np.array([[1, 2, 3, 4]])),
            unary("a", 0, 2),
            add("b", 2, 1, 3),
            unary("y", 3, 4),
        ]
    )


def chain(x: np.ndarray) -> dict[str, np.ndarray]:
    """What :func:`chain_net` computes."""
    a = x**2
    b = a + np.array([[1, 2, 3, 4]], np.float32)
    return {"a": a, "b": b, "y": b**2}


def image_net() -> bytes:
    """``x`` (1, 3, 4, 4) in NC4HW4 -> ``conv`` with 5 filters -> ``y = conv**2``."""
    return write(
        [given("x", 0, [1, 3, 4, 4], NC4HW4), convolution("conv", 0, 1, 3, 5), unary("y", 1, 2)]
    )
