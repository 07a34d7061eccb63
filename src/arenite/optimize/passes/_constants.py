"""Operators all of whose inputs are constants: their outputs become constants."""

from __future__ import annotations

from dataclasses import replace

from arenite.model import Operator, TensorType
from arenite.model.model import constant_bytes
from arenite.ops import builtin
from arenite.ops.registry import traits_of
from arenite.optimize.builds import evaluate
from arenite.optimize.passes._result import Changed, Declined, Result
from arenite.optimize.rewrite import Edit

#: Constants of so many bytes may come out larger than what they are made from.
_SMALL = 256


def evaluate_constant(edit: Edit, position: int) -> Result:
    """Put the results of an operator on constants into the model."""
    operator = edit.operator(position)
    if not _is_on_constants(edit, operator):
        return None
    reason = _why_not(edit, operator)
    if reason:
        return Declined(f"{operator.name} on constants stays: {reason}")
    outputs = evaluate(operator, edit.tensors)
    if outputs is None:
        return Declined(f"{operator.name} on constants stays: builds differ in its results")
    edit.put(position, None)
    for index, value in zip(operator.outputs, outputs, strict=True):
        edit.tensors[index] = replace(edit.tensors[index], data=constant_bytes(value), buffer=0)
    return Changed(f"{operator.name} on constants became a constant: all builds give the same")


def _is_on_constants(edit: Edit, operator: Operator) -> bool:
    inputs = [edit.tensors[i] for i in operator.inputs if i >= 0]
    return bool(inputs) and all(t.is_constant and not t.is_variable for t in inputs)


def _why_not(edit: Edit, operator: Operator) -> str:
    if operator.is_custom or traits_of(operator.name).effect or builtin(operator.name) is None:
        return "it may do more than compute"
    inputs = [edit.tensors[i] for i in operator.inputs if i >= 0]
    outputs = [edit.tensors[i] for i in operator.outputs]
    if not outputs or not all(edit.is_inner(i) for i in operator.outputs):
        return "its results are needed outside"
    has_floats = any(t.type is TensorType.FLOAT32 for t in (*inputs, *outputs))
    if has_floats and not traits_of(operator.name).exact_on_floats:
        return "builds may round floats otherwise"
    if any(min(t.shape, default=1) < 1 or t.type.bits < 8 for t in outputs):
        return "its results have no known size"
    growth = sum(t.nbytes for t in outputs) - sum(t.nbytes for t in inputs)
    if growth > _SMALL:
        return f"its results would take {growth:,} more bytes of flash"
    return ""
