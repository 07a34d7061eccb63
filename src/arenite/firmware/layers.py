"""A model as what its firmware has to do: layers with finished parameters.

``prepare`` of every operator has run as on the host, so all arithmetic on scales, shapes and
paddings is over here. Nothing below this module knows a graph, a context or a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from arenite.errors import UnsupportedOperatorError
from arenite.model import Model, Operator, TensorType
from arenite.ops import AllOpsResolver
from arenite.ops.context import Array, TfLiteTensor
from arenite.runtime.graph import Graph
from arenite.runtime.heap_host import HeapContext
from arenite.runtime.host import variable_reset_value
from arenite.runtime.life import Life


@dataclass(frozen=True, eq=False)
class Value:
    """A tensor. ``data`` is its array where it is a constant, and lies in flash then.

    A variable keeps its bytes from one inference to the next; ``reset`` is what every one of
    them is when an interpreter begins, or is reset.
    """

    index: int
    name: str
    type: TensorType
    shape: tuple[int, ...]
    scale: float
    zero_point: int
    data: Array | None = None
    is_variable: bool = False
    reset: int = 0

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.type.nbytes(self.size)

    @property
    def is_constant(self) -> bool:
        """Whether the value is part of the model."""
        return self.data is not None


@dataclass(frozen=True, eq=False)
class Layer:
    """One operator: what it reads (None for an absent input), what it writes, its parameters."""

    index: int
    operator: Operator
    inputs: tuple[Value | None, ...]
    outputs: tuple[Value, ...]
    params: Any

    @property
    def name(self) -> str:
        """The operator's name."""
        return self.operator.name

    def input(self, number: int) -> Value:
        """An input that is there."""
        value = self.inputs[number]
        assert value is not None
        return value

    @property
    def output(self) -> Value:
        """The only output."""
        return self.outputs[0]

    def __str__(self) -> str:
        shapes = ", ".join("x".join(map(str, value.shape)) or "scalar" for value in self.present())
        results = ", ".join("x".join(map(str, value.shape)) or "scalar" for value in self.outputs)
        return f"{self.name} {shapes} -> {results}"

    def present(self) -> Iterator[Value]:
        """The inputs that are computed or fed."""
        return (value for value in self.inputs if value is not None and not value.is_constant)


@dataclass(frozen=True, eq=False)
class Network:
    """Layers in the order in which they run, and what comes in and goes out."""

    layers: tuple[Layer, ...]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]

    def variables(self) -> list[Value]:
        """What layers read and write that keeps its bytes, every tensor once."""
        values = (v for layer in self.layers for v in (*layer.inputs, *layer.outputs))
        found = {v.index: v for v in (*values, *self.outputs) if v is not None and v.is_variable}
        return [found[index] for index in sorted(found)]


def network_of(model: Model) -> Network:
    """The layers of a model of one subgraph.

    Raises:
        UnsupportedOperatorError: There is no kernel for some operators, or the model has
            subgraphs besides the main one.
        ConstraintError: An operator cannot run what the model asks of it.
    """
    if len(model.subgraphs) > 1:
        callers = sorted({op.name for op in model.main.operators if op.name in _CALLERS})
        raise UnsupportedOperatorError(
            f"expected a model of one subgraph, got {len(model.subgraphs)}: firmware with "
            f"{', '.join(callers) or 'several subgraphs'} cannot be exported",
            callers,
        )
    context = HeapContext(model)
    graph = Graph(model, context)
    graph.resolve(AllOpsResolver())
    life = Life(graph)
    life.prepare()
    context.enter_node(0, 0)
    values = [
        _value(context.view_tensor(i), variable_reset_value(tensor))
        for i, tensor in enumerate(model.main.tensors)
    ]
    layers = []
    for index, operator in enumerate(model.main.operators):
        node = graph.entry(index).node
        inputs = tuple(values[i] if i >= 0 else None for i in node.inputs)
        outputs = tuple(values[i] for i in node.outputs)
        layers.append(Layer(index, operator, inputs, outputs, node.params))
    life.free()
    fed, wanted = model.main.inputs, model.main.outputs
    return Network(tuple(layers), tuple(values[i] for i in fed), tuple(values[i] for i in wanted))


_CALLERS = ("IF", "WHILE", "CALL_ONCE")


def _value(tensor: TfLiteTensor, reset: int) -> Value:
    return Value(
        tensor.index,
        tensor.name,
        tensor.type,
        tuple(tensor.shape),
        tensor.scale,
        tensor.zero_point,
        None if tensor.is_variable else tensor.data,
        tensor.is_variable,
        reset & 0xFF,
    )
