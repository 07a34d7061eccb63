"""Sums of products, and what becomes of them: what convolutions of all types share.

int8 is summed in 32 bits, which wrap as TFLM's do on every processor it runs on; int16 in 64, and
in 32 where its bias is int32; float32 in float32, in TFLM's order, with the bias at the end. Facts:
TFLM ``reference/integer_ops/conv.h`` and ``reference/conv.h``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from arenite.c_text import fill, literal
from arenite.firmware.kernels.portable.elements import clamped, is_float
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.needs import constant_of, require_elements, require_types
from arenite.firmware.network.kernel import Argument, Arrays, Constant, Work
from arenite.firmware.network.layers import AnyLayer, Layer, Value
from arenite.firmware.network.records import Offset
from arenite.model import TensorType
from arenite.ops.kernel_util import QUANTIZED_RANGE, unpack_int4
from arenite.ops.shared.convolution import ConvolutionParams


@dataclass(frozen=True)
class Sums:
    """C for sums of products of a layer's input and weights.

    Attributes:
        total: The type of a sum, and of a bias.
        start: What the sum of channel ``$n`` begins with.
        finish: Statements that make an output of ``$sum``, the one of channel ``$n``, and write it
            to ``$y``.
        is_packed: Whether weights are two in a byte.
        is_small: Whether the sums fit ``ar_rescale_small``, whose shift is :func:`shifts_of`.
    """

    total: str
    start: str
    finish: str
    is_packed: bool = False
    is_small: bool = False

    def weight(self, place: str) -> str:
        """A weight by its number."""
        return f"ar_nibble(weights, {place})" if self.is_packed else f"weights[{place}]"

    def add(self, x: str, weight: str, to: str = "sum") -> str:
        """The statement that adds a product; operands are expressions of ints or floats."""
        if self.total == "float":
            return f"{to} += {x} * {weight};"
        if self.total == "int64_t":
            return f"{to} = ar_add_wide({to}, (int64_t)({x}) * ({weight}));"
        return f"{to} = ar_add({to}, ar_multiply({x}, {weight}));"

    def started(self, n: str = "n") -> str:
        """The beginning of a channel's sum."""
        return fill(self.start, n=n)

    def finished(self, total: str = "sum", n: str = "n", y: str = "*y++") -> str:
        """The statements that write a channel's output."""
        return fill(self.finish, sum=total, n=n, y=y)


_FINISH = """\
const int32_t scaled = ${rescale}($$sum, multiplier[$$n], shift[$$n]);
$$y = $result;"""


def sums_of(
    layer: Layer[ConvolutionParams], x: int = 0, weights: int = 1, channel_axis: int = 0
) -> Sums:
    """A layer's sums in C; its weights have output channels along an axis."""
    require_types(layer, TensorType.INT8, TensorType.INT16, TensorType.FLOAT32, inputs=0)
    require_elements(layer)
    is_packed = layer.input(weights).type is TensorType.INT4
    if is_float(layer.input(x)):
        result = clamped(layer, "$sum + bias[$n]")
        return Sums("float", "0.0f", f"$y = {result};")
    is_wide = layer.params.accumulates_64_bits
    is_small = not is_wide and _are_small(layer, x, weights, channel_axis)
    finish = fill(
        _FINISH,
        rescale="ar_rescale_wide" if is_wide else f"ar_rescale{'_small' * is_small}",
        result=clamped(layer, with_offset("scaled", layer.params.output_offset)),
    )
    return Sums("int64_t" if is_wide else "int32_t", "bias[$n]", finish, is_packed, is_small)


#: What ``ar_rescale_small`` takes.
_SMALL = 1 << 29


def _are_small(layer: Layer[ConvolutionParams], x: int, weights: int, channel_axis: int) -> bool:
    """Whether no input makes a sum too large for ``ar_rescale_small``, and all shifts go right."""
    p, bias = layer.params, layer.inputs[max(x, weights) + 1 :]
    if np.min(p.multiplier) < 0 or np.max(p.shift) > -1 or np.min(p.shift) < -31:
        return False
    if not all(one is None or one.is_constant for one in (layer.input(weights), *bias)):
        return False
    low, high = (end + p.input_offset for end in QUANTIZED_RANGE[layer.input(x).type])
    values = np.moveaxis(_values(layer, weights), channel_axis, 0)
    bound = np.abs(values.reshape(len(values), -1)).sum(axis=1).max() * max(-low, high)
    biases = [constant_of(one, "bias").astype(np.int64) for one in bias if one]
    bound += max((np.abs(one).max() for one in biases), default=0)
    return bool(bound < _SMALL)


