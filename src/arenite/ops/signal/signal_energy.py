"""SignalEnergy: squared magnitudes of the complex values from one index to another.

Options: `end_index`, `start_index`. The input is (real, imaginary) pairs.

Undefined in TFLM: the output below `start_index` and from `end_index` on is not written; here it
is 0.

Facts: TFLM ``signal/micro/kernels/energy.cc`` and ``signal/src/energy.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model.types import INT16, UINT32
from arenite.ops import Context, Node, Registration, Struct
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.signal import read_options

#: What takes a part of a tensor, and what leaves every element in its place.
CUTS, KEEPS_PLACES = ("STRIDED_SLICE", "SLICE"), ("CAST", "RESHAPE")
PARAMS = Struct("TFLMSignalEnergyParams", ("int32", "int32"))


@dataclass(frozen=True)
class SignalEnergyParams:
    """The complex values ``[start, end)`` count."""

    start: int
    end: int


def init(context: Context, options: bytes) -> tuple[int, ...]:
    """Where the energies end, and where they begin."""
    context.reserve_persistent_buffer(PARAMS.size(context.abi), PARAMS.name)
    return read_options(context, options, "end_index", "start_index")


def prepare(context: Context, node: Node) -> SignalEnergyParams:
    """The indices are those of complex values and of outputs."""
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    end, start = node.user_data
    if end <= start:
        start = end = 0
    if start < 0 or end > min(inp.size // 2, output.size):
        context.report_error(
            f"expected start_index and end_index from 0 to the number of complex inputs "
            f"{inp.size // 2} and of outputs {output.size}, got {start} and {end}"
        )
    if (start > 0 or end < output.size) and not is_cut(context, output.index):
        context.warn_undefined(f"the output is written from {start} to {end} only, and 0 elsewhere")
    return SignalEnergyParams(start, end)


def is_cut(context: Context, index: int) -> bool:
    """Whether a tensor is only read by slices, which can leave out what is not written.

    TFLM's front ends do so, behind a cast.
    """
    readers = context.graph.readers(index)
    return bool(readers) and all(
        name in CUTS or (name in KEEPS_PLACES and all(is_cut(context, i) for i in outputs))
        for name, outputs in readers
    )


def invoke(context: Context, node: Node) -> None:
    """``real * real + imaginary * imaginary``; only twice -32768 needs all 32 bits."""
    params: SignalEnergyParams = node.params
    x, out = input_array(context, node, 0), output_array(context, node)
    pairs = x[2 * params.start : 2 * params.end].reshape(-1, 2).astype(np.int64)
    out[...] = 0
    out[params.start : params.end] = (pairs * pairs).sum(axis=1)


REGISTRATION = Registration(
    name="SignalEnergy",
    init=init,
    prepare=prepare,
    invoke=invoke,
    constraints=(
        *c.counts(1, 1),
        c.rank(0, 1),
        c.input_types(0, INT16),
        c.output_rank(1),
        c.output_type(UINT32),
    ),
)
