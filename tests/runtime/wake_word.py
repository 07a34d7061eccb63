"""A model shaped like microWakeWord's: streaming convolutions over ring buffers in variables.

Every block keeps the last rows that it saw, puts the new ones behind them, and convolves groups of
channels with filters of different lengths. A subgraph that runs once fills the buffers.
"""

from collections.abc import Sequence

import numpy as np

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.assign_variable import AssignVariableOptions
from arenite.ops.tflite.call_once import CallOnceOptions
from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.read_variable import ReadVariableOptions
from arenite.ops.tflite.reshape import ReshapeOptions
from arenite.ops.tflite.split_v import SplitVOptions
from arenite.ops.tflite.strided_slice import StridedSliceOptions
from arenite.ops.tflite.var_handle import VarHandleOptions

SCALE, ZERO = 0.1, -5
QUANTIZED = {"scale": SCALE, "zero_point": ZERO}
FEATURES, ROWS, CHANNELS = 40, 3, 32
VALID, RELU = 1, 1


class Streaming:
    """The main subgraph, and the one that initialises its buffers."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.main, self.once = ModelBuilder("main"), ModelBuilder("once")

    def tensor(self, *shape: int) -> int:
        return self.main.tensor("t", shape, "int8", **QUANTIZED)

    def numbers(self, *values: int) -> int:
        return self.main.constant("n", np.array(values, np.int32))

    def weights(self, shape: Sequence[int], channels: int, axis: int) -> list[int]:
        """Filters with a scale for each channel, and biases."""
        scales = self.rng.uniform(0.002, 0.01, channels).astype(np.float32)
        filters = self.rng.integers(-127, 128, shape, np.int8)
        bias = self.rng.integers(-200, 200, channels, dtype=np.int32)
        zeros = [0] * channels
        return [
            self.main.constant(
                "w", filters, scale=scales, zero_point=zeros, quantized_dimension=axis
            ),
            self.main.constant("b", bias, scale=scales * np.float32(SCALE), zero_point=zeros),
        ]

    def stream(self, x: int, kept: int, rows: int, channels: int) -> int:
        """The last ``kept`` rows and the new ones; what is kept then goes to the variable."""
        name = f"stream{len(self.once.subgraph().operators)}"
        shape = (1, kept, 1, channels)
        for b in (self.main, self.once):
            variable = b.tensor(f"{name} handle", (), "resource")
            b.operator("VAR_HANDLE", [], [variable], VarHandleOptions("", name))
        first = self.rng.integers(-10, 10, shape, dtype=np.int8)
        begin = self.once.constant(f"{name} first", first, **QUANTIZED)
        handle = self.once.subgraph().operators[-1].outputs[0]
        self.once.operator("ASSIGN_VARIABLE", [handle, begin], [], AssignVariableOptions())
        before, joined = self.tensor(*shape), self.tensor(1, kept + rows, 1, channels)
        handle = self.main.subgraph().operators[-1].outputs[0]
        self.main.operator("READ_VARIABLE", [handle], [before], ReadVariableOptions())
        self.main.operator("CONCATENATION", [before, x], [joined], ConcatenationOptions(axis=1))
        last = self.last_rows(joined, kept, kept + rows, channels)
        self.main.operator("ASSIGN_VARIABLE", [handle, last], [], AssignVariableOptions())
        return joined

    def last_rows(self, x: int, rows: int, of: int, channels: int) -> int:
        out = self.tensor(1, rows, 1, channels)
        begin, end = self.numbers(0, of - rows, 0, 0), self.numbers(1, of, 1, channels)
        options = StridedSliceOptions(0, 0)
        self.main.operator(
            "STRIDED_SLICE", [x, begin, end, self.numbers(1, 1, 1, 1)], [out], options
        )
        return out

    def convolve(self, x: int, rows: int, channels: int, filters: int) -> int:
        out = self.tensor(1, 1, 1, filters)
        weights = self.weights((filters, rows, 1, channels), filters, 0)
        options = Conv2DOptions(VALID, 1, 1, RELU)
        self.main.operator("CONV_2D", [x, *weights], [out], options)
        return out

    def mixed(self, x: int, lengths: Sequence[int]) -> int:
        """A filter length for each group of channels, then a pointwise convolution."""
        longest, group = max(lengths), CHANNELS // len(lengths)
        joined = self.stream(x, longest - 1, 1, CHANNELS)
        parts = [self.tensor(1, longest, 1, group) for _ in lengths]
        sizes, axis = self.numbers(*[group] * len(lengths)), self.numbers(3)
        self.main.operator("SPLIT_V", [joined, sizes, axis], parts, SplitVOptions(len(lengths)))
        results = []
        for part, length in zip(parts, lengths, strict=True):
            rows = part if length == longest else self.last_rows(part, length, longest, group)
            results.append(self.tensor(1, 1, 1, group))
            weights = self.weights((1, length, 1, group), group, 3)
            options = DepthwiseConv2DOptions(VALID, 1, 1, 1)
            self.main.operator("DEPTHWISE_CONV_2D", [rows, *weights], [results[-1]], options)
        whole = self.tensor(1, 1, 1, CHANNELS)
        self.main.operator("CONCATENATION", results, [whole], ConcatenationOptions(axis=3))
        return self.convolve(whole, 1, CHANNELS, CHANNELS)


def wake_word(seed: int = 0) -> Model:
    """Three rows of 40 features to the probability of a word, window by window."""
    s = Streaming(seed)
    b = s.main
    b.operator("CALL_ONCE", [], [], CallOnceOptions(1))
    x = b.input("features", (1, ROWS, FEATURES), "int8", **QUANTIZED)
    image = s.tensor(1, ROWS, 1, FEATURES)
    b.operator(
        "RESHAPE", [x, s.numbers(1, ROWS, 1, FEATURES)], [image], ReshapeOptions((1, 3, 1, 40))
    )
    last = s.convolve(s.stream(image, 2, ROWS, FEATURES), 5, FEATURES, CHANNELS)
    for lengths in ((5,), (7, 11), (9, 15), (23,)):
        last = s.mixed(last, lengths)
    flat = s.tensor(1, 5 * CHANNELS)
    joined = s.stream(last, 4, 1, CHANNELS)
    b.operator("RESHAPE", [joined, s.numbers(1, 160)], [flat], ReshapeOptions((1, 160)))
    logit = s.tensor(1, 1)
    weights = [
        b.constant("fc", s.rng.integers(-127, 128, (1, 160), np.int8), scale=0.004),
        b.constant("fc bias", np.array([30], np.int32), scale=0.0004),
    ]
    b.operator("FULLY_CONNECTED", [flat, *weights], [logit], FullyConnectedOptions())
    y = b.tensor("probability", (1, 1), "int8", scale=1 / 256, zero_point=-128)
    b.operator("LOGISTIC", [logit], [y])
    b.output(y)
    return b.build(subgraphs=[s.once.subgraph()])
