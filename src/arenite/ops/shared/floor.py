"""FLOOR_DIV and FLOOR_MOD: divisions of floats that broadcast, rounded down.

Facts: TFLM ``micro/kernels/floor_div.cc``, ``floor_mod.cc``, ``reference/floor_div.h`` and
``floor_mod.h``. Of all types TFLM has float32 only.
"""

from __future__ import annotations

from collections.abc import Callable

from arenite.model.types import FLOAT32
from arenite.ops import Context, Node, Registration
from arenite.ops.kernel_util import input_tensor, output_tensor
from arenite.ops.shared.binary import constraints, resize_output
from arenite.ops.shared.overlap import element_by_element


def prepare(context: Context, node: Node) -> None:
    """The output's shape."""
    input_tensor(context, node, 0)
    input_tensor(context, node, 1)
    output_tensor(context, node)
    resize_output(context, node)


def floor_division(invoke: Callable[[Context, Node], None]) -> Registration:
    """An operator on two float32 inputs."""
    return Registration(
        prepare=prepare,
        invoke=invoke,
        overlap=element_by_element(0, 1),
        constraints=constraints(FLOAT32),
    )
