"""BATCH_MATMUL: matrix products of batches that broadcast, either side transposed or not.

Facts: TFLM ``micro/kernels/batch_matmul{,_common}.cc``, ``kernels/kernel_util.cc``
(``GetQuantizedConvolutionMultipler``) and ``reference/batch_matmul.h``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.memory.structs import EVAL_TENSOR, int_array
from arenite.model import OptionsTable, slot
from arenite.model.types import FLOAT32, INT8, INT16
from arenite.numeric.product import matrix_product
from arenite.ops import COMPUTES, Array, Context, Node, Registration, Struct, TfLiteTensor, Traits
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared.convolution import accumulates_64_bits
from arenite.ops.shared.requantize import OutputStage, Requantizer


class BatchMatMulOptions(OptionsTable, union=101):
    """``table BatchMatMulOptions``."""

    adj_x: bool = slot(0, "bool", False)
    adj_y: bool = slot(1, "bool", False)
    asymmetric_quantize_inputs: bool = slot(2, "bool", False)


@dataclass(frozen=True)
class BatchMatMulParams:
    """Parameters of the kernels: which sides are transposed, offsets, requantisation."""

    adj_x: bool
    adj_y: bool
    lhs_offset: int
    rhs_offset: int
    output_offset: int
    output_multiplier: int
    output_shift: int
    activation_min: int
    activation_max: int
    accumulates_64_bits: bool


OP_DATA = Struct("OpDataBatchMatmul", ("pointer", "pointer", "pointer", "bool", "bool", "bool"))
QUANTIZATION = Struct("QuantizationOpDataBatchMatmul", ("int32", "int", *("int32",) * 5))


def same_inputs(node: c.NodeView) -> bool:
    """Both inputs have the same type: TFLM runs no hybrid models.

    Convert again with full integer quantisation (give the converter a representative_dataset).
    """
    return node.input(0).type == node.input(1).type


def elements_exist(node: c.NodeView) -> bool:
    """No dimension of an input is 0."""
    return min(*node.input(0).shape, *node.input(1).shape) > 0


def prepare(context: Context, node: Node) -> BatchMatMulParams:
    """Output shape, requantisation, room for transposed operands."""
    options: BatchMatMulOptions = node.options
    lhs = util.input_tensor(context, node, 0)
    rhs = util.input_tensor(context, node, 1)
    output = util.output_tensor(context, node)
    is_float = lhs.type is FLOAT32
    if not is_float:
        context.reserve_persistent_buffer(QUANTIZATION.size(context.abi), "quantization")
    if options.adj_x:
        allocate_transposed(context, lhs)
    if not options.adj_y:  # TFLM multiplies by columns
        allocate_transposed(context, rhs)
    multiplier, shift, low, high = 0, 0, 0, 0
    if not is_float:
        multiplier, shift = _requantization(context, lhs, rhs, output)
        low, high = util.QUANTIZED_RANGE[output.type]
    shape = output_shape(context, options, lhs, rhs)
    if len(shape) > len(output.shape):
        context.report_error(f"the output has shape {list(shape)}, got {list(output.shape)}")
    dimensions = int_array(len(output.shape)).size(context.abi)
    context.reserve_persistent_buffer(dimensions, "output's dimensions")
    context.resize_tensor(output.index, shape, "replaced")
    return BatchMatMulParams(
        adj_x=options.adj_x,
        adj_y=options.adj_y,
        # Float kernels read no zero points, which a file may give to float tensors too.
        lhs_offset=0 if is_float else -lhs.zero_point,
        rhs_offset=0 if is_float else -rhs.zero_point,
        output_offset=output.zero_point,
        output_multiplier=multiplier,
        output_shift=shift,
        activation_min=low,
        activation_max=high,
        accumulates_64_bits=accumulates_64_bits(context, lhs.type, None, np.array([shift])),
    )


def allocate_transposed(context: Context, tensor: TfLiteTensor) -> None:
    """Room for a transposed copy of a tensor, as TFLM keeps it."""
    context.reserve_persistent_buffer(EVAL_TENSOR.size(context.abi), "transposed tensor")
    dimensions = int_array(len(tensor.shape)).size(context.abi)
    context.reserve_persistent_buffer(dimensions, "its dimensions")
    context.reserve_persistent_buffer(tensor.type.nbytes(tensor.size), "its data")


def _requantization(
    context: Context, lhs: TfLiteTensor, rhs: TfLiteTensor, output: TfLiteTensor
) -> tuple[int, int]:
    low, high = util.QUANTIZED_RANGE[lhs.type] if lhs.type is INT8 else (0, 0)
    for tensor in (lhs, rhs, output):
        if not low <= tensor.zero_point <= high:
            context.report_error(
                f"the zero point of {tensor.type} tensor {tensor.name!r} must be in "
                f"[{low}, {high}], got {tensor.zero_point}"
            )
    ratio = util.scale_ratio(lhs.scale * rhs.scale, output.scale)
    return util.requantization(context, ratio, "x * y / output")


def output_shape(
    context: Context, options: BatchMatMulOptions, lhs: TfLiteTensor, rhs: TfLiteTensor
) -> tuple[int, ...]:
    """The product's shape; batches broadcast, and inner dimensions must agree."""
    *lhs_batch, rows, lhs_depth = transposed(lhs.shape, options.adj_x)
    *rhs_batch, rhs_depth, columns = transposed(rhs.shape, options.adj_y)
    longest = max(len(lhs_batch), len(rhs_batch))
    lhs_batch = [1] * (longest - len(lhs_batch)) + lhs_batch
    rhs_batch = [1] * (longest - len(rhs_batch)) + rhs_batch
    batches = list(zip(lhs_batch, rhs_batch, strict=True))
    if lhs_depth != rhs_depth or any(a != b and 1 not in (a, b) for a, b in batches):
        context.report_error(
            f"shapes {list(lhs.shape)} (adj_x {options.adj_x}) and {list(rhs.shape)} (adj_y "
            f"{options.adj_y}): inner dimensions must be equal, and batches equal or 1"
        )
    return (*(max(pair) for pair in batches), rows, columns)


