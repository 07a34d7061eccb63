"""StridedSlice, in the two ways in which MNN's files say it.

Facts: MNN 3.6.1 ``shape/ShapeStridedSlice.cpp``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from arenite.mnn.file.enums import OpType
from arenite.mnn.file.net import Op
from arenite.mnn.lowering.graph_builder import GraphBuilder, Value
from arenite.mnn.lowering.parts import Pick, part
from arenite.mnn.lowering.views import axis_of

#: ``StridedSliceParam.fromType``
TENSORFLOW, ONNX = 0, 1


@dataclass
class Entry:
    """One entry of the slice's lists: an axis of the input, or a new one."""

    begin: int = 0
    end: int = 0
    step: int = 1
    begin_mask: bool = False
    end_mask: bool = False
    shrinks: bool = False
    is_new: bool = False


@dataclass
class Taken:
    """Part that is taken of the input, and the output's shape."""

    starts: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    shape: list[int] = field(default_factory=list)

    def add(self, start: int, size: int, step: int) -> None:
        """One more axis of the input."""
        self.starts.append(start)
        self.sizes.append(size)
        self.steps.append(step)


def strided_slice(g: GraphBuilder, op: Op) -> None:
    """StridedSlice: from, to, by, with masks (TensorFlow) or axes (ONNX)."""
    x = g.input(op)
    source = op.main.get("fromType", TENSORFLOW)
    if source not in (TENSORFLOW, ONNX) or (source == TENSORFLOW and len(op.inputs) == 5):
        g.fail(op, "slices that write, or come from other formats, are not supported")
    entries = onnx_entries(g, op, x) if source == ONNX else tensorflow_entries(g, op, x)
    taken = Taken()
    for entry in entries:
        if entry.is_new:
            taken.shape.append(1)
            continue
        if len(taken.sizes) == x.rank:
            g.fail(op, f"there are more entries than axes of {list(x.shape)}")
        take(taken, entry, x.shape[len(taken.sizes)])
    for n in x.shape[len(taken.sizes) :]:
        taken.add(0, n, 1)
        taken.shape.append(n)
    y = g.output(op, taken.shape, x)
    part(g, x, y, Pick(taken.starts, taken.sizes, taken.steps))


def take(taken: Taken, entry: Entry, n: int) -> None:
    """Resolve one entry for an axis of ``n`` elements."""
    step = 1 if entry.shrinks else entry.step
    begin, end = bounds(entry, n, step)
    if entry.shrinks:
        size = min(1, n)
    elif step < 0:
        size = max(0, -(-(begin - end) // -step))
    else:
        size = max(0, -(-(end - begin) // step))
    taken.add(begin if size else 0, size, step)
    if not entry.shrinks:
        taken.shape.append(size)


def bounds(entry: Entry, n: int, step: int) -> tuple[int, int]:
    """First element and end of an entry, inside the axis."""
    if entry.begin_mask:
        begin = n - 1 if step < 0 else 0
    elif step < 0:
        begin = limited(entry.begin, -n, n - 1, n)
    else:
        begin = min(n, entry.begin)
        begin = begin % n if begin < 0 and n else begin
    if entry.end_mask:
        end = -1 if step < 0 else n
    elif step < 0:
        end = max(-1, min(n, entry.end))
    else:
        end = limited(entry.end, -n - 1, n, n)
    return begin, end


def limited(value: int, low: int, high: int, n: int) -> int:
    """A position in ``[low, high]``; a negative one counts from the end."""
    value = max(low, min(high, value))
    return value + n if value < 0 else value


def onnx_entries(g: GraphBuilder, op: Op, x: Value) -> list[Entry]:
    """An entry per axis, of which the file names some."""
    begin, end = (numbers(g, op, place) for place in (1, 2))
    axes = numbers(g, op, 3) if len(op.inputs) > 3 else list(range(len(begin)))
    steps = numbers(g, op, 4) if len(op.inputs) > 4 else [1] * len(begin)
    if not len(begin) == len(end) == len(axes) == len(steps):
        g.fail(op, f"lists of different lengths: {begin}, {end}, {axes}, {steps}")
    entries = [Entry(0, n) for n in x.shape]
    for first, last, axis, step in zip(begin, end, axes, steps, strict=True):
        place = axis_of(g, op, axis, x.rank)
        n = x.shape[place]
        check_step(g, op, step)
        entries[place] = Entry(
            first + n if first < 0 else first, last + n if last < 0 else last, step
        )
    return entries


def tensorflow_entries(g: GraphBuilder, op: Op, x: Value) -> list[Entry]:
    """The entries of the file with their masks; an ellipsis becomes whole axes."""
    row = op.main
    begin, end, steps = (numbers(g, op, place) for place in (1, 2, 3))
    if not len(begin) == len(end) == len(steps):
        g.fail(op, f"lists of different lengths: {begin}, {end}, {steps}")
    masks = ("beginMask", "endMask", "shrinkAxisMask", "newAxisMask")
    entries: list[Entry] = []
    ellipsis = row["ellipsisMask"]
    new = bin(row["newAxisMask"] & ~ellipsis & ((1 << len(begin)) - 1)).count("1")
    for place, (first, last, step) in enumerate(zip(begin, end, steps, strict=True)):
        if ellipsis >> place & 1:
            whole = max(x.rank - (len(begin) - 1 - new), 0)
            entries += [Entry(begin_mask=True, end_mask=True) for _ in range(whole)]
            continue
        check_step(g, op, step)
        entries.append(Entry(first, last, step, *(bool(row[m] >> place & 1) for m in masks)))
    return entries


def numbers(g: GraphBuilder, op: Op, place: int) -> list[int]:
    """A known input as a list."""
    return [int(n) for n in g.known(op, place).reshape(-1)]


def check_step(g: GraphBuilder, op: Op, step: int) -> None:
    """Fail for a step of 0."""
    if step == 0:
        g.fail(op, "expected steps other than 0")


MAPPINGS = {OpType.StridedSlice: strided_slice}
