"""Rules for operators that TFLM, or a revision of it, does not have: one for each.

``LOWERINGS`` has them by name. A rule looks at :class:`~arenite.optimize.parts.Parts` and runs
operators there, the last of which writes the result; its docstring says what results it keeps.
Facts: LiteRT's kernels of these operators (``tflite/kernels/*.cc``, ``internal/reference``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from arenite.model import OptionsTable, TensorType, slot
from arenite.model.types import FLOAT32
from arenite.ops.shared.reduction import ReducerOptions
from arenite.ops.tflite.batch_matmul import BatchMatMulOptions
from arenite.optimize._functions import (
    FLOATS,
    GeluOptions,
    Rule,
    by_table,
    clamp,
    gelu,
    power,
    sign,
)
from arenite.optimize.parts import Parts

#: The most indices that are made for an operator.
_MOST_INDICES = 1 << 20
#: The most elements of a constant that is made.
_MOST_FILLED = 1 << 12
#: The most inputs that TFLM's CONCATENATION takes.
_MOST_JOINED = 10


@dataclass(frozen=True)
class OneHotOptions(OptionsTable):
    """``table OneHotOptions``."""

    UNION_TYPE: ClassVar[int] = 61

    axis: int = slot(0, "int32")


# -- functions of two values --------------------------------------------------------------


def squared_difference(parts: Parts) -> None:
    """A difference times itself, with equal bits."""
    parts.require(parts.x.type is FLOAT32, "SUB and MUL would round integers twice")
    difference = parts.run("SUB", parts.input(0), parts.input(1))
    parts.run("MUL", difference, difference)


def div(parts: Parts) -> None:
    """A product with the reciprocal of a constant."""
    parts.require(parts.x.type is FLOAT32, "MUL would round integers otherwise")
    divisor = parts.constant(1)
    with np.errstate(divide="ignore", over="ignore"):
        factor = (np.float32(1) / divisor).astype(np.float32)
    parts.require(bool(np.isfinite(factor).all()), "its divisor has no reciprocal")
    activation = getattr(parts.operator.options, "fused_activation_function", 0)
    product = parts.value(factor)
    parts.run("MUL", parts.input(0), product, fused_activation_function=activation)
    parts.rounds(FLOATS)


def batch_matmul(parts: Parts) -> None:
    """FULLY_CONNECTED with a constant of one matrix."""
    options = parts.options(BatchMatMulOptions)
    matrix = parts.constant(1)
    parts.require(not options.adj_x, "its first input is transposed")
    parts.require(math.prod(matrix.shape[:-2]) == 1 and matrix.ndim >= 2, "it has many matrices")
    weights = matrix.reshape(matrix.shape[-2:])
    weights = weights if options.adj_y else weights.T
    like = parts.edit.tensors[parts.input(1)]
    number = parts.value(np.ascontiguousarray(weights), like, "weights")
    parts.run("FULLY_CONNECTED", parts.input(0), number, keep_num_dims=True)
    if parts.x.type is FLOAT32:
        parts.rounds(FLOATS)


def select(parts: Parts) -> None:
    """SELECT_V2, whose condition broadcasts from the right; with equal bits.

    Of int32 ``b + c * (a - b)`` with a condition ``c`` of 0 and 1, modulo 2**32.
    """
    condition, rank = parts.input(0), len(parts.y.shape)
    shape = parts.shape(0)
    if parts.operator.name == "SELECT" and shape not in (parts.y.shape, ()):
        parts.require(len(shape) == 1, "its condition has another shape")
        tall = (*shape, *(1,) * (rank - 1))
        told = parts.value(np.array(tall, np.int32))
        condition = parts.run("RESHAPE", condition, told, shape=tall, kind=TensorType.BOOL)
    if parts.y.type is not TensorType.INT32:
        parts.require(parts.operator.name == "SELECT", f"it is of {parts.y.type}")
        parts.run("SELECT_V2", condition, parts.input(1), parts.input(2))
        return
    number = parts.run("CAST", condition, shape=parts.edit.tensors[condition].shape)
    difference = parts.run("SUB", parts.input(1), parts.input(2))
    parts.run("ADD", parts.run("MUL", number, difference), parts.input(2))


def one_hot(parts: Parts) -> None:
    """Where an index is equal to 0, 1, 2 ... is one value, elsewhere the other; equal bits."""
    indices, shape = parts.input(0), parts.shape(0)
    depth = parts.integer(1)
    axis = parts.options(OneHotOptions).axis % (len(shape) + 1)
    parts.require(parts.x.type is TensorType.INT32, f"its indices are {parts.x.type}")
    parts.require(parts.y.shape == (*shape[:axis], depth, *shape[axis:]), "its shape is another")
    tall = (*shape[:axis], 1, *shape[axis:])
    told = parts.value(np.array(tall, np.int32))
    indices = parts.run("RESHAPE", indices, told, shape=tall, kind=TensorType.INT32)
    along = [depth if dim == axis else 1 for dim in range(len(tall))]
    parts.require(depth <= _MOST_INDICES, "it is too deep")
    counted = parts.value(np.arange(depth, dtype=np.int32).reshape(along))
    equal = parts.run("EQUAL", indices, counted, kind=TensorType.BOOL)
    parts.run("SELECT_V2", equal, parts.input(2), parts.input(3))


# -- moved values -------------------------------------------------------------------------


def tile(parts: Parts) -> None:
    """Copies side by side, with equal bits."""
    _repeat(parts, parts.input(0), parts.shape(0), [int(n) for n in parts.constant(1).reshape(-1)])


def broadcast_to(parts: Parts) -> None:
    """Copies along all axes of length 1, with equal bits."""
    wanted = parts.y.shape
    shape = (1,) * (len(wanted) - len(parts.shape(0))) + parts.shape(0)
    parts.require(len(shape) == len(wanted), "it has too many dimensions")
    x = parts.input(0)
    if shape != parts.shape(0):
        told = parts.value(np.array(shape, np.int32))
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
        told = parts.value(np.array(shape, np.int32))
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
    for one in parts.constant(1).reshape(-1):
        axis = int(one) % max(1, len(shape))
        parts.require(bool(shape) and shape[axis] <= _MOST_INDICES, "it is too long")
        indices = parts.value(np.arange(shape[axis], dtype=np.int32)[::-1])
        x = parts.run("GATHER", x, indices, axis=axis)


def mirror_pad(parts: Parts) -> None:
    """GATHER of mirrored indices, with equal bits."""
    x, shape = parts.input(0), list(parts.shape(0))
    mode = "symmetric" if getattr(parts.operator.options, "mode", 0) else "reflect"
    parts.require(parts.constant(1).size == 2 * len(shape), "its paddings are not two an axis")
    for axis, (before, after) in enumerate(parts.constant(1).reshape(-1, 2).tolist()):
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


def _sliced(parts: Parts, index: int, *, is_head: bool) -> tuple[int, int]:
    """The tensor that an input is a slice of, and the row where the slice ends or begins."""
    part = parts.writer(parts.input(index), "SLICE")
    array, begin, size = part.inputs
    whole = parts.edit.constant(part, 1 if is_head else 2)
    parts.require(whole is not None and set(whole.tolist()) == {0 if is_head else -1}, "no slice")
    joined = parts.writer(size if is_head else begin, "CONCATENATION")
    rest = parts.edit.constant(joined, 1)
    parts.require(rest is not None and set(rest.tolist()) == {-1 if is_head else 0}, "no row")
    return array, parts.writer(joined.inputs[0], "RESHAPE").inputs[0]


# -- reductions ---------------------------------------------------------------------------


def total(parts: Parts) -> None:
    """The mean times the number of values."""
    parts.require(parts.x.type is FLOAT32, "MEAN and MUL would round integers twice")
    keep = getattr(parts.operator.options, "keep_dims", False)
    mean = parts.run("MEAN", parts.input(0), parts.input(1), keep_dims=keep)
    count = parts.x.size / max(1, parts.y.size)
    parts.run("MUL", mean, parts.value(np.float32(count)))
    parts.rounds(FLOATS)


def reduce_min(parts: Parts) -> None:
    """The negative of the largest negative, with equal bits."""
    parts.require(parts.x.type is FLOAT32, "integers cannot be negated exactly")
    keep = getattr(parts.operator.options, "keep_dims", False)
    turned = parts.run("NEG", parts.input(0), shape=parts.shape(0))
    parts.run("NEG", parts.run("REDUCE_MAX", turned, parts.input(1), keep_dims=keep))


def reduce_any(parts: Parts) -> None:
    """Not all are not so, with equal bits."""
    keep = parts.options(ReducerOptions).keep_dims
    turned = parts.run("LOGICAL_NOT", parts.input(0), shape=parts.shape(0))
    parts.run("LOGICAL_NOT", parts.run("REDUCE_ALL", turned, parts.input(1), keep_dims=keep))


def log_softmax(parts: Parts) -> None:
    """``d - log(sum(exp(d)))`` of the differences ``d`` from the largest."""
    x, shape = parts.input(0), parts.y.shape
    parts.require(parts.x.type is FLOAT32 and bool(shape), f"it is of {parts.x.type}")
    axis, tall = parts.value(np.array([len(shape) - 1], np.int32)), (*shape[:-1], 1)
    largest = parts.run("REDUCE_MAX", x, axis, shape=tall, keep_dims=True)
    d = parts.run("SUB", x, largest)
    summed = parts.run("SUM", parts.run("EXP", d), axis, shape=tall, keep_dims=True)
    parts.run("SUB", d, parts.run("LOG", summed, shape=tall))
    parts.rounds(FLOATS)


# -- constants ----------------------------------------------------------------------------


def rank(parts: Parts) -> None:
    """The number of dimensions, which the file says."""
    parts.become_constant(np.array(len(parts.shape(0))))


def arange(parts: Parts) -> None:
    """A range between constants; equal bits."""
    start, limit, delta = (parts.integer(n) for n in range(3))
    parts.require(delta != 0, "it has no end")
    values = range(start, limit, delta)
    parts.require(len(values) <= _MOST_INDICES, "it is too long")
    parts.become_constant(np.array(values, parts.y.type.dtype))


def expand_dims(parts: Parts) -> None:
    """RESHAPE, which takes all types; equal bits."""
    parts.run("RESHAPE", parts.input(0), parts.value(np.array(parts.y.shape, np.int32)))


def fill(parts: Parts) -> None:
    """A constant of any type, where it is small; equal bits."""
    shape = tuple(int(one) for one in parts.constant(0).reshape(-1))
    value = parts.constant(1)
    parts.settle(shape)
    parts.require(value.size == 1 and parts.y.size <= _MOST_FILLED, "it is too large, or no value")
    parts.become_constant(np.full(shape, value.reshape(-1)[0]))


def gather(parts: Parts) -> None:
    """Entries of a constant, as shapes have them; equal bits."""
    table, indices = parts.constant(0), parts.constant(1)
    batches = getattr(parts.operator.options, "batch_dims", 0)
    parts.require(table.ndim == 1 and not batches and table.dtype.kind == "i", "it is no shape")
    fits = indices.dtype.kind == "i" and ((indices >= 0) & (indices < table.size)).all()
    parts.require(bool(fits) and indices.size <= _MOST_FILLED, "its indices are outside")
    parts.become_constant(table[indices])


def product_of_all(parts: Parts) -> None:
    """The product of a constant's values, as shapes have it; equal bits."""
    value = parts.constant(0)
    parts.require(value.size <= _MOST_INDICES and value.dtype.kind == "i", "it is no shape")
    axes = tuple(int(one) for one in parts.constant(1).reshape(-1))
    parts.require(all(-value.ndim <= one < value.ndim for one in axes), "its axes are none")
    product = np.multiply.reduce(value, tuple({one % value.ndim for one in axes}))
    parts.require(product.size == parts.y.size, "the file says another shape")
    parts.become_constant(product.reshape(parts.y.shape))


