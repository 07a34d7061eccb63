"""Operators that begin a graph, or tell of shapes: what is known while the model is loaded.

Facts: MNN 3.6.1 ``shape/ShapeShape.cpp``, ``ShapeSize.cpp``, ``ShapeRange.cpp``,
``ShapeFill.cpp``, ``geometry/GeometryShape.cpp``, ``core/OpCommonUtils.cpp``.
"""

from __future__ import annotations

from math import ceil, isfinite
from typing import Any

import numpy as np

from arenite.formats.flatbuffer import Row
from arenite.mnn.file.enums import TENSOR_TYPES, Format, OpType
from arenite.mnn.file.net import Op, Shape
from arenite.mnn.lowering.graph_builder import GraphBuilder, Value
from arenite.model import Array, TensorType

#: ``DataType``: halves, which are floats here, and which field of a Blob holds what type.
DT_HALF = 19
_FIELDS = {1: "float32s", 3: "int32s", 4: "uint8s", 6: "int8s", 9: "int64s", 10: "int32s"}


def const(g: GraphBuilder, op: Op) -> None:
    """Const: a view of the file's numbers."""
    blob = op.main
    type_, array = blob_array(g, op, blob)
    given = blob["dims"]
    shape: Shape = () if given is None else tuple(int(n) for n in given)
    code = blob["dataFormat"]
    if not 0 <= code <= Format.NC4HW4:
        g.fail(op, f"data format {code} is not supported", ".main.dataFormat")
    y = g.output(op, shape, type=type_, format=Format(code))
    if array.size != y.size:
        g.fail(op, f"expected {y.size} numbers for {list(shape)}, got {array.size}", ".main")
    y.constant = array.reshape(shape)


def blob_array(g: GraphBuilder, op: Op, blob: Row) -> tuple[TensorType, Array]:
    """A Blob's numbers, flat, in the type that Arenite computes with."""
    code = blob["dataType"]
    if blob["external"] is not None and len(blob["external"]):
        g.fail(op, "its numbers are in another file; put them into the model", ".main.external")
    if code == DT_HALF:
        halves = blob["uint8s"]
        if halves is None or len(halves) % 2:
            g.fail(op, "expected halves in uint8s", ".main")
        return TensorType.FLOAT32, np.frombuffer(halves.tobytes(), "<f2").astype(np.float32)
    if code not in TENSOR_TYPES or code not in _FIELDS:
        g.fail(op, f"constants of data type {code} are not supported", ".main.dataType")
    type_, array = TENSOR_TYPES[code], blob[_FIELDS[code]]
    if array is None:
        array = np.zeros(0, type_.dtype)
    if code == 9:
        array = np.clip(array, -(2**31), 2**31 - 1)
    return type_, np.asarray(array).astype(type_.dtype, copy=False)


def known(g: GraphBuilder, op: Op, numbers: Any, shape: Shape) -> None:
    """An int32 output with known numbers."""
    y = g.output(op, shape, type=TensorType.INT32, format=op.format)
    y.constant = np.asarray(numbers, np.int32).reshape(shape)


def shape_of(g: GraphBuilder, op: Op) -> None:
    """Shape: the dimensions, or a part of them, in the order of the operator's format."""
    x, row = g.input(op), op.main
    shape = x.shape
    if x.format is Format.NC4HW4 and op.format is Format.NHWC:
        if x.rank != 4:
            g.fail(op, f"expected an input of 4 dimensions, got {list(shape)}")
        shape = (shape[0], shape[2], shape[3], shape[1])
    rank = len(shape)
    start = row.get("start", 0) if row.get("hasStart") else 0
    end = row.get("end", 0) if row.get("hasEnd") else rank
    start, end = (n + rank if n < 0 else n for n in (start, end))
    part = shape[max(0, min(start, rank)) : max(0, min(end, rank))]
    known(g, op, part, (len(part),))


def rank_of(g: GraphBuilder, op: Op) -> None:
    """Rank: the number of dimensions."""
    known(g, op, g.input(op).rank, ())


def size_of(g: GraphBuilder, op: Op) -> None:
    """Size: the number of elements."""
    known(g, op, g.input(op).size, ())


def range_of(g: GraphBuilder, op: Op) -> None:
    """Range: from, to, by."""
    start, limit, delta = (g.known(op, place).reshape(-1)[:1] for place in range(3))
    if min(map(len, (start, limit, delta))) < 1 or delta[0] == 0:
        g.fail(op, "expected a start, a limit and a step other than 0")
    steps = (float(limit[0]) - float(start[0])) / float(delta[0])
    count = max(0, ceil(steps)) if isfinite(steps) else 0
    y = g.output(op, (count,), g.input(op, 0))
    if not g.folds(y):
        g.fail(op, f"{count} numbers are too many for a model of this size")
    y.constant = (start + delta * np.arange(count)).astype(y.type.dtype)


def fill(g: GraphBuilder, op: Op) -> None:
    """Fill: a shape full of one number."""
    value = g.input(op, 1)
    shape = [int(n) for n in g.known(op, 0).reshape(-1)]
    filled(g, op, shape, g.known(op, 1).reshape(-1)[:1], value)


def zeros_like(g: GraphBuilder, op: Op) -> None:
    """ZerosLike: zeros in the input's shape."""
    x = g.input(op)
    filled(g, op, list(x.shape), np.zeros(1, x.type.dtype), x)


def filled(g: GraphBuilder, op: Op, shape: list[int], number: Array, like: Value) -> None:
    """An output of one number."""
    y = g.output(op, shape, like)
    if len(number) != 1:
        g.fail(op, "expected a number to fill with")
    if not g.folds(y):
        g.fail(op, f"a constant of {shape} is too large for a model of this size")
    y.constant = np.broadcast_to(number.astype(y.type.dtype).reshape(()), y.shape)


MAPPINGS = {
    OpType.Const: const,
    OpType.TrainableParam: const,
    OpType.Shape: shape_of,
    OpType.Rank: rank_of,
    OpType.Size: size_of,
    OpType.Range: range_of,
    OpType.Fill: fill,
    OpType.ZerosLike: zeros_like,
}
