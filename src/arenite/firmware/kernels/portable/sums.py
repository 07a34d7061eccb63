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
from arenite.firmware.kernels.portable.elements import clamped, is_float, reads, writes
from arenite.firmware.kernels.portable.elementwise_loop import argument, c_type
from arenite.firmware.kernels.portable.needs import constant_of, require_elements, require_types
from arenite.firmware.network.kernel import Argument, Constant, Routine, Work
from arenite.firmware.network.layers import AnyLayer, Layer, Value
from arenite.model import TensorType
from arenite.ops.shared.convolution import ConvolutionParams


@dataclass(frozen=True)
class Sums:
    """C for sums of products of a layer's input and weights, by channel ``n``.

    Attributes:
        total: The type of a sum, and of a bias.
        start: What a sum begins with.
        finish: Statements that make an output of ``sum`` and write it to ``*y++``.
        is_packed: Whether weights are two in a byte.
    """

    total: str
    start: str
    finish: str
    is_packed: bool

    def weight(self, place: str) -> str:
        """A weight by its number."""
        return f"ar_nibble(weights, {place})" if self.is_packed else f"weights[{place}]"

    def add(self, x: str, weight: str) -> str:
        """The statement that adds a product; operands are expressions of ints or floats."""
        if self.total == "float":
            return f"sum += {x} * {weight};"
        if self.total == "int64_t":
            return f"sum = ar_add_wide(sum, (int64_t)({x}) * ({weight}));"
        return f"sum = ar_add(sum, ar_multiply({x}, {weight}));"


_FINISH = """\
const int32_t scaled = $rescale(sum, multiplier[n], shift[n]);
*y++ = $result;"""


def sums_of(layer: Layer[ConvolutionParams], x: int = 0, weights: int = 1) -> Sums:
    """A layer's sums in C.

    Raises:
        UnsupportedError: Its types are not those of the reference, or a tensor is empty.
    """
    require_types(layer, TensorType.INT8, TensorType.INT16, TensorType.FLOAT32, inputs=0)
    require_elements(layer)
    is_packed = layer.input(weights).type is TensorType.INT4
    if is_float(layer.input(x)):
        result = f"*y++ = {clamped(layer, 'sum + bias[n]')};"
        return Sums("float", "0.0f", result, is_packed=False)
    is_wide = layer.params.accumulates_64_bits
    finish = fill(
        _FINISH,
        rescale="ar_rescale_wide" if is_wide else "ar_rescale",
        result=clamped(layer, with_offset("scaled", layer.params.output_offset)),
    )
    return Sums("int64_t" if is_wide else "int32_t", "bias[n]", finish, is_packed)


def with_offset(text: str, offset: int) -> str:
    """An int32 plus a constant, wrapping."""
    return f"ar_add({text}, {literal(offset)})" if offset else text


def plus(text: str, offset: int) -> str:
    """A small int plus a constant, which files make large."""
    if abs(offset) >= 1 << 24:
        return with_offset(text, offset)
    return f"{text} {'-' if offset < 0 else '+'} {abs(offset)}" if offset else text


def sums_work(
    layer: Layer[ConvolutionParams], stem: str, body: str, channels: int, positions: tuple[int, int]
) -> Work:
    """The work for a body that reads ``x``, ``weights``, ``bias`` and writes ``y`` by channel.

    Of integers there are ``multiplier`` and ``shift`` as well, by channel. ``positions`` are those
    of the input and the weights; the bias is the last input.
    """
    x, weights = (layer.input(i) for i in positions)
    total = sums_of(layer, *positions).total
    bias = bias_argument(layer, channels, total, max(positions) + 1)
    kind = total if isinstance(bias, Constant) else c_type(bias)
    parameters = [reads(x, "x"), _weights_parameter(weights), f"const {kind} *bias"]
    arguments: list[Argument] = [argument(x), weights_argument(weights), bias]
    if total != "float":
        p = layer.params
        parameters += ["const int32_t *multiplier", "const int8_t *shift"]
        arguments.append(Constant("multiplier", per_channel(p.multiplier, channels, np.int32)))
        arguments.append(Constant("shift", per_channel(p.shift, channels, np.int8)))
    parameters.append(writes(layer.output, "y"))
    routine = Routine(stem, tuple(parameters), body, about=str(layer))
    return Work(routine, (*arguments, layer.output))


def _weights_parameter(weights: Value) -> str:
    packed = weights.type is TensorType.INT4
    return "const uint8_t *weights" if packed else reads(weights, "weights")


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
