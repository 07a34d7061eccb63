"""A net at given input shapes as a :class:`Model`: operator by operator, in the net's order.

Facts: MNN 3.6.1 ``core/Schedule.cpp`` (which tensors are inputs and outputs),
``geometry/GeometryComputerUtils.cpp`` (what is computed when shapes are).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from arenite import native
from arenite.errors import ModelError, UnsupportedOperatorError
from arenite.mnn.file.enums import (
    TENSOR_TYPES,
    BinaryKind,
    EltwiseKind,
    Format,
    OpType,
    ReductionKind,
    UnaryKind,
)
from arenite.mnn.file.net import Net, Op, Shape
from arenite.mnn.lowering import (
    blocks,
    convolution,
    deconvolution,
    elementwise,
    gathers,
    images,
    int8,
    parts,
    pooling,
    raster,
    reduction,
    scatters,
    slices,
    sources,
    views,
)
from arenite.mnn.lowering.fusion import fused
from arenite.mnn.lowering.graph_builder import GraphBuilder
from arenite.mnn.lowering.parameters import check_parameters
from arenite.mnn.lowering.quantization import READING_INT8, computes_in_int8, scales
from arenite.model import Model, Operator, Subgraph, Tensor, TensorType
from arenite.model.check import check

Mapper = Callable[[GraphBuilder, Op], None]

#: How each of MNN's operators is mapped: the table that every module has of its own, joined.
MAPPERS: dict[OpType, Mapper] = {
    **blocks.MAPPINGS,
    **convolution.MAPPINGS,
    **deconvolution.MAPPINGS,
    **elementwise.MAPPINGS,
    **gathers.MAPPINGS,
    **images.MAPPINGS,
    **int8.MAPPINGS,
    **parts.MAPPINGS,
    **pooling.MAPPINGS,
    **raster.MAPPINGS,
    **reduction.MAPPINGS,
    **scatters.MAPPINGS,
    **slices.MAPPINGS,
    **sources.MAPPINGS,
    **views.MAPPINGS,
}

#: Operators that have kinds: the parameter that says it, and the kinds that there are.
KINDS: Mapping[OpType, tuple[str, type[IntEnum]]] = {
    OpType.UnaryOp: ("opType", UnaryKind),
    OpType.BinaryOp: ("opType", BinaryKind),
    OpType.Eltwise: ("type", EltwiseKind),
    OpType.Reduction: ("operation", ReductionKind),
}
NOT_MAPPED_KINDS = {
    (OpType.Reduction, ReductionKind.ASUM),
    (OpType.Reduction, ReductionKind.SUMSQ),
}


@dataclass(frozen=True)
class NetPort:
    """An input or output of a net, as MNN speaks of it.

    ``tensor`` is its position among the model's tensors; ``shape`` is in the order of
    ``format``, and so are the tensor's elements.
    """

    name: str
    shape: Shape
    type: TensorType
    format: Format
    tensor: int


@dataclass(frozen=True)
class Converted:
    """A net at certain input shapes.

    ``origins`` gives for every operator of the model the position of the net's operator that
    it comes from.
    """

    model: Model
    inputs: tuple[NetPort, ...]
    outputs: tuple[NetPort, ...]
    origins: tuple[int, ...]


def convert(
    net: Net,
    *,
    input_shapes: Mapping[str, Sequence[int]] | None = None,
    outputs: Sequence[str] | None = None,
) -> Converted:
    """Map a net's operators to Arenite's.

    Args:
        net: The net.
        input_shapes: Shapes of inputs by name, in the order of the input's format, where they
            are not those of the file. An open first dimension is 1 if it is not given.
        outputs: Names of the tensors to compute; by default the net's outputs.

    Raises:
        ModelError: An operator is malformed, shapes do not fit, or a name is not known.
        UnsupportedOperatorError: Lists all operators that have no mapping.
    """
    wanted = output_tensors(net, outputs)
    used = needed(net, wanted)
    graph = GraphBuilder(net, scales(net, used))
    check_supported(used)
    ports = [_input(graph, op, input_shapes or {}) for op in net.inputs]
    _check_names(net, input_shapes or {})
    with np.errstate(all="ignore"):  # a file's scales and weights may be any numbers
        for op in used:
            _lower(graph, op)
    return _finished(graph, ports, [_output(graph, net, index) for index in wanted])


def _lower(graph: GraphBuilder, op: Op) -> None:
    """One operator of the net as Arenite's operators."""
    if op.type is OpType.Input or op.type is None:
        return
    graph.enter(op)
    check_parameters(graph, op)
    if op.type not in READING_INT8:
        _make_real(graph, op)
    if not computes_in_int8(op, graph.steps):
        MAPPERS[op.type](graph, op)
        return
    with graph.reading_int8(op):
        MAPPERS[op.type](graph, op)
    graph.quantize(graph.values[op.outputs[0]])


