"""Loops of TFLM's own kernels: element by element, most of them through an index per element.

Facts: TFLM ``tensorflow/lite/kernels/internal/reference``.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from arenite.libraries.cmsis_nn.cost.loops.copies import memcpy
from arenite.libraries.costs import Loop
from arenite.ops.constraints import NodeView


def copy(view: NodeView) -> list[Loop]:
    """The output is a copy of the input."""
    return memcpy(1, view.input(0).size * view.input(0).type.dtype.itemsize)


def concatenation(view: NodeView) -> list[Loop]:
    """Every input gives a row in turn."""
    name, output = "CONCATENATION", view.output(0)
    axis = view.options.axis % max(len(output.shape), 1)
    outer = prod(output.shape[:axis])
    loops = [Loop(name, "call", 1), Loop(name, "input", len(view.inputs))]
    for tensor in view.inputs:
        if tensor is not None:
            size = tensor.size // max(outer, 1) * tensor.type.dtype.itemsize
            loops += [Loop(name, "row", outer), *memcpy(outer, size)]
    return loops


KERNELS: dict[str, Callable[[NodeView], list[Loop]]] = {"CONCATENATION": concatenation}
COPIES = dict.fromkeys(("RESHAPE", "SQUEEZE"), copy)
