"""Common parts of operators on two broadcast inputs.

Facts: TFLM ``reference/broadcast_loop.h`` and ``kernels/internal/runtime_shape.h`` (six
dimensions at most).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import numpy as np

from arenite.model import TensorType
from arenite.model.types import INT16, INT32
from arenite.numeric import lut
from arenite.numeric.fixedpoint import Int64Array
from arenite.ops import constraints as c
from arenite.ops.context import Array, Context, Node, TfLiteTensor
from arenite.ops.kernel_util import QUANTIZED_RANGE, activation_range, input_array, output_array

MAX_RANK = 6

#: From this many elements on, looking up pairs of int8 values beats computing with them.
TABLE_FROM = 512


def shapes_broadcast(node: c.NodeView) -> bool:
    """The inputs have at most 6 dimensions, and each is equal or 1 in one of them."""
    a, b = node.input(0).shape, node.input(1).shape
    if max(len(a), len(b)) > MAX_RANK:
        return False
    pairs = zip_longest(reversed(a), reversed(b), fillvalue=1)
    return all(m == n or 1 in (m, n) for m, n in pairs)


def is_quantized(tensor: TfLiteTensor | None) -> bool:
    """Whether a tensor has a scale and a zero point."""
    quantization = tensor.quantization if tensor else None
    return (
        quantization is not None
        and len(quantization.scale) > 0
        and len(quantization.zero_point) > 0
    )


def int32_is_not_quantized(node: c.NodeView) -> bool:
    """int32 inputs have no quantisation."""
    if node.input(0).type is not INT32:
        return True
    return not any(is_quantized(tensor) for tensor in node.inputs)


def int16_is_symmetric(node: c.NodeView) -> bool:
    """int16 inputs and the int16 output have zero points 0."""
    if node.input(0).type is not INT16:
        return True
    return not any((node.input(0).zero_point, node.input(1).zero_point, node.output(0).zero_point))


def constraints(*types: TensorType) -> tuple[c.Constraint, ...]:
    """Two inputs that broadcast and an output, all of one of the given types."""
    return (
        *c.counts(2, 1),
        c.input_types(0, *types),
        c.same_type(1),
        c.same_type(0),
        shapes_broadcast,
    )


def resize_output(context: Context, node: Node) -> None:
    """Give the output the broadcast shape of the inputs."""
    a, b = (context.get_eval_tensor(index).shape for index in node.inputs)
    # Where TFLM broadcasts it counts along the output's dimensions.
    context.resize_tensor(
        node.outputs[0], np.broadcast_shapes(a, b), "kept" if a == b else "refused"
    )


def activation_range_int32(activation: int) -> tuple[int, int]:
    """Bounds of a fused activation on plain int32 (``CalculateActivationRange<int32_t>``)."""
    low, high = QUANTIZED_RANGE[INT32]
    least, most = activation_range(activation)
    return max(low, int(least)), min(high, int(most))


def arithmetic(
    plain: Callable[[Any, Array, Array], Array],
    quantized: Callable[[Any, Int64Array, Int64Array], Int64Array],
) -> Callable[[Context, Node], None]:
    """``invoke`` of a function that takes parameters and both inputs.

    ``plain`` computes in float32, or in int32, which wraps; its results are clamped here.
    """

    def invoke(context: Context, node: Node) -> None:
        params: Any = node.params
        a, b = input_array(context, node, 0), input_array(context, node, 1)
        out = output_array(context, node)
        if out.dtype not in (np.float32, np.int32):
            map_quantized(node, lambda x, y: quantized(params, x, y), a, b, out)
            return
        with np.errstate(all="ignore"):
            result = plain(params, a, b)
        low, high = out.dtype.type(params.activation_min), out.dtype.type(params.activation_max)
        np.clip(result, low, high, out=out)

    return invoke


def map_quantized(
    node: Node,
    function: Callable[[Int64Array, Int64Array], Int64Array],
    a: Array,
    b: Array,
    out: Array,
) -> None:
    """``out = function(a, b)`` for int8 and int16; many int8 values through a table."""
    if out.dtype != np.int8 or out.size < TABLE_FROM:
        out[...] = function(a.astype(np.int64), b.astype(np.int64))
        return
    table = node.host.get("pairs")
    if table is None:
        table = node.host["pairs"] = lut.pair_table_int8(function)
    lut.take_pairs_int8(table, a, b, out)


def truth(x: Array) -> Array:
    """Numbers as they are; of bools, whose bytes may hold any number in a file, 0 or 1."""
    return x.view(np.uint8) != 0 if x.dtype == np.bool_ else x
