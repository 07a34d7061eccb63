"""L2_NORMALIZATION: every row along the last axis divided by its Euclidean norm.

int8 results are steps of 1/128, whatever the output's scale and zero point; a row of zeros stays
zeros. A scalar, of whose last axis TFLM reads a length beside the memory, is refused.

Undefined in TFLM: sums of squares of int8 that leave int32. Here they wrap, as in TFLM's package.

Facts: TFLM
``micro/kernels/l2norm.cc``, ``reference/l2normalization.h`` and
``reference/integer_ops/l2normalization.h``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8
from arenite.numeric.fixedpoint import multiply_by_quantized_multiplier, wrap_int32
from arenite.numeric.gemmlowp import inverse_sqrt
from arenite.ops import BETWEEN_ONES, Array, Context, Node, Registration, Scheme, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared.overlap import element_by_element


class L2NormOptions(OptionsTable, union=12):
    """``table L2NormOptions``."""

    fused_activation_function: int = slot(0, "int8")


@dataclass(frozen=True)
class L2NormParams:
    """The input's zero point; ``rounding`` is added to the shifts of products."""

    input_zero_point: int
    rounding: int


#: An int8 output is so many bits behind the point.
_FRACTION = 7
#: The least norm of floats.
_EPSILON = np.float32(1e-6)


def no_activation(node: c.NodeView) -> bool:
    """There is no fused activation."""
    return bool(node.options.fused_activation_function == util.Activation.NONE)


def prepare(context: Context, node: Node) -> L2NormParams:
    """The output's shape."""
    inp, _ = util.like_input(context, node, "refused")
    return L2NormParams(
        input_zero_point=inp.zero_point if inp.type is INT8 else 0,
        rounding=util.rounding_of(context),
    )


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    x, out = util.input_array(context, node, 0), util.output_array(context, node)
    if x.dtype == np.int8:
        normalize_int8(node.params, x, out)
        return
    with np.errstate(all="ignore"):
        norms = np.sqrt((x * x).sum(-1, keepdims=True))
        np.divide(x, np.maximum(norms, _EPSILON), out=out)


def normalize_int8(params: L2NormParams, x: Array, out: Array) -> None:
    """``(x - zero_point) / norm`` in integers."""
    centred = x.astype(np.int64) - params.input_zero_point
    squares = wrap_int32((centred * centred).sum(-1, keepdims=True))
    multiplier, shift = inverse_sqrt(squares)
    scaled = multiply_by_quantized_multiplier(
        centred, multiplier, shift + _FRACTION + params.rounding
    )
    np.clip(scaled, -128, 127, out=out, casting="unsafe")


REGISTRATION = Registration(
    init=util.allocate_struct(Struct("L2NormalizationParams", ("int32",))),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    options=L2NormOptions,
    builtin_data=Struct("TfLiteL2NormParams", ("enum",)),
    constraints=(
        *c.one_to_one(FLOAT32, INT8),
        c.rank(0, 1, 2, 3, 4),
        no_activation,
    ),
)

TRAITS = Traits(fixed_output=True)

SCHEME = Scheme(types=(INT8,), fixed={INT8: BETWEEN_ONES[INT8]})
