"""Shapes that a graph computes though they are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.errors import AreniteError
from arenite.model import Model, Operator, TensorType
from arenite.model.model import constant_bytes
from arenite.ops.registry import builtin, traits_of
from arenite.ops.tflite.reshape import resolve
from arenite.ops.tflite.while_ import WhileOptions
from arenite.optimize.parts import settle, single
from arenite.optimize.passes._constants import evaluate_constant
from arenite.optimize.rewrite import Edit
from arenite.optimize.settings import Settings
from arenite.runtime.heap_host import HeapInterpreter

_SHAPES = (TensorType.INT32, TensorType.INT64)
_NUMBERS = (TensorType.INT8, TensorType.INT16, TensorType.INT32, TensorType.UINT8)


def settle_shapes(edit: Edit, operator: Operator, settings: Settings) -> None:
    """Give outputs, whose shapes the file leaves open, those that follow from the inputs'.

    A dimension that a converter did not know is written as 1, whatever comes out. What other tools
    put behind such a tensor has that 1 as well, and does not say that it is open.
    """
    if any(index in edit.settled for index in operator.inputs):
        for index in operator.outputs:
            open_shape(edit, index)
    opened = [i for i in operator.outputs if -1 in (edit.tensors[i].shape_signature or ())]
    if not opened or builtin(operator.name) is None:
        return
    wanted = edit.constant(operator, 1) if traits_of(operator.name).reshapes else None
    rank = len(edit.tensors[opened[0]].shape)
    if wanted is not None and wanted.dtype.kind == "i" and wanted.size == rank:
        shape = resolve(tuple(map(int, wanted.reshape(-1))), edit.tensors[operator.inputs[0]].size)
        if shape is not None:
            settle(edit, opened[0], shape)
            return
    shapes = _computed(single(edit, operator), settings) or _computed(
        _of_floats(single(edit, operator)), settings
    )
    for index, shape in zip(operator.outputs, shapes, strict=False):
        settle(edit, index, shape)


def open_shape(edit: Edit, index: int) -> None:
    """Let a tensor of a shape that nobody has promised take any."""
    tensor = edit.tensors[index]
    if tensor.shape_signature is None and not tensor.is_variable and tensor.shape:
        edit.tensors[index] = replace(tensor, shape_signature=(-1,) * len(tensor.shape))


def _computed(model: Model, settings: Settings) -> list[tuple[int, ...]]:
    """Shapes of a model's outputs; none where it does not run, and something takes its place."""
    try:
        interpreter = HeapInterpreter(model, target=settings.target)
        interpreter.allocate_tensors()
    except AreniteError:
        return []
    return [interpreter.output(number).shape for number in range(len(model.outputs))]


def _of_floats(model: Model) -> Model:
    """The model with float32 in place of what is not constant: shapes are the same."""
    tensors = tuple(
        one
        if one.is_constant or one.is_variable or one.type not in _NUMBERS
        else replace(one, type=TensorType.FLOAT32, quantization=None)
        for one in model.main.tensors
    )
    return replace(model, subgraphs=(replace(model.main, tensors=tensors),))


def settle_loop(edits: list[Edit], edit: Edit, operator: Operator) -> None:
    """Give what a loop carries the shape that it begins with, where the file leaves it open."""
    options = operator.options
    if not isinstance(options, WhileOptions):
        return
    called = [edits[options.cond_subgraph_index], edits[options.body_subgraph_index]]
    carried = [operator.outputs, *(one.inputs for one in called), called[1].outputs]
    if any(len(tensors) != len(operator.inputs) for tensors in carried):
        return  # no loop that TFLM runs: its values do not go round
    for number, index in enumerate(operator.inputs):
        shape = edit.tensors[index].shape
        places = [(edit, operator.outputs[number])]
        places += [(one, one.inputs[number]) for one in called]
        places += [(called[1], called[1].outputs[number])]
        for one, tensor in places:
            settle(one, tensor, shape)


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
