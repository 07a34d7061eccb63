"""ZEROS_LIKE: zeros in the shape of the input.

A quantised zero is the number 0 too, whatever the zero point. Facts: TFLM
``micro/kernels/zeros_like.cc``.
"""

from __future__ import annotations

from arenite.model import TensorType
from arenite.ops import constraints as c
from arenite.ops.context import Context, Node
from arenite.ops.kernel_util import input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration
from arenite.ops.shared.overlap import element_by_element
from arenite.ops.traits import Traits


def prepare(context: Context, node: Node) -> None:
    """The output's shape."""
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    context.resize_tensor(output.index, inp.shape)


def invoke(context: Context, node: Node) -> None:
    """Write the zeros; the input is not read."""
    output_array(context, node)[...] = 0


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    constraints=c.one_to_one(
        TensorType.FLOAT32, TensorType.INT64, TensorType.INT32, TensorType.INT8
    ),
)

TRAITS = Traits(exact_on_floats=True)
