"""Random layers of int8 to count on: small ones, so that calls and rests weigh as much as loops."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from arenite.model import Model, ModelBuilder
from arenite.ops import builtin
from arenite.ops.kernel_util import window_output_size
from arenite.ops.tflite.svdf import SVDFOptions
from arenite.ops.tflite.unidirectional_sequence_lstm import UnidirectionalSequenceLSTMOptions

Rng = np.random.Generator
Shape = tuple[int, ...]
Options = dict[str, int]
_BYTES: dict[str, Any] = {"scale": 0.05, "zero_point": 3}
_SHARE: dict[str, Any] = {"scale": 1 / 256, "zero_point": -128}


def layers(name: str, count: int, seed: int = 0) -> list[Model]:
    """So many random models of one operator; a seed says everything."""
    rng = np.random.default_rng([seed, *name.encode()])
    return [LAYERS[name](rng) for _ in range(count)]


def chain(length: int) -> Model:
    """So many operators that do the least, one after the other."""
    b = ModelBuilder()
    last = b.input("x", (1, 8), "int8", **_BYTES)
    for index in range(length):
        last, before = b.tensor(f"y{index}", (1, 8), "int8", **_BYTES), last
        b.operator("RESHAPE", [before], [last], None)
    b.output(last)
    return b.build()


def _one(
    name: str, inputs: Any, output: Shape, *, x: Any = _BYTES, y: Any = _BYTES, **options: Any
) -> Model:
    """Of inputs a shape is fed, an array a constant; so is an array with how it is quantised."""
    b, indices = ModelBuilder(), list[int]()
    for number, given in enumerate(inputs):
        if isinstance(given, np.ndarray):
            indices.append(b.constant(f"c{number}", given))
        elif isinstance(given[0], np.ndarray):
            indices.append(b.constant(f"c{number}", given[0], **given[1]))
        else:
            indices.append(b.input(f"x{number}", given, "int8", **x))
    registration = builtin(name)
    assert registration is not None
    table = registration.options and registration.options(**options)
    last = b.tensor("y", output, "int8", **y)
    b.operator(name, indices, [last], table)
    b.output(last)
    return b.build()


def _n(rng: Rng, high: int, low: int = 1) -> int:
    return int(rng.integers(low, high, endpoint=True))


def _pick(rng: Rng, *choices: Any) -> Any:
    return choices[int(rng.integers(len(choices)))]


def _shape(rng: Rng, rank: int = 4, size: int = 600) -> Shape:
    """About so many values at most."""
    found = list[int]()
    for left in range(rank, 0, -1):
        found.append(_n(rng, max(1, round(1.3 * (size / np.prod([1, *found])) ** (1 / left)))))
    return tuple(found)


def _weighted(
    name: str, x: Shape, weights: Any, shape: Shape, first: Any = (), **how: Any
) -> Model:
    """Weights and biases, and a scale for what they give."""
    (data, quantized), bias = weights
    scales = np.float32(_BYTES["scale"]) * quantized["scale"]
    given = [*first, (data, quantized), x] if first else [x, (data, quantized)]
    y = {"scale": float(np.mean(scales)) * 64 * (data.size / bias.size) ** 0.5, "zero_point": -2}
    return _one(name, [*given, (bias, {"scale": scales})], shape, y=y, **how)


def _weights(rng: Rng, shape: Shape, filters: int, axis: int, *, single: bool = False) -> Any:
    scales = np.exp(rng.uniform(-7, -3, filters)).astype(np.float32)
    quantized = {"scale": scales[0] if single else scales, "quantized_dimension": axis}
    data = rng.integers(-127, 128, shape).astype(np.int8)
    return (data, quantized), rng.integers(-1000, 1000, filters).astype(np.int32)


def _window(rng: Rng, taps: int, *, dilates: bool = True) -> tuple[Shape, Shape, Options]:
    """An image, a filter that fits, and a window's options; a quarter is dilated."""
    image, by = (_n(rng, 9, 2), _n(rng, 9, 2)), (1, 1)
    how = {"padding": _n(rng, 1, 0), "stride_h": _n(rng, 3), "stride_w": _n(rng, 3)}
    if dilates and rng.random() < 0.25:
        by, how = (_n(rng, 2), _n(rng, 2)), {**how, "stride_h": 1, "stride_w": 1}
        how |= {"dilation_h_factor": by[0], "dilation_w_factor": by[1]}
    kernel = tuple(_n(rng, min(taps, (n - 1) // d + 1)) for n, d in zip(image, by, strict=True))
    return image, kernel, how


def _outputs(image: Shape, kernel: Shape, how: Options) -> Shape:
    return tuple(
        window_output_size(
            how["padding"], n, k, how[f"stride_{axis}"], how.get(f"dilation_{axis}_factor", 1)
        )
        for n, k, axis in zip(image, kernel, "hw", strict=True)
    )


def _conv(rng: Rng) -> Model:
    """A third of pixels, a sixth of lines, a tenth in groups."""
    (image, kernel, how), kind, groups = _window(rng, 5), rng.random(), 1
    depth, filters, batch = _n(rng, 24), _n(rng, 24), _pick(rng, 1, 1, 2)
    if kind < 0.33:
        kernel, depth = (1, 1), _pick(rng, depth, 8 * _n(rng, 16))
        how = {"padding": 1, "stride_h": 1, "stride_w": _pick(rng, 1, 1, 2)}
    elif kind < 0.5:
        image, kernel = (1, image[1] * 3), (1, kernel[1])
    elif kind > 0.9:
        groups = _n(rng, 4, 2)
        depth, filters = groups * _n(rng, 9), groups * _n(rng, 6)
    weights = _weights(rng, (filters, *kernel, depth // groups), filters, 0)
    shape = (batch, *_outputs(image, kernel, how), filters)
    how["fused_activation_function"] = _n(rng, 1, 0)
    return _weighted("CONV_2D", (batch, *image, depth), weights, shape, **how)


def _depthwise(rng: Rng) -> Model:
    """A half with filters of 3 x 3, two fifths with a multiplier."""
    (image, kernel, how), by = _window(rng, 5), _pick(rng, 1, 1, 1, _n(rng, 4), 4 * _n(rng, 2))
    if rng.random() < 0.5 and min(image) > 2 and "dilation_h_factor" not in how:
        kernel = 3, 3
    depth = _n(rng, 40 if by == 1 else 8)
    weights = _weights(rng, (1, *kernel, depth * by), depth * by, 3)
    shape = (1, *_outputs(image, kernel, how), depth * by)
    x = (1, *image, depth)
    return _weighted("DEPTHWISE_CONV_2D", x, weights, shape, **how, depth_multiplier=by)


def _dense(rng: Rng) -> Model:
    """A third with a scale per unit; a third of few inputs. Weights without zero points: TFLM's."""
    batch, depth, units = _pick(rng, 1, 1, 1, 2, 5), _n(rng, _pick(rng, 20, 400, 400)), _n(rng, 30)
    weights = _weights(rng, (units, depth), units, 0, single=rng.random() < 0.67)
    activation = {"fused_activation_function": _n(rng, 1, 0)}
    return _weighted("FULLY_CONNECTED", (batch, depth), weights, (batch, units), **activation)


def _transposed(rng: Rng) -> Model:
    taps, stride, image = ((_n(rng, most), _n(rng, most)) for most in (4, 2, 6))
    depth, filters = _n(rng, 24), _n(rng, 9)
    sizes = zip(image, taps, stride, strict=True)
    output = (1, *((n - 1) * s + max(t, s) for n, t, s in sizes), filters)
    weights = _weights(rng, (filters, *taps, depth), filters, 0)
    how = {"padding": 1, "stride_h": stride[0], "stride_w": stride[1]}
    first = [np.array(output, np.int32)]
    return _weighted("TRANSPOSE_CONV", (1, *image, depth), weights, output, first, **how)


def _pool(rng: Rng, name: str) -> Model:
    (image, kernel, how), depth = _window(rng, 4, dilates=False), _n(rng, 40)
    how |= {"filter_height": kernel[0], "filter_width": kernel[1]}
    return _one(name, [(1, *image, depth)], (1, *_outputs(image, kernel, how), depth), **how)


def _pair(rng: Rng, name: str, y: Any = _BYTES) -> Model:
    shape = other = _shape(rng)
    if name in ("MAXIMUM", "MINIMUM"):
        other = _pick(rng, shape, shape, (1, *shape[1:]), (1, 1, 1, shape[3]))
    return _one(name, [shape, other], shape, y=y)


def _softmax(rng: Rng) -> Model:
    shape, x = (
        (_n(rng, 8), _n(rng, 100, 2)),
        {"scale": np.exp(rng.uniform(-4, -1)), "zero_point": 3},
    )
    return _one("SOFTMAX", [shape], shape, x=x, y=_SHARE, beta=1.0)


def _pad(rng: Rng) -> Model:
    """Seldom along channels or images."""
    shape, ends = _shape(rng), rng.integers(0, 4, (4, 2)).astype(np.int32)
    ends[_pick(rng, [0], [3], [0, 3], [0, 3], [0, 2, 3])] = 0
    return _one("PAD", [shape, ends], tuple(int(n) for n in np.array(shape) + ends.sum(1)))


def _transpose(rng: Rng) -> Model:
    shape, order = _shape(rng), rng.permutation(4).astype(np.int32)
    return _one("TRANSPOSE", [shape, order], tuple(shape[n] for n in order))


def _squeeze(rng: Rng) -> Model:
    shape = tuple(size + 1 for size in _shape(rng, _n(rng, 3)))
    return _one("SQUEEZE", [(1, *shape)], shape)


def _concatenation(rng: Rng) -> Model:
    shape, axis, sizes = _shape(rng), _n(rng, 3, 0), [_n(rng, 6) for _ in range(_n(rng, 5, 2))]
    shapes = [(*shape[:axis], size, *shape[axis + 1 :]) for size in (*sizes, sum(sizes))]
    return _one("CONCATENATION", shapes[:-1], shapes[-1], axis=axis)


def _mean(rng: Rng) -> Model:
    shape = _shape(rng, _n(rng, 4, 2))
    axes = np.sort(rng.permutation(len(shape))[: _n(rng, len(shape))]).astype(np.int32)
    output = tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    return _one("MEAN", [shape, axes], output, keep_dims=True)


def _unary(rng: Rng, name: str, y: Any = _BYTES) -> Model:
    shape = _shape(rng, _n(rng, 4))
    return _one(name, [shape], (int(np.prod(shape)),) if name == "RESHAPE" else shape, y=y)


def _quantize(rng: Rng) -> Model:
    """Of integers; half of those between int8 and uint8 with the same scale."""
    given, made = _pick(rng, *_CONVERSIONS).split()
    shape, b, x, y = _shape(rng, _n(rng, 4)), ModelBuilder(), _scale(rng, given), _scale(rng, made)
    if {given, made} == {"int8", "uint8"} and rng.random() < 0.5:
        y = {**x, "zero_point": x["zero_point"] + (128 if made == "uint8" else -128)}
    inputs, last = [b.input("x", shape, given, **x)], b.tensor("y", shape, made, **y)
    b.operator("QUANTIZE", inputs, [last], None)
    b.output(last)
    return b.build()


def _scale(rng: Rng, kind: str) -> dict[str, Any]:
    """As converters choose them: the wider, the finer; wide ones without a zero point."""
    middle = {"int16": -8, "int32": -12}.get(kind, -3)
    zero = {"int8": _n(rng, 9, -9), "uint8": 128 + _n(rng, 9, -9)}.get(kind, 0)
    return {"scale": float(np.exp(rng.uniform(middle - 1, middle + 1))), "zero_point": zero}


def _svdf(rng: Rng) -> Model:
    """A state of int16, as converters make it; a sixth of int8."""
    rank, units, memory, depth = _n(rng, 2), _n(rng, 24), _n(rng, 12), _n(rng, 60)
    filters, batch, state = rank * units, _pick(rng, 1, 1, 2), _pick(rng, *["int16"] * 5, "int8")
    wide = np.int16 if state == "int16" else np.int8
    b, how = ModelBuilder(), dict[str, Any](scale=0.02)
    tensors = [
        b.input("x", (batch, depth), "int8", **_BYTES),
        b.constant("feature", rng.integers(-127, 128, (filters, depth)).astype(np.int8), **how),
        b.constant("time", rng.integers(-127, 128, (filters, memory)).astype(wide), **how),
        b.constant("bias", rng.integers(-900, 900, units).astype(np.int32), scale=0.02 * 0.05),
        b.variable("state", (batch, filters * memory), state, scale=0.05),
    ]
    last = b.tensor("y", (batch, units), "int8", scale=0.5, zero_point=-5)
    b.operator("SVDF", tensors, [last], SVDFOptions(rank, 0))
    b.output(last)
    return b.build()


def _lstm(rng: Rng) -> Model:
    batch, steps, depth, units = _pick(rng, 1, 1, 2), _n(rng, 6), _n(rng, 24), _n(rng, 20)
    b, major = ModelBuilder(), bool(rng.integers(2))
    shape = (steps, batch) if major else (batch, steps)

    def constants(name: str, columns: int) -> list[int]:
        data = [rng.integers(-127, 128, (units, columns)).astype(np.int8) for _ in range(4)]
        return [b.constant(f"{name} {n}", one, scale=0.01) for n, one in enumerate(data)]

    tensors = [b.input("x", (*shape, depth), "int8", scale=0.02, zero_point=3)]
    tensors += [*constants("inputs", depth), *constants("hidden", units), -1, -1, -1]
    for gate in range(4):
        bias = rng.integers(-5000, 5000, units).astype(np.int32)
        tensors.append(b.constant(f"bias {gate}", bias, scale=0.0002))
    state: dict[str, Any] = {"scale": 1 / 128, "zero_point": -2}
    tensors += [-1, -1, b.variable("hidden", (batch, units), "int8", **state)]
    tensors += [b.variable("cell", (batch, units), "int16", scale=2.0**-11), *[-1] * 4]
    last = b.tensor("y", (*shape, units), "int8", **state)
    options = UnidirectionalSequenceLSTMOptions(4, time_major=major)
    b.operator("UNIDIRECTIONAL_SEQUENCE_LSTM", tensors, [last], options)
    b.output(last)
    return b.build()


_CONVERSIONS = (
    *("int8 int8", "int8 uint8", "int8 int16", "int8 int32", "uint8 int8", "int16 int8"),
    *("int16 int16", "int16 int32", "int32 int8", "int32 int16"),
)
_OTHER = {"scale": 0.11, "zero_point": -5}
#: What makes a random layer of an operator.
LAYERS: dict[str, Callable[[Rng], Model]] = {
    **{"CONV_2D": _conv, "DEPTHWISE_CONV_2D": _depthwise, "FULLY_CONNECTED": _dense},
    **{"TRANSPOSE_CONV": _transposed, "SOFTMAX": _softmax, "PAD": _pad, "TRANSPOSE": _transpose},
    **{"SQUEEZE": _squeeze, "CONCATENATION": _concatenation, "MEAN": _mean},
    **{name: partial(_pool, name=name) for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D")},
    **{name: partial(_pair, name=name, y=_OTHER) for name in ("ADD", "MUL")},
    **{name: partial(_pair, name=name) for name in ("MAXIMUM", "MINIMUM")},
    **{name: partial(_unary, name=name) for name in ("RESHAPE", "RELU6")},
    "RELU": partial(_unary, name="RELU", y=_OTHER),
    **{"QUANTIZE": _quantize, "SVDF": _svdf, "UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm},
    "LOGISTIC": partial(_unary, name="LOGISTIC", y=_SHARE),
}
