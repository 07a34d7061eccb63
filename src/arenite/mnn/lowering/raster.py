"""Raster: what MNN makes of everything that only moves elements, in models of fixed shapes.

The file says of the output which pieces of which inputs it is made of, by offsets and strides
over the elements in the order of each tensor's shape. Facts: MNN 3.6.1 ``core/OpCommonUtils.cpp``,
``backend/cpu/CPURaster.cpp``; files that the converter writes with ``--saveStaticModel``.
"""

from __future__ import annotations

from math import prod

import numpy as np

from arenite.formats.flatbuffer import Row
from arenite.mnn.file.enums import TENSOR_TYPES, Format, OpType
from arenite.mnn.file.net import Op
from arenite.mnn.lowering.graph_builder import MAX_RANK, GraphBuilder, Key, Layout, Value
from arenite.mnn.operators.raster import MnnRasterOptions, Region
from arenite.model import Array

#: Elements up to which a transpose is looked for; it takes 8 bytes for each while loading.
_LOOKED_AT = 1 << 20


def raster(g: GraphBuilder, op: Op) -> None:
    """Pieces of the inputs, one of each, as the file describes the output."""
    inputs = g.inputs(op)
    row = g.net.described.get(op.outputs[0]) if op.outputs else None
    if row is None or row["blob"] is None or row["regions"] is None:
        g.fail(op, "its output is not described in extraTensorDescribe")
    y = described(g, op, row)
    count = len(row["regions"])
    if count != len(inputs) or any(x.type is not y.type for x in inputs):
        types = ", ".join(str(x.type) for x in inputs)
        g.fail(op, f"expected {count} inputs of type {y.type}, one for each region, got {types}")
    regions = [region(g, op, piece, place) for place, piece in enumerate(row["regions"])]
    if len(regions) == 1 and reordered(inputs[0], y, regions[0]):
        return
    sources = [g.tensor(x) for x in inputs]
    places = {index: place for place, index in enumerate(dict.fromkeys(sources))}
    pieces = tuple(r._replace(source=places[sources[r.source]]) for r in regions)
    g.emit("MNN_RASTER", list(places), [g.new(y)], MnnRasterOptions(pieces))


def described(g: GraphBuilder, op: Op, row: Row) -> Value:
    """The output: shape, type and format are those that the file says."""
    blob = row["blob"]
    code, type_ = blob["dataFormat"], TENSOR_TYPES.get(blob["dataType"])
    if type_ is None or not 0 <= code <= Format.NC4HW4:
        g.fail(op, f"data type {blob['dataType']} or format {code} is not supported")
    dims = blob["dims"]
    return g.output(op, [] if dims is None else dims.tolist(), type=type_, format=Format(code))


def region(g: GraphBuilder, op: Op, row: Row, place: int) -> Region:
    """One piece of the output, from input ``place``."""
    size = [] if row["size"] is None else row["size"].tolist()
    source, target = row["src"], row["dst"]
    strides = []
    for view in (source, target):
        numbers = None if view is None else view["stride"]
        strides.append([] if numbers is None else numbers.tolist())
    if source is None or target is None or not len(size) == len(strides[0]) == len(strides[1]):
        g.fail(op, f"region {place}: expected a stride for each of {len(size)} sizes, twice")
    if min(size, default=1) < 0 or len(size) > MAX_RANK:
        g.fail(op, f"region {place}: expected at most {MAX_RANK} sizes of 0 or more, got {size}")
    offsets = source["offset"], target["offset"]
    from_, to = (tuple(numbers) for numbers in strides)
    return Region(place, offsets[0], from_, offsets[1], to, tuple(size))


def reordered(x: Value, y: Value, piece: Region) -> bool:
    """Whether the piece is all of ``x`` in an order that ``x`` is held in: then it is ``y``."""
    if prod(piece.size) != x.size or x.size != y.size or x.size > _LOOKED_AT or x.size == 0:
        return False
    starts, steps = (piece.offset, piece.target_offset), (piece.strides, piece.target_strides)
    source, target = (
        walked(offset, strides, piece.size) for offset, strides in zip(starts, steps, strict=True)
    )
    if not all(flat.min() >= 0 and flat.max() < x.size for flat in (source, target)):
        return False
    taken = np.full(x.size, -1)
    taken[target] = source
    for layout in (Layout.LAST, Layout.PLAIN):
        wanted = taken.reshape(y.shape).transpose(y.order(layout)).reshape(-1)
        for key in tuple(x.held):
            order = np.arange(x.size).reshape(x.shape).transpose(x.order(key.layout)).reshape(-1)
            if (wanted == order).all():
                y.held[Key(y.layout(layout), key.steps)] = x.held[key]
                return True
    return False


def walked(offset: int, strides: tuple[int, ...], size: tuple[int, ...]) -> Array:
    """The positions that a piece visits, flat."""
    steps = np.indices(size, dtype=np.int64, sparse=False).reshape(len(size), -1)
    return offset + np.asarray(strides, np.int64) @ steps


MAPPINGS = {OpType.Raster: raster}
