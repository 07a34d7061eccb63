"""ZEROS_LIKE: zeros in the shape of the input.

A quantised zero is the number 0 too, whatever the zero point. Facts: TFLM
``micro/kernels/zeros_like.cc``.
"""

from __future__ import annotations

from arenite.model.types import FLOAT32, INT8, INT32, INT64
from arenite.ops import Context, Node, Registration, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import like_input, output_array
from arenite.ops.shared.overlap import element_by_element


def prepare(context: Context, node: Node) -> None:
    """The output's shape."""
    like_input(context, node)


def invoke(context: Context, node: Node) -> None:
    """Write the zeros; the input is not read."""
    output_array(context, node)[...] = 0


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    constraints=c.one_to_one(FLOAT32, INT64, INT32, INT8),
)

TRAITS = Traits(exact_on_floats=True)
