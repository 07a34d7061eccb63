"""SHAPE: the dimensions of the input.

Undefined in TFLM: the rest of an output that has more elements than the input has dimensions;
behind one that has fewer it writes. Here both are refused.

Facts: TFLM ``micro/kernels/shape.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.types import INT32
from arenite.ops import Array, Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import output_array


class ShapeOptions(OptionsTable, union=55):
    """``table ShapeOptions``. TFLM looks at the output's type instead."""

    out_type: int = slot(0, "int8")


@dataclass(frozen=True)
class ShapeParams:
    """The input's dimensions, int32."""

    dims: Array


def prepare(context: Context, node: Node) -> ShapeParams:
    """The result, which depends on no data. TFLM asks for no tensor."""
    dims = context.get_eval_tensor(node.inputs[0]).shape
    context.resize_tensor(node.outputs[0], (len(dims),))
    return ShapeParams(np.array(dims, np.int32))


def invoke(context: Context, node: Node) -> None:
    """Write it."""
    params: ShapeParams = node.params
    out = output_array(context, node)
    out[...] = params.dims.reshape(out.shape)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=ShapeOptions,
    builtin_data=Struct("TfLiteShapeParams", ("enum",)),
    constraints=(*c.counts(1, 1), c.output_type(INT32)),
)

TRAITS = Traits(exact_on_floats=True, tells_shape=True)
