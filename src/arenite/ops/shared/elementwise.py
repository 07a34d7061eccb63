"""Common parts of operators that compute every element of a tensor by itself.

Facts: TFLM ``micro/kernels/elementwise.cc``, ``ceil.cc``, ``floor.cc``, ``round.cc``, ``exp.cc``
and ``neg.cc``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arenite.model import TensorType
from arenite.model.types import FLOAT32
from arenite.ops import Array, Context, Declared, Node, Registration
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.overlap import element_by_element

#: ``f(x)`` or ``f(x, out=y)``, as NumPy's own functions of one array are.
Function = Callable[..., Any]


def register(
    function: Function,
    kind: TensorType = FLOAT32,
    *,
    declared: Declared = "kept",
    prepares: bool = True,
) -> Registration:
    """The registration of a function of one type's values.

    ``declared`` says what becomes of a model's other dimensions of the output. Where TFLM
    ``prepares`` nothing, it asks for no tensor.
    """

    def prepare(context: Context, node: Node) -> None:
        if prepares:
            input_tensor(context, node, 0)
            output_tensor(context, node)
        shape = context.get_eval_tensor(node.inputs[0]).shape
        context.resize_tensor(node.outputs[0], shape, declared)

    return Registration(
        prepare=prepare,
        invoke=invoke_with(function),
        overlap=element_by_element(0),
        constraints=c.one_to_one(kind),
    )


def invoke_with(function: Function) -> Callable[[Context, Node], None]:
    """An ``invoke`` that applies a function; infinities and NaN are C's business."""

    def invoke(context: Context, node: Node) -> None:
        with np.errstate(all="ignore"):
            apply(function, input_array(context, node, 0), output_array(context, node))

    return invoke


def apply(function: Function, x: Array, out: Array) -> None:
    """``out = function(x)``, element by element in order."""
    out[...] = function(x).reshape(out.shape)
