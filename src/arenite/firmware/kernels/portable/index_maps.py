"""Operators that take every element of the output from a place that is known at export.

Where each comes from is asked of the reference kernel: it runs once on the numbers 1, 2, 3 and so
on, and where those end up is the plan; zeros are filled in. The plan becomes nested loops with
steps; where there are no even steps along an axis, a table of offsets. So there is no index
arithmetic here that could differ from the reference's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from arenite.c_text import fill, indented
from arenite.firmware.kernels.portable.dynamic_index_maps import FED
from arenite.firmware.kernels.portable.elementwise_loop import stored, stored_argument, work_of
from arenite.firmware.kernels.portable.lookup import alone
from arenite.firmware.kernels.portable.moving import Write, in_c, moved
from arenite.firmware.kernels.portable.needs import constant_of, require_elements, require_some
from arenite.firmware.kernels.portable.reshape_pad_concat import side_by_side, taken_apart
from arenite.firmware.network.kernel import Constant, UnsupportedError, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.model import Model, ModelBuilder
from arenite.ops.context import Array
from arenite.ops.shared.copy import Interleaving
from arenite.runtime.heap_host import HeapInterpreter

#: Numbers up to here are exact in float32, in which all these operators run.
_MOST = 1 << 24

_TAKEN = "*y++ = x[{}];"
#: Of elements that no integer of C holds.
_PARTS_TAKEN = "for (int32_t part = 0; part < $parts; ++part) *y++ = x[({}) * $parts + part];"
_FILLED = """\
for (int32_t i = 0; i < $size; ++i) y[i] = 0;
$loops"""


def move(layer: Layer[Any]) -> Work:
    """Every element of the output from its place in input 0."""
    if layer.name in FED and not all(one is None or one.is_constant for one in layer.inputs[1:]):
        return FED[layer.name](layer)
    require_some(layer.input(0), layer.output)
    for number, value in enumerate(layer.inputs[1:], 1):
        if value is not None:
            constant_of(value, f"values of input {number}")
    x, y = layer.input(0), layer.output
    if x.size >= _MOST:
        raise UnsupportedError(f"expected fewer than {_MOST} elements, got {x.size}")
    plan = _plan(layer)
    kind, parts = stored(x)
    if (plan >= 0).all():
        text, tables = _loops(plan, _TAKEN if parts == 1 else fill(_PARTS_TAKEN, parts=parts))
    else:
        text, tables = _loops(_inverse(plan, x.size), "y[{}] = *x++;")
        text = fill(_FILLED, size=y.size, loops=text)
    constants = {f"table{n}": Constant("offsets", table) for n, table in enumerate(tables)}
    ends = {f"const {kind} *x": stored_argument(x)}, {f"{kind} *y": y}
    return work_of(layer, text, {**ends[0], **constants, **ends[1]})


def _plan(layer: AnyLayer) -> Array:
    """For every element of the output its number in input 0; -1 where it is 0."""
    x = layer.input(0)
    interpreter = HeapInterpreter(_model(layer), engine="reference")
    interpreter.allocate_tensors()
    numbers = np.arange(1, x.size + 1, dtype=np.float32)
    interpreter.input(0)[...] = numbers.reshape(x.shape)
    interpreter.invoke()
    return np.array(interpreter.output(0)).reshape(-1).astype(np.int64) - 1


def _model(layer: AnyLayer) -> Model:
    """The operator alone, on float32, with its constants."""
    builder = ModelBuilder()
    inputs = [builder.input("x", layer.input(0).shape, "float32")]
    for value in layer.inputs[1:]:
        data = None if value is None else value.data
        inputs.append(-1 if data is None else builder.constant("c", np.array(data)))
    y = builder.tensor("y", layer.output.shape, "float32")
    return alone(builder, layer, inputs, y)


def _inverse(plan: Array, size: int) -> Array:
    """Where every element of the input goes to."""
    places = np.flatnonzero(plan >= 0)
    if len(places) != size:
        raise UnsupportedError("expected every element of the input once in the output")
    inverse = np.empty(size, np.int64)
    inverse[plan[places]] = places
    return inverse


# -- a list of places as loops --------------------------------------------------------


def _loops(places: Array, statement: str) -> tuple[str, list[Array]]:
    """Loops that go through places in order, and the tables that they need."""
    terms, tables, text = [], list[Array](), ""
    levels = list(_levels(places))
    start = int(places[0])
    for number, pattern in enumerate(levels):
        step = _step(pattern)
        if step is None:
            terms.append(f"table{len(tables)}[i{number}]")
            tables.append(pattern.astype(np.int32))
        elif step:
            terms.append(f"i{number} * {step}" if step != 1 else f"i{number}")
    where = " + ".join([*([str(start)] if start else []), *reversed(terms)]) or "0"
    text = statement.format(where)
    for number, pattern in enumerate(levels):
        text = (
            f"for (int32_t i{number} = 0; i{number} < {len(pattern)}; ++i{number}) {{\n"
            f"{indented(text)}\n}}"
        )
    return text, tables


def _levels(places: Array) -> Iterator[Array]:
    """Offsets along every axis, the innermost first; together they make up all places."""
    while len(places) > 1:
        length = _longest_run(places) or _shortest_pattern(places)
        yield places[:length] - places[0]
        places = places[::length]


def _step(pattern: Array) -> int | None:
    """The step between neighbours, if there is one."""
    steps = np.unique(np.diff(pattern))
    return int(steps[0]) if len(steps) == 1 else None


def _longest_run(places: Array) -> int:
    """The largest divisor of the length in which all parts have one and the same step, or 0."""
    step = places[1] - places[0]
    broken = np.flatnonzero(np.diff(places) != step)
    length = int(broken[0]) + 1 if len(broken) else len(places)
    while length > 1:
        if len(places) % length == 0 and _repeats(places, length):
            return length
        length -= 1
    return 0


def _shortest_pattern(places: Array) -> int:
    """The least divisor in which all parts have the same offsets."""
    count = len(places)
    return next(n for n in range(2, count + 1) if count % n == 0 and _repeats(places, n))


def _repeats(places: Array, length: int) -> bool:
    parts = places.reshape(-1, length)
    return bool((parts - parts[:, :1] == parts[0] - parts[0, 0]).all())


# -- parts that are put together or taken apart -----------------------------------------


def pack(layer: Layer[Interleaving], write: Write = in_c) -> Work:
    """Tensors of one shape along a new axis."""
    require_elements(layer)
    parts = [layer.input(number) for number in range(len(layer.inputs))]
    return moved(layer, side_by_side(parts, layer.output, layer.params.outer_size), write)


def unpack(layer: Layer[Interleaving], write: Write = in_c) -> Work:
    """The parts of a tensor along an axis."""
    require_elements(layer)
    return moved(layer, taken_apart(layer.input(0), layer.outputs, layer.params.outer_size), write)


NAMES = (
    *("BATCH_TO_SPACE_ND", "BROADCAST_TO", "DEPTH_TO_SPACE", "MIRROR_PAD"),
    *("RESIZE_NEAREST_NEIGHBOR", "REVERSE_V2", "SPACE_TO_BATCH_ND", "SPACE_TO_DEPTH"),
)
MOVERS = {"PACK": pack, "UNPACK": unpack}
KERNELS = {**dict.fromkeys(NAMES, move), **MOVERS}
