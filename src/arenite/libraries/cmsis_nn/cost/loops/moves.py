"""Loops of TFLM's own kernels that move values without looking at them.

What the C library copies is counted as ``memcpy``. Facts: TFLM ``micro/kernels/pack.cc``,
``unpack.cc``, ``split.cc``, ``gather.cc``, ``gather_nd.cc``, ``mirror_pad.cc``, ``reverse.cc``,
``dynamic_update_slice.cc``, ``read_variable.cc``, ``assign_variable.cc``;
``kernels/internal/reference/slice.h``, ``strided_slice.h``, ``pad.h``, ``transpose.h``,
``depth_to_space.h``, ``space_to_batch_nd.h``, ``batch_to_space_nd.h``, ``broadcast_to.h``,
``resize_nearest_neighbor.h``, ``resize_bilinear.h``.
"""

from __future__ import annotations

from math import prod

from arenite.libraries.cmsis_nn.cost.loops.copies import memcpy, memset
from arenite.libraries.cmsis_nn.cost.loops.kind import bytes_of, kernel_of, loops
from arenite.libraries.costs import Loop
from arenite.ops.constraints import NodeView
from arenite.ops.context import TfLiteTensor


def by_value(view: NodeView) -> list[Loop]:
    """EXPAND_DIMS, BROADCAST_ARGS: value by value of the output."""
    return loops(kernel_of(view), {"value": view.output(0).size})


def variable(view: NodeView) -> list[Loop]:
    """A resource's bytes are copied out (READ_VARIABLE) or in (ASSIGN_VARIABLE)."""
    moved = view.output(0) if view.outputs else view.input(1)
    return [Loop(view.name, "call", 1), *memcpy(1, moved.size * moved.type.dtype.itemsize)]


def handle(view: NodeView) -> list[Loop]:
    """A number is written."""
    return [Loop(view.name, "call", 1)]


def pieces(view: NodeView) -> list[Loop]:
    """PACK, UNPACK, SPLIT, SPLIT_V: row by row between one tensor and its pieces."""
    parts = [t for t in (view.inputs if view.name == "PACK" else view.outputs) if t is not None]
    total = sum(part.size for part in parts)
    rows = _rows(view, parts)
    return loops(kernel_of(view), {"piece": len(parts), "row": rows, "value": total})


def _rows(view: NodeView, parts: list[TfLiteTensor]) -> int:
    if view.name in ("PACK", "UNPACK"):
        shape = parts[0].shape if parts else ()
        axis = view.options.axis % (len(shape) + 1)
        return len(parts) * prod(shape[:axis])
    place = view.input(0 if view.name == "SPLIT" else 2).data
    whole_ = view.input(1 if view.name == "SPLIT" else 0)
    axis = 0 if place is None else int(place.ravel()[0]) % max(len(whole_.shape), 1)
    return len(parts) * prod(whole_.shape[:axis])


def by_index(view: NodeView) -> list[Loop]:
    """Nested loops over the output: lines along its last dimension, planes of the last two."""
    shape, size = view.output(0).shape, view.output(0).size
    lines = size // max(shape[-1], 1) if shape else 1
    planes = lines // max(shape[-2], 1) if len(shape) > 1 else 1
    blocks = planes // max(shape[-3], 1) if len(shape) > 2 else 1
    return loops(kernel_of(view), {"block": blocks, "plane": planes, "line": lines, "value": size})


def space_to_depth(view: NodeView) -> list[Loop]:
    """Nested loops over the input."""
    *outer, depth = view.input(0).shape
    rows = prod(outer[:-1])
    times = {"row": rows, "pixel": prod(outer), "value": prod(outer) * depth}
    return loops(kernel_of(view), times)


def strided_slice(view: NodeView) -> list[Loop]:
    """As by_index; lines whose step is 1 are copied."""
    shape, size = view.output(0).shape, view.output(0).size
    steps = view.input(3).data
    found = by_index(view)
    if steps is None or not shape or int(steps.ravel()[-1]) != 1:
        return found
    lines = size // max(shape[-1], 1)
    kept = [loop for loop in found if loop.step != "value"]
    copied = Loop(kernel_of(view), "line that is copied", lines)
    return [*kept, copied, *memcpy(lines, shape[-1] * bytes_of(view))]


