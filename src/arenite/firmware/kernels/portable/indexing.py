"""GATHER, GATHER_ND, EMBEDDING_LOOKUP, DYNAMIC_UPDATE_SLICE, BROADCAST_ARGS: what data say.

An index outside of what there is, which the engine refuses, counts as the nearest that there is:
nothing is read or written out of bounds. Facts: TFLM ``micro/kernels/gather.cc``,
``gather_nd.cc``, ``embedding_lookup.cc``, ``dynamic_update_slice.cc``.
"""

from __future__ import annotations

from math import prod

from arenite.c_text import fill, float_literal, templates
from arenite.firmware.kernels.portable.elementwise_loop import c_type, work_of
from arenite.firmware.kernels.portable.loops import nested, offset, strides_of
from arenite.firmware.kernels.portable.needs import require_elements, require_some
from arenite.firmware.network.kernel import UnsupportedError, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.ops.tflite.embedding_lookup import EmbeddingLookupParams
from arenite.ops.tflite.gather import GatherParams
from arenite.ops.tflite.gather_nd import GatherNdParams

_C = templates(__name__)
_START = """\
const int32_t start$axis =
    (int32_t)(starts[$axis] < 0 ? 0 : starts[$axis] > $most ? $most : starts[$axis]);"""


def gather(layer: Layer[GatherParams]) -> Work:
    """Slices along an axis."""
    require_elements(layer)
    p, shape = layer.params, layer.input(0).shape
    axis, batch = p.axis, p.batch_dims
    inner, batches = prod(shape[axis + 1 :]), prod(shape[:batch])
    outer = prod(shape[batch:axis])
    text = fill(
        _C["gather"],
        batches=batches,
        batch=outer * shape[axis] * inner,
        outer=outer,
        axis=shape[axis],
        last=shape[axis] - 1,
        inner=inner,
        count=layer.input(1).size // batches,
    )
    return _work(layer, text)


def gather_nd(layer: Layer[GatherNdParams]) -> Work:
    """Slices whose places are sums of indices times strides, which may have any signs."""
    require_some(layer.input(0), layer.output)
    p, x = layer.params, layer.input(0)
    terms = [f"(int64_t)indices[{n}] * {step}" for n, step in enumerate(p.strides)]
    text = fill(
        _C["gather_nd"],
        count=prod(layer.input(1).shape[:-1]),
        depth=len(p.strides),
        place=" + ".join(terms) or "0",
        last=x.size - p.slice_size,
        inner=p.slice_size,
    )
    return _work(layer, text)


def embedding_lookup(layer: Layer[EmbeddingLookupParams]) -> Work:
    """Rows of a table (input 1), as floats if wanted."""
    require_elements(layer)
    table = layer.input(1)
    same = table.type is layer.output.type
    text = fill(
        _C["lookup"],
        count=layer.input(0).size,
        type=c_type(table),
        last=table.shape[0] - 1,
        inner=table.size // table.shape[0],
        value="row[i]" if same else f"(float)row[i] * {float_literal(layer.params.scale)}",
    )
    return _work(layer, text, table=1, indices=0)


def dynamic_update_slice(layer: AnyLayer) -> Work:
    """A copy of input 0 with input 1 in it; the box is moved to lie inside."""
    require_some(layer.input(0), layer.output)
    x, update, starts = (layer.input(number) for number in range(3))
    steps = strides_of(x.shape)
    lines = [
        fill(_START, axis=axis, most=n - size)
        for axis, (n, size) in enumerate(zip(x.shape, update.shape, strict=True))
        if n > size
    ]
    start = [
        f"start{axis} * {step}"
        for axis, (n, size, step) in enumerate(zip(x.shape, update.shape, steps, strict=True))
        if n > size
    ]
    inner = [0 if n == 1 else step for n, step in zip(update.shape, steps, strict=True)]
    text = fill(
        _C["update"],
        size=x.size,
        starts="\n".join(lines),
        start=" + ".join(start) or "0",
        loops=nested(update.shape, f"y[{offset(inner)}] = *update++;"),
    )
    if not lines:
        text = f"(void)starts;\n{text}"
    return work_of(layer, text, {"x": x, "update": update, "starts": starts})


def _work(layer: AnyLayer, text: str, table: int = 0, indices: int = 1) -> Work:
    x, at = layer.input(table), layer.input(indices)
    if x.size >= 1 << 31:
        raise UnsupportedError("expected fewer than 2**31 elements")
    return work_of(layer, text, {"x": x, "indices": at})


def broadcast_args(layer: AnyLayer) -> Work:
    """The shape to which two broadcast, in 32 bits; ones stand in front of the shorter one."""
    require_some(layer.output)
    sizes, y = [layer.input(number).size for number in (0, 1)], layer.output
    low = "ar_wrap((uint32_t){})"

    def element(name: str, size: int) -> str:
        if not size:
            return "1"
        missing = y.size - size
        value = low.format(f"{name}[i - {missing}]" if missing else f"{name}[i]")
        return f"i < {missing} ? 1 : {value}" if missing else value

    text = fill(
        _C["broadcast_args"],
        size=y.size,
        first=element("p", sizes[0]),
        second=element("q", sizes[1]),
    )
    return work_of(layer, text, {"pq"[n]: layer.input(n) for n in (0, 1) if sizes[n]})


KERNELS = {
    "BROADCAST_ARGS": broadcast_args,
    "GATHER": gather,
    "GATHER_ND": gather_nd,
    "EMBEDDING_LOOKUP": embedding_lookup,
    "DYNAMIC_UPDATE_SLICE": dynamic_update_slice,
}