def _values(layer: Layer[ConvolutionParams], weights: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Constant weights as they are multiplied."""
    value = layer.input(weights)
    data = constant_of(value, "weights")
    if value.type is TensorType.INT4:
        data = unpack_int4(data.reshape(-1).view(np.uint8), value.size)
    return data.reshape(value.shape).astype(np.int64) + getattr(layer.params, "filter_offset", 0)


def with_offset(text: str, offset: int) -> str:
    """An int32 plus a constant, wrapping."""
    return f"ar_add({text}, {literal(offset)})" if offset else text


def plus(text: str, offset: int) -> str:
    """A small int plus a constant, which files make large."""
    if abs(offset) >= 1 << 24:
        return with_offset(text, offset)
    return f"{text} {'-' if offset < 0 else '+'} {abs(offset)}" if offset else text


def without_zero(layer: Layer[Offset], text: str, x: int = 0) -> str:
    """An input less its zero point; floats have none."""
    return text if is_float(layer.input(x)) else plus(text, layer.params.input_offset)


def sums_work(
    layer: Layer[ConvolutionParams],
    stem: str,
    body: str,
    sums: Sums,
    *,
    positions: tuple[int, int] = (0, 1),
    channel_axis: int = 0,
    fold: bool = False,
) -> Work:
    """The work for a body that reads ``x``, ``weights``, ``bias`` and writes ``y`` by channel.

    Of integers there are ``multiplier`` and ``shift`` as well, by channel. ``positions`` are those
    of the input and the weights; the bias is the last input. Where sums ``fold``, the input's
    offset times all weights of a channel is in its bias.
    """
    x, weights = (layer.input(i) for i in positions)
    channels, total = weights.shape[channel_axis], sums.total
    bias = bias_argument(layer, channels, total, max(positions) + 1)
    if fold:
        bias = _folded(layer, bias, channel_axis)
    packed = "const uint8_t *weights" if weights.type is TensorType.INT4 else "weights"
    arrays: Arrays = {"x": x, packed: weights_argument(weights), "bias": bias}
    if total != "float":
        p = layer.params
        shift = -1 - np.asarray(p.shift) if sums.is_small else p.shift
        multiplier = per_channel(p.multiplier, channels, np.int32)
        arrays["multiplier"] = Constant("multiplier", multiplier)
        arrays["shift"] = Constant("shift", per_channel(shift, channels, np.int8))
    return work_of(layer, body, arrays, stem=stem)


def can_fold(layer: Layer[ConvolutionParams], sums: Sums) -> bool:
    """Whether an input's offset can come to the bias, where all weights are in every sum.

    Sums of 32 bits wrap, so that any offset can.
    """
    bias = layer.inputs[2] if len(layer.inputs) > 2 else None
    constant = layer.input(1).is_constant and (bias is None or bias.is_constant)
    return sums.total == "int32_t" and constant


def _folded(layer: Layer[ConvolutionParams], bias: Value | Constant, channel_axis: int) -> Constant:
    assert isinstance(bias, Constant)
    values = np.moveaxis(_values(layer, 1), channel_axis, 0)
    more = layer.params.input_offset * values.reshape(len(values), -1).sum(axis=1)
    return Constant("bias", (bias.values + more).astype(np.uint32).view(np.int32))


def weights_argument(weights: Value) -> Argument:
    """Weights as they are passed; those of int4 stay packed."""
    if weights.data is None:
        return weights
    data = weights.data
    if weights.type is TensorType.INT4:
        data = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    return Constant("weights", data)


_C_TO_NUMPY = {"int32_t": np.int32, "int64_t": np.int64, "float": np.float32}


def bias_argument(
    layer: AnyLayer, channels: int, total: str, position: int = 2
) -> Value | Constant:
    """The bias in a sum's type, in none wider where it is computed; zeros where there is none."""
    value = layer.inputs[position] if len(layer.inputs) > position else None
    if value is not None and value.data is None:
        return value
    data = np.zeros(channels) if value is None or value.data is None else value.data
    return Constant("bias", data.reshape(-1).astype(_C_TO_NUMPY[total]))


def bias_of(layer: AnyLayer, channels: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    """A constant bias as int32 per channel, zeros where there is none."""
    bias = layer.inputs[2] if len(layer.inputs) > 2 else None
    if bias is None:
        return np.zeros(channels, np.int32)
    return constant_of(bias, "bias").reshape(-1).astype(np.int32)


def per_channel(values: Any, channels: int, dtype: Any = None) -> np.ndarray[Any, Any]:
    """One value per channel, where there may be only one for all."""
    flat = np.asarray(values, dtype).reshape(-1)
    return np.ascontiguousarray(np.broadcast_to(flat, (channels,)))
