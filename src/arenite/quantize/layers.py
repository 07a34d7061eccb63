"""Layers of sums as passes see them: weights as a matrix, inputs as its columns.

What an operator's weights mean comes from its scheme.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arenite.analysis.evaluation.samples import Source
from arenite.model import Model, Operator
from arenite.model.model import Array
from arenite.ops import scheme_of
from arenite.ops.kernel_util import Padding, window_padding
from arenite.ops.registry import traits_of
from arenite.quantize.calibration import Run, runs


@dataclass(frozen=True, eq=False)
class Layer:
    """An operator that sums products with constants.

    Attributes:
        position: Of the operator.
        operator: It.
        weights: Which input holds the weights.
        axis: Where outputs lie in them.
        columns: Where the input's channels lie.
        bias: Which input is the bias, None where there is none.
        kernel: The weights.
    """

    position: int
    operator: Operator
    weights: int
    axis: int
    columns: int
    bias: int | None
    kernel: Array

    @property
    def is_depthwise(self) -> bool:
        """Whether each output has one channel of the input."""
        return self.axis == self.columns

    @property
    def source(self) -> int:
        """The tensor of the layer's input."""
        return self.operator.inputs[0]


def layers_of(model: Model) -> Iterator[Layer]:
    """All layers of a model's main subgraph, in the order in which they run."""
    main = model.main
    for position, op in enumerate(main.operators):
        scheme = scheme_of(op.name)
        if scheme is None or traits_of(op.name).values != "sums" or len(scheme.weights) != 1:
            continue
        ((weights, stated),) = scheme.weights.items()
        kernel = main.tensors[op.inputs[weights]].value
        if kernel is None or stated.axis is None or stated.columns is None:
            continue
        (bias,) = scheme.biases
        there = bias < len(op.inputs) and op.inputs[bias] >= 0
        found = bias if there else None
        layer = Layer(position, op, weights, stated.axis, stated.columns, found, kernel)
        channels = kernel.shape[stated.columns]
        if _is_dense(op) or main.tensors[layer.source].shape[-1:] == (channels,):
            yield layer


def _is_dense(op: Operator) -> bool:
    """Whether the whole input, or rows of it, are the columns."""
    return not hasattr(op.options, "stride_h")


def look_at(
    model: Model, source: Source, tensors: Sequence[int], look: Callable[[int, Array], None]
) -> None:
    """Show tensors of a float model, sample by sample; ``look`` gets an index and the values."""
    run = Run.of(model).interpreter
    for _ in runs(run, source.feed(model, None)):
        for index in tensors:
            look(index, run.tensor(index))


def columns(layer: Layer, x: Array, fill: float = 0.0) -> Array:
    """Factors of the weights: ``(groups, rows, taps)``.

    A depthwise layer has a group per channel, others have one.
    """
    if _is_dense(layer.operator):
        depth = layer.kernel.shape[layer.columns]
        return x.reshape(1, -1, depth)
    options: Any = layer.operator.options
    height, width = layer.kernel.shape[1:3]
    padded, steps = x, []
    for axis, taps, stride, dilation in (
        (1, height, options.stride_h, options.dilation_h_factor),
        (2, width, options.stride_w, options.dilation_w_factor),
    ):
        size, reach = x.shape[axis], (taps - 1) * dilation + 1
        same = options.padding == Padding.SAME
        count = -(-size // stride) if same else (size - reach + stride) // stride
        before = window_padding(stride, dilation, size, taps, count)
        ends = [(0, 0)] * x.ndim
        ends[axis] = (before, max(0, (count - 1) * stride + reach - size - before))
        padded = np.pad(padded, ends, constant_values=fill)
        steps.append((count, stride, dilation, taps))
    (rows, down, dilate_h, _), (cols, right, dilate_w, _) = steps
    taken = [
        padded[:, i * dilate_h :, j * dilate_w :][:, ::down, ::right][:, :rows, :cols]
        for i in range(height)
        for j in range(width)
    ]
    patches = np.stack(taken, axis=-2)  # (n, rows, cols, taps, channels)
    channels = patches.shape[-1]
    if layer.is_depthwise:
        by_channel: Array = patches.reshape(-1, height * width, channels).transpose(2, 0, 1)
        return by_channel
    return patches.reshape(1, -1, height * width * channels)


def as_matrix(layer: Layer, kernel: Array) -> Array:
    """Weights as ``(groups, outputs, taps)``, to go with :func:`columns`."""
    if layer.is_depthwise:
        channels = kernel.shape[layer.axis]
        return np.moveaxis(kernel, layer.axis, 0).reshape(channels, 1, -1)
    return np.moveaxis(kernel, layer.axis, 0).reshape(1, kernel.shape[layer.axis], -1)


def as_kernel(layer: Layer, matrix: Array) -> Array:
    """A matrix in the shape of the weights again."""
    shape = list(layer.kernel.shape)
    first = shape.pop(layer.axis)
    kernel: Array = np.moveaxis(matrix.reshape(first, *shape), 0, layer.axis)
    return kernel
