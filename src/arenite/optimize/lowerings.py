"""Rules for operators that TFLM, or a revision of it, does not have: one for each.

``LOWERINGS`` has them by name. A rule looks at :class:`~arenite.optimize.parts.Parts` and runs
operators there, the last of which writes the result; its docstring says what results it keeps.
Facts: LiteRT's kernels of these operators (``tflite/kernels/*.cc``, ``internal/reference``).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from arenite.model import OptionsTable, Tensor, TensorType, slot
from arenite.model.types import FLOAT32
from arenite.ops.shared.reduction import ReducerOptions
from arenite.ops.tflite.batch_matmul import BatchMatMulOptions
from arenite.optimize._bits import bitwise_xor, right_shift
from arenite.optimize._carried import (
    by_number,
    carried,
    first_of,
    pixels,
    quantize,
    sum_of_halves,
)
from arenite.optimize._functions import (
    FLOATS,
    GeluOptions,
    Rule,
    arctangent,
    by_table,
    clamp,
    gelu,
    logarithm,
    power,
    sign,
)
from arenite.optimize._integers import floor_div, floor_mod, largest, smallest
from arenite.optimize._joined import joined, sliced, sliced_plainly, turned_axes
from arenite.optimize._known import arange, expand_dims, fill, gather, product_of_all, rank, where
from arenite.optimize._moved import (
    broadcast_to,
    embedding_lookup,
    mirror_pad,
    reverse,
    set_item,
    tile,
    update_slice,
)
from arenite.optimize._ranked import Conv3DOptions, TopKOptions, conv_3d, product, top_k
from arenite.optimize._scattered import (
    BucketizeOptions,
    LocalResponseNormalizationOptions,
    bucketize,
    diagonal,
    local_response,
    scatter_nd,
    segments,
    set_diagonal,
)
from arenite.optimize._spectrum import complex_abs, imag, real
from arenite.optimize.parts import Parts

#: The most classes of ONE_HOT.
_MOST_DEPTH = 1 << 20


class OneHotOptions(OptionsTable, union=61):
    """``table OneHotOptions``."""

    axis: int = slot(0, "int32")


class CompositeOptions(OptionsTable, union=21):
    """``table StableHLOCompositeOptions``."""

    name: str | None = slot(0, "string", None)
    decomposition_subgraph_index: int = slot(1, "int32")
    version: int = slot(4, "int32")


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
    like = _turned_scales(parts.edit.tensors[parts.input(1)], is_turned=not options.adj_y)
    number = parts.value(np.ascontiguousarray(weights), like, "weights")
    parts.run("FULLY_CONNECTED", parts.input(0), number, keep_num_dims=True)
    if parts.x.type is FLOAT32:
        parts.rounds(FLOATS)


def _turned_scales(tensor: Tensor, *, is_turned: bool) -> Tensor:
    """The same with scales of the units, of which FULLY_CONNECTED has rows."""
    q = tensor.quantization
    if q is None or len(q.scale) < 2:
        return tensor
    axis = q.quantized_dimension - len(tensor.shape) + 2
    return replace(tensor, quantization=replace(q, quantized_dimension=axis ^ is_turned))


def select(parts: Parts) -> None:
    """SELECT_V2, whose condition broadcasts from the right; with equal bits.

    Of int32 ``b + c * (a - b)`` with a condition ``c`` of 0 and 1, modulo 2**32; of bool
    ``(a and c) or (b and not c)``.
    """
    condition, rank = parts.input(0), len(parts.y.shape)
    shape = parts.shape(0)
    if parts.operator.name == "SELECT" and shape not in (parts.y.shape, ()):
        parts.require(len(shape) == 1, "its condition has another shape")
        tall = (*shape, *(1,) * (rank - 1))
        told = parts.told(tall)
        condition = parts.run("RESHAPE", condition, told, shape=tall, kind=TensorType.BOOL)
    if parts.y.type is TensorType.BOOL:
        other = parts.run("LOGICAL_NOT", condition, shape=parts.edit.tensors[condition].shape)
        sides = (parts.input(1), condition), (parts.input(2), other)
        parts.run("LOGICAL_OR", *(parts.run("LOGICAL_AND", *side) for side in sides))
        return
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
    told = parts.told(tall)
    indices = parts.run("RESHAPE", indices, told, shape=tall, kind=TensorType.INT32)
    along = [depth if dim == axis else 1 for dim in range(len(tall))]
    parts.require(depth <= _MOST_DEPTH, "it is too deep")
    counted = parts.value(np.arange(depth, dtype=np.int32).reshape(along))
    equal = parts.run("EQUAL", indices, counted, kind=TensorType.BOOL)
    parts.run("SELECT_V2", equal, parts.input(2), parts.input(3))


def sub(parts: Parts) -> None:
    """The sum with what is multiplied by -1, modulo 2**32; equal bits."""
    parts.require(parts.y.type is TensorType.INT32, f"it is of {parts.y.type}")
    other = parts.run("MUL", parts.input(1), parts.told(-1), shape=parts.shape(1))
    parts.run("ADD", parts.input(0), other)


def turned(parts: Parts) -> None:
    """An integer times -1, whatever it stands for, modulo its type; equal bits."""
    kinds = (TensorType.INT8, TensorType.INT16, TensorType.INT32)
    parts.require(parts.x.type in kinds, f"it is of {parts.x.type}")
    x, is_narrow = parts.input(0), parts.x.type is not TensorType.INT32
    if is_narrow:
        x = parts.run("CAST", x, kind=TensorType.INT32)
    x = parts.run("MUL", x, parts.told(-1), kind=TensorType.INT32)
    if is_narrow:
        parts.run("CAST", x)


def size(parts: Parts) -> None:
    """The larger one of an int32 and of it times -1; equal bits."""
    parts.require(parts.y.type is TensorType.INT32, f"it is of {parts.y.type}")
    parts.run("MAXIMUM", parts.input(0), parts.run("MUL", parts.input(0), parts.told(-1)))


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
    """The largest of 0 and 1; with equal bits."""
    _of_truths(parts, "REDUCE_MAX")


def reduce_all(parts: Parts) -> None:
    """The least of 0 and 1; with equal bits."""
    _of_truths(parts, "REDUCE_MIN")


def _of_truths(parts: Parts, name: str) -> None:
    keep = parts.options(ReducerOptions).keep_dims
    numbers = parts.run("CAST", parts.input(0), shape=parts.shape(0), kind=FLOAT32)
    found = parts.run(name, numbers, parts.input(1), kind=FLOAT32, keep_dims=keep)
    parts.run("NOT_EQUAL", found, parts.value(np.float32(0)))


def cast(parts: Parts) -> None:
    """Of bool a choice between 1 and 0; equal bits."""
    parts.require(parts.x.type is TensorType.BOOL, f"it is of {parts.x.type}")
    ends = (parts.value(np.float32(n)) for n in (1, 0))
    found = parts.run("SELECT_V2", parts.input(0), *ends, kind=FLOAT32)
    if parts.y.type is not FLOAT32:
        parts.run("CAST", found)


def log_softmax(parts: Parts) -> None:
    """``d - log(sum(exp(d)))`` of the differences ``d`` from the largest."""
    x, shape = parts.input(0), parts.y.shape
    parts.require(parts.x.type is FLOAT32 and bool(shape), f"it is of {parts.x.type}")
    axis, tall = parts.told([len(shape) - 1]), (*shape[:-1], 1)
    largest = parts.run("REDUCE_MAX", x, axis, shape=tall, keep_dims=True)
    d = parts.run("SUB", x, largest)
    summed = parts.run("SUM", parts.run("EXP", d), axis, shape=tall, keep_dims=True)
    parts.run("SUB", d, parts.run("LOG", summed, shape=tall))
    parts.rounds(FLOATS)


#: By the operators' names: what TFLM lacks, what revisions lack, what is refused of some types.
LOWERINGS: dict[str, Rule] = {
    "GELU": gelu,
    "RELU_0_TO_1": clamp(0, 1),
    "RELU_N1_TO_1": clamp(-1, 1),
    "SIGN": sign,
    "ABS": size,
    "NEG": turned,
    "POW": power,
    "ATAN2": arctangent,
    "RIGHT_SHIFT": right_shift,
    "BITWISE_XOR": bitwise_xor,
    "EXP": by_table(np.exp),
    "LOG": by_table(logarithm),
    "TILE": tile,
    "CONCATENATION": first_of(set_item, joined),
    "STRIDED_SLICE": sliced,
    "TRANSPOSE": turned_axes,
    "COMPLEX_ABS": complex_abs,
    "REAL": real,
    "IMAG": imag,
    "SELECT": select,
    "SELECT_V2": select,
    "ONE_HOT": one_hot,
    "TOPK_V2": top_k,
    "WHERE": where,
    "CONV_3D": conv_3d,
    "REDUCE_ANY": reduce_any,
    "REDUCE_ALL": reduce_all,
    "CAST": first_of(cast, pixels),
    "SUB": sub,
    "DYNAMIC_UPDATE_SLICE": update_slice,
    "REDUCE_PROD": first_of(product_of_all, product),
    "REDUCE_MAX": first_of(by_number, largest),
    "REDUCE_MIN": first_of(reduce_min, by_number, smallest),
    "SUM": first_of(total, sum_of_halves),
    "CUMSUM": sum_of_halves,
    "RANK": rank,
    "RANGE": arange,
    "EXPAND_DIMS": expand_dims,
    "FILL": fill,
    "GATHER": gather,
    "QUANTIZE": quantize,
    "EQUAL": by_number,
    "NOT_EQUAL": by_number,
    "GREATER_EQUAL": by_number,
    "LESS": by_number,
    "LESS_EQUAL": by_number,
    "FLOOR_DIV": first_of(by_number, floor_div),
    "FLOOR_MOD": first_of(by_number, floor_mod),
    "SLICE": sliced_plainly,
    "MATRIX_DIAG": diagonal,
    "MATRIX_SET_DIAG": set_diagonal,
    "ARG_MAX": by_number,
    "ARG_MIN": by_number,
    "SQUARED_DIFFERENCE": squared_difference,
    "DIV": div,
    "LOG_SOFTMAX": log_softmax,
    "BROADCAST_TO": broadcast_to,
    "BATCH_MATMUL": batch_matmul,
    "EMBEDDING_LOOKUP": embedding_lookup,
    "REVERSE_V2": reverse,
    "MIRROR_PAD": mirror_pad,
    "SCATTER_ND": scatter_nd,
    "SEGMENT_SUM": segments,
    "UNSORTED_SEGMENT_SUM": segments,
    "UNSORTED_SEGMENT_PROD": segments,
    "UNSORTED_SEGMENT_MAX": segments,
    "UNSORTED_SEGMENT_MIN": segments,
    "BUCKETIZE": bucketize,
    "LOCAL_RESPONSE_NORMALIZATION": local_response,
}
#: Options of operators that Arenite does not have, by their names.
ROWS: dict[str, type[OptionsTable]] = {
    "GELU": GeluOptions,
    "STABLEHLO_COMPOSITE": CompositeOptions,
    "ONE_HOT": OneHotOptions,
    "TOPK_V2": TopKOptions,
    "CONV_3D": Conv3DOptions,
    "REDUCE_ANY": ReducerOptions,
    "REDUCE_PROD": ReducerOptions,
    "BUCKETIZE": BucketizeOptions,
    "LOCAL_RESPONSE_NORMALIZATION": LocalResponseNormalizationOptions,
}


def rule_of(name: str) -> Rule | None:
    """The rule for an operator: its own, or what its nature allows; None where there is none."""
    rules = [one for one in (LOWERINGS.get(name), carried(name)) if one is not None]
    return first_of(*rules) if rules else None
