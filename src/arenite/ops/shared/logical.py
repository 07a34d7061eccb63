"""LOGICAL_AND and LOGICAL_OR: functions of two bools that broadcast.

Facts: TFLM ``micro/kernels/logical.cc`` and ``logical_common.cc``. TFLM prepares nothing and
looks at no type.
"""

from __future__ import annotations

from collections.abc import Callable

from arenite.model.types import BOOL
from arenite.ops import Array, Context, Node, Registration
from arenite.ops.kernel_util import input_array, output_array
from arenite.ops.shared.binary import constraints, resize_output, truth
from arenite.ops.shared.overlap import element_by_element


def logical(function: Callable[[Array, Array], Array]) -> Registration:
    """An operator that gives ``function`` of its inputs, which are true where a byte is not 0."""

    def invoke(context: Context, node: Node) -> None:
        a, b = input_array(context, node, 0), input_array(context, node, 1)
        output_array(context, node)[...] = function(truth(a), truth(b))

    return Registration(
        prepare=resize_output,
        invoke=invoke,
        overlap=element_by_element(0, 1),
        constraints=constraints(BOOL),
    )
