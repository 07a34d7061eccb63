"""TRANSPOSE_CONV: every input pixel adds a weighted filter to the output.

Inputs: 0 the output's shape, which TFLM ignores in favour of the output's own, 1 the
weights ``(filters, kh, kw, depth)``, 2 the images, 3 the bias. Facts: TFLM
``micro/kernels/transpose_conv.cc``, ``reference/transpose_conv.h`` and
``reference/integer_ops/transpose_conv.h``.

Undefined in TFLM: weights with a zero point. They are computed with as if it were 0, with a
warning.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT16, INT64
from arenite.numeric.product import matrix_product
from arenite.ops import Array, Context, Node, Registration, Struct, TfLiteTensor, Traits
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.scheme import Bias, Scheme, Weights
from arenite.ops.shared import convolution as conv
from arenite.ops.shared.window import overlap

_WEIGHTS, _INPUT, _BIAS = 1, 2, 3


class TransposeConvOptions(OptionsTable, union=49):
    """``table TransposeConvOptions``."""

    padding: int = slot(0, "int8")
    stride_w: int = slot(1, "int32")
    stride_h: int = slot(2, "int32")
    fused_activation_function: int = slot(3, "int8")
    quantized_bias_type: int = slot(4, "int8")


@dataclass(frozen=True)
class TransposeConvParams(conv.ConvolutionParams):
    """The common parameters, and the geometry: ``(height, width)``, padding of the output.

    ``image_rows`` are the output's rows that belong to one image, ``summed_rows`` those of them
    to which its pixels add. Both are all rows; CMSIS-NN has fewer for some geometries. The rows
    of no image, at the output's end, are the bias.
    """

    stride: tuple[int, int]
    padding: tuple[int, int]
    image_rows: int
    summed_rows: int
    sums_scratch: int
    bias_scratch: int


CONV_PARAMS = Struct(
    "ConvParams",
    ("uint8", ("int16", 4), ("int16", 4), ("int32", 4), "int", "int32", "int32", "float", "float"),
)
OP_DATA = Struct(
    "OpData", (CONV_PARAMS, "int", "int", "pointer", "pointer"), compression=("int", "int")
)


def shapes_fit(node: c.NodeView) -> bool:
    """Weights are (filters, height, width, the input's depth), the output has those filters."""
    weights, inp = node.input(_WEIGHTS).shape, node.input(_INPUT).shape
    output = node.output(0).shape
    return min(*weights, *inp, *output) > 0 and weights[3] == inp[3] and weights[0] == output[3]


def prepare(context: Context, node: Node) -> TransposeConvParams:
    """Padding, requantisation; scratch for the sums, and for an int16 bias in 64 bits."""
    options: TransposeConvOptions = node.options
    output = util.output_tensor(context, node)
    inp = util.input_tensor(context, node, _INPUT)
    weights = util.input_tensor(context, node, _WEIGHTS)
    strides = (options.stride_h, options.stride_w)
    if min(strides) < 1:
        context.report_error(f"strides must be at least 1, got {strides}")
    _check_resized(context, options, inp, weights, output)
    channels = weights.shape[0]
    context.reserve_persistent_buffer(4 * channels, "per-channel multipliers")
    context.reserve_persistent_buffer(4 * channels, "per-channel shifts")
    context.resize_tensor(output.index, (inp.shape[0], *output.shape[1:]), "refused")
    sums_scratch, bias_scratch = _scratch(context, node, inp, output)
    multiplier, shift = util.convolution_multipliers(context, inp, weights, output, channels)
    low, high = util.activation_range_of(context, options.fused_activation_function, output)
    sizes = zip(output.shape[1:3], weights.shape[1:3], strides, strict=True)
    pads = [padding(options.padding, *axis) for axis in sizes]
    placement: tuple[int, int] | None = getattr(options, "placement", None)
    return TransposeConvParams(
        stride=strides,
        padding=placement or (pads[0], pads[1]),
        image_rows=output.shape[1],
        summed_rows=output.shape[1],
        input_offset=-inp.zero_point if inp.type is INT8 else 0,
        output_offset=output.zero_point if inp.type is INT8 else 0,
        multiplier=multiplier,
        shift=shift,
        activation_min=low,
        activation_max=high,
        accumulates_64_bits=conv.accumulates_64_bits(context, inp.type, None, shift),
        sums_scratch=sums_scratch,
        bias_scratch=bias_scratch,
    )


def _check_resized(
    context: Context,
    options: TransposeConvOptions,
    inp: TfLiteTensor,
    weights: TfLiteTensor,
    output: TfLiteTensor,
) -> None:
    """Refuse images of another size than the output's: the heap host resizes, TFLM does not.

    LiteRT ``kernels/transpose_conv.cc``: the images are those that a convolution of the output
    with the same padding and strides would make.
    """
    if context.graph.resized() != "shape":
        return
    for axis, stride, name in ((1, options.stride_h, "height"), (2, options.stride_w, "width")):
        size, found = output.shape[axis], inp.shape[axis]
        if found == inp.declared[axis]:
            continue
        expected = _outputs(options.padding, size, weights.shape[axis], stride)
        if found != expected:
            context.report_error(
                f"the output's {name} of {size} is the model's, and takes an input of {name} "
                f"{expected}, got {found}: resize to the model's {name}, or convert the original "
                "model again with the other one"
            )


def _scratch(
    context: Context, node: Node, inp: TfLiteTensor, output: TfLiteTensor
) -> tuple[int, int]:
    """Scratch for integer sums, and for a bias of int16 in 64 bits; -1 for what needs none."""
    if inp.type is FLOAT32:
        return -1, -1
    width = 4 if inp.type is INT8 else 8
    sums_scratch = context.request_scratch_buffer_in_arena(width * output.size, "sums")
    # TFLM asks for the tensors a second time here, which shows in the temporary memory.
    util.input_tensor(context, node, _INPUT)
    util.input_tensor(context, node, _WEIGHTS)
    bias = util.optional_input_tensor(context, node, _BIAS)
    util.output_tensor(context, node)
    if bias is None or bias.type is not INT16:
        return sums_scratch, -1
    return sums_scratch, context.request_scratch_buffer_in_arena(8 * bias.size, "bias in 64 bits")


def padding(option: int, size: int, taps: int, stride: int) -> int:
    """Padding of the convolution that the operator reverses, from output to input.

    ``ComputePaddingHeightWidth``: 0 where the filter does not fit, C's division.
    """
    outputs = _outputs(option, size, taps, stride)
    return util.window_padding(stride, 1, size, taps, outputs) if outputs >= 0 else 0


def _outputs(option: int, size: int, taps: int, stride: int) -> int:
    if option == util.Padding.SAME:
        return -(-size // stride)
    return int((size + stride - taps) / stride)


class TransposedConvolution:
    """``out = activation(requantise(sum over taps of shifted (x @ weights) + bias))``.

    One matrix product per tap, in the narrowest float type in which every sum is exact;
    what falls outside the output is left out.
    """

    def __init__(
        self, params: TransposeConvParams, x: Array, weights: Array, bias: Array | None, out: Array
    ) -> None:
        self._offset = params.input_offset
        height, width = x.shape[1:3]
        filters = len(weights)
        largest = 0 if x.dtype.kind == "f" else -int(np.iinfo(x.dtype).min) + abs(self._offset)
        sums = conv.Sums.of(weights, bias, largest)
        dtype, self._finish = conv.finish_of(params, sums, out, out.size // filters)
        self._x = np.empty(x.shape, dtype)
        term = np.empty((*x.shape[:3], filters), dtype)
        self._acc = np.empty(out.shape, dtype)
        (top, left), (down, right) = params.padding, params.stride
        places = self._acc.reshape(-1, *out.shape[2:])[: len(x) * params.image_rows]
        images = places.reshape(len(x), params.image_rows, *out.shape[2:])
        self._taps = []
        for i, j in np.ndindex(*weights.shape[1:3]):
            rows, out_rows = overlap(i - top, down, height, params.summed_rows)
            columns, out_columns = overlap(j - left, right, width, out.shape[2])
            source, here = self._x[:, rows, columns], term[:, rows, columns]
            if here.size:
                matrix = np.ascontiguousarray(weights[:, i, j].T, dtype)
                there = images[:, out_rows, out_columns]
                self._taps.append((source, matrix, here, there))

    def __call__(self, x: Array, out: Array) -> None:
        """Scatter ``x`` (n, h, w, c) to ``out``."""
        np.add(x, self._offset, out=self._x, dtype=self._x.dtype)
        self._acc.fill(0)
        for source, matrix, here, there in self._taps:
            matrix_product(source, matrix, out=here)
            np.add(there, here, out=there)
        self._finish(self._acc, out)


REGISTRATION = Registration(
    init=util.allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=conv.invoke_with(TransposedConvolution, _INPUT, _WEIGHTS, _BIAS),
    options=TransposeConvOptions,
    builtin_data=Struct("TfLiteTransposeConvParams", ("enum", "int", "int", "enum", "enum")),
    constraints=(
        c.inputs_between(3, 4, optional=frozenset({0, _BIAS})),
        c.outputs_exactly(1),
        c.input_types(_INPUT, FLOAT32, INT8, INT16),
        conv.hybrid_refused(_INPUT, _WEIGHTS, int4=False),
        c.same_type(_INPUT),
        c.rank(_INPUT, 4),
        c.rank(_WEIGHTS, 4),
        c.output_rank(4),
        shapes_fit,
        conv.bias_types(INT16, INT64, x=_INPUT, bias=_BIAS),
        conv.bias_per_channel(0, _WEIGHTS, _BIAS),
    ),
)

TRAITS = Traits(drawn="conv", takes_decoded=True)

SCHEME = Scheme(weights={_WEIGHTS: Weights(0, columns=3)}, biases={_BIAS: Bias(_INPUT, _WEIGHTS)})
