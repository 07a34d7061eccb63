"""A subgraph that can be changed: who reads and who writes a tensor is known at any time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from arenite.model import Model, Operator, Quantization, Subgraph, Tensor
from arenite.model.model import constant_bytes
from arenite.model.offline_plan import OFFLINE_METADATA


class Edit:
    """One subgraph of a model while it is changed.

    Operators keep their positions, so that notes can name them as the model had them: what was
    taken out is None. Tensors are only added; those that nothing uses any more stay.
    """

    def __init__(self, model: Model, number: int) -> None:
        subgraph = model.subgraphs[number]
        self.number = number
        self.tensors = list(subgraph.tensors)
        self.operators: list[Operator | None] = [None] * len(subgraph.operators)
        self.is_changed = False
        #: Tensors whose shapes the file left open, and which have others now.
        self.settled: set[int] = set()
        self.inputs, self.outputs = subgraph.inputs, subgraph.outputs
        self._subgraph = subgraph
        self._before: dict[int, tuple[Operator, ...]] = {}
        self._readers: defaultdict[int, set[int]] = defaultdict(set)
        self._writers: defaultdict[int, set[int]] = defaultdict(set)
        #: Tensors that are known outside: inputs, outputs, and what signatures name.
        self.ports = {*subgraph.inputs, *subgraph.outputs, *_signed(model, number)}
        self._kept = {i for op in subgraph.operators for i in op.intermediates}
        for position, operator in enumerate(subgraph.operators):
            self._put(position, operator)

    # -- looking

    def place(self, position: int) -> str:
        """An operator's path in the model, as notes have it."""
        return f"$.subgraphs[{self.number}].operators[{position}]"

    def __iter__(self) -> Iterator[tuple[int, Operator]]:
        """Positions and operators that are there when their turn comes."""
        for position in range(len(self.operators)):
            operator = self.operators[position]
            if operator is not None:
                yield position, operator

    def operator(self, position: int) -> Operator:
        """The operator at a position, which is there."""
        operator = self.operators[position]
        assert operator is not None
        return operator

    def readers(self, tensor: int) -> list[int]:
        """Positions of the operators that read a tensor."""
        return sorted(self._readers[tensor])

    def writer(self, tensor: int) -> int | None:
        """The one operator that writes a tensor; None where none does, or several do."""
        found = self._writers[tensor]
        return next(iter(found)) if len(found) == 1 else None

    def is_inner(self, tensor: int) -> bool:
        """Whether only operators of this subgraph know a tensor, by reading and writing it."""
        return not (
            tensor in self.ports or tensor in self._kept or self.tensors[tensor].is_variable
        )

    def only_reader(self, tensor: int) -> int | None:
        """The operator that alone reads an inner tensor, once; None where it is otherwise."""
        readers = self._readers[tensor]
        if len(readers) != 1 or not self.is_inner(tensor):
            return None
        position = next(iter(readers))
        return position if self.operator(position).inputs.count(tensor) == 1 else None

    def constant(self, operator: Operator, index: int) -> np.ndarray | None:
        """The value of an operator's input if it is a constant that stays one."""
        if index >= len(operator.inputs) or operator.inputs[index] < 0:
            return None
        tensor = self.tensors[operator.inputs[index]]
        return None if tensor.is_variable else tensor.value

    # -- changing

    def put(self, position: int, operator: Operator | None) -> None:
        """Put an operator in the place of another; None takes that one out."""
        old = self.operators[position]
        for users, indices in self._uses(old):
            for index in indices:
                users[index].discard(position)
        self._put(position, operator)
        self.is_changed = True

    def put_all(self, position: int, operators: Sequence[Operator]) -> None:
        """Put several operators in the place of one.

        Those before the last have no position: nobody finds them until the subgraph is built.
        """
        self._before[position] = tuple(operators[:-1])
        self.put(position, operators[-1])

    def add(self, tensor: Tensor) -> int:
        """Add a tensor."""
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def redirect(self, old: int, new: int) -> None:
        """Redirect all that read one tensor to another."""
        for position in self.readers(old):
            operator = self.operator(position)
            inputs = tuple(new if index == old else index for index in operator.inputs)
            self.put(position, replace(operator, inputs=inputs))

    def add_constant(self, name: str, value: np.ndarray, like: Tensor) -> int:
        """Add a constant of the type and quantisation of another tensor."""
        data = constant_bytes(value)
        tensor = replace(
            *(like,), name=name, shape=value.shape, data=data, shape_signature=None, buffer=0
        )
        return self.add(tensor)

    def subgraph(self) -> Subgraph:
        """The subgraph as it is now."""
        there = tuple(
            one
            for position, operator in self
            for one in (*self._before.get(position, ()), operator)
        )
        return replace(self._subgraph, tensors=tuple(self.tensors), operators=there)

    def _put(self, position: int, operator: Operator | None) -> None:
        self.operators[position] = operator
        for users, indices in self._uses(operator):
            for index in indices:
                users[index].add(position)

    def _uses(
        self, operator: Operator | None
    ) -> tuple[tuple[defaultdict[int, set[int]], tuple[int, ...]], ...]:
        if operator is None:
            return ()
        return (self._readers, operator.inputs), (self._writers, operator.outputs)


def edited(model: Model, edits: Sequence[Edit]) -> Model:
    """The model with what was changed; itself where nothing was."""
    if not any(edit.is_changed for edit in edits):
        return model
    subgraphs = list(model.subgraphs)
    for edit in edits:
        if edit.is_changed:
            subgraphs[edit.number] = edit.subgraph()
    return replace(model, subgraphs=tuple(subgraphs))


def why_fixed(model: Model) -> str:
    """The reason why operators and tensors have to stay as they are; empty if they may change."""
    if OFFLINE_METADATA not in model.metadata:
        return ""
    return (
        f"the file has a memory plan ({OFFLINE_METADATA}) for the operators that it has; let the "
        "pass 'plan' run as well, which makes it anew"
    )


def same_kind(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors have one type and one quantisation."""
    return a.type is b.type and same_quantization(a.quantization, b.quantization)


def same_quantization(a: Quantization | None, b: Quantization | None) -> bool:
    """Whether numbers mean the same; what a converter saw (``min``, ``max``) does not count."""
    if a is None or b is None:
        return a is b
    return (
        np.array_equal(a.scale, b.scale)
        and np.array_equal(a.zero_point, b.zero_point)
        and (a.quantized_dimension == b.quantized_dimension or len(a.scale) <= 1)
    )


def _signed(model: Model, number: int) -> set[int]:
    return {
        index
        for signature in model.signatures
        if signature.subgraph == number
        for index in (*signature.inputs.values(), *signature.outputs.values())
    }