def transpose(view: NodeView) -> list[Loop]:
    """As by_index, in the order of the output."""
    return by_index(view)


def pad(view: NodeView) -> list[Loop]:
    """Every value of the output asks whether it lies inside."""
    inside = view.input(0).size
    found = by_index(view)
    paddings = view.input(1).data
    rank = len(view.output(0).shape)
    if paddings is None:
        return found
    lines = view.output(0).size // max(view.output(0).shape[-1], 1) if rank else 1
    kept = view.input(0).size // max(view.input(0).shape[-1], 1) if rank else 1
    times = {"value inside": inside, "line inside": min(kept, lines)}
    return [*found, *(Loop(kernel_of(view), step, n) for step, n in times.items())]


def mirror_pad(view: NodeView) -> list[Loop]:
    """Every value of the output finds its source dimension by dimension."""
    size, rank = view.output(0).size, len(view.output(0).shape)
    times = {"dimension": rank, "value": size, "value, dimension": size * rank}
    return loops(kernel_of(view), times)


def gather(view: NodeView) -> list[Loop]:
    """A copy for every index and outer position."""
    shape, axis = view.input(0).shape, view.options.axis % max(len(view.input(0).shape), 1)
    outer, inner = prod(shape[:axis]), prod(shape[axis + 1 :])
    indices = view.input(1)
    copied = outer * indices.size // max(prod(indices.shape[: view.options.batch_dims]), 1)
    times = {"dimension": len(shape), "outer": outer, "slice": copied}
    return [*loops(kernel_of(view), times), *memcpy(copied, inner * bytes_of(view))]


def gather_nd(view: NodeView) -> list[Loop]:
    """A copy for every index vector."""
    indices = view.input(1).shape
    depth = indices[-1] if indices else 1
    count = prod(indices[:-1])
    inner = prod(view.input(0).shape[depth:])
    times = {"dimension": len(view.input(0).shape), "slice": count, "index": count * depth}
    return [*loops(kernel_of(view), times), *memcpy(count, inner * bytes_of(view))]


def embedding_lookup(view: NodeView) -> list[Loop]:
    """A copy for every row that is looked up."""
    count = view.input(0).size
    size = view.output(0).size // max(count, 1) * bytes_of(view, 1)
    return [*loops(kernel_of(view), {"row": count}), *memcpy(count, size)]


def broadcast_to(view: NodeView) -> list[Loop]:
    """Copies of ever larger pieces; the work by level is taken together."""
    shape, size = view.output(0).shape, view.output(0).size
    rank = len(shape)
    given = (1,) * (rank - len(view.input(0).shape)) + view.input(0).shape
    last = max((axis for axis in range(rank) if given[axis] != shape[axis]), default=-1)
    if last < 0:
        return [*loops(kernel_of(view), {"whole": 1}), *memcpy(1, size * bytes_of(view))]
    visits = [prod(given[: axis + 1]) for axis in range(last + 1)]
    repeats = [prod(given[:axis]) * (shape[axis] - 1) for axis in range(last) if given[axis] == 1]
    pieces_ = prod(given[:last]) * shape[last]
    times = {"dimension": rank, "visit": sum(visits), "copy": pieces_ + sum(repeats)}
    unit = prod(shape[last + 1 :]) * bytes_of(view)
    inner = [
        loop
        for axis in range(last)
        if given[axis] == 1
        for loop in memcpy(
            prod(given[:axis]) * (shape[axis] - 1), prod(shape[axis + 1 :]) * bytes_of(view)
        )
    ]
    return [*loops(kernel_of(view), times), *memcpy(pieces_, unit), *inner]


