"""A model as what its firmware has to do: layers with finished parameters.

``prepare`` of every operator has run as on the host, so all arithmetic on scales, shapes and
paddings is over here. Nothing below this module knows a graph, a context or a file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from arenite.model import Model, Operator, TensorType
from arenite.model.calls import calls_of
from arenite.ops import resolver_of
from arenite.ops.context import Array, TfLiteTensor
from arenite.ops.custom.tflm_decode import DecodeParams
from arenite.runtime.graph import Graph
from arenite.runtime.heap_host import HeapContext
from arenite.runtime.host import variable_reset_value
from arenite.runtime.lifecycle import Life


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


@dataclass(frozen=True)
class Resource:
    """A resource variable: its number, its bytes, and what each of them is at first.

    Without an operator that assigns it, it has no bytes.
    """

    number: int
    bytes: int
    fill: int


#: The record of parameters that an operator's ``prepare`` returns.
P_co = TypeVar("P_co", covariant=True)


@dataclass(frozen=True, eq=False)
class Layer(Generic[P_co]):
    """One operator: what it reads (None for an absent input), what it writes, its parameters.

    ``called`` are the subgraphs that it runs, ``resources`` the resource variables of the model, if
    it uses one, ``state`` what it remembers at first.
    ``runs`` is how often it does so in one inference: more than once where it is a few rows of a
    layer that goes row by row. ``icache`` are the bytes of the processor's cache of instructions,
    where loops have to fit into one; ``loads_pairs`` says that it loads two words as fast as one.
    ``kernel`` is a user's kernel in C++ that runs it, as :mod:`arenite.kernels.instance` has it.
    """

    index: int
    operator: Operator
    inputs: tuple[Value | None, ...]
    outputs: tuple[Value, ...]
    params: P_co
    called: tuple[Network, ...] = ()
    resources: tuple[Resource, ...] = ()
    state: tuple[Array, ...] = ()
    runs: int = 1
    icache: int | None = None
    loads_pairs: bool = False
    kernel: Any = None

    @property
    def name(self) -> str:
        """The operator's name."""
        return self.operator.name

    @property
    def options(self) -> Any:
        """Options of the operator in the file."""
        return self.operator.options

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


#: A layer of whose parameters nothing is known, and nothing is read.
AnyLayer: TypeAlias = Layer[object]


@dataclass(frozen=True, eq=False)
class Network:
    """Layers in the order in which they run, and what comes in and goes out.

    ``number`` is the subgraph's.
    """

    layers: tuple[Layer[Any], ...]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    number: int = 0

    def variables(self) -> list[Value]:
        """Tensors that keep their bytes and that layers read and write, each once."""
        values = (v for layer in self.layers for v in (*layer.inputs, *layer.outputs))
        found = {v.index: v for v in (*values, *self.outputs) if v is not None and v.is_variable}
        return [found[index] for index in sorted(found)]


def network_of(model: Model) -> Network:
    """The layers of a model; operators have the subgraphs that they call.

    Raises:
        UnsupportedOperatorError: There is no kernel for some operators.
        ConstraintError: An operator cannot run what the model asks of it.
    """
    context = HeapContext(model)
    graph = Graph(model, context)
    graph.resolve(resolver_of(model))
    life = Life(graph)
    life.prepare()
    network = _network(graph, context, 0, {})
    life.free()
    return network


def _network(graph: Graph, context: HeapContext, number: int, known: dict[int, Network]) -> Network:
    """A subgraph, and in its layers those that it calls; every one once."""
    if number in known:
        return known[number]
    subgraph = graph.model.subgraphs[number]
    context.enter_node(number, 0)
    values = [
        _value(_known(context, number, i), variable_reset_value(tensor))
        for i, tensor in enumerate(subgraph.tensors)
    ]
    made = {*subgraph.inputs, *(i for one in subgraph.operators for i in one.outputs)}
    values = [value if i in made else _known_empty(value) for i, value in enumerate(values)]
    layers = []
    for index, operator in enumerate(subgraph.operators):
        node = graph.entry(index, number).node
        inputs = tuple(values[i] if i >= 0 else None for i in node.inputs)
        outputs = tuple(values[i] for i in node.outputs)
        called = tuple(_network(graph, context, one, known) for one in calls_of(operator))
        if isinstance(node.params, DecodeParams):
            _take_decoded(values, node.outputs, node.params)
            outputs = tuple(values[i] for i in node.outputs)
        resources = _resources(graph) if operator.name in _RESOURCE_USERS else ()
        context.enter_node(number, index)
        state = tuple(buffer.copy() for buffer in context.state_buffers())
        layer = Layer(index, operator, inputs, outputs, node.params, called, resources, state)
        own = node.user_data if operator.name in compiled_in(graph.model) else None
        layers.append(replace(layer, kernel=own))
    fed, wanted = (tuple(values[i] for i in side) for side in (subgraph.inputs, subgraph.outputs))
    network = known[number] = Network(tuple(layers), fed, wanted, number)
    return network


def compiled_in(model: Model) -> Collection[str]:
    """Operators that a user's C++ kernels run."""
    if not model.registrations:
        return ()
    from arenite.kernels.compile import compiled_operators  # noqa: PLC0415 - needs the engine

    return compiled_operators(model)


def _known(context: HeapContext, subgraph: int, index: int) -> TfLiteTensor:
    """A tensor with what is known of its data: constants, and numbers of resource variables."""
    tensor = context.view_tensor(index)
    if tensor.type is TensorType.RESOURCE and (subgraph, index) in context.placed:
        return replace(tensor, data=context.tensors[subgraph][index].data)
    return tensor


def _known_empty(value: Value) -> Value:
    """A constant without elements, which has no bytes in a file, as one."""
    if value.size or value.is_variable or value.data is not None:
        return value
    return replace(value, data=np.zeros(value.shape, value.type.dtype))


def _take_decoded(values: list[Value], outputs: Sequence[int], params: DecodeParams) -> None:
    """Tell all that read decoded constants what they are."""
    at = 0
    for index in outputs:
        value = values[index]
        data = params.decoded[at : at + value.nbytes].view(value.type.dtype)
        values[index] = replace(value, data=data.reshape(value.shape))
        at += value.nbytes


_RESOURCE_USERS = ("READ_VARIABLE", "ASSIGN_VARIABLE")


def _resources(graph: Graph) -> tuple[Resource, ...]:
    variables = graph.resource_variables
    found = [] if variables is None else variables.variables
    sizes = [0 if one.buffer is None else one.buffer.size for one in found]
    return tuple(
        Resource(number, size, one.default)
        for number, (one, size) in enumerate(zip(found, sizes, strict=True))
    )


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
