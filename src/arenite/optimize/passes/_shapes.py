"""Shapes that a graph computes though they are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.model import TensorType
from arenite.model.model import constant_bytes
from arenite.ops.registry import traits_of
from arenite.optimize.passes._constants import evaluate_constant
from arenite.optimize.rewrite import Edit

_SHAPES = (TensorType.INT32, TensorType.INT64)


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
