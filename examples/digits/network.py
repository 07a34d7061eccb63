"""A small convolutional network in NumPy: forward, backward, Adam.

Activations are NHWC float32 arrays; weights have the layout that TensorFlow Lite
uses, so that quantising them is all that is left to do for a ``.tflite`` file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Layer:
    """A step of the network. ``parameters`` and ``gradients`` run in parallel."""

    parameters: Sequence[Array] = ()
    gradients: Sequence[Array] = ()

    def forward(self, x: Array) -> Array:
        raise NotImplementedError

    def backward(self, dy: Array) -> Array:
        """The loss's gradient by the input, given the one by the output."""
        raise NotImplementedError


@dataclass
class Convolution(Layer):
    """SAME convolution of stride 1 with a fused RELU.

    ``weights`` are ``(out, k, k, in)``, or ``(1, k, k, channels)`` if ``depthwise``.
    """

    weights: Array
    bias: Array
    depthwise: bool = False
    gradients: list[Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.parameters = (self.weights, self.bias)

    def forward(self, x: Array) -> Array:
        self._shape, self._padded = x.shape, _pad(x, self.weights.shape[1] // 2)
        y = np.zeros((*x.shape[:3], len(self.bias)), x.dtype) + self.bias
        for (i, j), part in self._taps(self._padded):
            tap = self.weights[:, i, j]
            y += part * tap[0] if self.depthwise else part @ tap.T
        self._active = y > 0
        return y * self._active

    def backward(self, dy: Array) -> Array:
        dy = dy * self._active
        dw, dx = np.zeros_like(self.weights), np.zeros_like(self._padded)
        for ((i, j), part), (_, dpart) in zip(
            self._taps(self._padded), self._taps(dx), strict=True
        ):
            tap = self.weights[:, i, j]
            if self.depthwise:
                dw[0, i, j] = (part * dy).sum((0, 1, 2))
                dpart += dy * tap[0]
            else:
                dw[:, i, j] = np.tensordot(dy, part, ((0, 1, 2), (0, 1, 2)))
                dpart += dy @ tap
        self.gradients = [dw, dy.sum((0, 1, 2))]
        border = self.weights.shape[1] // 2
        return dx[:, border : border + dy.shape[1], border : border + dy.shape[2]]

    def _taps(self, padded: Array) -> list[tuple[tuple[int, int], Array]]:
        """Every position in the filter with the view of the input that it sees."""
        k, (_, h, w, _) = self.weights.shape[1], self._shape
        return [((i, j), padded[:, i : i + h, j : j + w]) for i in range(k) for j in range(k)]


class MaxPool(Layer):
    """The largest of every 2 x 2 pixels."""

    def forward(self, x: Array) -> Array:
        n, h, w, c = x.shape
        blocks = x.reshape(n, h // 2, 2, w // 2, 2, c)
        y: Array = blocks.max((2, 4), keepdims=True)
        self._largest = blocks == y
        return y[:, :, 0, :, 0]

    def backward(self, dy: Array) -> Array:
        dx = self._largest * dy[:, :, None, :, None]
        n, h, _, w, _, c = dx.shape
        return dx.reshape(n, 2 * h, 2 * w, c)


class AveragePool(Layer):
    """The mean of every 2 x 2 pixels."""

    def forward(self, x: Array) -> Array:
        n, h, w, c = x.shape
        y: Array = x.reshape(n, h // 2, 2, w // 2, 2, c).mean((2, 4))
        return y

    def backward(self, dy: Array) -> Array:
        return (dy / 4).repeat(2, 1).repeat(2, 2)


class Flatten(Layer):
    """All values of an image in one row."""

    def forward(self, x: Array) -> Array:
        self._shape = x.shape
        return x.reshape(len(x), -1)

    def backward(self, dy: Array) -> Array:
        return dy.reshape(self._shape)


@dataclass
class Dense(Layer):
    """Fully connected, no activation; ``weights`` are ``(out, in)``."""

    weights: Array
    bias: Array
    gradients: list[Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.parameters = (self.weights, self.bias)

    def forward(self, x: Array) -> Array:
        self._x = x
        return x @ self.weights.T + self.bias

    def backward(self, dy: Array) -> Array:
        self.gradients = [dy.T @ self._x, dy.sum(0)]
        return dy @ self.weights


def build(rng: np.random.Generator) -> list[Layer]:
    """The network of this example: 8 x 8 x 1 in, ten logits out."""
    return [
        convolution(rng, 3, 1, 12),
        convolution(rng, 3, 12, 12, depthwise=True),
        convolution(rng, 1, 12, 24),
        MaxPool(),
        convolution(rng, 3, 24, 24, depthwise=True),
        convolution(rng, 1, 24, 32),
        AveragePool(),
        Flatten(),
        Dense(_normal(rng, (10, 128), 128), np.zeros(10, np.float32)),
    ]


def forward(layers: Sequence[Layer], x: Array) -> list[Array]:
    """The input and every layer's output."""
    values = [x]
    for layer in layers:
        values.append(layer.forward(values[-1]))
    return values


def softmax(logits: Array) -> Array:
    """Probabilities of logits, row by row."""
    e = np.exp(logits - logits.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def loss_gradients(layers: Sequence[Layer], x: Array, labels: Array) -> float:
    """Mean cross entropy; leaves every layer's gradients behind."""
    p = softmax(forward(layers, x)[-1])
    rows = np.arange(len(labels))
    loss = -float(np.log(p[rows, labels] + 1e-9).mean())
    p[rows, labels] -= 1
    gradient = p / len(labels)
    for layer in reversed(layers):
        gradient = layer.backward(gradient)
    return loss


class Adam:
    """Kingma and Ba's optimiser, with decoupled weight decay."""

    def __init__(self, layers: Sequence[Layer], decay: float = 1e-4) -> None:
        self._layers, self._decay, self._step = layers, decay, 0
        self._moments = [
            (np.zeros_like(p), np.zeros_like(p)) for layer in layers for p in layer.parameters
        ]

    def update(self, rate: float) -> None:
        """Move every parameter against its gradient."""
        self._step += 1
        pairs = [
            pair
            for layer in self._layers
            for pair in zip(layer.parameters, layer.gradients, strict=True)
        ]
        for (parameter, gradient), (m, v) in zip(pairs, self._moments, strict=True):
            m += 0.1 * (gradient - m)
            v += 0.001 * (gradient**2 - v)
            step = (m / (1 - 0.9**self._step)) / (np.sqrt(v / (1 - 0.999**self._step)) + 1e-8)
            parameter -= rate * (step + self._decay * parameter)


def _pad(x: Array, border: int) -> Array:
    return np.pad(x, ((0, 0), (border, border), (border, border), (0, 0)))


def _normal(rng: np.random.Generator, shape: tuple[int, ...], fan_in: int) -> Array:
    return rng.normal(0, np.sqrt(2 / fan_in), shape).astype(np.float32)


def convolution(
    rng: np.random.Generator, k: int, channels: int, filters: int, depthwise: bool = False
) -> Convolution:
    shape = (1, k, k, channels) if depthwise else (filters, k, k, channels)
    fan_in = k * k * (1 if depthwise else channels)
    return Convolution(
        _normal(rng, shape, fan_in), np.zeros(filters, np.float32), depthwise=depthwise
    )
