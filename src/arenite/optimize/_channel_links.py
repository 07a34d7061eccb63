"""Channels of every operator's tensors: which are tied, which stay, which can go.

An operator that works channel by channel computes the same of what is left of its channels. There
are few places where a channel can end: as an input channel of a CONV_2D or FULLY_CONNECTED, and as
one of their filters.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

import numpy as np

from arenite.model import Model, Tensor, TensorType
from arenite.ops import Node
from arenite.ops.context import Array
from arenite.ops.registry import traits_of
from arenite.ops.shared.pad import PadParams
from arenite.ops.shared.reduction import ReductionParams
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DParams
from arenite.ops.tflite.transpose import TransposeParams
from arenite.optimize import _sums
from arenite.optimize._channel_folding import Layer, layer_of
from arenite.optimize._channel_groups import Channels
from arenite.optimize._prepared import PreparedModel

#: Says what is tied, or why all channels of the operator's tensors stay.
Rule = Callable[[int, Node], str | None]
_UNKNOWN = "no rule for it"


class Links:
    """The channels of a subgraph, tied by its operators.

    Attributes:
        channels: All of them.
        layers: Where channels end, in the order of the operators.
    """

    def __init__(self, prepared: PreparedModel, number: int) -> None:
        self._prepared, self._number = prepared, number
        self._subgraph = prepared.model.subgraphs[number]
        self.channels = Channels(self._subgraph)
        self.layers: list[Layer] = []
        self._keep_what_others_see(prepared.model)
        for index, operator in enumerate(self._subgraph.operators):
            node = prepared.node(number, index)
            rule = None if node is None or operator.intermediates else self._rule(operator.name)
            reason = _UNKNOWN if node is None or rule is None else rule(index, node)
            if reason:
                place = f"operators[{index}] ({operator.name}): {reason}"
                self.channels.keep((*operator.inputs, *operator.outputs), place)
                self.channels.keep(operator.intermediates, place)

    def _keep_what_others_see(self, model: Model) -> None:
        subgraph, keep = self._subgraph, self.channels.keep
        keep(subgraph.inputs, "an input of the subgraph")
        keep(subgraph.outputs, "an output of the subgraph")
        for signature in model.signatures:
            if signature.subgraph == self._number:
                keep((*signature.inputs.values(), *signature.outputs.values()), "in a signature")
        for index, tensor in enumerate(subgraph.tensors):
            if tensor.is_variable:
                keep([index], "a variable")
            if tensor.quantization is not None and tensor.quantization.is_per_channel:
                keep([index], "activations with a scale per channel")

    def _weights_reason(self, node: Node) -> str | None:
        """The reason, in its weights, why a layer keeps its channels."""
        weights = self._tensor(node.inputs[1])
        if weights.type is TensorType.INT4:
            return "int4 weights, of which CMSIS-NN takes others in some shapes"
        is_computed = self._prepared.constant(self._number, node.inputs[1]) is None
        if is_computed or self._bias(node) is None:
            return "weights or bias are computed"
        return None

    def _rule(self, name: str) -> Rule | None:
        rules: dict[str, Rule] = {
            "same": self._same,
            "broadcast": self._binary,
            "reduced": self._reduction,
            "padded": self._pad,
            "concatenated": self._concatenation,
            "split": self._split,
            "reshaped": self._reshape,
            "transposed": self._transpose,
            "convolved": self._conv,
            "multiplied": self._depthwise,
            "dense": self._dense,
        }
        return rules.get(traits_of(name).channels)

    def _tensor(self, index: int) -> Tensor:
        return self._subgraph.tensors[index]

    # -- operators that work channel by channel

    def _same(self, operator: int, node: Node) -> str | None:
        return self._tie(node.inputs[0], node.outputs[0])

    def _tie(self, x: int, y: int) -> str | None:
        """Tie the channels of two tensors one by one."""
        channels = self.channels
        if x not in channels or y not in channels:
            return "not of int8 or int16 on both sides"
        some, others = channels.numbers(x), channels.numbers(y)
        if len(some) != len(others):
            return "another number of channels on either side"
        channels.tie(some, others)
        return None

    def _binary(self, operator: int, node: Node) -> str | None:
        (y,) = node.outputs
        count = self._tensor(y).shape[-1:]
        for index in node.inputs:
            tensor = self._tensor(index)
            is_one = tensor.shape[-1:] in ((), (1,))
            if tensor.is_constant and (is_one or tensor.shape[-1:] == count):
                continue
            if is_one and count != (1,):
                self.channels.keep([index], "one value for all channels")
            elif reason := self._tie(index, y):
                return reason
        return None

    def _reduction(self, operator: int, node: Node) -> str | None:
        x = self._tensor(node.inputs[0])
        last = len(x.shape) - 1
        params: ReductionParams = node.params
        if last < 0 or params.axis_mask < 0 or params.axis_mask >> last & 1:
            return "channels are added up"
        return self._same(operator, node)

    def _pad(self, operator: int, node: Node) -> str | None:
        if isinstance(node.params, PadParams):
            inside = (node.params.start[-1:], node.params.stop[-1:])
            count = self._tensor(node.inputs[0]).shape[-1:]
            is_wider = inside != ((0,), count) or node.params.output_shape[-1:] != count
        else:
            paddings = self._prepared.constant(self._number, node.inputs[1])
            is_wider = paddings is None or bool(paddings.reshape(-1, 2)[-1].any())
        return "channels are added" if is_wider else self._same(operator, node)

    def _transpose(self, operator: int, node: Node) -> str | None:
        params: TransposeParams = node.params
        rank = len(params.perm)
        if rank < 3 or params.perm[-1] != rank - 1:
            return "channels become another axis"
        return self._same(operator, node)

    def _split(self, operator: int, node: Node) -> str | None:
        for index in node.outputs:
            if reason := self._tie(node.inputs[1], index):
                return reason
        return None

    def _concatenation(self, operator: int, node: Node) -> str | None:
        (y,) = node.outputs
        rank = len(self._tensor(y).shape)
        axis = node.options.axis % rank if rank else 0
        if any(index not in self.channels for index in (*node.inputs, y)):
            return "a constant among the inputs"
        if axis != rank - 1:
            return next(filter(None, (self._tie(index, y) for index in node.inputs)), None)
        parts = np.concatenate([self.channels.numbers(index) for index in node.inputs])
        self.channels.tie(parts, self.channels.numbers(y))
        return None

    def _reshape(self, operator: int, node: Node) -> str | None:
        x, y = node.inputs[0], node.outputs[0]
        if x not in self.channels or y not in self.channels:
            return _UNKNOWN
        has_shape = len(node.inputs) > 1 and node.inputs[1] >= 0
        if has_shape and self._prepared.constant(self._number, node.inputs[1]) is None:
            return "the shape is computed"
        some, others = self.channels.numbers(x), self.channels.numbers(y)
        if gcd(len(some), len(others)) != min(len(some), len(others)):
            return "channels do not keep their places"
        wide, narrow = (some, others) if len(some) > len(others) else (others, some)
        self.channels.tie(wide, np.resize(narrow, len(wide)))
        return None

    # -- layers

    def _depthwise(self, operator: int, node: Node) -> str | None:
        params, x, y = node.params, node.inputs[0], node.outputs[0]
        if reason := self._weights_reason(node):
            return reason
        assert isinstance(params, DepthwiseConv2DParams)
        if x not in self.channels or y not in self.channels:
            return "a constant input, or too many channels"
        if len(self.channels.numbers(x)) == 1:
            # What is left is the new multiplier; with several inputs it is one for all.
            self.channels.keep([x], f"operators[{operator}] ({node.name}): its only input channel")
            return None
        inputs = self.channels.numbers(x).repeat(params.depth_multiplier)
        self.channels.tie(self.channels.numbers(y), inputs)
        return None

    def _conv(self, operator: int, node: Node) -> str | None:
        params, x = node.params, self._tensor(node.inputs[0])
        if reason := self._weights_reason(node):
            return reason
        assert isinstance(params, Conv2DParams)
        if node.inputs[0] not in self.channels or node.outputs[0] not in self.channels:
            return "a constant input, or too many channels"
        if params.groups > 1:
            return "groups of channels"
        if _sums.is_odd_line(params.window, x.shape[1:3]):
            return "a line, of which CMSIS-NN's vectors may see other pixels"
        taps = _sums.taps_of(params.window, x.shape[1:3])
        self._add(operator, node, self._weights(node), taps)
        return None

    def _dense(self, operator: int, node: Node) -> str | None:
        x, y = (self._tensor(index) for index in (node.inputs[0], node.outputs[0]))
        if reason := self._weights_reason(node):
            return reason
        weights = self._weights(node)
        quantization = self._tensor(node.inputs[1]).quantization
        if quantization is None or quantization.zero_point.any():
            return "weights with a zero point"
        units, depth = weights.shape[-2:]
        are_there = all(i in self.channels for i in (node.inputs[0], node.outputs[0]))
        if not are_there or y.shape[-1:] != (units,):
            return "a constant input, or units that are no channels"
        channels = x.shape[-1] if x.shape else 1
        if depth % channels:
            return "rows end between channels"
        # Element i of a row is of channel i % channels: as many taps, which meet the image always.
        matrix = weights.reshape(units, 1, depth // channels, channels)
        always = np.ones(matrix.shape[1:3], bool)
        self._add(operator, node, matrix, _sums.Taps(always, ~always))
        return None

    def _add(self, operator: int, node: Node, weights: Array, taps: _sums.Taps) -> None:
        bias = self._bias(node)
        assert bias is not None
        every = np.broadcast_to(bias, len(weights))
        places = operator, node.inputs[0], node.outputs[0]
        self.layers.append(layer_of(places, weights, taps, every, self._limits(node)))

    def _weights(self, node: Node) -> Array:
        weights = self._prepared.constant(self._number, node.inputs[1])
        assert weights is not None  # there is no reason against them
        return weights

    def _bias(self, node: Node) -> Array | None:
        """The bias, 0 where there is none; None where it is computed."""
        if len(node.inputs) < 3 or node.inputs[2] < 0:
            return np.zeros(1, np.int64)
        values = self._prepared.constant(self._number, node.inputs[2])
        return None if values is None else values.reshape(-1).astype(np.int64)

    def _limits(self, node: Node) -> tuple[int, int] | None:
        """Range of a bias. int16 without one has sums of other widths than with one."""
        if len(node.inputs) > 2 and node.inputs[2] >= 0:
            info = np.iinfo(self._tensor(node.inputs[2]).type.dtype)
            return int(info.min), int(info.max)
        if self._tensor(node.inputs[0]).type.dtype.itemsize > 1:
            return None
        return -(2**31), 2**31 - 1
