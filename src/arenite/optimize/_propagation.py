"""Ranges through one operator after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np

from arenite.errors import AreniteError
from arenite.model import Model, Subgraph, Tensor, TensorType
from arenite.ops import Node
from arenite.ops.context import Array
from arenite.ops.registry import traits_of
from arenite.ops.shared.convolution import ConvolutionParams
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams
from arenite.ops.tflite.fully_connected import FullyConnectedParams
from arenite.optimize import _sums, _wrapping
from arenite.optimize._intervals import Interval, channels_of, of_values
from arenite.optimize._prepared import PreparedModel

#: Ranges by tensor.
Ranged = dict[int, Interval]

#: Zero points beyond this are no real model's, and let sums leave 64 bits.
_MOST_OFFSET = 1 << 16


class Propagation:
    """Carries ranges through a subgraph, one operator at a time and in order.

    Attributes:
        known: Ranges of tensors.
        accumulators: Ranges of sums with their bias, by operator.
    """

    def __init__(self, prepared: PreparedModel, subgraph: int, known: Ranged) -> None:
        self.known = known
        self.accumulators: dict[int, Interval] = {}
        self._prepared, self._number = prepared, subgraph
        self._subgraph: Subgraph = prepared.model.subgraphs[subgraph]

    def step(self, operator: int) -> None:
        """Find the ranges of an operator's outputs; without a rule they stay as they are."""
        node = self._prepared.node(self._number, operator)
        if node is None or not all(map(self._is_known, node.inputs)):
            return
        if not any(index in self.known for index in node.inputs):
            return  # constants of types that are not followed
        rule = self._rule(node)
        try:
            found = None if rule is None else rule(operator, node)
        except AreniteError:  # its kernel does not compute these values
            return
        for index, interval in zip(node.outputs, found or (), strict=False):
            if index in self.known and not self._tensor(index).is_variable:
                self.known[index] = interval

    def _rule(self, node: Node) -> Rule | None:
        name, inputs = node.name, [self._tensor(index) for index in node.inputs if index >= 0]
        traits = traits_of(name)
        if traits.values == "sums":
            return self._layer
        if traits.values == "function" and inputs[0].type is not TensorType.FLOAT32:
            return self._function
        if name == "TRANSPOSE" and len(inputs[0].shape) == 2:
            return None  # CMSIS-NN exchanges two dimensions that shall stay
        if traits.values == "rising" or (traits.values == "function" and traits.converts):
            return self._rising
        return self._corners if traits.values == "corners" else None

    def _tensor(self, index: int) -> Tensor:
        return self._subgraph.tensors[index]

    def _is_known(self, index: int) -> bool:
        if index < 0:
            return True
        tensor = self._tensor(index)
        return index in self.known or (tensor.is_constant and not tensor.is_variable)

    # -- rules: the ranges of an operator's outputs, or None

    def _rising(self, operator: int, node: Node) -> Iterable[Interval] | None:
        if _wrapping.may_wrap(node.params, self._operands(node), self._count(node)):
            return None
        changing = self._changing(node)
        low = self._run(operator, node, {index: self.known[index].low for index in changing})
        high = self._run(operator, node, {index: self.known[index].high for index in changing})
        return [_around(ends) for ends in zip(low, high, strict=True)]

    def _corners(self, operator: int, node: Node) -> Iterable[Interval] | None:
        if _wrapping.may_wrap(node.params, self._operands(node), self._count(node)):
            return None
        changing = self._changing(node)
        corners = [
            self._run(operator, node, dict(zip(changing, ends, strict=True)))
            for ends in product(*(self.known[index] for index in changing))
        ]
        return [_around(ends) for ends in zip(*corners, strict=True)]

    def _function(self, operator: int, node: Node) -> Iterable[Interval] | None:
        inside = self.known[node.inputs[0]]
        table, first = self._table(operator, node)
        pairs = np.stack(inside, axis=1) - first
        spans, numbers = np.unique(pairs, axis=0, return_inverse=True)
        parts = [table[low : high + 1].astype(np.int64) for low, high in spans.tolist()]
        low, high = (np.array([end(part) for part in parts]) for end in (np.min, np.max))
        return [Interval(low[numbers], high[numbers])]

    def _layer(self, operator: int, node: Node) -> Iterable[Interval] | None:
        params, inputs = node.params, self.known.get(node.inputs[0])
        weights = self._prepared.constant(self._number, node.inputs[1])
        bias = self._bias(node)
        if not isinstance(params, ConvolutionParams) or inputs is None or bias is None:
            return None
        if weights is None or abs(params.input_offset) > _MOST_OFFSET:
            return None
        offset = params.input_offset
        shifted = Interval(inputs.low + offset, inputs.high + offset)
        sums = self._sums(node, weights, shifted)
        if sums is None:
            return None
        sums = Interval(sums.low + bias, sums.high + bias)
        self.accumulators[operator] = sums
        if self._tensor(node.inputs[1]).type is TensorType.INT4:
            return None  # CMSIS-NN takes other weights in some shapes
        output = self._tensor(node.outputs[0])
        found = _sums.outputs_of(params, sums, output.type.dtype)
        return [found.spread(channels_of(output))]

    def _sums(self, node: Node, weights: Array, inputs: Interval) -> Interval | None:
        params, x = node.params, self._tensor(node.inputs[0])
        if isinstance(params, FullyConnectedParams):
            quantization = self._tensor(node.inputs[1]).quantization
            if quantization is None or quantization.zero_point.any():
                return None  # TFLM's and CMSIS-NN's kernels take it for different numbers
            depth = weights.shape[-1]
            matrix = weights.reshape(-1, 1, 1, depth)
            return _sums.dense_sums(matrix, _sums.ONE_TAP, 1, inputs.spread(depth))
        assert isinstance(params, Conv2DParams | DepthwiseConv2DParams)
        taps = _sums.taps_of(params.window, x.shape[1:3])
        if _sums.is_odd_line(params.window, x.shape[1:3]):
            taps = _sums.Taps(taps.always & False, taps.always | taps.sometimes)
        if isinstance(params, Conv2DParams):
            return _sums.dense_sums(weights, taps, params.groups, inputs)
        ends = (end.repeat(params.depth_multiplier) for end in inputs)
        return _sums.depthwise_sums(weights, taps, Interval(*ends))

    def _bias(self, node: Node) -> Array | None:
        """The bias, 0 where there is none; None where it is computed."""
        if len(node.inputs) < 3 or node.inputs[2] < 0:
            return np.zeros(1, np.int64)
        values = self._prepared.constant(self._number, node.inputs[2])
        return None if values is None else values.reshape(-1).astype(np.int64)

    # -- running kernels

    def _changing(self, node: Node) -> list[int]:
        """The inputs that are no constants, each once."""
        present = dict.fromkeys(index for index in node.inputs if index >= 0)
        return [index for index in present if not self._tensor(index).is_constant]

    def _operands(self, node: Node) -> list[Interval]:
        return [self.known[index] for index in node.inputs if index in self.known]

    def _count(self, node: Node) -> int:
        """Inputs for one output."""
        size = prod(self._tensor(node.inputs[0]).shape)
        return size // max(self._tensor(node.outputs[0]).size, 1)

    def _run(self, operator: int, node: Node, ends: dict[int, Array]) -> list[Array]:
        return self._prepared.run(self._number, operator, ends)

    def _table(self, operator: int, node: Node) -> tuple[Array, int]:
        """The operator's outputs for all values of its input's type, and the first of these."""
        info = np.iinfo(self._tensor(node.inputs[0]).type.dtype)
        values = np.arange(info.min, info.max + 1)
        # The input may be a constant, whose values are the file's and no others.
        tensors = tuple(
            replace(
                self._tensor(index),
                shape=values.shape,
                shape_signature=None,
                data=None,
                buffer=0,
            )
            for index in (node.inputs[0], node.outputs[0])
        )
        own = replace(self._subgraph.operators[operator], inputs=(0,), outputs=(1,))
        alone = Subgraph(tensors, (own,), (0,), (1,))
        model = Model((alone,), format=self._prepared.model.format)
        return PreparedModel(model, self._prepared.target).run(0, 0, {0: values})[0], info.min


#: What finds the ranges of an operator's outputs.
Rule = Callable[[int, Node], Iterable[Interval] | None]


def _around(results: Iterable[Array]) -> Interval:
    """The smallest interval around all results, by channel."""
    first, *others = (of_values(result) for result in results)
    for other in others:
        first = first.joined(other)
    return first
