"""A user's kernel in C++ as a layer's work: what it was given here, it is given on the device.

Its persistent and scratch memory lie in the plan. How much that is the processor's emulated core
says (:mod:`arenite.kernels.sizes`); plain C for any processor takes what it is here, where pointers
are as large as anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arenite.errors import BoardError
from arenite.firmware.network.kernel import (
    Constant,
    Routine,
    Scratch,
    State,
    UnsupportedError,
    Work,
)
from arenite.firmware.network.layers import AnyLayer, Value
from arenite.firmware.network.names import identifier
from arenite.kernels.build import Origin
from arenite.kernels.closure import parser_of
from arenite.kernels.instance import Instance
from arenite.kernels.options import options_alone
from arenite.kernels.sizes import PERSISTENT, SCRATCH, Where, asked_for
from arenite.kernels.tree import find_tree
from arenite.memory.abi import LP64_PUBLIC
from arenite.model import OptionsTable, Tensor
from arenite.ops import builtin
from arenite.ops.context import Array
from arenite.target import HOST, find_target

#: Of every buffer, as TFLM aligns them.
ALIGNMENT = 16
_ROW = "a kernel of yours in C++"


@dataclass(frozen=True, eq=False)
class Port:
    """A tensor of the operator's: the model's facts, and where its bytes are."""

    index: int
    tensor: Tensor
    shape: tuple[int, ...]
    at: Value | Constant | None


@dataclass(frozen=True, eq=False)
class Compiled:
    """Facts that the C++ around a kernel is written from.

    Attributes:
        origin: The function that gives its registration, and its sources.
        operator: The layer's number and name.
        ports: Its tensors, each once.
        inputs, outputs, intermediates: Their indices, -1 for none.
        options: Custom options, or a model with those of a builtin operator.
        parser: The tree's function that reads the latter.
        persistent: Its persistent memory; None where it takes none.
        parsed: Memory of the options that are read.
        scratch: Its scratch buffers.
        temps: How many temporary tensors it has at a time.
    """

    origin: Origin
    operator: tuple[int, str]
    ports: tuple[Port, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    intermediates: tuple[int, ...]
    options: Constant | None
    parser: str
    persistent: State | None
    parsed: State | None
    scratch: tuple[Scratch, ...]
    temps: int


def compiled_work(layer: AnyLayer, processor: str) -> Work:
    """The work of a layer that a user's kernel runs.

    Raises:
        UnsupportedError: What it asks for cannot be given there, or nobody knows how much it is.
    """
    kernel: Instance = layer.kernel
    where = kernel.where
    assert where is not None  # it was prepared
    if kernel.asked_buffers:
        raise UnsupportedError(f"{_ROW} asks for temporary buffers, which a firmware has not")
    if not layer.outputs:
        raise UnsupportedError(f"{_ROW} has no output")
    one = _compiled(layer, kernel, where, processor)
    ports = [port.at for port in one.ports if port.at is not None]
    rest = [part for part in (one.options, one.persistent, one.parsed) if part is not None]
    routine = Routine(
        identifier(layer.name), (), f"return run({layer.index});", language="cc", about=str(layer)
    )
    return Work(
        routine,
        (*ports, *rest, *one.scratch),
        alignment=ALIGNMENT,
        compiled=one,
    )


def _compiled(layer: AnyLayer, kernel: Instance, where: Where, processor: str) -> Compiled:
    operator, origin = layer.operator, kernel.kernel.origin
    lists = operator.inputs, operator.outputs, operator.intermediates
    sizes = _sizes(kernel, where, processor)
    persistent = sum(map(_whole, (size for kind, size in sizes if kind == PERSISTENT)))
    options, parser, parsed = _options(layer, kernel)
    ports = _ports(layer, where)
    return Compiled(
        origin,
        (layer.index, layer.name),
        ports,
        *lists,
        options,
        parser,
        _state(f"memory of layer {layer.index}", persistent),
        _state(f"options of layer {layer.index}", parsed),
        tuple(Scratch(max(size, 1), ALIGNMENT) for kind, size in sizes if kind == SCRATCH),
        max(kernel.most_temps, len(ports)),
    )


def _sizes(kernel: Instance, where: Where, processor: str) -> Sequence[tuple[str, int]]:
    """Kinds and bytes of the memory that it asks for on a processor."""
    if processor == HOST.processor:
        persistent = [(PERSISTENT, buffer.nbytes) for buffer in kernel.persistent_buffers]
        return [*persistent, *((SCRATCH, size) for size in kernel.handles.values())]
    try:
        return asked_for(where, kernel.kernel.path, kernel.kernel.origin, find_target(processor))
    except BoardError as error:
        raise UnsupportedError(
            f"how much memory {_ROW} takes on {processor} is not known: the emulated core does not "
            f"say it: {error}. `--target host` gives it what it takes here, which does anywhere"
        ) from None


def _options(layer: AnyLayer, kernel: Instance) -> tuple[Constant | None, str, int]:
    """Its options, the parser of a builtin operator's, and the bytes that this fills."""
    options, operator = kernel.options, layer.operator
    if not isinstance(options, OptionsTable):
        content = options if isinstance(options, bytes) else b""
        return (_bytes("options", content) if content else None), "", 0
    request = kernel.kernel.request
    parser = parser_of(find_tree(request.tflm, needs_cmsis_nn=False), kernel.kernel.name)
    own = None if operator.is_custom else builtin(operator.name)
    if not parser or own is None or own.builtin_data is None:
        return None, "", 0
    model = options_alone(operator.name, options)
    return _bytes("options", model), parser, _whole(own.builtin_data.size(LP64_PUBLIC))


def _ports(layer: AnyLayer, where: Where) -> tuple[Port, ...]:
    tensors = where.model.subgraphs[where.subgraph].tensors
    operator, values = layer.operator, {v.index: v for v in layer.inputs if v is not None}
    values |= {value.index: value for value in layer.outputs}
    indices = (*operator.inputs, *operator.outputs, *operator.intermediates)
    return tuple(
        Port(index, tensors[index], where.shapes[index].shape, _place(values.get(index)))
        for index in dict.fromkeys(indices)
        if index >= 0
    )


def _place(value: Value | None) -> Value | Constant | None:
    if value is None or value.data is None:
        return value
    return _bytes("constant", np.ascontiguousarray(value.data).tobytes())


def _bytes(role: str, content: bytes) -> Constant:
    data: Array = np.frombuffer(content or b"\0", np.uint8)
    return Constant(role, data, ALIGNMENT)


def _state(key: str, size: int) -> State | None:
    return State(key, size, is_reset=False, alignment=ALIGNMENT) if size else None


def _whole(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
