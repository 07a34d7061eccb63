"""SignalPCAN: automatic gain control per channel, then a curve that quietens what is near noise.

Options: `snr_shift`. The gain is read from a table (input 2) at the noise estimate (input 1),
between whose points it is a parabola.

Facts: TFLM ``signal/micro/kernels/pcan.cc``, ``signal/src/pcan_argc_fixed.cc`` and ``.h``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model.types import INT16, UINT32
from arenite.ops import Array, Context, Node, Registration, Struct
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.signal import read_options, require_range

PARAMS = Struct("TfLitePcanParams", ("int",))
SIGNAL, NOISE, TABLE = range(3)
#: Bits behind the point, before and behind the curve.
SNR_BITS, OUTPUT_BITS = 12, 6


@dataclass(frozen=True)
class SignalPcanParams:
    """The shift of gain times signal."""

    snr_shift: int


def init(context: Context, options: bytes) -> SignalPcanParams:
    """The option."""
    context.reserve_persistent_buffer(PARAMS.size(context.abi), PARAMS.name)
    (shift,) = read_options(context, options, "snr_shift")
    require_range(context, "snr_shift", shift, 0, 63)
    return SignalPcanParams(shift)


def prepare(context: Context, node: Node) -> SignalPcanParams:
    """A noise estimate per channel, and a gain for every small number."""
    signal, noise, table = (input_tensor(context, node, index) for index in range(3))
    output = output_tensor(context, node)
    if noise.size < signal.size:
        context.report_error(f"expected {signal.size} noise estimates, got {noise.size}")
    if table.size < 3:
        context.report_error(f"expected a table of at least 3 gains, got {table.size}")
    context.resize_tensor(output.index, signal.shape)
    params: SignalPcanParams = node.user_data
    return params


def invoke(context: Context, node: Node) -> None:
    """``shrink(signal * gain(noise))``."""
    params: SignalPcanParams = node.params
    signal = input_array(context, node, SIGNAL)
    noise = input_array(context, node, NOISE)[: signal.size]
    gains = gains_of(context, noise.astype(np.int64), input_array(context, node, TABLE))
    product = signal.astype(np.uint64) * gains
    snr = (product >> np.uint64(params.snr_shift)).astype(np.uint32)
    output_array(context, node)[...] = shrink(snr)


def gains_of(context: Context, x: Array, table: Array) -> Array:
    """The table's parabolas at numbers of 32 bits; the gains are modulo 2**32.

    From 3 on there is an interval of three coefficients per number of bits, four apart.
    """
    interval = np.frexp(x.astype(np.float64))[1].astype(np.int64)
    is_small = x <= 2
    at = np.where(is_small, x, 4 * interval - 6)
    needed = int(np.where(is_small, at, at + 2).max(initial=0))
    if needed >= table.size:
        context.report_error(f"expected a table of more than {needed} gains, got {table.size}")
    numbers = table.astype(np.int64)
    start, slope, curve = (numbers[np.minimum(at + i, table.size - 1)] for i in range(3))
    fraction = ((x << 11) >> interval) & 0x3FF
    bent = ((curve * fraction) >> 5) + (slope << 5)
    gain = ((bent * fraction + (1 << 14)) >> 15) + start
    gain = gain.astype(np.int16).astype(np.int64)
    exact: Array = np.where(is_small, start, gain)
    return exact.astype(np.uint32).astype(np.uint64)


def shrink(x: Array) -> Array:
    """``x**2 / 4`` below 2, ``x - 1`` from there on, between the two fixed points."""
    small = (x * x) >> np.uint32(2 + 2 * SNR_BITS - OUTPUT_BITS)
    large = (x >> np.uint32(SNR_BITS - OUTPUT_BITS)) - np.uint32(1 << OUTPUT_BITS)
    shrunk: Array = np.where(x < 2 << SNR_BITS, small, large)
    return shrunk


REGISTRATION = Registration(
    name="SignalPCAN",
    init=init,
    prepare=prepare,
    invoke=invoke,
    constraints=(
        *c.counts(3, 1),
        *(c.rank(index, 1) for index in range(3)),
        c.input_types(SIGNAL, UINT32),
        c.input_types(NOISE, UINT32),
        c.input_types(TABLE, INT16),
        c.output_rank(1),
        c.output_type(UINT32),
    ),
)
