"""Operators that compute in int8: convolutions and pooling of quantised nets.

Facts: MNN 3.6.1 ``backend/cpu/CPUConvolution.cpp``, ``compute/ConvInt8TiledExecutor.cpp``,
``CPUDepthwiseConvInt8.cpp``, ``CPUPoolInt8.cpp``, ``CPUFloatToInt8.cpp``,
``CPUInt8ToFloat.cpp``, ``core/ConvolutionCommon.cpp`` (``getConvInt8Parameters``).
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np

from arenite.formats.flatbuffer import Row
from arenite.mnn.file.enums import BinaryKind, OpType, UnaryKind
from arenite.mnn.file.net import Op
from arenite.mnn.file.weights import Decoder, Quantized
from arenite.mnn.lowering import convolution as floats
from arenite.mnn.lowering import elementwise
from arenite.mnn.lowering.convolution import NetConvolution, Order, described, hwc, ohwi
from arenite.mnn.lowering.graph_builder import GraphBuilder
from arenite.mnn.lowering.quantization import computes_in_int8
from arenite.mnn.lowering.values import Key, Layout, Steps, Value
from arenite.mnn.operators.binary_int8 import MnnBinaryInt8Options
from arenite.mnn.operators.conv_int8 import MnnConvInt8Options
from arenite.mnn.operators.float_to_int8 import MnnFloatToInt8Options
from arenite.mnn.operators.int8_to_float import MnnInt8ToFloatOptions
from arenite.mnn.operators.lookup import MnnLookupOptions
from arenite.model import Array, TensorType
from arenite.ops.tflite.add import AddOptions
from arenite.ops.tflite.cast import CastOptions
from arenite.ops.tflite.mul import MulOptions

_FLOAT, _INT8 = 1, 6

# -- convolutions whose tensors have scales -----------------------------------------------


def convolution(g: GraphBuilder, op: Op) -> None:
    """Convolution and ConvolutionDepthwise: in int8 if MNN computes so, and weights allow it."""
    if computes_in_int8(op, g.steps):
        conv = described(g, op)
        weights = quantized_weights(g, op, conv)
        if weights is not None:
            emit_convolution(g, op, conv, weights)
            return
    floats.convolution(g, op)


def emit_convolution(g: GraphBuilder, op: Op, conv: NetConvolution, weights: Quantized) -> None:
    """The convolution in int8, with offsets and factors as MNN computes them."""
    images, x = conv.images, conv.images.value
    y = g.output(op, images.logical(conv.slide.output, conv.filters), x)
    steps, out = g.steps[op.inputs[0]], g.steps[op.outputs[0]]
    sums = weights.values.reshape(conv.filters, -1).sum(1, dtype=np.int64)
    bias = bias_of(g, op, conv.filters)
    parameters = depthwise_bias if conv.is_depthwise else float_bias
    with np.errstate(all="ignore"):
        offsets, factors = parameters(weights.scale, sums, bias, steps, out)
    low = out.zero if conv.activation else out.low
    options = options_of(conv, steps.zero, (low, out.high))
    inputs = [
        g.shaped(g.bytes(x, Key(Layout.LAST, steps)), images.shape, x.name),
        *constants(g, op, conv, (weights.values, offsets, factors)),
    ]
    result = g.new(y, Layout.LAST, conv.output_shape, steps=out)
    g.emit("MNN_CONV_INT8", inputs, [result], options)


def float_bias(
    scale: Array, sums: Array, bias: Array, steps: Steps, out: Steps
) -> tuple[Array, Array]:
    """Addends of the rescaled sums, and the factors, in float32."""
    f = np.float32
    kernel = sums.astype(f) * scale
    real = (bias - kernel * f(steps.zero + 128) * f(steps.scale)) / f(out.scale) + f(out.zero)
    return real.astype(f), scale * f(steps.scale) / f(out.scale)


def depthwise_bias(
    scale: Array, sums: Array, bias: Array, steps: Steps, out: Steps
) -> tuple[Array, Array]:
    """Addends of the sums in int32, cut off, and the factors."""
    f = np.float32
    scale = np.where(np.abs(scale) < 1e-6, f(1e-6), scale).astype(f)
    factors = scale * (f(steps.scale) / f(out.scale))
    summands = np.trunc(bias / (f(steps.scale) * scale)), np.trunc(f(out.zero) / factors)
    offsets = sum(summands) - sums * np.float64(steps.zero + 128)
    return np.clip(offsets, -(2**31), 2**31 - 1).astype(np.int32), factors


def options_of(
    conv: NetConvolution, zero: int, clamp: tuple[int, int] | None
) -> MnnConvInt8Options:
    """The options of MNN_CONV_INT8."""
    return MnnConvInt8Options(
        placement=conv.slide.placement,
        stride=conv.slide.stride,
        dilation=conv.slide.dilation,
        zero=zero,
        clamp=clamp,
        relu=bool(conv.activation),
        depthwise=conv.is_depthwise,
    )


def constants(
    g: GraphBuilder, op: Op, conv: NetConvolution, arrays: tuple[Array, Array, Array]
) -> list[int]:
    """Constant tensors with the weights as the file has them, bias and factors."""
    values, bias, factors = arrays
    order: Order = hwc if conv.is_depthwise else ohwi
    taps = np.ascontiguousarray(order(values.reshape(conv.shape)))
    named = {"weights": taps, "bias": bias, "factors": factors.astype(np.float32)}
    return [g.constant(array, f"{op.name} {name}") for name, array in named.items()]


def quantized_weights(g: GraphBuilder, op: Op, conv: NetConvolution) -> Quantized | None:
    """The weights as integers with a scale for each filter; None if they are not of that kind."""
    quan, count = op.main["quanParameter"], prod(conv.shape)
    if quan is None:
        return None
    decoder = Decoder(g.net, quan, f"{op.path}.main.quanParameter")
    if not decoder.has_integers:
        return None
    weights = decoder.quantized(count)
    if weights.zero is not None or conv.filters % len(weights.scale):
        return None
    if not np.isfinite(weights.scale).all() or not np.isfinite(bias_of(g, op, conv.filters)).all():
        return None
    return replace(weights, scale=np.repeat(weights.scale, conv.filters // len(weights.scale)))


def bias_of(g: GraphBuilder, op: Op, filters: int) -> Array:
    """The bias as real numbers."""
    bias = op.main["bias"]
    if bias is None or not len(bias):
        return np.zeros(filters, np.float32)
    if len(bias) != filters:
        g.fail(op, f"expected a bias of {filters} numbers, got {len(bias)}", ".main.bias")
    return np.asarray(bias)


# -- element by element -------------------------------------------------------------------


#: Functions whose results forget the output's scale.
UNSCALED = frozenset({"MAXIMUM", "MINIMUM"})
#: What MNN computes in int8.
INT8 = UNSCALED | {
    *("ADD", "SUB", "MUL", "REALDIV", "SquaredDifference", "POW", "FLOORDIV", "FLOORMOD"),
    *("MOD", "ATAN2"),
}


def binary(g: GraphBuilder, op: Op) -> None:
    """BinaryOp; MNN's ReLU after it makes 0 of what is below, whatever the zero point."""
    kind = BinaryKind(op.main["opType"])
    if kind.name not in INT8 or not computes_in_int8(op, g.steps):
        elementwise.binary(g, op)
        return
    values = [g.input(op, 0), g.input(op, 1)]
    shape = elementwise.broadcast(g, op, values)
    y = g.output(op, shape, max(values, key=lambda value: value.rank))
    out = g.steps[op.outputs[0]]
    is_last = [v.rank == y.rank and v.has_two_layouts for v in values]
    layout = Layout.LAST if all(is_last) and y.has_two_layouts else Layout.PLAIN
    inputs = [
        g.shaped(g.bytes(v, Key(layout, v.steps)), v.physical(layout), v.name) for v in values
    ]
    low = 0 if op.main["activationType"] == 1 else out.low
    options = MnnBinaryInt8Options(kind.name, low, out.high, kind.name in UNSCALED)
    g.emit("MNN_BINARY_INT8", inputs, [g.new(y, layout, steps=out)], options)