def _make_real(graph: GraphBuilder, op: Op) -> None:
    """Give an operator whole numbers for inputs that are int8 without a scale."""
    for index in op.inputs:
        value = graph.values.get(index)
        if value is not None and value.type is TensorType.INT8:
            graph.values[index] = graph.real(value)


# -- which operators ----------------------------------------------------------------------


def output_tensors(net: Net, names: Sequence[str] | None) -> list[int]:
    """Positions of the outputs: named ones, the file's own, or all that nobody reads."""
    positions = {name: index for index, name in reversed(list(enumerate(net.tensor_names)))}
    for name in names or ():
        if name not in positions:
            raise ModelError(f"the model has no tensor {name!r}")
    found = [positions[name] for name in names or net.output_names if name in positions]
    if found:
        return found
    read = {index for op in net.ops for index in op.inputs}
    made = [index for op in net.ops for index in op.outputs if op.type is not OpType.Const]
    return [index for index in made if index not in read]


def needed(net: Net, outputs: Iterable[int]) -> list[Op]:
    """The operators on which the outputs depend, in order."""
    wanted = set(outputs)
    used = []
    for op in reversed(net.ops):
        if wanted.intersection(op.outputs):
            used.append(op)
            wanted.update(op.inputs)
    return used[::-1]


def check_supported(ops: Iterable[Op]) -> None:
    """Raise ``UnsupportedOperatorError`` with all operators that are not mapped."""
    missing: dict[str, int] = {}
    for op in ops:
        name = missing_name(op)
        if name:
            missing[name] = missing.get(name, 0) + 1
    if missing:
        listed = ", ".join(f"{name} ({count})" for name, count in missing.items())
        raise UnsupportedOperatorError(
            f"the model needs MNN operators that are not mapped to Arenite's: {listed}",
            tuple(missing),
        )


def missing_name(op: Op) -> str:
    """The name of what is missing for an operator, with its kind; empty if nothing is."""
    if op.type is OpType.Input:
        return ""
    if op.type is None or op.type not in MAPPERS:
        inner = op.main.get("type") if op.main_type in ("Extra", "Plugin") else None
        return f"{op.type_name}.{inner}" if inner else op.type_name
    if op.type not in KINDS:
        return ""
    field, kinds = KINDS[op.type]
    code = op.main.get(field, 0)
    if code not in {int(kind) for kind in kinds}:
        return f"{op.type_name}.{code}"
    kind = kinds(code)
    return f"{op.type_name}.{kind.name}" if (op.type, kind) in NOT_MAPPED_KINDS else ""


# -- inputs and outputs -------------------------------------------------------------------


