"""Operators that put elements into places that other inputs name.

Facts: MNN 3.6.1 ``shape/ShapeScatterNd.cpp``, ``geometry/GeometryScatter.cpp``.
"""

from __future__ import annotations

from math import prod

import numpy as np

from arenite.mnn.file.enums import OpType
from arenite.mnn.file.net import Op
from arenite.mnn.lowering.graph_builder import GraphBuilder
from arenite.mnn.operators.raster import MnnRasterOptions, Region

#: The most pieces that are copied one by one.
_MOST_PIECES = 1 << 16


def scatter_nd(g: GraphBuilder, op: Op) -> None:
    """ScatterNd: updates in places that are known, over other data or zeros; later ones count."""
    indices, updates = g.input(op, 0), g.input(op, 1)
    shape = [int(n) for n in g.known(op, 2).reshape(-1)]
    if op.main.get("opType", -1) != -1 and op.main_type == "BinaryOp":
        g.fail(op, "updates that are summed or compared are not supported", ".main.opType")
    if indices.constant is None:
        g.fail(op, f"its indices ({indices.name!r}) are computed; expected a constant")
    places = np.asarray(indices.constant, np.int64)
    depth = places.shape[-1] if places.ndim else 0
    rows, count = places.reshape(-1, max(depth, 1)), prod(shape[depth:])
    limits = np.array(shape[:depth], np.int64)
    if not 0 < depth <= len(shape) or (rows < 0).any() or (rows >= limits).any():
        g.fail(op, f"indices {rows.tolist()[:4]} do not lie inside of {shape}")
    if len(rows) * count != updates.size or len(rows) > _MOST_PIECES:
        g.fail(op, f"{list(updates.shape)} are no updates of {len(rows)} places of {shape}")
    y = g.output(op, shape, updates)
    steps = np.array([prod(shape[axis + 1 :]) for axis in range(depth)], np.int64)
    sources, pieces = [g.tensor(updates)], []
    if len(op.inputs) > 3:
        data = g.input(op, 3)
        if data.size != y.size:
            g.fail(op, f"{list(data.shape)} is no data for {shape}")
        sources.append(g.tensor(data))
        pieces.append(Region(1, 0, (1,), 0, (1,), (y.size,)))
    for number, target in enumerate(rows @ steps):
        pieces.append(Region(0, number * count, (1,), int(target), (1,), (count,)))
    g.emit("MNN_RASTER", sources, [g.new(y)], MnnRasterOptions(tuple(pieces)))


MAPPINGS = {OpType.ScatterNd: scatter_nd}
