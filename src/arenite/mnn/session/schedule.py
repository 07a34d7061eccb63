"""The operators of a net that a session runs, and their tensors.

Facts: MNN 3.6.1 ``core/Schedule.cpp`` (``generateScheduleGraph``, ``schedule``),
``utils/InitNet.cpp``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from arenite.mnn.file.enums import TENSOR_TYPES
from arenite.mnn.lowering.models import Converted, Format, Net, NetPort, Op, OpType, convert
from arenite.mnn.session.config import ScheduleConfig
from arenite.mnn.session.constants import DimensionType
from arenite.mnn.session.flops import flops
from arenite.mnn.session.plan import Plan, PlannedNode, Schedule, SessionPort, Shape
from arenite.model import TensorType

_CONSTANTS = (OpType.Const, OpType.TrainableParam)
#: What MNN says of a tensor of which it knows nothing: a path's inputs begin so.
_UNKNOWN = {"dims": np.zeros(4, np.int32), "dtype": 1, "dformat": int(Format.NC4HW4)}


def schedule(net: Net, config: ScheduleConfig) -> Schedule:
    """Plan of a session with that configuration.

    Raises:
        ValueError: The configuration names operators or tensors that are not there.
    """
    names = [op.name for op in net.ops]
    _check_names("saveTensors", config.save_tensors, net.tensor_names)
    _check_names("inputPaths", config.input_paths, names)
    _check_names("outputPaths", config.output_paths, names)
    part = _part(net, config)
    inputs = tuple(_port(net, op) for op in part.inputs)
    return Schedule(inputs, part.output_names, partial(_plan, part))


def _plan(net: Net, shapes: Mapping[str, Shape]) -> Plan:
    """The net with inputs of these shapes."""
    ops = tuple(
        replace(op, main={**op.main, "dims": np.array(shapes[_name(net, op)], np.int64)})
        if op.type is OpType.Input
        else op
        for op in net.ops
    )
    converted = convert(replace(net, ops=ops), outputs=net.output_names)
    ports = (*converted.inputs, *converted.outputs)
    return Plan(
        model=converted.model,
        inputs=tuple(map(_planned, converted.inputs)),
        outputs=tuple(map(_planned, converted.outputs)),
        nodes=tuple(_nodes(net, converted)),
        dimensions={port.tensor: dimension_of(port.format) for port in ports},
    )


def _planned(port: NetPort) -> SessionPort:
    return SessionPort(port.name, port.shape, port.type, dimension_of(port.format))


def _nodes(net: Net, converted: Converted) -> Iterator[PlannedNode]:
    """The model's operators under MNN's names.

    The last one that comes from an operator of the net is that operator; those before it move
    data for it, and have a number behind its name and Arenite's type.
    """
    ops = {op.index: op for op in net.ops}
    model = converted.model
    last = {origin: place for place, origin in enumerate(converted.origins)}
    for place, (origin, operator) in enumerate(
        zip(converted.origins, model.main.operators, strict=True)
    ):
        op = ops[origin]
        work = flops(model, operator)
        if last[origin] == place:
            yield PlannedNode(
                op.name or model.main.tensors[operator.outputs[0]].name, op.type_name, work
            )
        else:
            yield PlannedNode(f"{op.name}_{place}", operator.name, work)


def _part(net: Net, config: ScheduleConfig) -> Net:
    """The net with the operators that run, the constants and inputs that they read."""
    work = _on_paths(net, config.input_paths, config.output_paths)
    computed = {index for op in work for index in op.outputs}
    used = {index for op in work for index in op.inputs}
    given = [
        op
        for op in net.ops
        if op.type in (OpType.Input, *_CONSTANTS) and used.intersection(op.outputs)
    ]
    known = computed.union(*(op.outputs for op in given))
    cut = [_cut(net, index) for index in sorted(used - known)]
    wanted = {op.index for op in (*given, *work)}
    ops = (*cut, *(op for op in net.ops if op.index in wanted))
    outputs = _outputs(net, config.save_tensors, known, computed - used)
    return replace(net, ops=ops, output_names=outputs)


def _on_paths(net: Net, sources: Sequence[str], sinks: Sequence[str]) -> list[Op]:
    """The operators that compute something: all, or what the sinks need, up to the sources."""
    work = [op for op in net.ops if op.type not in (OpType.Input, *_CONSTANTS)]
    if not sources and not sinks:
        return work
    ends = {index for op in net.ops if op.name in sources for index in op.outputs}
    needed = {
        index for op in net.ops if op.name in sinks for index in (*op.inputs, *op.outputs)
    } - ends
    runs = {op.index for op in net.ops if op.name in sources or op.name in sinks}
    while True:
        more = {op.index for op in work if needed.intersection(op.outputs)} - runs
        if not more:
            return [op for op in work if op.index in runs]
        runs |= more
        needed |= {index for op in work if op.index in more for index in op.inputs} - ends


def _cut(net: Net, index: int) -> Op:
    """An input where the path leaves the net; messages name the operator that it replaces."""
    return Op(
        index=next((op.index for op in net.ops if index in op.outputs), 0),
        type=OpType.Input,
        code=OpType.Input,
        name=net.tensor_names[index],
        inputs=(),
        outputs=(index,),
        main=_UNKNOWN,
        main_type="Input",
        format=Format.NC4HW4,
    )


def _outputs(
    net: Net, saved: Sequence[str], known: Collection[int], sinks: Collection[int]
) -> tuple[str, ...]:
    """Names of the outputs: those asked for and the net's, or what nobody reads."""
    there = {net.tensor_names[index] for index in known}
    missing = [name for name in saved if name not in there]
    if missing:
        raise ValueError(f"saveTensors: the session does not compute {missing}")
    names = [*saved, *(name for name in net.output_names if name in there)]
    return tuple(dict.fromkeys(names or (net.tensor_names[index] for index in sorted(sinks))))


def _port(net: Net, op: Op) -> SessionPort:
    form = op.main.get("dformat", Format.NC4HW4)
    if form not in tuple(Format):
        net.fail(f"expected a data format from 0 to 4, got {form}", f"{op.path}.main.dformat")
    dims = op.main.get("dims")
    shape = () if dims is None else tuple(int(size) for size in dims)
    if shape[:1] == (-1,):
        shape = (1, *shape[1:])  # an open batch is one sample
    return SessionPort(
        _name(net, op),
        shape,
        TENSOR_TYPES.get(op.main.get("dtype", 1), TensorType.FLOAT32),
        dimension_of(Format(form)),
    )


def dimension_of(format_: Format) -> DimensionType:
    """Answer of ``getDimensionType`` for a tensor of that format."""
    return DimensionType.TENSORFLOW if format_ is Format.NHWC else DimensionType.CAFFE


def _name(net: Net, op: Op) -> str:
    return net.tensor_names[op.outputs[0]]


def _check_names(key: str, names: Sequence[str], known: Sequence[str]) -> None:
    missing = [name for name in names if name not in known]
    if missing:
        raise ValueError(f"{key}: the model has no {missing}")