def unary(g: GraphBuilder, op: Op) -> None:
    """UnaryOp: in int8 by the file's table, or as MNN's kernels cut numbers off."""
    if not computes_in_int8(op, g.steps):
        elementwise.unary(g, op)
        return
    x, steps, out = g.input(op), g.steps[op.inputs[0]], g.steps[op.outputs[0]]
    y = g.output(op, x.shape, x)
    given = op.main["tableInt8"]
    if given is not None and len(given) < 255:
        g.fail(op, f"expected a table of 255 numbers, got {len(given)}", ".main.tableInt8")
    table = [given[0], *given[:255]] if given is not None else function_table(op, steps, out)
    key = x.first._replace(steps=steps)
    held = g.bytes(x, key)
    source = g.shaped(held, held.shape, x.name)
    target = g.new(y, key.layout, held.shape, steps=out)
    g.emit("MNN_LOOKUP", [source], [target], MnnLookupOptions(tuple(int(n) for n in table)))


def function_table(op: Op, steps: Steps, out: Steps) -> Array:
    """The sign, the absolute or the negative value of every int8, cut off as MNN does it.

    What is no number, as with scales near zero, becomes the zero point.
    """
    f = np.float32
    q, kind = np.arange(-128, 128).astype(f) - f(steps.zero), op.main["opType"]
    with np.errstate(all="ignore"):
        factor = f(1) / f(out.scale)
        if kind == UnaryKind.SIGN:
            whole = np.clip(np.trunc(np.sign(q) * factor + f(out.zero)), -128, 127)
        elif kind == UnaryKind.ABS:
            real = np.clip(np.abs(q * f(steps.scale)) * factor + f(out.zero), *out[2:])
            whole = np.trunc(real.astype(f) + f(128)) - 128
        else:
            whole = np.clip(np.trunc(-q * f(steps.scale) * factor + f(out.zero)), *out[2:])
    return np.where(np.isnan(whole), out.zero, whole)


