"""Rules for operators that sort values into places, or sum over neighbours of theirs.

Facts: LiteRT ``kernels/scatter_nd.cc``, ``segment_sum.cc``, ``unsorted_segment.cc``,
``bucketize.cc``, ``internal/optimized/optimized_ops.h`` (LocalResponseNormalization).
"""

from __future__ import annotations

from math import prod

import numpy as np

from arenite.model import OptionsTable, TensorType, slot
from arenite.model.types import FLOAT32
from arenite.optimize._functions import FLOATS
from arenite.optimize._joined import join
from arenite.optimize.parts import Parts

INT32 = TensorType.INT32
#: The most places of an update that are compared, and the most segments.
_MOST_PLACES, _MOST_SEGMENTS = 1 << 16, 256
#: A float32 holds all integers up to here.
_EXACT = 1 << 24
#: How a segment becomes one value, and the value of one without any.
_REDUCED = {
    "SUM": ("SUM", 0.0),
    "PROD": ("REDUCE_PROD", 1.0),
    "MAX": ("REDUCE_MAX", float(np.finfo(np.float32).min)),
    "MIN": ("REDUCE_MIN", float(np.finfo(np.float32).max)),
}


class LocalResponseNormalizationOptions(OptionsTable, union=13):
    """``table LocalResponseNormalizationOptions``."""

    radius: int = slot(0, "int32")
    bias: float = slot(1, "float32", 0.0)
    alpha: float = slot(2, "float32", 0.0)
    beta: float = slot(3, "float32", 0.0)


class BucketizeOptions(OptionsTable, union=115):
    """``table BucketizeOptions``."""

    boundaries: tuple[float, ...] | None = slot(0, "[float32]", None)


def scatter_nd(parts: Parts) -> None:
    """A product of the updates with a matrix that says where each of them goes."""
    indices, updates = parts.shape(0), parts.shape(1)
    shape = tuple(parts.integers(2))
    depth, count = indices[-1], prod(indices[:-1])
    parts.require(parts.y.type is FLOAT32 and depth > 0, f"it is of {parts.y.type}")
    parts.settle(shape)
    places, width = prod(shape[:depth]), prod(shape[depth:])
    parts.require(count * places <= _MOST_PLACES and places < _EXACT, "it has too many places")
    parts.require(count * width == prod(updates), "its updates have another shape")
    steps = [prod(shape[axis + 1 : depth]) for axis in range(depth)]
    flat = parts.run("CAST", parts.input(0), shape=indices, kind=FLOAT32)
    flat = parts.run("RESHAPE", flat, parts.told((count, depth)), shape=(count, depth))
    weights = parts.value(np.array([steps], np.float32))
    number = parts.run("FULLY_CONNECTED", flat, weights, shape=(count, 1), keep_num_dims=True)
    there = parts.value(np.arange(places, dtype=np.float32).reshape(1, places))
    hits = parts.run("EQUAL", number, there, shape=(count, places), kind=TensorType.BOOL)
    matrix = parts.run("CAST", hits, shape=(count, places), kind=FLOAT32)
    rows = parts.run("RESHAPE", parts.input(1), parts.told((count, width)), shape=(count, width))
    found = parts.run("BATCH_MATMUL", matrix, rows, shape=(places, width), adj_x=True)
    parts.run("RESHAPE", found, parts.told(shape))
    parts.rounds(FLOATS)