def space_to_batch(view: NodeView) -> list[Loop]:
    """Every pixel of the output is copied, or filled where padding lies."""
    batches, height, width, depth = _image(view.output(0).shape)
    size, pixels = depth * bytes_of(view), batches * height * width
    inside = view.input(0).size // max(depth, 1)
    times = {"batch": batches, "row": batches * height, "pixel": pixels, "copy": inside}
    filled = memset(max(pixels - inside, 0), size)
    return [*loops(kernel_of(view), times), *memcpy(inside, size), *filled]


def batch_to_space(view: NodeView) -> list[Loop]:
    """Every pixel of the input is copied unless it is cropped."""
    batches, height, width, depth = _image(view.input(0).shape)
    kept = view.output(0).size // max(depth, 1)
    times = {"batch": batches, "row": batches * height, "pixel": batches * height * width}
    copied = memcpy(kept, depth * bytes_of(view))
    return [*loops(kernel_of(view), {**times, "copy": kept}), *copied]


def resize_nearest(view: NodeView) -> list[Loop]:
    """Every pixel of the output is a copy."""
    batches, height, width, depth = _image(view.output(0).shape)
    pixels = batches * height * width
    times = {"row": batches * height, "pixel": pixels}
    return [*loops(kernel_of(view), times), *memcpy(pixels, depth * bytes_of(view))]


def _image(shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    if len(shape) == 3:
        return shape[0], shape[1], 1, shape[2]
    return shape[0], shape[1], shape[2], shape[3]


def reverse(view: NodeView) -> list[Loop]:
    """Values of a line change places, or blocks behind the axis do."""
    shape, data = view.input(0).shape, view.input(1).data
    axis = 0 if data is None or not shape else int(data.ravel()[0]) % len(shape)
    outer, inner = prod(shape[:axis]), prod(shape[axis + 1 :])
    if inner == 1:
        return loops(kernel_of(view), {"line": outer, "value": view.input(0).size})
    copied = outer * (shape[axis] if shape else 1)
    times = {"block": outer, "copy": copied}
    return [*loops(kernel_of(view), times), *memcpy(copied, inner * bytes_of(view))]


def dynamic_update_slice(view: NodeView) -> list[Loop]:
    """The operand is copied, then the update line by line, or the update alone if it is all."""
    operand, update, width = view.input(0), view.input(1), bytes_of(view)
    rank = len(operand.shape)
    if operand.size == update.size:
        whole = {"dimension": rank}
        return [*loops(kernel_of(view), whole), *memcpy(1, operand.size * width)]
    last = update.shape[-1] if update.shape else 1
    lines = update.size // max(last, 1)
    visits = sum(prod(update.shape[:axis]) for axis in range(rank))
    times = {"dimension": rank, "update": 1, "visit": visits, "line": lines}
    copied = [*memcpy(1, operand.size * width), *memcpy(lines, last * width)]
    return [*loops(kernel_of(view), times), *copied]


KERNELS = {
    "ASSIGN_VARIABLE": variable,
    "BATCH_TO_SPACE_ND": batch_to_space,
    "BROADCAST_ARGS": by_value,
    "BROADCAST_TO": broadcast_to,
    "DEPTH_TO_SPACE": by_index,
    "DYNAMIC_UPDATE_SLICE": dynamic_update_slice,
    "EMBEDDING_LOOKUP": embedding_lookup,
    "EXPAND_DIMS": by_value,
    "GATHER": gather,
    "GATHER_ND": gather_nd,
    "MIRROR_PAD": mirror_pad,
    **dict.fromkeys(("PACK", "SPLIT", "SPLIT_V", "UNPACK"), pieces),
    "PAD": pad,
    "PADV2": pad,
    "READ_VARIABLE": variable,
    "RESIZE_BILINEAR": by_index,
    "RESIZE_NEAREST_NEIGHBOR": resize_nearest,
    "REVERSE_V2": reverse,
    "SHAPE": by_index,
    "SLICE": by_index,
    "SPACE_TO_BATCH_ND": space_to_batch,
    "SPACE_TO_DEPTH": space_to_depth,
    "STRIDED_SLICE": strided_slice,
    "TRANSPOSE": transpose,
    "VAR_HANDLE": handle,
}
