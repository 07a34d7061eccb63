"""Loops of TFLM's own kernels that go value by value, and of those whose inputs broadcast.

Facts: TFLM ``kernels/internal/reference/broadcast_loop.h``, ``requantize.h``,
``select.h``, ``add_n.h``.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from arenite.libraries.cmsis_nn.cost.loops.kind import kernel_of, loops
from arenite.libraries.costs import Loop
from arenite.ops.constraints import NodeView
from arenite.ops.context import TfLiteTensor

Shape = tuple[int, ...]


class Level(NamedTuple):
    """A loop over ``size`` steps; whether an operand stays where it is in them."""

    size: int
    fixed: tuple[bool, ...]


def by_value(view: NodeView) -> list[Loop]:
    """One pass per value of the output."""
    return loops(kernel_of(view), flat(view.output(0)))


def flat(output: TfLiteTensor) -> dict[str, int]:
    """Dimensions are multiplied, then values go by one by one."""
    return {"dimension": len(output.shape), "value": output.size}


def quantize(view: NodeView) -> list[Loop]:
    """Value by value; int8 and uint8 of the same scale differ by their highest bit alone."""
    given, output = view.input(0), view.output(0)
    away = {"int8 to uint8": -128, "uint8 to int8": 128}.get(f"{given.type} to {output.type}")
    if given.scale != output.scale or given.zero_point - output.zero_point != away:
        return by_value(view)
    times = {"dimension": len(output.shape), "value whose highest bit changes": output.size}
    return loops(kernel_of(view), times)


def binary(view: NodeView) -> list[Loop]:
    """Flat if both shapes are the same, else nested loops over dimensions that were joined."""
    shapes = (view.input(0).shape, view.input(1).shape)
    if shapes[0] == shapes[1] and view.name not in ("MAXIMUM", "MINIMUM"):
        return by_value(view)
    kernel = kernel_of(view) + ", broadcast" * (view.name not in ("MAXIMUM", "MINIMUM"))
    return broadcast(kernel, shapes, view.output(0).shape)


def broadcast(kernel: str, shapes: tuple[Shape, ...], output: Shape) -> list[Loop]:
    """Innermost runs are of one kind: an operand is one value, or all move on."""
    levels = joined_levels(shapes, output)
    runs = prod(level.size for level in levels[1:])
    innermost = levels[0]
    outer = sum(prod(level.size for level in levels[n + 1 :]) for n in range(1, len(levels)))
    values = runs * innermost.size
    one = next((n for n, fixed in enumerate(innermost.fixed) if fixed), None)
    step = "value" if one is None else f"value, operand {one} is one"
    times = {"dimension": len(output), "level": len(levels), "run": runs, "outer pass": outer}
    return loops(kernel, {**times, step: values})


def joined_levels(shapes: tuple[Shape, ...], output: Shape) -> list[Level]:
    """Loops from the innermost out; a dimension joins the one inside if all operands go on."""
    rank = len(output)
    full = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    levels: list[Level] = []
    for axis in reversed(range(rank)):
        fixed = tuple(shape[axis] == 1 and output[axis] != 1 for shape in full)
        if levels and (output[axis] == 1 or fixed == levels[-1].fixed):
            levels[-1] = Level(levels[-1].size * output[axis], levels[-1].fixed)
        else:
            levels.append(Level(output[axis], fixed))
    return levels or [Level(1, (False,) * len(shapes))]


def select(view: NodeView) -> list[Loop]:
    """Flat, or nested loops where one of three inputs broadcasts."""
    shapes = tuple(view.input(index).shape for index in range(3))
    typed = f"{view.name}, {view.input(1).type}"
    if len(set(shapes)) == 1:
        return loops(typed, flat(view.output(0)))
    return broadcast(f"{typed}, broadcast", shapes, view.output(0).shape)


def prelu(view: NodeView) -> list[Loop]:
    """Slopes broadcast; of float32 through an index per value."""
    output = view.output(0)
    if str(view.input(0).type) == "float32":
        rows = output.size // max(output.shape[-1], 1) if output.shape else 1
        return loops(kernel_of(view), {"row": rows, "value": output.size})
    return broadcast(kernel_of(view), (view.input(0).shape, view.input(1).shape), output.shape)


def add_n(view: NodeView) -> list[Loop]:
    """Value by value, each the sum of all inputs."""
    size, count = view.output(0).size, len(view.inputs)
    times = {"input": count, "summand": size * count}
    return loops(kernel_of(view), {**flat(view.output(0)), **times})


_ONE_INPUT = """ABS CAST CEIL COS DEQUANTIZE ELU EXP FLOOR HARD_SWISH LEAKY_RELU LOG LOGICAL_NOT
LOGISTIC NEG RELU RELU6 ROUND RSQRT SIN SQRT SQUARE TANH ZEROS_LIKE FILL"""
_TWO_INPUTS = """ADD DIV EQUAL FLOOR_DIV FLOOR_MOD GREATER GREATER_EQUAL LESS LESS_EQUAL
LOGICAL_AND LOGICAL_OR MAXIMUM MINIMUM MUL NOT_EQUAL SQUARED_DIFFERENCE SUB"""

KERNELS = {
    **dict.fromkeys(_ONE_INPUT.split(), by_value),
    **dict.fromkeys(_TWO_INPUTS.split(), binary),
    "ADD_N": add_n,
    "PRELU": prelu,
    "QUANTIZE": quantize,
    "SELECT_V2": select,
}
