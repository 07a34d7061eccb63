"""A subgraph without the channels that go: shapes, filters, biases, scales, constants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from arenite.model import Operator, Quantization, Subgraph, Tensor, TensorType
from arenite.model.model import constant_bytes
from arenite.ops.context import Array
from arenite.ops.registry import traits_of
from arenite.ops.tflite.reshape import ReshapeOptions
from arenite.optimize._channel_folding import Layer
from arenite.optimize._intervals import Interval
from arenite.optimize._prepared import PreparedModel

Masks = Mapping[int, Array]


class Edit:
    """Takes channels away.

    Args:
        prepared: The model.
        number: Its subgraph to be edited.
        left: Which channels are left, by tensor; tensors that keep all need not be there.
        seen: Tensors that something outside of the subgraph's operators refers to.
    """

    def __init__(self, prepared: PreparedModel, number: int, left: Masks, seen: set[int]) -> None:
        self._prepared, self._number, self._left = prepared, number, left
        self._subgraph: Subgraph = prepared.model.subgraphs[number]
        self._tensors = list(self._subgraph.tensors)
        self._operators = list(self._subgraph.operators)
        self._readers = Counter(i for one in self._operators for i in set(one.inputs))
        self._readers.update(seen)
        buffers = (t.buffer for graph in prepared.model.subgraphs for t in graph.tensors)
        self._buffers = Counter(buffers)

    def run(self, layers: Mapping[int, Layer], inputs: Mapping[int, Interval]) -> Subgraph:
        """The subgraph without them. ``inputs`` are layers' inputs without zero points."""
        for index, operator in enumerate(self._subgraph.operators):
            if index in layers:
                self._layer(index, layers[index], inputs[index])
            if index in layers or not operator.outputs or operator.outputs[0] not in self._left:
                continue
            if operator.name == "DEPTHWISE_CONV_2D":
                self._depthwise(index, operator)
            elif operator.name == "RESHAPE":
                self._reshape(index, operator)
            elif traits_of(operator.name).channels == "broadcast":
                self._binary(index, operator)
        for index, mask in self._left.items():
            self._tensors[index] = _narrowed(self._tensors[index], int(mask.sum()))
        return replace(
            self._subgraph, tensors=tuple(self._tensors), operators=tuple(self._operators)
        )

    # -- operators

    def _layer(self, index: int, layer: Layer, inputs: Interval) -> None:
        columns, rows = self._mask(layer.x), self._mask(layer.y)
        operator, weights = self._operators[index], self._constant(index, 1)
        if not (columns.all() and rows.all()):
            matrix = weights.reshape(len(rows), -1, len(columns))[rows][..., columns]
            shape = _with(weights.shape, -1, matrix.shape[1] * matrix.shape[2])
            if operator.name == "CONV_2D":
                shape = _with(weights.shape, -1, int(columns.sum()))
            axis = 0 if operator.name == "CONV_2D" else len(shape) - 2
            self._set(index, 1, matrix.reshape(_with(shape, axis, len(matrix))), axis, rows)
        self._bias(index, layer.bias + layer.addends(inputs, ~columns), rows)

    def _depthwise(self, index: int, operator: Operator) -> None:
        mask = self._left[operator.outputs[0]]
        self._set(index, 1, self._constant(index, 1)[..., mask], 3, mask)
        if len(operator.inputs) > 2 and operator.inputs[2] >= 0:
            self._bias(index, self._constant(index, 2).reshape(-1), mask)
        if self._subgraph.tensors[operator.inputs[0]].shape[-1] == 1:
            options = replace(self._options(index), depth_multiplier=int(mask.sum()))
            self._operators[index] = replace(self._operators[index], options=options)

    def _binary(self, index: int, operator: Operator) -> None:
        mask = self._left[operator.outputs[0]]
        for slot, number in enumerate(operator.inputs):
            tensor = self._subgraph.tensors[number]
            if tensor.is_constant and tensor.shape[-1:] == mask.shape:
                values = self._constant(index, slot)[..., mask]
                self._set(index, slot, values, values.ndim - 1, mask)

    def _reshape(self, index: int, operator: Operator) -> None:
        mask = self._left[operator.outputs[0]]
        before, now = len(mask), int(mask.sum())
        if len(operator.inputs) > 1 and operator.inputs[1] >= 0:
            shape = self._constant(index, 1).copy()
            if shape.size and shape.flat[-1] == before:
                shape.flat[-1] = now
                self._set(index, 1, shape, 0, np.ones(0, bool))
        options = operator.options
        if isinstance(options, ReshapeOptions) and options.new_shape:
            shape_option = options.new_shape
            if shape_option[-1] == before:
                options = replace(options, new_shape=(*shape_option[:-1], now))
                self._operators[index] = replace(self._operators[index], options=options)

    # -- constants

    def _bias(self, index: int, values: Array, rows: Array) -> None:
        operator = self._operators[index]
        if len(operator.inputs) < 3 or operator.inputs[2] < 0:
            if values[rows].any():
                self._add_bias(index, values[rows])
            return
        before = self._constant(index, 2)
        if rows.all() and (before.reshape(-1) == values).all():
            return
        shape = (*before.shape[:-1], int(rows.sum()))
        if prod(shape) != shape[-1]:  # not in a row
            shape = shape[-1:]
        self._set(index, 2, values[rows].astype(before.dtype).reshape(shape), len(shape) - 1, rows)

    def _add_bias(self, index: int, values: Array) -> None:
        operator = self._operators[index]
        x, weights = (self._tensors[operator.inputs[slot]] for slot in (0, 1))
        assert x.quantization is not None
        assert weights.quantization is not None
        scales = weights.quantization.scale * x.quantization.scale[0]
        quantization = Quantization(scales, np.zeros(len(scales), np.int64))
        bias = Tensor(
            name=f"{weights.name}/bias",
            type=TensorType.INT32,
            shape=values.shape,
            data=constant_bytes(values.astype(np.int32)),
            quantization=quantization,
        )
        self._tensors.append(bias)
        inputs = (*operator.inputs[:2], len(self._tensors) - 1)
        self._operators[index] = replace(operator, inputs=inputs)

    def _set(self, index: int, slot: int, values: Array, axis: int, mask: Array) -> None:
        """Give an operator another constant, of which ``mask`` is left along ``axis``."""
        operator = self._operators[index]
        number = operator.inputs[slot]
        before = self._subgraph.tensors[number]
        is_alone = self._readers[number] == 1 and operator.inputs.count(number) == 1
        now = replace(
            before,
            name=before.name if values.shape != before.shape else f"{before.name}/folded",
            shape=values.shape,
            shape_signature=None,
            data=constant_bytes(values),
            quantization=_taken(before.quantization, axis, mask),
            buffer=before.buffer if is_alone and self._buffers[before.buffer] == 1 else 0,
        )
        if is_alone:
            self._tensors[number] = now
            return
        self._tensors.append(now)
        inputs = list(operator.inputs)
        inputs[slot] = len(self._tensors) - 1
        self._operators[index] = replace(operator, inputs=tuple(inputs))

    def _options(self, index: int) -> Any:
        """An operator's options through its row, as the kernel sees them."""
        node = self._prepared.node(self._number, index)
        assert node is not None  # the links have asked for it
        return node.options

    def _constant(self, index: int, slot: int) -> Array:
        values = self._prepared.constant(self._number, self._subgraph.operators[index].inputs[slot])
        assert values is not None  # the links have asked for it
        return values

    def _mask(self, tensor: int) -> Array:
        shape = self._subgraph.tensors[tensor].shape
        return self._left.get(tensor, np.ones(shape[-1] if shape else 1, bool))


def _with(shape: tuple[int, ...], axis: int, size: int) -> tuple[int, ...]:
    sizes = list(shape)
    sizes[axis] = size
    return tuple(sizes)


def _narrowed(tensor: Tensor, channels: int) -> Tensor:
    signature = tensor.shape_signature
    if signature:
        signature = (*signature[:-1], channels)
    return replace(tensor, shape=(*tensor.shape[:-1], channels), shape_signature=signature)


def _taken(quantization: Quantization | None, axis: int, mask: Array) -> Quantization | None:
    """A quantisation with an entry per channel, reduced to the channels that stay."""
    if quantization is None or len(mask) < 2 or len(quantization.scale) != len(mask):
        return quantization

    def take(values: Array | None) -> Array | None:
        return values[mask] if values is not None and len(values) == len(mask) else values

    scale, zero_point = quantization.scale[mask], take(quantization.zero_point)
    assert zero_point is not None
    return Quantization(scale, zero_point, axis, take(quantization.min), take(quantization.max))
