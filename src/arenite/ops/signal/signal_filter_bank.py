"""SignalFilterBank: weighted sums of a spectrum's bands, each bin in two neighbouring channels.

Options: `num_channels`. Inputs are the spectrum, weights, unweights (what a weight leaves to the
next channel), and per channel, one more than there are outputs: where its band begins in the
spectrum, where in the weights, and how many bins it has.

Facts: TFLM ``signal/micro/kernels/filter_bank.cc`` and ``signal/src/filter_bank.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model.types import INT16, UINT32, UINT64
from arenite.ops import Array, Context, Node, Registration, Struct
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.signal import read_options, require_range

CONFIG = Struct(
    "FilterbankConfig",
    ("int32", "pointer", "pointer", "pointer", "pointer", "pointer", "int32", "int32"),
)
PARAMS = Struct("TFLMSignalFilterBankParams", (CONFIG, "pointer"))
SPECTRUM, WEIGHTS, UNWEIGHTS, BINS, STARTS, WIDTHS = range(6)


@dataclass(frozen=True)
class SignalFilterBankParams:
    """The number of channels that come out."""

    num_channels: int


def init(context: Context, options: bytes) -> SignalFilterBankParams:
    """One accumulator of 64 bits more than there are channels."""
    context.reserve_persistent_buffer(PARAMS.size(context.abi), PARAMS.name)
    (channels,) = read_options(context, options, "num_channels")
    require_range(context, "num_channels", channels, 1, 2**24)
    context.reserve_persistent_buffer(8 * (channels + 1), "accumulators")
    return SignalFilterBankParams(channels)


def prepare(context: Context, node: Node) -> SignalFilterBankParams:
    """The bands' arrays have an entry per channel, and one more."""
    inputs = [input_tensor(context, node, index) for index in range(6)]
    output = output_tensor(context, node)
    params: SignalFilterBankParams = node.user_data
    for index in (BINS, STARTS, WIDTHS):
        if inputs[index].size <= params.num_channels:
            context.report_error(
                f"expected at least num_channels + 1 = {params.num_channels + 1} numbers in "
                f"input {index}, got {inputs[index].size}"
            )
    context.resize_tensor(output.index, (params.num_channels,))
    return params


def invoke(context: Context, node: Node) -> None:
    """A channel's weighted sum, and what the channel before left to it."""
    params: SignalFilterBankParams = node.params
    arrays = [input_array(context, node, index) for index in range(6)]
    check_bands(context, params.num_channels, arrays)
    spectrum, weights, unweights = (array.astype(np.uint64) for array in arrays[:BINS])
    sums = np.zeros((2, params.num_channels + 1), np.uint64)
    bands = zip(*(array.tolist() for array in arrays[BINS:]), strict=False)
    for channel, (start, at, width) in enumerate(bands):
        if channel > params.num_channels:
            break
        band = spectrum[start : start + width] if width > 0 else spectrum[:0]
        for row, factors in enumerate((weights, unweights)):
            sums[row, channel] = (factors[at : at + len(band)] * band).sum(dtype=np.uint64)
    output_array(context, node)[...] = sums[0, 1:] + sums[1, :-1]


def check_bands(context: Context, channels: int, arrays: list[Array]) -> None:
    """Every band lies in the spectrum and in the weights; TFLM reads wherever they say."""
    starts, at, widths = (array[: channels + 1].astype(np.int64) for array in arrays[BINS:])
    factors = min(arrays[WEIGHTS].size, arrays[UNWEIGHTS].size)
    outside = (starts < 0) | (starts + widths > arrays[SPECTRUM].size)
    outside |= (at < 0) | (at + widths > factors)
    outside &= widths > 0
    if outside.any():
        n = int(outside.argmax())
        context.report_error(
            f"channel {n}: expected a band in {arrays[SPECTRUM].size} bins and {factors} weights, "
            f"got {widths[n]} from bin {starts[n]} and weight {at[n]} on"
        )


REGISTRATION = Registration(
    name="SignalFilterBank",
    init=init,
    prepare=prepare,
    invoke=invoke,
    constraints=(
        *c.counts(6, 1),
        *(c.rank(index, 1) for index in range(6)),
        c.input_types(SPECTRUM, UINT32),
        *(c.input_types(index, INT16) for index in range(1, 6)),
        c.output_rank(1),
        c.output_type(UINT64),
    ),
)
