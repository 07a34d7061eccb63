"""Operators that move values: those that move nothing, and pairs that are one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from arenite.model import Operator, TensorType
from arenite.model.model import Array, constant_bytes
from arenite.ops.kernel_util import Activation
from arenite.ops.registry import traits_of
from arenite.optimize.builds import every_value, is_of_one_value, moved, table
from arenite.optimize.passes._result import Changed, Declined, Result
from arenite.optimize.rewrite import Edit, same_kind

_POOLS = ("AVERAGE_POOL_2D", "MAX_POOL_2D")


# -- copies --------------------------------------------------------------------------------


def drop_copy(edit: Edit, position: int) -> Result:
    """Take out an operator whose output is its input, value by value."""
    source = copied(edit, edit.operator(position))
    return None if source is None else _take_out(edit, position, source)


def _take_out(edit: Edit, position: int, source: int) -> Changed | Declined:
    """Read an operator's input, or what its input is made of, in place of its equal output."""
    operator = edit.operator(position)
    target = operator.outputs[0]
    x, y = edit.tensors[source], edit.tensors[target]
    if x.is_variable or y.is_variable:
        return Declined(f"{operator.name} stays: a variable may change after it was copied")
    if edit.is_inner(target):
        edit.put(position, None)
        edit.redirect(target, source)
        return Changed(f"{operator.name} gave what it got: {x.name!r} is read in its place")
    writer = edit.writer(source)
    if writer is None or not edit.is_inner(source) or edit.operator(writer).is_custom:
        return Declined(f"{operator.name} stays: it makes the output {y.name!r} of {x.name!r}")
    if edit.operator(writer).outputs.count(source) != 1:
        return Declined(f"{operator.name} stays: it makes the output {y.name!r} of {x.name!r}")
    edit.put(position, None)
    before = edit.operator(writer)
    outputs = tuple(target if i == source else i for i in before.outputs)
    edit.put(writer, replace(before, outputs=outputs))
    edit.redirect(source, target)
    return Changed(f"{operator.name} gave what it got: {before.name} writes {y.name!r} at once")


def copied(edit: Edit, operator: Operator) -> int | None:
    """The input that an operator's only output is equal to in type, shape and values."""
    if operator.is_custom or len(operator.outputs) != 1:
        return None
    number = 1 if operator.name == "SPLIT" else 0
    if is_of_one_value(operator.name):
        number = next((n for n, i in enumerate(operator.inputs) if not _is_constant(edit, i)), 0)
    if len(operator.inputs) <= number or operator.inputs[number] < 0:
        return None
    index = operator.inputs[number]
    x, y = edit.tensors[index], edit.tensors[operator.outputs[0]]
    if x.shape != y.shape or not same_kind(x, y) or min(x.shape, default=1) < 1:
        return None
    if x.is_constant and not x.is_variable:
        return None  # it is evaluated instead
    return index if _changes_nothing(edit, operator, index) else None


def _is_constant(edit: Edit, index: int) -> bool:
    return index >= 0 and edit.tensors[index].is_constant


def _changes_nothing(edit: Edit, operator: Operator, index: int) -> bool:
    """Whether an operator whose input and output agree in type and shape changes nothing."""
    options: Any = operator.options
    if traits_of(operator.name).reshapes:
        return True
    if is_of_one_value(operator.name):
        return _is_identity(edit, operator, index)
    if operator.name == "TRANSPOSE":
        order = edit.constant(operator, 1)
        return _is_in_order(order) and moved(operator, edit.tensors) is not None
    if operator.name in ("PAD", "PADV2"):
        paddings = edit.constant(operator, 1)
        return paddings is not None and not paddings.any()
    if operator.name == "SLICE":
        begin = edit.constant(operator, 1)
        return begin is not None and not begin.any() and edit.constant(operator, 2) is not None
    if operator.name == "CONCATENATION":
        return len(operator.inputs) == 1 and options.fused_activation_function == Activation.NONE
    if operator.name in _POOLS:
        sizes = (options.filter_height, options.filter_width, options.stride_h, options.stride_w)
        return sizes == (1, 1, 1, 1) and options.fused_activation_function == Activation.NONE
    return operator.name == "SPLIT"


def _is_in_order(order: Array | None) -> bool:
    """Whether a TRANSPOSE leaves all dimensions where they are."""
    return order is not None and np.array_equal(order, np.arange(order.size))


