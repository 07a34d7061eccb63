"""Constraints: what an operator demands of a model, one small function each.

A constraint takes a :class:`NodeView` and returns whether it holds. Its docstring is
the text that a user reads when it does not, and its row in ``docs/operators.md``; so
it is one sentence that says what must be the case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arenite.model import TensorType
from arenite.ops.context import Context, Node, TfLiteTensor


@dataclass(slots=True, eq=False)  # whose attributes take a fourth of a NamedTuple's time
class NodeView:
    """A node as its constraints see it: tensors instead of indices, None if absent."""

    name: str
    inputs: tuple[TfLiteTensor | None, ...]
    outputs: tuple[TfLiteTensor | None, ...]
    options: Any

    def input(self, index: int) -> TfLiteTensor:
        """Input ``index``, which ``inputs_between`` has shown to be present."""
        tensor = self.inputs[index]
        assert tensor is not None
        return tensor

    def output(self, index: int) -> TfLiteTensor:
        """Output ``index``."""
        tensor = self.outputs[index]
        assert tensor is not None
        return tensor


def view_of(context: Context, node: Node) -> NodeView:
    """The context's current node with its tensors, which takes no temporary memory."""
    view = context.view_tensor
    inputs = [view(index) if index >= 0 else None for index in node.inputs]
    outputs = [view(index) if index >= 0 else None for index in node.outputs]
    return NodeView(node.name, tuple(inputs), tuple(outputs), node.options)


Constraint = Callable[[NodeView], bool]


def _described(check: Constraint, name: str, doc: str, takes: str = "") -> Constraint:
    check.__name__ = name
    check.__doc__ = doc
    if takes:
        check.takes = takes  # type: ignore[attr-defined]
    return check


def demand(constraint: Constraint, who: str = "TFLM") -> str:
    """The rule in words: ``TFLM takes 1 to 10.``, or the docstring with whose rule it is."""
    takes = getattr(constraint, "takes", "")
    if takes:
        return f"{who} takes {takes}."
    return f"{who} demands: {' '.join((constraint.__doc__ or '').split())}"


def _counted(count: int, noun: str) -> str:
    return f"is 1 {noun}" if count == 1 else f"are {count} {noun}s"


def _listed(inputs: frozenset[int]) -> str:
    numbers = [str(index) for index in sorted(inputs)]
    return f"input {numbers[0]}" if len(numbers) == 1 else f"inputs {', '.join(numbers)}"


def inputs_between(low: int, high: int, optional: frozenset[int] = frozenset()) -> Constraint:
    """A constraint: from ``low`` to ``high`` inputs, all present but the optional ones."""

    def check(node: NodeView) -> bool:
        inputs = node.inputs
        if not low <= len(inputs) <= high:
            return False
        # `in` asks for identity first, and no tensor is equal to another one.
        return None not in inputs or all(
            tensor is not None or index in optional for index, tensor in enumerate(inputs)
        )

    doc = f"There {_counted(low, 'input')}" if low == high else f"There are {low} to {high} inputs"
    if optional:
        doc += f"; only {_listed(optional)} may be absent"
    elif high > 1:
        doc += ", all present"
    takes = f"{low}" if low == high else f"{low} to {high}"
    takes += f", of which {_listed(optional)} may be absent" if optional else ""
    return _described(check, "inputs_between", f"{doc}.", takes)


def outputs_exactly(count: int) -> Constraint:
    """A constraint: exactly ``count`` outputs, all present."""

    def check(node: NodeView) -> bool:
        return len(node.outputs) == count and None not in node.outputs

    doc = f"There {_counted(count, 'output')}."
    return _described(check, "outputs_exactly", doc, str(count))


def counts(inputs: int, outputs: int) -> tuple[Constraint, Constraint]:
    """Constraints: exactly so many inputs and outputs, all present."""
    return inputs_between(inputs, inputs), outputs_exactly(outputs)


def input_types(index: int, *types: TensorType) -> Constraint:
    """A constraint: input ``index`` has one of the given types."""

    def check(node: NodeView) -> bool:
        tensor = node.inputs[index]
        return tensor is not None and tensor.type in types

    names = ", ".join(str(t) for t in types)
    return _described(check, "input_types", f"Input {index} is one of: {names}.")


def same_type(input_index: int = 0, output_index: int = 0) -> Constraint:
    """A constraint: an input and an output have the same type."""

    def check(node: NodeView) -> bool:
        given, made = node.inputs[input_index], node.outputs[output_index]
        return given is not None and made is not None and given.type is made.type

    doc = f"Input {input_index} and output {output_index} have the same type."
    return _described(check, "same_type", doc)


def one_to_one(*types: TensorType) -> tuple[Constraint, ...]:
    """Constraints: one input and one output, both of the same of the given types."""
    return *counts(1, 1), input_types(0, *types), same_type()


def rank(index: int, *ranks: int) -> Constraint:
    """A constraint: input ``index`` has one of the given numbers of dimensions."""

    def check(node: NodeView) -> bool:
        tensor = node.inputs[index]
        return tensor is not None and len(tensor.shape) in ranks

    names = " or ".join(str(r) for r in ranks)
    return _described(check, "rank", f"Input {index} has {names} dimensions.")


def rank_at_most(index: int, most: int) -> Constraint:
    """A constraint: input ``index`` has no more dimensions."""

    def check(node: NodeView) -> bool:
        return len(node.input(index).shape) <= most

    return _described(check, "rank_at_most", f"Input {index} has at most {most} dimensions.")


def output_rank(rank: int, index: int = 0) -> Constraint:
    """A constraint: output ``index`` has so many dimensions."""

    def check(node: NodeView) -> bool:
        return len(node.output(index).shape) == rank

    doc = f"Output {index} has {rank} dimension{'' if rank == 1 else 's'}."
    return _described(check, "output_rank", doc)


def output_type(type: TensorType, index: int = 0) -> Constraint:  # noqa: A002 - the schema's word
    """A constraint: output ``index`` has this type."""

    def check(node: NodeView) -> bool:
        return node.output(index).type is type

    return _described(check, "output_type", f"Output {index} is {type}.")


def one_number(index: int, noun: str) -> Constraint:
    """A constraint: input ``index``, which is called so, has one element."""

    def check(node: NodeView) -> bool:
        return node.input(index).size == 1

    return _described(check, "one_number", f"The {noun} (input {index}) is one number.")


def constant(index: int) -> Constraint:
    """A constraint: input ``index`` is a constant of the model."""

    def check(node: NodeView) -> bool:
        return node.input(index).is_constant

    return _described(check, "constant", f"Input {index} is a constant of the model.")
