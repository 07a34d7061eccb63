"""MNN_UNARY: functions of one variable that TensorFlow Lite's operators do not have.

Facts: MNN 3.6.1 ``backend/cpu/CPUUnary.cpp``, ``UnaryUtils.hpp``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.mnn.arithmetic.functions import UNARY, unary_takes
from arenite.mnn.shared import one_to_one
from arenite.model import OptionsTable, TensorType
from arenite.ops.constraints import NodeView
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration

_WITH_PARAMETERS = ("CLIP", "ELU")


@dataclass(frozen=True)
class MnnUnaryOptions(OptionsTable):
    """The function, by MNN's name of it, and the parameters of those that have some.

    ``CLIP`` keeps what lies between ``a`` and ``b``; ``ELU`` is
    ``b * (x > 0 ? x : a * (exp(x) - 1))``.
    """

    kind: str = ""
    a: float = 0.0
    b: float = 0.0


def kind_takes_type(node: NodeView) -> bool:
    """MNN has the function for the input's type."""
    kind, is_float = node.options.kind, node.input(0).type is TensorType.FLOAT32
    return unary_takes(kind, is_float=is_float) or (is_float and kind in _WITH_PARAMETERS)


def prepare(context: Context, node: Node) -> None:
    """The output has the input's shape."""
    shape = input_tensor(context, node, 0).shape
    context.resize_tensor(output_tensor(context, node).index, shape)


def invoke(context: Context, node: Node) -> None:
    """Apply the function to every element."""
    out = output_array(context, node)
    with np.errstate(all="ignore"):
        out[...] = apply(node.options, input_array(context, node, 0)).reshape(out.shape)


def apply(options: MnnUnaryOptions, x: Array) -> Array:
    """The function of every element."""
    if options.kind == "CLIP":
        return np.asarray(np.clip(x, np.float32(options.a), np.float32(options.b)))
    if options.kind == "ELU":
        alpha, factor = np.float32(options.a), np.float32(options.b)
        return np.asarray(np.where(x > 0, factor * x, factor * alpha * np.expm1(x)))
    return np.asarray(UNARY[options.kind](x))


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnUnaryOptions,
    constraints=(*one_to_one(TensorType.FLOAT32, TensorType.INT32), kind_takes_type),
)