#: By the operators' names: what TFLM lacks, what revisions lack, what is refused of int8.
LOWERINGS: dict[str, Rule] = {
    "GELU": gelu,
    "RELU_0_TO_1": clamp(0, 1),
    "RELU_N1_TO_1": clamp(-1, 1),
    "SIGN": sign,
    "POW": power,
    "TILE": tile,
    "CONCATENATION": set_item,
    "SELECT": select,
    "SELECT_V2": select,
    "ONE_HOT": one_hot,
    "REDUCE_ANY": reduce_any,
    "RANK": rank,
    "RANGE": arange,
    "REDUCE_PROD": product_of_all,
    "EXPAND_DIMS": expand_dims,
    "FILL": fill,
    "GATHER": gather,
    "EXP": by_table(np.exp),
    "SQUARED_DIFFERENCE": squared_difference,
    "DIV": div,
    "SUM": total,
    "LOG_SOFTMAX": log_softmax,
    "BROADCAST_TO": broadcast_to,
    "BATCH_MATMUL": batch_matmul,
    "EMBEDDING_LOOKUP": embedding_lookup,
    "REVERSE_V2": reverse,
    "REDUCE_MIN": reduce_min,
    "MIRROR_PAD": mirror_pad,
}
#: Options of operators that Arenite does not have, by their names.
ROWS: dict[str, type[OptionsTable]] = {
    "GELU": GeluOptions,
    "ONE_HOT": OneHotOptions,
    "REDUCE_ANY": ReducerOptions,
}
