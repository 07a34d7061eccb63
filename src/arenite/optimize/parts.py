"""Operators that take the place of one, while they are put together."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from arenite.errors import AreniteError, RefusedError, UnsupportedOperatorError
from arenite.formats import tflite
from arenite.model import Model, Operator, OptionsTable, Quantization, Subgraph, Tensor, TensorType
from arenite.model.model import Array, constant_bytes
from arenite.ops.registry import builtin
from arenite.optimize.builds import alone
from arenite.optimize.rewrite import Edit
from arenite.revisions.changes import came
from arenite.revisions.known import revision_of
from arenite.runtime.allocation import smallest_arena
from arenite.target import Target

_Row = TypeVar("_Row", bound=OptionsTable)


class CannotError(Exception):
    """There is nothing to take an operator's place; the reason."""


class Parts:
    """The operators that take one operator's place.

    Attributes:
        operator: The one whose place it is.
        x: The operator's first input; ``y`` its first output.
        is_exact: Whether results keep their bits.
        why: What there is to say beside the operators' names.
    """

    def __init__(self, edit: Edit, operator: Operator) -> None:
        self.edit = edit
        self.operator = operator
        self.operators: list[Operator] = []
        self._given: dict[int, int] = {}
        self.is_exact = True
        self.why = "equal bits"
        self.x = self._tensor(operator.inputs, 0)
        self.y = self._tensor(operator.outputs, 0)

    # -- looking

    def _tensor(self, indices: Sequence[int], index: int) -> Tensor:
        if index >= len(indices) or indices[index] < 0:
            raise CannotError("it lacks an operand")
        return self.edit.tensors[indices[index]]

    def input(self, index: int) -> int:
        """The number of an input's tensor, which is there."""
        self._tensor(self.operator.inputs, index)
        return self.operator.inputs[index]

    def shape(self, index: int) -> tuple[int, ...]:
        """The shape of an input."""
        return self._tensor(self.operator.inputs, index).shape

    def constant(self, index: int) -> Array:
        """The value of an input that has to be a constant."""
        value = self.edit.constant(self.operator, index)
        if value is None:
            raise CannotError(f"input {index} is computed, not a constant")
        return value

    def writer(self, tensor: int, name: str) -> Operator:
        """The operator that writes a tensor, which has to be of that name."""
        position = self.edit.writer(tensor)
        if position is None or self.edit.operator(position).name != name:
            raise CannotError(f"{self.edit.tensors[tensor].name!r} does not come from {name}")
        return self.edit.operator(position)

    def integers(self, index: int) -> list[int]:
        """The integers of an input that has to be a constant, in a row."""
        value = self.constant(index)
        self.require(value.dtype.kind == "i", f"input {index} is of {value.dtype}, not integers")
        return [int(one) for one in value.reshape(-1)]

    def integer(self, index: int) -> int:
        """The one integer of an input that has to be a constant."""
        values = self.integers(index)
        self.require(len(values) == 1, f"input {index} is no integer")
        return values[0]

    def options(self, row: type[_Row]) -> _Row:
        """The operator's options, also where Arenite does not have the operator."""
        return options_of(self.operator, row)

    def settle(self, shape: tuple[int, ...]) -> None:
        """Require that the output has a shape, or give it that where the file leaves it open."""
        index = self.operator.outputs[0]
        self.require(settle(self.edit, index, shape), "the file says another shape")
        self.y = self.edit.tensors[index]

    def require(self, is_so: bool, reason: str) -> None:
        """Raise ``CannotError`` unless something is so."""
        if not is_so:
            raise CannotError(reason)

    # -- making

    def value(self, value: Any, like: Tensor | None = None, name: str = "constant") -> int:
        """A constant of the array's own type, or of another tensor's type and quantisation."""
        array = np.asarray(value) if like is None else np.asarray(value, like.type.dtype)
        plain = Tensor("", TensorType.of(array.dtype), ()) if like is None else like
        return self.edit.add_constant(f"{self.y.name}/{name}", array, replace(plain, buffer=0))

    def told(self, numbers: Any) -> int:
        """A constant of int32: a shape, axes, counts."""
        return self.value(np.array(numbers, np.int32))

    def run(
        self,
        name: str,
        *inputs: int,
        shape: Sequence[int] | None = None,
        kind: TensorType | None = None,
        like: Tensor | None = None,
        **options: Any,
    ) -> int:
        """Add an operator; the number of its output, which is like the whole's if not said."""
        row = getattr(builtin(name), "options", None)
        table = None if row is None else row(**options)
        output = self.made(name, like or self.y, self.y.shape if shape is None else shape, kind)
        union = table.UNION_TYPE if table else 0
        self.operators.append(Operator(name, inputs, (output,), table, options_type=union))
        return output

    def again(self, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """Add the operator itself with other operands."""
        made = replace(self.operator, inputs=tuple(inputs), outputs=tuple(outputs))
        self.operators.append(made)

    def made(
        self, name: str, like: Tensor, shape: Sequence[int], kind: TensorType | None = None
    ) -> int:
        """Add a tensor that something computes; of another type it has no quantisation."""
        made = replace(
            like, name=f"{like.name}/{name.lower()}", data=None, shape=tuple(shape), buffer=0
        )
        if kind is not None:
            made = replace(made, type=kind, quantization=None)
        return self.edit.add(replace(made, shape_signature=None))

    def give(self, tensor: int, number: int) -> None:
        """Say what one of several outputs is; a lone one is the last operator's."""
        self._given[tensor] = self.operator.outputs[number]

    def rounds(self, why: str) -> None:
        """Say that results differ, and how."""
        self.is_exact, self.why = False, why

    def forget(self) -> None:
        """Begin anew: what was put together does not take the place."""
        self.operators, self._given = [], {}
        self.is_exact, self.why = True, "equal bits"

    def become_constant(self, value: Array) -> None:
        """Make the output a constant, which nothing computes."""
        index = self.operator.outputs[0]
        self.require(self.edit.is_inner(index), "its result is needed outside")
        array = np.asarray(value, self.y.type.dtype)
        self.require(array.shape == self.y.shape, "the file says another shape")
        self.edit.tensors[index] = replace(
            self.y, data=constant_bytes(array), shape_signature=None, buffer=0
        )

    # -- ending

    def replace_each(self, lowered: Callable[[Operator], Parts | None]) -> None:
        """Replace operators that the target refuses, one after the other."""
        operators: list[Operator] = []
        given = self._given
        if self.operators and not given:
            given = dict(zip(self.operators[-1].outputs, self.operator.outputs, strict=True))
        for made in self.operators:
            inputs, outputs = (
                [given.get(i, i) for i in ends] for ends in (made.inputs, made.outputs)
            )
            one = replace(made, inputs=tuple(inputs), outputs=tuple(outputs))
            parts = lowered(one)
            operators += [one] if parts is None else parts.operators
            if parts is not None and not parts.is_exact:
                self.rounds(parts.why)
        self.operators = operators

    def put(self, position: int) -> None:
        """Put all in the operator's place."""
        if self.operators:
            self.edit.put_all(position, self.operators)
        else:
            self.edit.put(position, None)

    def __str__(self) -> str:
        names = ", ".join(one.name for one in self.operators)
        if names == self.operator.name:
            return self.why
        return f"is {names or 'a constant'} now: {self.why}"


def options_of(operator: Operator, row: type[_Row]) -> _Row:
    """An operator's options through a row, whoever has read them."""
    found, raw = operator.options, operator.raw_options
    if isinstance(found, row):
        return found
    return row() if raw is None else tflite.parse_options(raw, row)


def refusal_of(model: Model, target: Target | None) -> AreniteError | None:
    """The reason why a target's TFLM does not run a model as it is; None where it does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever runs the model is warned
        try:
            smallest_arena(model, target=target)
        except AreniteError as error:
            return error
    return None


def why_refused(edit: Edit, operator: Operator, target: Target | None) -> str:
    """The reason why a target's TFLM does not run an operator; empty where it does."""
    if target is not None and target.tflm:
        lacking = came(operator.name, revision_of(target.tflm))
        if lacking:
            return lacking
    if builtin(operator.name) is None:
        return "TFLM has none"
    error = refusal_of(single(edit, operator), target)
    if isinstance(error, UnsupportedOperatorError):
        return f"TFLM has no {operator.name}"
    if isinstance(error, RefusedError):
        return error.reason
    return "" if error is None else str(error)


def single(edit: Edit, operator: Operator) -> Model:
    """A model of one operator, which is given what it does not know."""
    graph = alone(operator, edit.tensors).main
    given = tuple(
        index
        for index in dict.fromkeys(graph.operators[0].inputs)
        if index >= 0 and not (graph.tensors[index].is_constant or graph.tensors[index].is_variable)
    )
    return Model((Subgraph(graph.tensors, graph.operators, given, graph.outputs),))


def settle(edit: Edit, index: int, shape: tuple[int, ...]) -> bool:
    """Give a tensor a shape where the file leaves dimensions open; whether it has it now."""
    tensor = edit.tensors[index]
    is_open = -1 in (tensor.shape_signature or ())
    if is_open and tensor.shape != shape and not tensor.is_variable:
        edit.tensors[index] = replace(tensor, shape=shape, shape_signature=None)
        edit.settled.add(index)
        edit.is_changed = True
    return edit.tensors[index].shape == shape


def scalar(tensor: Tensor) -> tuple[float, int]:
    """The one scale and zero point of a tensor.

    Raises:
        CannotError: It has none, or several, or one that means nothing.
    """
    q: Quantization | None = tensor.quantization
    if q is None or len(q.scale) != 1 or len(q.zero_point) != 1:
        raise CannotError("it has no scale, or several")
    scale, zero_point = float(q.scale[0]), int(q.zero_point[0])
    if not 2**-100 < scale < 2**100 or not -(2**31) <= zero_point < 2**31:
        raise CannotError("its scale or zero point means nothing")
    return scale, zero_point