def segments(parts: Parts) -> None:
    """The rows of each segment, gathered and reduced."""
    reducer, empty = _REDUCED[parts.operator.name.rpartition("_")[2]]
    shape, numbers = parts.shape(0), parts.integers(1)
    parts.require(parts.x.type is FLOAT32, f"it is of {parts.x.type}")
    is_sorted = parts.operator.name.startswith("SEGMENT")
    count = max(numbers, default=-1) + 1 if is_sorted else parts.integer(2)
    parts.require(0 < count <= _MOST_SEGMENTS, "it has too many segments, or none")
    parts.require(len(numbers) == shape[0], "its segments are not one a row")
    parts.settle((count, *shape[1:]))
    one, first = (1, *shape[1:]), parts.told([0])
    made = []
    for segment in range(count):
        rows = np.flatnonzero(np.array(numbers) == segment).astype(np.int32)
        if not len(rows):
            made.append(parts.value(np.full(one, empty, np.float32)))
            continue
        taken = (len(rows), *shape[1:])
        found = parts.run("GATHER", parts.input(0), parts.value(rows), shape=taken, axis=0)
        made.append(parts.run(reducer, found, first, shape=one, keep_dims=True))
    if count > 1:
        join(parts, made, [1] * count, 0)
    parts.rounds(FLOATS)


def bucketize(parts: Parts) -> None:
    """The number of boundaries that a value is not below; equal bits."""
    ends = parts.options(BucketizeOptions).boundaries
    parts.require(parts.x.type is FLOAT32, f"it is of {parts.x.type}")
    bounds = np.array(() if ends is None else ends, np.float32)
    parts.require(bool(len(bounds)), "it has no boundaries")
    shape = parts.y.shape
    tall, wide = (*shape, 1), (*shape, len(bounds))
    parts.require(len(tall) <= 4, "it has too many dimensions")
    x = parts.run("RESHAPE", parts.input(0), parts.told(tall), like=parts.x, shape=tall)
    ends_row = parts.value(bounds.reshape((*(1,) * len(shape), -1)))
    above = parts.run("GREATER_EQUAL", x, ends_row, shape=wide, kind=TensorType.BOOL)
    counted = parts.run("CAST", above, shape=wide, kind=FLOAT32)
    total = parts.run("SUM", counted, parts.told([len(shape)]), kind=FLOAT32)
    parts.run("CAST", total)


def local_response(parts: Parts) -> None:
    """Values times a power of the weighted sum of squares around them."""
    options = parts.options(LocalResponseNormalizationOptions)
    parts.require(parts.x.type is FLOAT32 and len(parts.y.shape) == 4, f"it is of {parts.x.type}")
    depth = parts.y.shape[-1]
    near = np.abs(np.subtract.outer(np.arange(depth), np.arange(depth))) <= options.radius
    weights = parts.value((near * np.float32(options.alpha)).astype(np.float32))
    bias = parts.value(np.full(depth, options.bias, np.float32))
    squares = parts.run("MUL", parts.input(0), parts.input(0))
    sums = parts.run("FULLY_CONNECTED", squares, weights, bias, keep_num_dims=True)
    if options.beta == 0.5:
        power = parts.run("RSQRT", sums)
    else:
        turned = parts.value(np.float32(-options.beta))
        power = parts.run("EXP", parts.run("MUL", parts.run("LOG", sums), turned))
    parts.run("MUL", parts.input(0), power)
    parts.rounds(FLOATS)


def diagonal(parts: Parts) -> None:
    """SELECT_V2 of a diagonal and zeros; equal bits."""
    shape = parts.y.shape if parts.y.type is INT32 else ()  # of which SELECT becomes a difference
    zero = parts.value(np.zeros(shape, parts.y.type.dtype), parts.y)
    _on_diagonal(parts, parts.input(0), zero)


def set_diagonal(parts: Parts) -> None:
    """SELECT_V2 of a diagonal and what is beside it; equal bits."""
    _on_diagonal(parts, parts.input(1), parts.input(0))


def _on_diagonal(parts: Parts, diagonal_: int, others: int) -> None:
    shape = parts.y.shape
    parts.require(2 <= len(shape) <= 5, "it has too many dimensions")
    rows, columns = shape[-2:]
    tall = (*shape[:-2], rows, 1) if rows <= columns else (*shape[:-2], 1, columns)
    x = parts.run("RESHAPE", diagonal_, parts.told(tall), shape=tall)
    parts.run("SELECT_V2", parts.value(np.eye(rows, columns, dtype=np.bool_)), x, others)
