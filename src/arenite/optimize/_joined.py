"""Rules for what TFLM joins, slices and turns within fewer inputs and dimensions."""

from __future__ import annotations

from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.ops.tflite.strided_slice import StridedSliceOptions
from arenite.optimize.parts import Parts

#: The most inputs that TFLM's CONCATENATION takes, and the most dimensions of STRIDED_SLICE.
_MOST_JOINED, _MOST_SLICED = 10, 4


def joined(parts: Parts) -> None:
    """CONCATENATION of ten inputs at a time; equal bits."""
    inputs = list(parts.operator.inputs)
    options = parts.options(ConcatenationOptions)
    parts.require(len(inputs) > _MOST_JOINED, "")
    parts.require(not options.fused_activation_function, "it has an activation")
    axis = options.axis % max(len(parts.y.shape), 1)
    lengths = [parts.shape(number)[axis] for number in range(len(inputs))]
    join(parts, inputs, lengths, axis)


def join(parts: Parts, inputs: list[int], lengths: list[int], axis: int) -> None:
    """CONCATENATION of tensors by tens, until one is left."""
    while len(inputs) > 1:
        made, totals = [], []
        for first in range(0, len(inputs), _MOST_JOINED):
            group = slice(first, first + _MOST_JOINED)
            total = sum(lengths[group])
            shape = _with_length(parts, axis, total)
            one = inputs[first]
            if len(inputs[group]) > 1:
                one = parts.run("CONCATENATION", *inputs[group], shape=shape, axis=axis)
            made.append(one)
            totals.append(total)
        inputs, lengths = made, totals


def _with_length(parts: Parts, axis: int, length: int) -> list[int]:
    shape = list(parts.y.shape)
    shape[axis] = length
    return shape


def sliced(parts: Parts) -> None:
    """STRIDED_SLICE with the dimensions merged that it takes whole; equal bits."""
    shape, options = parts.shape(0), parts.options(StridedSliceOptions)
    parts.require(len(shape) > _MOST_SLICED, "")
    parts.require(not (options.ellipsis_mask or options.new_axis_mask), "it adds dimensions")
    ends = [parts.integers(number) for number in (1, 2, 3)]
    parts.require(all(len(one) == len(shape) for one in ends), "it leaves dimensions out")
    taken = [_taken(n, axis, [one[axis] for one in ends], options) for axis, n in enumerate(shape)]
    _cut(parts, taken)


def sliced_plainly(parts: Parts) -> None:
    """SLICE with the dimensions merged that it takes whole; equal bits."""
    shape, (begin, size) = parts.shape(0), (parts.integers(number) for number in (1, 2))
    parts.require(len(shape) > _MOST_SLICED, "")
    parts.require(len(begin) == len(size) == len(shape), "it leaves dimensions out")
    pairs = zip(shape, begin, size, strict=True)
    _cut(parts, [range(at, n if count < 0 else at + count) for n, at, count in pairs])


def _cut(parts: Parts, places: list[range]) -> None:
    """STRIDED_SLICE of the places along each axis, of as few axes as they leave."""
    merged: list[tuple[int, range]] = []
    for n, taken in zip(parts.shape(0), places, strict=True):
        if merged and taken == range(n) and merged[-1][1] == range(merged[-1][0]):
            whole = merged.pop()[0] * n
            merged.append((whole, range(whole)))
        else:
            merged.append((n, taken))
    parts.require(len(merged) <= _MOST_SLICED, "too many of its dimensions are cut")
    parts.require(all(taken.step > 0 and len(taken) for _, taken in merged), "it goes backwards")
    tall = [n for n, _ in merged]
    x = parts.run("RESHAPE", parts.input(0), parts.told(tall), like=parts.x, shape=tall)
    bounds = [
        parts.told([getattr(taken, end) for _, taken in merged])
        for end in ("start", "stop", "step")
    ]
    cut = [len(taken) for _, taken in merged]
    x = parts.run("STRIDED_SLICE", x, *bounds, shape=cut)
    parts.run("RESHAPE", x, parts.told(parts.y.shape))


def _taken(n: int, axis: int, ends: list[int], options: StridedSliceOptions) -> range:
    """The places along an axis that STRIDED_SLICE takes."""
    begin, end, step = ends
    if options.shrink_axis_mask >> axis & 1:
        at = 0 if options.begin_mask >> axis & 1 else begin
        return range(at % n, at % n + 1) if n else range(0)
    first = None if options.begin_mask >> axis & 1 else begin
    last = None if options.end_mask >> axis & 1 else end
    return range(*slice(first, last, step or None).indices(n))


def turned_axes(parts: Parts) -> None:
    """TRANSPOSE with the axes merged that stay side by side; equal bits."""
    shape, order = parts.shape(0), parts.integers(1)
    parts.require(sorted(order) == list(range(len(shape))), "it is no order of its axes")
    kept = [axis for axis in order if shape[axis] != 1]
    groups: list[list[int]] = []
    for axis in kept:
        between = range(groups[-1][-1] + 1, axis) if groups else range(0)
        if groups and axis > groups[-1][-1] and all(shape[one] == 1 for one in between):
            groups[-1].append(axis)
        else:
            groups.append([axis])
    parts.require(len(shape) > len(groups), "no two of its axes stay together")
    order = sorted(range(len(groups)), key=lambda number: groups[number][0])
    sizes = []
    for group in groups:
        sizes.append(1)
        for axis in group:
            sizes[-1] *= shape[axis]
    tall, wide = [sizes[number] for number in order], sizes
    x = parts.run("RESHAPE", parts.input(0), parts.told(tall), like=parts.x, shape=tall)
    perm = parts.told([order.index(number) for number in range(len(groups))])
    x = parts.run("TRANSPOSE", x, perm, shape=wide)
    parts.run("RESHAPE", x, parts.told(parts.y.shape))