def transposed(shape: tuple[int, ...], adjoint: bool) -> tuple[int, ...]:
    """A shape with its last two dimensions swapped, or as it is."""
    return (*shape[:-2], shape[-1], shape[-2]) if adjoint else shape


class BatchMatMul:
    """``out = requantise((x + x_offset) @ (y + y_offset))``, exactly."""

    def __init__(self, params: BatchMatMulParams, lhs: Array, rhs: Array, out: Array) -> None:
        self._offsets = params.lhs_offset, params.rhs_offset
        dtype: type[np.floating] = np.float64
        self._requantize = None
        if out.dtype != np.float32:
            depth = lhs.shape[-2 if params.adj_x else -1]
            smallest = -int(np.iinfo(lhs.dtype).min)
            bound = np.full(1, float(depth))
            for offset in self._offsets:
                bound *= smallest + abs(offset)
            stage = OutputStage(
                multiplier=np.array([params.output_multiplier], np.int32),
                shift=np.array([params.output_shift], np.int32),
                bias=np.zeros(1, np.int64),
                zero_point=params.output_offset,
                low=params.activation_min,
                high=params.activation_max,
                wide=params.accumulates_64_bits,
            )
            self._requantize = Requantizer(stage, bound, out.size, out.dtype)
            dtype = np.float32 if bound[0] < 2**24 else np.float64
        self._lhs, self._rhs = np.empty(lhs.shape, dtype), np.empty(rhs.shape, dtype)
        self._x = self._lhs.swapaxes(-1, -2) if params.adj_x else self._lhs
        self._y = self._rhs.swapaxes(-1, -2) if params.adj_y else self._rhs
        self._acc = np.empty(out.shape, dtype)

    def __call__(self, lhs: Array, rhs: Array, out: Array) -> None:
        """Multiply batches of matrices to ``out``."""
        np.add(lhs, self._offsets[0], out=self._lhs, dtype=self._lhs.dtype)
        np.add(rhs, self._offsets[1], out=self._rhs, dtype=self._rhs.dtype)
        matrix_product(self._x, self._y, out=self._acc)
        if self._requantize is None:
            np.copyto(out, self._acc, casting="same_kind")
        else:
            self._requantize(self._acc, out)


def invoke(context: Context, node: Node) -> None:
    """Multiply; the kernel's memory is kept."""
    lhs, rhs = util.input_array(context, node, 0), util.input_array(context, node, 1)
    out = util.output_array(context, node)
    product: BatchMatMul | None = node.host.get("product")
    if product is None:
        product = node.host["product"] = BatchMatMul(node.params, lhs, rhs, out)
    if out.dtype != np.float32:
        product(lhs, rhs, out)
        return
    with np.errstate(invalid="ignore", over="ignore"):
        product(lhs, rhs, out)


REGISTRATION = Registration(
    init=util.allocate_struct(OP_DATA),
    prepare=prepare,
    invoke=invoke,
    options=BatchMatMulOptions,
    builtin_data=Struct("TfLiteBatchMatMulParams", ("bool", "bool", "bool")),
    constraints=(
        *c.counts(2, 1),
        c.input_types(0, FLOAT32, INT8, INT16),
        same_inputs,
        c.same_type(),
        c.rank(0, 2, 3, 4, 5),
        c.rank(1, 2, 3, 4, 5),
        elements_exist,
    ),
)

TRAITS = Traits(
    drawn="dense",
    compiled="of 5 dimensions Vela's commands compute the first of several matrices only",
    takes_decoded=True,
)

SCHEME = COMPUTES
