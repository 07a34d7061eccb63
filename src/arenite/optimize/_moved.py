"""Rules for copying, turning and overwriting; see :mod:`arenite.optimize.lowerings`."""

from __future__ import annotations

import numpy as np

from arenite.model import TensorType
from arenite.optimize.parts import Parts

#: The most indices that are made for an operator.
_MOST_INDICES = 1 << 20
#: The most inputs that TFLM's CONCATENATION takes.
_MOST_JOINED = 10
#: The most that TFLM's SELECT_V2 broadcasts.
_MOST_DIMENSIONS = 5


def tile(parts: Parts) -> None:
    """Copies side by side, with equal bits."""
    _repeat(parts, parts.input(0), parts.shape(0), parts.integers(1))


def broadcast_to(parts: Parts) -> None:
    """Copies along all axes of length 1, with equal bits."""
    wanted = parts.y.shape
    shape = (1,) * (len(wanted) - len(parts.shape(0))) + parts.shape(0)
    parts.require(len(shape) == len(wanted), "it has too many dimensions")
    x = parts.input(0)
    if shape != parts.shape(0):
        told = parts.told(shape)
        x = parts.run("RESHAPE", x, told, shape=shape)
    counts = [n if have == 1 else 1 for n, have in zip(wanted, shape, strict=True)]
    _repeat(parts, x, shape, counts)


def _repeat(parts: Parts, x: int, shape: tuple[int, ...], counts: list[int]) -> None:
    parts.require(len(counts) == len(shape) and min(counts, default=1) > 0, "copies of nothing")
    whole = tuple(n * m for n, m in zip(shape, counts, strict=True))
    parts.settle(whole)
    now = list(shape)
    for axis in reversed(range(len(shape))):
        x = _copies(parts, x, now, axis, counts[axis])
        now[axis] *= counts[axis]
    if not parts.operators:
        told = parts.told(shape)
        parts.run("RESHAPE", x, told)


def _copies(parts: Parts, x: int, shape: list[int], axis: int, count: int) -> int:
    """``count`` copies along an axis: ten at a time, and what is left."""
    if count == 1:
        return x
    tens, rest = divmod(count, _MOST_JOINED)
    joined = [x] * rest
    length = list(shape)
    if tens:
        length[axis] = shape[axis] * _MOST_JOINED
        ten = parts.run("CONCATENATION", *[x] * _MOST_JOINED, shape=length, axis=axis)
        joined.insert(0, _copies(parts, ten, length, axis, tens))
    if len(joined) == 1:
        return joined[0]
    length[axis] = shape[axis] * count
    return parts.run("CONCATENATION", *joined, shape=length, axis=axis)


def reverse(parts: Parts) -> None:
    """GATHER from the last to the first, with equal bits."""
    x, shape = parts.input(0), parts.shape(0)
    parts.settle(shape)
    for one in parts.integers(1):
        axis = one % max(1, len(shape))
        parts.require(bool(shape) and shape[axis] <= _MOST_INDICES, "it is too long")
        indices = parts.value(np.arange(shape[axis], dtype=np.int32)[::-1])
        x = parts.run("GATHER", x, indices, axis=axis)


def mirror_pad(parts: Parts) -> None:
    """GATHER of mirrored indices, with equal bits."""
    x, shape = parts.input(0), list(parts.shape(0))
    mode = "symmetric" if getattr(parts.operator.options, "mode", 0) else "reflect"
    pads = parts.integers(1)
    parts.require(len(pads) == 2 * len(shape), "its paddings are not two an axis")
    for axis, (before, after) in enumerate(zip(pads[::2], pads[1::2], strict=True)):
        if before or after:
            limit = shape[axis] - (mode == "reflect")
            parts.require(0 <= before <= limit and 0 <= after <= limit, "it pads too much")
            parts.require(limit <= _MOST_INDICES, "it is too long")
            along = np.pad(np.arange(shape[axis]), (before, after), mode)  # type: ignore[call-overload]
            shape[axis] = len(along)
            x = parts.run("GATHER", x, parts.value(along.astype(np.int32)), shape=shape, axis=axis)
    parts.require(tuple(shape) == parts.y.shape, "the file says another shape")
    parts.require(bool(parts.operators), "it pads nothing")


def embedding_lookup(parts: Parts) -> None:
    """GATHER of rows, with equal bits."""
    parts.run("GATHER", parts.input(1), parts.input(0))


def set_item(parts: Parts) -> None:
    """DYNAMIC_UPDATE_SLICE for rows before, a row, and rows behind it; with equal bits.

    So a Keras RNN writes its sequence within WHILE: shapes of 0 to all rows, which no tensor has.
    """
    parts.require(len(parts.operator.inputs) == 3, "it has not three parts")
    (array, at), (same, behind) = _sliced(parts, 0, is_head=True), _sliced(parts, 2, is_head=False)
    row, shape = parts.shape(1), parts.y.shape
    following = parts.writer(behind, "ADD")
    one = parts.edit.constant(following, 1)
    parts.require(
        following.inputs[0] == at and one is not None and one.tolist() == 1, "no next row"
    )
    parts.require(array == same and row == (1, *shape[1:]), "it is no row of an array")
    parts.require(parts.edit.tensors[array].shape == shape, "it is another array")
    told, zeros = parts.value(np.ones(1, np.int32)), parts.value(np.zeros(len(row) - 1, np.int32))
    index = parts.run("RESHAPE", at, told, shape=(1,), kind=TensorType.INT32)
    start = parts.run("CONCATENATION", index, zeros, shape=(len(row),), kind=TensorType.INT32)
    parts.run("DYNAMIC_UPDATE_SLICE", array, parts.input(1), start)


def update_slice(parts: Parts) -> None:
    """SELECT_V2 where the number of a row is the one to be written; equal bits."""
    shape, row = parts.shape(0), parts.shape(1)
    parts.require(row == (1, *shape[1:]) and len(shape) <= _MOST_DIMENSIONS, "it is no row")
    start = parts.edit.tensors[parts.input(2)]
    parts.require(start.type is TensorType.INT32, f"its indices are {start.type}")
    tall = (shape[0], *(1,) * (len(shape) - 1))
    ends = [parts.told([n]) for n in (0, 1)]
    first = parts.run("SLICE", parts.input(2), *ends, shape=(1,), kind=TensorType.INT32)
    for name, end in (("MAXIMUM", 0), ("MINIMUM", shape[0] - 1)):
        first = parts.run(name, first, parts.told([end]), shape=(1,), kind=TensorType.INT32)
    numbers = parts.told(np.arange(shape[0]).reshape(tall))
    is_it = parts.run("EQUAL", numbers, first, shape=tall, kind=TensorType.BOOL)
    parts.run("SELECT_V2", is_it, parts.input(1), parts.input(0))


def _sliced(parts: Parts, index: int, *, is_head: bool) -> tuple[int, int]:
    """The array that an input is sliced from, and the row where the slice ends or begins."""
    part = parts.writer(parts.input(index), "SLICE")
    array, begin, size = part.inputs
    whole = parts.edit.constant(part, 1 if is_head else 2)
    parts.require(whole is not None and set(whole.tolist()) == {0 if is_head else -1}, "no slice")
    joined = parts.writer(size if is_head else begin, "CONCATENATION")
    rest = parts.edit.constant(joined, 1)
    parts.require(rest is not None and set(rest.tolist()) == {-1 if is_head else 0}, "no row")
    return array, parts.writer(joined.inputs[0], "RESHAPE").inputs[0]
