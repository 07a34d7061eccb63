"""SignalFilterBankSquareRoot: rounded square roots, shifted to the right by input 1.

Undefined in TFLM: shifts by 32 and more, or by negative numbers; here a shift takes the lowest 5
bits of its number, as x86 processors do.

Facts: TFLM ``signal/micro/kernels/filter_bank_square_root.cc``, ``signal/src/square_root_32.cc``
and ``square_root_64.cc``.
"""

from __future__ import annotations

import numpy as np

from arenite.model.types import INT32, UINT32, UINT64
from arenite.ops import Array, Context, Node, Registration
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor


def prepare(context: Context, node: Node) -> None:
    """The output has the input's shape."""
    inp = input_tensor(context, node, 0)
    input_tensor(context, node, 1)
    output = output_tensor(context, node)
    context.resize_tensor(output.index, inp.shape)


def invoke(context: Context, node: Node) -> None:
    """Roots, and their shift."""
    shift = int(input_array(context, node, 1)) & 31
    output_array(context, node)[...] = square_root(input_array(context, node, 0)) >> shift


def square_root(x: Array) -> Array:
    """Square roots of uint64, rounded to the nearest but for the largest of either width.

    Numbers of 32 bits have roots of at most 2**16 - 1, others of at most 2**32 - 1.
    """
    limit = np.where(x < 2**32, np.uint64(2**16 - 1), np.uint64(2**32 - 1))
    root = np.minimum(np.sqrt(x.astype(np.float64)), limit.astype(np.float64)).astype(np.uint64)
    root -= (root * root > x).astype(np.uint64)  # a double is a little inexact
    root += (root < limit) & (x - root * root > 2 * root)
    rounded: Array = root + ((x - root * root > root) & (root < limit))
    return rounded.astype(np.uint32)


REGISTRATION = Registration(
    name="SignalFilterBankSquareRoot",
    prepare=prepare,
    invoke=invoke,
    constraints=(
        *c.counts(2, 1),
        c.rank(0, 1),
        c.rank(1, 0),
        c.input_types(0, UINT64),
        c.input_types(1, INT32),
        c.output_rank(1),
        c.output_type(UINT32),
    ),
)
