"""The time of layers, roughly: what plans are chosen by before anything has run.

Cycles on a Cortex-M4 by ``arenite cost``'s rule, from a layer's shape and from what it is written
in; measured on the emulated board, within 15 % for most layers in assembly. Plain C is estimated
by the operations in its loops.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.firmware.streaming.group import Group
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams

#: A product and an element in plain C.
_PRODUCT, _ELEMENT = 11, 12
#: A call with its driver; a byte that is moved; a step of a group's driver and a byte of its sums.
_CALL, _MOVED, _STEP, _SUMMED = 60, 1.2, 150, 5.0


def cycles(layer: AnyLayer, work: Work) -> float:
    """Of a layer that is done by ``work``."""
    if work.routine is None:
        return 0
    if work.cycles:
        return _CALL + work.cycles
    estimate = _ASSEMBLY.get(layer.name) if work.routine.is_assembly else None
    return _CALL + (_plain(layer) if estimate is None else estimate(layer, work))


def group_cycles(group: Group) -> float:
    """Of a group: its kernels, and what moves rows and decides who goes."""
    total = 0.0
    for step in group.schedule.steps:
        actor, member = group.scene.actors[step.actor], group.members[step.actor]
        row, total = group.row_bytes(actor.writes), total + _STEP
        if step.row >= actor.rows or member.layer is None:
            total += step.rows * row * (1 if member.layer is None else _ELEMENT)
        elif actor.collects:
            total += step.rows * group.row_bytes(actor.reads[0].store) * _SUMMED
        else:
            part = member.parts[step.rows]
            total += cycles(part.layer, part.work)
    return total + _MOVED * sum(_moved(group, store) for store, _ in enumerate(group.values))


def _moved(group: Group, store: int) -> int:
    """Bytes that a ring's rows are moved, about: those that wait, whenever others come."""
    rows, ring = group.schedule.rows[store], group.scene.stores[store]
    if not rows or rows >= ring.rows:
        return 0
    actor = group.scene.actors[group.scene.writer[store]]
    return (rows - actor.step) * group.row_bytes(store) * (actor.rows // actor.step)


# -- kernels ------------------------------------------------------------------------------


def _plain(layer: AnyLayer) -> float:
    size = products = sum(value.size for value in layer.outputs)
    if len(layer.inputs) > 1 and layer.inputs[1] is not None and layer.inputs[1].data is not None:
        shape = layer.input(1).shape
        if layer.name in ("CONV_2D", "FULLY_CONNECTED"):
            products *= prod(shape[1:])
        elif layer.name == "DEPTHWISE_CONV_2D":
            products *= prod(shape[:-1])
    window = getattr(layer.params, "window", None)
    if window is not None and "POOL" in layer.name:
        products *= prod(window.filter_size)
    return products * _PRODUCT + size * _ELEMENT


def _conv(layer: Layer[Conv2DParams], work: Work) -> float:
    assert work.routine is not None
    if work.routine.stem == "fully_connected":
        return layer.output.size * layer.input(0).size * 1.35
    _, _, width, depth = layer.input(0).shape
    _, rows, columns, filters = layer.output.shape
    quads = -(-filters // 4)
    if layer.params.window.filter_size == (1, 1) and work.routine.stem == "pointwise":
        return (rows * columns + 1) // 2 * (quads * (8 * depth + 90) + 3 * depth + 40)
    kernel_h, kernel_w = (int(n) for n in layer.params.window.filter_size)
    taps = kernel_w * (kernel_h * depth + kernel_h * depth % 2)
    pairs = rows * ((columns + 1) // 2)
    widened = rows * kernel_h * width * depth * (1.7 if depth % 8 == 0 else 4.2)
    return pairs * (quads * (8 * taps + 90) + 40) + widened


def _depthwise(layer: Layer[DepthwiseConv2DParams], work: Work) -> float:
    assert work.routine is not None
    if work.routine.stem == "depthwise_column":
        return layer.input(0).size * 3.0 + layer.output.size * 14
    _, rows, columns, channels = layer.output.shape
    stride = int(layer.params.window.stride[0])
    height = min(rows, 8)
    strips = -(-rows // height)
    gathered = strips * ((height - 1) * stride + 3) * (columns * stride // 2 + 2) * 20
    each = (18.5 if height == 1 else 15.0) + (5 if stride == 2 else 0)
    return channels / 4 * (strips * 260 + gathered + 4 * rows * columns * each)


_ASSEMBLY: dict[str, Callable[[Layer[Any], Work], float]] = {
    "ADD": lambda layer, _: layer.output.size * 8.25,
    "AVERAGE_POOL_2D": lambda layer, _: layer.input(0).size * 2.4,
    "CONV_2D": _conv,
    "DEPTHWISE_CONV_2D": _depthwise,
    "FULLY_CONNECTED": lambda layer, _: layer.output.size * layer.input(0).shape[-1] * 1.35,
    "SUB": lambda layer, _: layer.output.size * 8.25,
}