def _input(graph: GraphBuilder, op: Op, shapes: Mapping[str, Sequence[int]]) -> NetPort:
    row = op.main
    check_parameters(graph, op)
    if len(op.outputs) != 1:
        graph.fail(op, f"expected one output, got {len(op.outputs)}")
    name = graph.net.tensor_names[op.outputs[0]]
    given = row["dims"]
    dims = [] if given is None else [int(n) for n in given]
    if name in shapes:
        if given is not None and len(shapes[name]) != len(dims):
            raise ModelError(
                f"input {name!r}: expected {len(dims)} dimensions, got {list(shapes[name])}"
            )
        dims = [int(n) for n in shapes[name]]
    elif dims and dims[0] < 1:
        dims[0] = 1
    if min(dims, default=1) < 1:
        graph.fail(op, f"the shape {dims} is open; say what it is with input_shapes", ".main.dims")
    type_ = TENSOR_TYPES.get(row["dtype"])
    if type_ is None or not 0 <= row["dformat"] <= Format.NC4HW4:
        graph.fail(op, f"data type {row['dtype']} or format {row['dformat']} is not supported")
    value = graph.output(op, dims, type=type_, format=Format(row["dformat"]))
    index = graph.new(value)
    return NetPort(name, value.shape, type_, value.format, index)


def _check_names(net: Net, shapes: Mapping[str, Sequence[int]]) -> None:
    names = [net.tensor_names[op.outputs[0]] for op in net.inputs]
    for name in shapes:
        if name not in names:
            raise ModelError(f"expected the name of an input, one of {names}, got {name!r}")


def _output(graph: GraphBuilder, net: Net, index: int) -> NetPort:
    value = graph.values.get(index)
    if value is None:
        raise ModelError(f"the output {net.tensor_names[index]!r} is computed by no operator")
    return NetPort(value.name, value.shape, value.type, value.format, graph.tensor(value))


# -- the model ----------------------------------------------------------------------------


def _finished(graph: GraphBuilder, inputs: list[NetPort], outputs: list[NetPort]) -> Converted:
    """The model, without the operators that nothing depends on in the end."""
    built = graph.builder.subgraph()
    wanted = {port.tensor for port in outputs}
    operators, origins = _live(built.operators, graph.origins, set(wanted))
    operators, origins = fused(operators, origins, built.tensors, wanted)
    kept = {port.tensor for port in (*inputs, *outputs)}
    kept.update(i for op in operators for i in (*op.inputs, *op.outputs) if i >= 0)
    places = {index: place for place, index in enumerate(sorted(kept))}
    inputs, outputs = (
        [replace(port, tensor=places[port.tensor]) for port in ports] for ports in (inputs, outputs)
    )
    names = {port.tensor: port.name for port in (*inputs, *outputs)}
    net = graph.net
    model = Model(
        subgraphs=(
            Subgraph(
                tensors=_named([built.tensors[index] for index in places], names),
                operators=tuple(_moved(operator, places) for operator in operators),
                inputs=tuple(port.tensor for port in inputs),
                outputs=tuple(port.tensor for port in outputs),
            ),
        ),
        description=f"MNN {net.version}",
        source=net.source,
        nbytes=net.nbytes,
        format="mnn",
    )
    check(model, native.checks())
    return Converted(model, tuple(inputs), tuple(outputs), tuple(origins))


def _live(
    operators: Sequence[Operator], origins: Sequence[int], wanted: set[int]
) -> tuple[list[Operator], list[int]]:
    """The operators that lead to the wanted tensors, and their origins."""
    live = []
    for operator, origin in zip(reversed(operators), reversed(origins), strict=True):
        if wanted.intersection(operator.outputs):
            live.append((operator, origin))
            wanted.update(operator.inputs)
    live.reverse()
    return [operator for operator, _ in live], [origin for _, origin in live]


def _moved(operator: Operator, places: Mapping[int, int]) -> Operator:
    return replace(
        operator,
        inputs=tuple(places[index] for index in operator.inputs),
        outputs=tuple(places[index] for index in operator.outputs),
    )


def _named(tensors: Sequence[Tensor], names: Mapping[int, str]) -> tuple[Tensor, ...]:
    """The tensors; inputs and outputs have their names to themselves."""
    taken = set(names.values())
    named = []
    for index, tensor in enumerate(tensors):
        name = names.get(index)
        if name is None:
            name = f"{tensor.name} (inner)" if tensor.name in taken else tensor.name
        named.append(replace(tensor, name=name, buffer=index + 1 if tensor.is_constant else 0))
    return tuple(named)
