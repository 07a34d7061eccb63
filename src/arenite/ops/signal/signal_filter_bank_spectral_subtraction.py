"""SignalFilterBankSpectralSubtraction: the input less a running estimate of its noise.

Options: `alternate_one_minus_smoothing`, `alternate_smoothing`, `clamping`, `min_signal_remaining`,
`num_channels`, `one_minus_smoothing`, `smoothing`, `smoothing_bits`, `spectral_subtraction_bits`.
Output 1 is the estimate; odd channels take the alternate factors.

Facts: TFLM ``signal/micro/kernels/filter_bank_spectral_subtraction.cc`` and
``signal/src/filter_bank_spectral_subtraction.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model.types import UINT32
from arenite.ops import Context, Node, Registration, Struct
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.signal import read_options, require_range

CONFIG = Struct("SpectralSubtractionConfig", ("int32", *("uint32",) * 7, "bool"))
PARAMS = Struct("TFLMSignalSpectralSubtractionParams", (CONFIG, "pointer", "size_t"))


@dataclass(frozen=True)
class SignalFilterBankSpectralSubtractionParams:
    """The options, in the order of their names."""

    alternate_one_minus_smoothing: int
    alternate_smoothing: int
    clamping: int
    min_signal_remaining: int
    num_channels: int
    one_minus_smoothing: int
    smoothing: int
    smoothing_bits: int
    spectral_subtraction_bits: int


NAMES = tuple(SignalFilterBankSpectralSubtractionParams.__dataclass_fields__)


def init(context: Context, options: bytes) -> SignalFilterBankSpectralSubtractionParams:
    """The options, and a noise estimate of 32 bits per channel."""
    context.reserve_persistent_buffer(PARAMS.size(context.abi), PARAMS.name)
    values = read_options(context, options, *NAMES)
    params = SignalFilterBankSpectralSubtractionParams(*values)
    require_range(context, "num_channels", params.num_channels, 1, 2**24)
    require_range(context, "smoothing_bits", params.smoothing_bits, 0, 31)
    bits = params.spectral_subtraction_bits
    require_range(context, "spectral_subtraction_bits", bits, 0, 63)
    context.allocate_state(4 * params.num_channels, "noise estimate")
    return params


def prepare(context: Context, node: Node) -> SignalFilterBankSpectralSubtractionParams:
    """Outputs have as many values as there are channels."""
    params: SignalFilterBankSpectralSubtractionParams = node.user_data
    inp = input_tensor(context, node, 0)
    outputs = [output_tensor(context, node, index) for index in (0, 1)]
    if inp.size < params.num_channels:
        context.report_error(f"expected {params.num_channels} channels, got {inp.size}")
    for output in outputs:
        context.resize_tensor(output.index, (params.num_channels,))
    return params


def invoke(context: Context, node: Node) -> None:
    """Estimates move towards the signal; at least a part of the signal remains."""
    params: SignalFilterBankSpectralSubtractionParams = node.params
    signal = input_array(context, node, 0)[: params.num_channels]
    noise = context.state_buffers()[0].view(np.uint32)
    smoothing = _alternating(params.smoothing, params.alternate_smoothing, signal.size)
    rest = _alternating(
        params.one_minus_smoothing, params.alternate_one_minus_smoothing, signal.size
    )
    bits = np.uint64(params.spectral_subtraction_bits)
    scaled_up = signal << np.uint32(params.smoothing_bits)
    noise[...] = (scaled_up * smoothing + noise * rest) >> bits
    subtracted = (scaled_up - np.minimum(noise, scaled_up)) >> np.uint32(params.smoothing_bits)
    if params.clamping:
        np.minimum(noise, scaled_up, out=noise)
    remaining = np.uint64(params.min_signal_remaining % 2**32)
    floor = ((signal * remaining) >> bits).astype(np.uint32)
    output_array(context, node)[...] = np.maximum(subtracted, floor)
    output_array(context, node, 1)[...] = noise


def _alternating(even: int, odd: int, count: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Factors of 32 bits without sign, one per channel."""
    pair = np.array([even % 2**32, odd % 2**32], np.uint64)
    return np.resize(pair, count)


def reset(context: Context, params: SignalFilterBankSpectralSubtractionParams) -> None:
    """No noise yet."""
    context.state_buffers()[0][...] = 0


REGISTRATION = Registration(
    name="SignalFilterBankSpectralSubtraction",
    init=init,
    prepare=prepare,
    invoke=invoke,
    reset=reset,
    constraints=(
        *c.counts(1, 2),
        c.rank(0, 1),
        c.input_types(0, UINT32),
        *(c.output_rank(1, index) for index in (0, 1)),
        *(c.output_type(UINT32, index) for index in (0, 1)),
    ),
)