# -- operators that say their scales themselves -------------------------------------------


def conv_int8(g: GraphBuilder, op: Op) -> None:
    """ConvInt8 and DepthwiseConvInt8: with scales like other convolutions, or from old files.

    Old files have a bias in int32 and, per filter, the factor from sums to the output.
    """
    conv = described(g, op)
    row: Row | None = op.main["symmetricQuan"]
    if row is None or row["bias"] is None or row["scale"] is None:
        convolution(g, op)
        return
    if row["outputDataType"] not in (_FLOAT, _INT8):
        g.fail(op, f"outputs of data type {row['outputDataType']} are not supported")
    if row["zeroPoint"] or row["outputZeroPoint"]:
        g.fail(op, "zero points other than 0 are not supported in old files", ".symmetricQuan")
    type_ = TensorType.INT8 if row["outputDataType"] == _INT8 else TensorType.FLOAT32
    logical = conv.images.logical(conv.slide.output, conv.filters)
    y = g.output(op, logical, conv.images.value, type=type_)
    clamp = None
    if type_ is TensorType.INT8:
        clamp = (max(row["clampMin"], 0) if conv.activation else row["clampMin"], row["clampMax"])
    values, bias, factors = old_parameters(g, op, conv, row)
    offsets = bias - 128 * values.reshape(conv.filters, -1).sum(1, dtype=np.int64)
    if not conv.is_depthwise:
        offsets = offsets.astype(np.float32) * factors
    offsets = offsets.astype(np.int32 if conv.is_depthwise else np.float32)
    inputs = [raw_images(g, op, conv), *constants(g, op, conv, (values, offsets, factors))]
    result = g.new(y, Layout.LAST, conv.output_shape)
    g.emit("MNN_CONV_INT8", inputs, [result], options_of(conv, 0, clamp))


def raw_images(g: GraphBuilder, op: Op, conv: NetConvolution) -> int:
    """The input's int8."""
    x = conv.images.value
    if x.type is not TensorType.INT8 and x.steps is None:
        g.fail(op, f"the input {x.name!r} is neither int8 nor has a scale")
    steps = None if x.type is TensorType.INT8 else x.steps
    return g.shaped(g.bytes(x, Key(Layout.LAST, steps)), conv.images.shape, x.name)


def old_parameters(
    g: GraphBuilder, op: Op, conv: NetConvolution, row: Row
) -> tuple[Array, Array, Array]:
    """Weights, bias and factors."""
    bias, factors, flat = row["bias"], row["scale"], row["weight"]
    if op.main["quanParameter"] is not None:
        decoder = Decoder(g.net, op.main["quanParameter"], f"{op.path}.main.quanParameter")
        flat = decoder.quantized(prod(conv.shape)).values
    counts = [0 if array is None else len(array) for array in (flat, bias, factors)]
    if counts != [prod(conv.shape), conv.filters, conv.filters]:
        g.fail(op, f"expected weights, bias and scales for {list(conv.shape)}, got {counts}")
    return np.asarray(flat), np.asarray(bias), np.asarray(factors)


def float_to_int8(g: GraphBuilder, op: Op) -> None:
    """FloatToInt8: ``round(x * factor) + zero``, one factor, or one per channel."""
    x, factors, zero = cast_parameters(g, op)
    row = op.main
    y = g.output(op, x.shape, x, type=TensorType.INT8)
    options = MnnFloatToInt8Options(factors, zero, row["clampMin"], row["clampMax"])
    source = g.tensor(x, Layout.LAST)
    g.emit("MNN_FLOAT_TO_INT8", [source], [g.new(y, Layout.LAST)], options)


