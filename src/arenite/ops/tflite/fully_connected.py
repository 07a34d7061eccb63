"""FULLY_CONNECTED: a matrix product with weights ``(units, depth)``, bias and activation.

Facts: TFLM ``micro/kernels/fully_connected{,_common}.cc``, ``kernels/kernel_util.cc``
(``GetQuantizedConvolutionMultipler``), ``reference/fully_connected.h`` and
``reference/integer_ops/fully_connected.h``.

Undefined in TFLM: weights with a scale per unit and a zero point. They are computed with as if it
were 0, with a warning. A zero point beside one scale for all units is subtracted; where a function
of CMSIS-NN does not do so, its results are computed, with a warning as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.fast_init import quick
from arenite.model.types import FLOAT32, INT4, INT8, INT32, INT64
from arenite.numeric.product import matrix_product
from arenite.ops import Array, Context, Declared, Node, Registration, Struct, TfLiteTensor, Traits
from arenite.ops import kernel_util as util
from arenite.ops.constraints import NodeView
from arenite.ops.overlap import Clearance, element_bytes
from arenite.ops.rows import row_by_row
from arenite.ops.scheme import Bias, Scheme, Weights
from arenite.ops.shared import convolution as conv
from arenite.ops.shared.cases import dense_cases

#: Layers of floats with at most so many products are summed in TFLM's order.
MAX_PRODUCTS_IN_ORDER = 4096


class FullyConnectedOptions(OptionsTable, union=8):
    """``table FullyConnectedOptions``."""

    fused_activation_function: int = slot(0, "int8")
    weights_format: int = slot(1, "int8")
    keep_num_dims: bool = slot(2, "bool", False)
    asymmetric_quantize_inputs: bool = slot(3, "bool", False)
    quantized_bias_type: int = slot(4, "int8")


@quick
@dataclass(frozen=True)
class FullyConnectedParams(conv.ConvolutionParams):
    """The common parameters, per unit, and the weights' offset.

    ``sums_in_order``: floats are added one by one, as TFLM does it, which gives its bits.
    """

    filter_offset: int
    filter_scratch: int
    sums_in_order: bool


OP_DATA = Struct(
    "OpDataFullyConnected",
    ("int32", "int", "int32", "int32", "int", *("int32",) * 3, "int", "pointer", "pointer", "bool"),
    compression=("int", "int"),
)
# The package's machine code sets its two fields to the data and length of a vector in the
# options.
BUILTIN_DATA = Struct(
    "TfLiteFullyConnectedParams",
    ("enum", "enum", "bool", "bool", "enum"),
    package=("pointer", "int"),
)


def weights_are_matrix(node: NodeView) -> bool:
    """The weights have shape (units, depth), neither of them 0."""
    shape = node.input(1).shape
    return len(shape) >= 2 and min(shape) > 0 and prod(shape[:-2]) == 1


def depth_divides(node: NodeView) -> bool:
    """The input's elements are a multiple of the weights' last dimension."""
    return node.input(0).size % node.input(1).shape[-1] == 0


def prepare(context: Context, node: Node) -> FullyConnectedParams:
    """Output shape and requantisation; scratch for int4 weights."""
    options: FullyConnectedOptions = node.options
    inp = util.input_tensor(context, node, 0)
    weights = util.input_tensor(context, node, 1)
    bias = util.optional_input_tensor(context, node, 2)
    output = util.output_tensor(context, node)
    # TFLM's number of rows is that of the output without its last dimension.
    declared: Declared = "kept" if output.shape[-1:] == weights.shape[:1] else "refused"
    is_resized = bool(context.graph.resized())
    if is_resized and options.keep_num_dims and inp.shape[-1] != weights.shape[-1]:
        context.report_error(
            f"the input was resized to {list(inp.shape)}, expected {weights.shape[-1]} elements "
            "in its last dimension, the weights' columns"
        )
    shape = output_shape(options, inp, weights, output, is_resized=is_resized)
    context.resize_tensor(output.index, shape, declared)
    filter_scratch = -1
    if weights.type is INT4:
        filter_scratch = context.request_scratch_buffer_in_arena(weights.size, "unpacked weights")
    is_float = inp.type is FLOAT32
    multiplier, shift = multipliers(context, inp, weights, bias, output)
    low, high = util.activation_range_of(context, options.fused_activation_function, output)
    bias_type = bias.type if bias else options.quantized_bias_type
    return FullyConnectedParams(
        input_offset=-inp.zero_point,
        filter_offset=0 if is_float or is_per_channel(weights) else -weights.zero_point,
        output_offset=output.zero_point,
        multiplier=multiplier,
        shift=shift,
        activation_min=low,
        activation_max=high,
        accumulates_64_bits=conv.accumulates_64_bits(context, inp.type, bias_type, shift),
        filter_scratch=filter_scratch,
        sums_in_order=is_float and inp.size * weights.shape[-2] <= MAX_PRODUCTS_IN_ORDER,
    )


def output_shape(
    options: FullyConnectedOptions,
    inp: TfLiteTensor,
    weights: TfLiteTensor,
    output: TfLiteTensor,
    *,
    is_resized: bool,
) -> tuple[int, ...]:
    """The model's own shape where it holds the result, as in TFLM; TFLite's for a resized input."""
    units, depth = weights.shape[-2:]
    if is_resized and options.keep_num_dims and inp.shape[-1] == depth:
        return (*inp.shape[:-1], units)
    batches = inp.size // depth
    if output.shape[-1:] == (units,) and output.size == batches * units:
        return output.shape
    if options.keep_num_dims and inp.shape[-1:] == (depth,):
        return (*inp.shape[:-1], units)
    return batches, units


def is_per_channel(weights: TfLiteTensor) -> bool:
    """Whether every unit has a scale of its own."""
    return weights.scale_count > 1


def multipliers(
    context: Context,
    inp: TfLiteTensor,
    weights: TfLiteTensor,
    bias: TfLiteTensor | None,
    output: TfLiteTensor,
) -> tuple[Array, Array]:
    """Requantisation of every unit (``CalculateOpDataFullyConnected``).

    Computed in double from float32 scales. Where all units share one scale, the bias must
    have about the product of the input's and the weights' scale. Empty for float32.
    """
    if inp.type is FLOAT32:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    units = weights.shape[-2]
    if is_per_channel(weights):
        return _multipliers_per_unit(context, inp, weights, output)
    product = inp.scale * weights.scale
    if bias is not None and not abs(product - bias.scale) <= 0.02 * output.scale:
        context.report_error(
            f"the bias {bias.name!r} needs a scale of about input * weights = {product:.6g}, "
            f"within 0.02 * output = {0.02 * output.scale:.6g}, got {bias.scale:.6g}"
        )
    ratio = util.scale_ratio(product, output.scale)
    multiplier, shift = util.requantization(context, ratio, "input * weights / output")
    found = np.empty((2, units), np.int32)
    found[0], found[1] = multiplier, shift
    return found[0], found[1]


def _multipliers_per_unit(
    context: Context, inp: TfLiteTensor, weights: TfLiteTensor, output: TfLiteTensor
) -> tuple[Array, Array]:
    assert weights.quantization is not None
    scales = weights.quantization.scale.astype(np.float64)
    axis, units = weights.quantization.quantized_dimension, weights.shape[-2]
    if weights.type is INT4:
        context.report_error(f"weights {weights.name!r}: int4 weights have one scale for all")
    if weights.shape[axis : axis + 1] != scales.shape or len(scales) < units:
        context.report_error(
            f"weights {weights.name!r} of shape {weights.shape}: expected one scale for all or "
            f"one per unit, got {len(scales)} along axis {axis}"
        )
    context.reserve_persistent_buffer(4 * len(scales), "per-channel multipliers")
    context.reserve_persistent_buffer(4 * len(scales), "per-channel shifts")
    multiplier, shift = util.convolution_multipliers(
        context, inp, weights, output, len(scales), needs_input_scale=False
    )
    return multiplier[:units], shift[:units]


class FullyConnected:
    """``out = activation(requantise(x @ weights.T + bias))``, exactly.

    ``weights`` are raw values ``(units, depth)``; rows of ``x`` are multiplied in the
    narrowest float type that holds every sum of products.
    """

    def __init__(
        self, params: FullyConnectedParams, x: Array, weights: Array, bias: Array | None, out: Array
    ) -> None:
        units, depth = weights.shape[-2:]
        weights = weights.reshape(units, depth)
        if params.filter_offset:
            weights = weights.astype(np.int64) + params.filter_offset
        rows = x.size // depth
        offset = params.input_offset
        sums = conv.Sums.of(weights, bias, conv.largest_raw(x, offset), offset)
        dtype, self._finish = conv.finish_of(params, sums, out, rows)
        self._matrix = weights.astype(dtype).T
        self._x = np.empty((rows, depth), dtype)
        self._acc = np.empty((rows, units), dtype)

    def __call__(self, x: Array, out: Array) -> None:
        """Multiply ``x`` (any shape, rows of ``depth``) to ``out``."""
        np.copyto(self._x, x.reshape(self._x.shape))
        matrix_product(self._x, self._matrix, out=self._acc)
        self._finish(self._acc, out)


class FullyConnectedInOrder:
    """The same for few floats, summed in float32 in TFLM's order: its bits."""

    def __init__(
        self, params: FullyConnectedParams, x: Array, weights: Array, bias: Array | None, out: Array
    ) -> None:
        self._weights = weights.reshape(1, *weights.shape[-2:])
        self._bias = np.zeros(1, np.float32) if bias is None else bias.reshape(-1)
        self._low = np.float32(params.activation_min)
        self._high = np.float32(params.activation_max)

    def __call__(self, x: Array, out: Array) -> None:
        """Multiply ``x`` (any shape, rows of ``depth``) to ``out``."""
        products = x.reshape(-1, 1, self._weights.shape[2]) * self._weights
        # Unlike a sum, which adds in pairs, this goes from one to the next.
        total = np.add.accumulate(products, axis=2)[:, :, -1] + self._bias
        np.copyto(out, total.clip(self._low, self._high).reshape(out.shape))


