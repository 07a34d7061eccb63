"""Shapes that a graph computes though they are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.errors import AreniteError
from arenite.model import Operator, TensorType
from arenite.model.model import constant_bytes
from arenite.ops.registry import builtin, traits_of
from arenite.ops.tflite.reshape import resolve
from arenite.optimize.parts import settle, single
from arenite.optimize.passes._constants import evaluate_constant
from arenite.optimize.rewrite import Edit
from arenite.optimize.settings import Settings
from arenite.runtime.heap_host import HeapInterpreter

_SHAPES = (TensorType.INT32, TensorType.INT64)


def settle_shapes(edit: Edit, operator: Operator, settings: Settings) -> None:
    """Give outputs, whose shapes the file leaves open, those that follow from the inputs'.

    A dimension that a converter did not know is written as 1, whatever comes out.
    """
    opened = [i for i in operator.outputs if -1 in (edit.tensors[i].shape_signature or ())]
    if not opened or builtin(operator.name) is None:
        return
    wanted = edit.constant(operator, 1) if traits_of(operator.name).reshapes else None
    if wanted is not None:
        shape = resolve(tuple(map(int, wanted.reshape(-1))), edit.tensors[operator.inputs[0]].size)
        if shape is not None:
            settle(edit, opened[0], shape)
        return
    try:
        interpreter = HeapInterpreter(single(edit, operator), target=settings.target)
        interpreter.allocate_tensors()
    except AreniteError:
        return  # the operator is lowered, and what takes its place has an output
    for number, index in enumerate(operator.outputs):
        settle(edit, index, interpreter.output(number).shape)


def fold_shape(edit: Edit, position: int) -> str:
    """Put a shape, or what is computed from one, into the model; what was done.

    TFLM's tensors have the shapes that the file says, and no others.
    """
    operator = edit.operator(position)
    if len(operator.outputs) != 1 or edit.tensors[operator.outputs[0]].type not in _SHAPES:
        return ""
    output = operator.outputs[0]
    if not traits_of(operator.name).tells_shape:
        found = evaluate_constant(edit, position)
        return "of a shape became a constant" if found and found.is_change else ""
    if not edit.is_inner(output) or not operator.inputs or operator.inputs[0] < 0:
        return ""
    there = edit.tensors[output]
    shape = np.array(edit.tensors[operator.inputs[0]].shape, there.type.dtype)
    edit.tensors[output] = replace(
        there, data=constant_bytes(shape), shape=shape.shape, shape_signature=None, buffer=0
    )
    edit.put(position, None)
    return f"became a constant: the file says {list(map(int, shape))}"
