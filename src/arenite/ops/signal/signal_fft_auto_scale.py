"""SignalFftAutoScale: the input times the largest power of two that clips nothing.

Output 1 is the exponent. Where an input is -32768, TensorFlow Lite Micro's largest magnitude is
not what it should be, and outputs may wrap; so they do here.

Facts: TFLM ``signal/micro/kernels/fft_auto_scale_kernel.cc``, ``signal/src/fft_auto_scale.cc`` and
``max_abs.cc``.
"""

from __future__ import annotations

import numpy as np

from arenite.model.types import INT16, INT32
from arenite.ops import Array, Context, Node, Registration
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor

LOWEST = -32768


def prepare(context: Context, node: Node) -> None:
    """The output has the input's shape."""
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    output_tensor(context, node, 1)
    context.resize_tensor(output.index, inp.shape)


def invoke(context: Context, node: Node) -> None:
    """Shifts to the left until the largest magnitude has 15 bits."""
    x = input_array(context, node, 0)
    largest = largest_magnitude(x)
    bits = 15 - largest.bit_length() if largest > 0 else 0
    output_array(context, node)[...] = (x.astype(np.int32) << bits).astype(np.int16)
    output_array(context, node, 1)[...] = bits


def largest_magnitude(x: Array) -> int:
    """The largest magnitude as an int16, one value after the other.

    The magnitude of -32768 becomes -32768, and whatever comes next is larger.
    """
    special = np.flatnonzero(x == LOWEST)
    if not len(special):
        return int(np.abs(x).max(initial=0))
    largest = LOWEST
    for value in x[special[-1] + 1 :].tolist():
        if value > largest:
            largest = value
        elif -value > largest:
            largest = -value
    return largest


REGISTRATION = Registration(
    name="SignalFftAutoScale",
    prepare=prepare,
    invoke=invoke,
    constraints=(
        *c.counts(1, 2),
        c.rank(0, 1),
        c.input_types(0, INT16),
        c.output_rank(1),
        c.output_rank(0, 1),
        c.output_type(INT16),
        c.output_type(INT32, 1),
    ),
)