def int8_to_float(g: GraphBuilder, op: Op) -> None:
    """Int8ToFloat: ``(q - zero) * scale``, one scale, or one per channel."""
    x, factors, zero = cast_parameters(g, op)
    if x.type is not TensorType.INT8:
        g.fail(op, f"expected an input of int8, got {x.type}")
    y = g.output(op, x.shape, x, type=TensorType.FLOAT32)
    source = g.tensor(x, Layout.LAST)
    options = MnnInt8ToFloatOptions(factors, zero)
    g.emit("MNN_INT8_TO_FLOAT", [source], [g.new(y, Layout.LAST)], options)


def cast_parameters(g: GraphBuilder, op: Op) -> tuple[Value, tuple[float, ...], float]:
    """Input, factors and zero point of FloatToInt8 and Int8ToFloat."""
    x, row = g.input(op), op.main
    factors = row["tensorScale"]
    channels = x.shape[1] if x.rank > 1 else 1
    if factors is None or len(factors) not in (1, channels) or x.format.name == "NHWC":
        got = None if factors is None else len(factors)
        g.fail(op, f"expected 1 or {channels} scales for channels first, got {got}", ".main")
    zeros = row["floatzeros"]
    zero = float(row["zeroPoint"] if zeros is None or not len(zeros) else zeros[0])
    return x, tuple(float(factor) for factor in factors), zero


def eltwise_int8(g: GraphBuilder, op: Op) -> None:
    """EltwiseInt8: the sum of two scaled tensors, scaled, cut off to whole numbers.

    It adds, whatever its type says. MNN's package has no such kernel: it is built without
    ``MNN_SUPPORT_DEPRECATED_OP`` (``CPUEltwiseInt8.cpp``, ``arm64/MNNScaleAddInt8.S``).
    """
    a, b = g.input(op, 0), g.input(op, 1)
    if a.shape != b.shape or {a.type, b.type} != {TensorType.INT8}:
        g.fail(op, f"expected two int8 tensors of one shape, got {list(a.shape)}, {list(b.shape)}")
    y = g.output(op, a.shape, a)
    scales = [scales_of(g, op, name, a) for name in ("inputQuan0", "inputQuan1", "outputQuan")]
    real = []
    for value, scale in zip((a, b), scales, strict=False):
        source = g.tensor(value, Layout.LAST)
        real.append(g.temporary(g.shapes[source], TensorType.FLOAT32, f"{value.name} (real)"))
        g.emit("MNN_INT8_TO_FLOAT", [source], [real[-1]], MnnInt8ToFloatOptions(scale))
    shape = g.shapes[real[0]]
    factors = g.constant(np.array(scales[2], np.float32), f"{op.name} factors")
    least, most = (g.constant(np.float32(end), "end") for end in (-127, 127))
    made = real
    for name, operands in (
        ("ADD", []), ("MUL", [factors]), ("MAXIMUM", [least]), ("MINIMUM", [most])
    ):  # fmt: skip
        made = [g.temporary(shape, TensorType.FLOAT32, f"{y.name} ({name.lower()})"), *made]
        inputs = made[1:3] if name == "ADD" else [made[1], *operands]
        row = {"ADD": AddOptions, "MUL": MulOptions}.get(name)
        g.emit(name, inputs, made[:1], None if row is None else row())
    options = CastOptions(int(TensorType.FLOAT32), int(TensorType.INT8))
    g.emit("CAST", made[:1], [g.new(y, Layout.LAST)], options)


def scales_of(g: GraphBuilder, op: Op, name: str, x: Value) -> tuple[float, ...]:
    """One scale, or one per channel."""
    row: Row | None = op.main.get(name)
    found = None if row is None else row["tensorScale"]
    channels = x.shape[1] if x.rank > 1 else 1
    if found is None or len(found) not in (1, channels):
        g.fail(op, f"expected 1 or {channels} scales", f".main.{name}")
    return tuple(float(one) for one in found)


MAPPINGS = {
    OpType.EltwiseInt8: eltwise_int8,
    OpType.BinaryOp: binary,
    OpType.UnaryOp: unary,
    OpType.Convolution: convolution,
    OpType.ConvolutionDepthwise: convolution,
    OpType.ConvInt8: conv_int8,
    OpType.DepthwiseConvInt8: conv_int8,
    OpType.FloatToInt8: float_to_int8,
    OpType.Int8ToFloat: int8_to_float,
}