def fully_connected(
    params: FullyConnectedParams, x: Array, weights: Array, bias: Array | None, out: Array
) -> conv.Kernel:
    """The kernel for these weights."""
    kernel = FullyConnectedInOrder if params.sums_in_order else FullyConnected
    return kernel(params, x, weights, bias, out)


def overlap(view: NodeView, position: int) -> Clearance | None:
    """Every unit reads the whole row anew: with one row that is all of it."""
    if position != 0:
        return None
    x, y = view.input(0), view.output(0)
    units, depth = view.input(1).shape[-2:]
    row = units * element_bytes(y) - depth * element_bytes(x)
    ahead = max(0, (x.size // depth - 1) * row)
    return Clearance(ahead + (units - 1) * element_bytes(y))


REGISTRATION = Registration(
    init=util.allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=conv.invoke_with(fully_connected),
    overlap=overlap,
    rows=row_by_row,
    options=FullyConnectedOptions,
    builtin_data=BUILTIN_DATA,
    constraints=(
        *conv.CONSTRAINTS,
        weights_are_matrix,
        depth_divides,
        conv.bias_types(INT32, INT64),
        conv.bias_per_channel(-2),
    ),
)

TRAITS = Traits(
    values="sums",
    channels="dense",
    fuses_clamp=True,
    drawn="dense",
    compiled="TFLM ignores a fused TANH and zero points of weights, Vela does not; Vela multiplies "
    "the scales of input and weights in single precision: few values differ by a step; for U85 it "
    "cuts multipliers of int16 with a bias of int32 to 15 bits",
    takes_decoded=True,
)

_INT4 = (INT4,)
SCHEME = Scheme(
    weights={1: Weights(0, (INT8, *_INT4), per_tensor=_INT4, spares=True, columns=1)},
    biases={2: Bias(0, 1)},
)

CASES = dense_cases("FULLY_CONNECTED", FullyConnectedOptions)