def _is_identity(edit: Edit, operator: Operator, index: int) -> bool:
    x, y = edit.tensors[index], edit.tensors[operator.outputs[0]]
    bound, first = None, True
    if len(operator.inputs) == 2:
        first = operator.inputs[0] == index
        other = operator.inputs[1 if first else 0]
        if other < 0:
            return False
        bound = edit.tensors[other]
    results = table(operator, x, y, bound, first=first)
    return results is not None and np.array_equal(results, every_value(x.type))


# -- pairs ---------------------------------------------------------------------------------


def join_transpositions(edit: Edit, position: int) -> Result:
    """Two TRANSPOSE in a row are one."""
    second = edit.operator(position)
    if second.name != "TRANSPOSE" or len(second.inputs) != 2:
        return None
    middle = second.inputs[0]
    writer = edit.writer(middle) if middle >= 0 else None
    first = None if writer is None else edit.operator(writer)
    if first is None or first.name != "TRANSPOSE" or edit.only_reader(middle) != position:
        return None
    orders = edit.constant(first, 1), edit.constant(second, 1)
    if orders[0] is None or orders[1] is None or orders[0].shape != orders[1].shape:
        return None
    x, between = edit.tensors[first.inputs[0]], edit.tensors[middle]
    rank = len(x.shape)
    if x.is_variable or not same_kind(x, between) or orders[0].shape != (rank,):
        return None
    if any(sorted(order.tolist()) != list(range(rank)) for order in orders if order is not None):
        return None
    assert writer is not None
    return _joined(edit, (writer, position), orders[0][orders[1]])


def _joined(edit: Edit, pair: tuple[int, int], order: Array) -> Result:
    """One TRANSPOSE in place of two in a row, or none, where all builds exchange the same."""
    first, second = map(edit.operator, pair)
    source, target = first.inputs[0], second.outputs[0]
    joined = replace(second, inputs=(source, len(edit.tensors)))
    like = edit.tensors[second.inputs[1]]
    tensors = [*edit.tensors, replace(like, data=constant_bytes(order))]
    if any(moved(one, tensors) is None for one in (first, second)):
        return Declined("TRANSPOSE stays: builds differ in what it makes of two dimensions")
    if moved(joined, tensors) is not None:
        edit.add_constant(f"{like.name}_joined", order, like)
        edit.put(pair[0], None)
        edit.put(pair[1], joined)
        return Changed(f"TRANSPOSE took in the one before it: the order is {order.tolist()}")
    x, y = edit.tensors[source], edit.tensors[target]
    if x.shape != y.shape or not same_kind(x, y):
        return None
    found = _take_out(edit, pair[1], source)
    if found.is_change:
        edit.put(pair[0], None)
    return found


def join_reshapes(edit: Edit, position: int) -> Result:
    """A RESHAPE needs no reshaped input."""
    second = edit.operator(position)
    if second.name != "RESHAPE" or not second.inputs or second.inputs[0] < 0:
        return None
    source = _unreshaped(edit, second.inputs[0])
    if source is None or not _is_static(edit, second.outputs[0]):
        return None
    edit.put(position, replace(second, inputs=(source, *second.inputs[1:])))
    return Changed("RESHAPE reads what was reshaped before: the same values in the same order")


def read_unreshaped(edit: Edit, position: int) -> Result:
    """FULLY_CONNECTED reads rows of its weights' depth, whatever dimensions they have."""
    dense = edit.operator(position)
    options: Any = dense.options
    if dense.name != "FULLY_CONNECTED" or dense.is_custom or not dense.inputs:
        return None
    if dense.inputs[0] < 0 or options is None or dense.inputs.count(dense.inputs[0]) != 1:
        return None
    source = _unreshaped(edit, dense.inputs[0])
    if source is None:
        return None
    if options.keep_num_dims:
        return Declined("FULLY_CONNECTED keeps a RESHAPE before it: it keeps its dimensions")
    edit.put(position, replace(dense, inputs=(source, *dense.inputs[1:])))
    return Changed(
        "FULLY_CONNECTED reads what was reshaped before: it takes rows of any dimensions"
    )


def _unreshaped(edit: Edit, index: int) -> int | None:
    """The tensor that the writer of another one has reshaped."""
    writer = edit.writer(index)
    operator = None if writer is None else edit.operator(writer)
    if operator is None or not traits_of(operator.name).reshapes or not operator.inputs:
        return None
    source = operator.inputs[0]
    if source < 0 or not _is_static(edit, source) or not _is_static(edit, index):
        return None
    x, y = edit.tensors[source], edit.tensors[index]
    if x.is_variable or y.is_variable or not same_kind(x, y) or x.size != y.size:
        return None
    return source if x.type is not TensorType.STRING else None


def _is_static(edit: Edit, index: int) -> bool:
    return min(edit.tensors[index].shape, default=1) > 0
