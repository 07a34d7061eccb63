"""Facts of a layer's sums that are known before it runs: bias, requantisation, reach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from arenite.firmware.kernels.cortex_m.exact import Exact
from arenite.firmware.kernels.cortex_m.requantize import Finish, Requantization
from arenite.firmware.kernels.cortex_m.steps import Channels
from arenite.firmware.kernels.portable.sums import bias_of, per_channel
from arenite.firmware.network.kernel import UnsupportedError
from arenite.firmware.network.layers import Layer
from arenite.firmware.network.records import Clamped
from arenite.ops.shared.convolution import ConvolutionParams

Int64s = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint32]
#: How sums become outputs.
How: TypeAlias = Requantization | Exact
_Packed = TypeVar("_Packed", bound=npt.NDArray[Any])


def reached(layer: Layer[ConvolutionParams], weights: Int64s) -> tuple[Int64s, Channels]:
    """The bias with the input's zero point in it, and the channels with all sums that can be.

    ``weights`` is ``(channels, inputs)``; inputs are whatever int8 holds.
    """
    params, channels = layer.params, len(weights)
    bias = bias_of(layer, channels).astype(np.int64)
    zero = -params.input_offset
    low, high = -128 - zero, 127 - zero
    least = bias + np.where(weights > 0, weights * low, weights * high).sum(axis=1)
    most = bias + np.where(weights > 0, weights * high, weights * low).sum(axis=1)
    if max(-least.min(), most.max()) >= 1 << 31:
        raise UnsupportedError("sums leave 32 bits")
    found = Channels(
        multiplier=_int64(params.multiplier, channels),
        shift=_int64(params.shift, channels),
        zero_point=params.output_offset,
        least=least,
        most=most,
    )
    return bias - zero * weights.sum(axis=1), found


def packed(
    layer: Layer[ConvolutionParams],
    weights: Int64s,
    pack: Callable[[Int64s, Requantization], _Packed],
) -> tuple[_Packed, Requantization]:
    """A bias and a requantisation packed by ``pack``, with the first shift that it takes."""
    return _short(*reached(layer, weights), pack)


def packed_any(
    layer: Layer[ConvolutionParams], weights: Int64s, pack: Callable[[Int64s, How], _Packed]
) -> tuple[_Packed, How]:
    """The same with TFLM's own formula where there is no short form."""
    bias, channels = reached(layer, weights)
    with suppress(UnsupportedError):
        return _short(bias, channels, pack)
    how = Exact(channels)
    return pack(bias, how), how


def _short(
    bias: Int64s, channels: Channels, pack: Callable[[Int64s, Requantization], _Packed]
) -> tuple[_Packed, Requantization]:
    if (channels.shift > 0).any():
        raise UnsupportedError("a ratio of scales is above 1")
    requantization = Requantization(channels)
    *first, last = requantization.shifts
    for k in first:
        with suppress(UnsupportedError):
            found = requantization.with_shift(k)
            return pack(bias, found), found
    found = requantization.with_shift(last)
    return pack(bias, found), found


def finish_of(layer: Layer[Clamped], how: How) -> Finish:
    """The end of a layer's sums; a clamp to less than int8 comes behind the proven one."""
    low, high = int(layer.params.activation_min), int(layer.params.activation_max)
    return Finish(how.k, how.form, low, high)


def scaled(channel: int, weights: Int64s, bias: Int64s, how: How) -> tuple[int, Int64s, list[int]]:
    """A channel whose weights are stored times 256: its first sum, weights, constants."""
    more, constants = how.stored(channel, 256)
    if how.constant[channel]:
        return 0, np.zeros_like(weights), constants
    return 256 * int(bias[channel]) + more, 256 * weights, constants


def words(numbers: Sequence[int]) -> Words:
    """Numbers as a processor has them in registers."""
    return np.array([number & 0xFFFFFFFF for number in numbers], np.uint32)


def halfwords(numbers: Int64s) -> Words:
    """An even number of 16-bit numbers, two in a word."""
    return np.ascontiguousarray(numbers, "<i2").reshape(-1).view("<u4").astype(np.uint32)


def _int64(values: Any, channels: int) -> Int64s:
    return per_channel(values, channels).astype(np.int64)
