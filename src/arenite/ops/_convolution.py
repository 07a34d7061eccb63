"""What convolutions and fully connected layers share: sums of products and what follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from arenite.memory.abi import Struct
from arenite.model import TensorType
from arenite.ops._requantize import Finish, FloatStage, OutputStage, Requantizer
from arenite.ops.constraints import NodeView
from arenite.ops.context import Array, Context, EvalTensor, Node
from arenite.ops.kernel_util import input_array, output_array, unpack_int4

#: ``OpDataConv``, which CONV_2D and DEPTHWISE_CONV_2D share.
OP_DATA = Struct(
    "OpDataConv",
    ("int32",) * 4  # TfLitePaddingValues
    + ("int32", "int32", "int32", "int32", "int", "pointer", "pointer", "int32", "int32", "int"),
    compression=("int", "int"),
)


# -- constraints ----------------------------------------------------------------------


def hybrid_refused(node: NodeView) -> bool:
    """Weights are integers exactly where activations are: TFLM runs no hybrid models.

    Convert again with full integer quantisation (give the converter a
    representative_dataset), or with no quantisation at all.
    """
    activations, weights = node.input(0).type, node.input(1).type
    if activations is TensorType.FLOAT32:
        return weights is TensorType.FLOAT32
    if activations is TensorType.INT16:
        return weights is TensorType.INT8
    return weights in (TensorType.INT8, TensorType.INT4)


def bias_types(*int16: TensorType) -> Callable[[NodeView], bool]:
    """A constraint on input 2; ``int16`` are the bias types for int16 activations."""
    legal = {
        TensorType.FLOAT32: (TensorType.FLOAT32,),
        TensorType.INT8: (TensorType.INT32,),
        TensorType.INT16: int16,
    }

    def check(node: NodeView) -> bool:
        bias = node.inputs[2] if len(node.inputs) > 2 else None
        return bias is None or bias.type in legal[node.input(0).type]

    names = " or ".join(str(t) for t in int16)
    check.__doc__ = (
        "The bias is float32 with float32 activations, int32 with int8 ones and "
        f"{names} with int16 ones."
    )
    return check


def accumulates_64_bits(
    context: Context,
    activations: TensorType,
    bias_type: int | None,
    shift: Array,
) -> bool:
    """Whether sums have 64 bits: int16 activations without an int32 bias.

    Refuses shifts for which the 64-bit requantisation is not defined in C.
    """
    wide = activations is TensorType.INT16 and bias_type != TensorType.INT32
    if wide and shift.max() > 14:
        context.report_error(
            "the scales' ratio input * weights / output must be under 2**14 where sums have "
            f"64 bits, got one of about 2**{shift.max()}"
        )
    return wide


# -- the last step --------------------------------------------------------------------


class OutputParams(Protocol):
    """The part of a parameter record from which the last step is made."""

    @property
    def input_offset(self) -> int: ...
    @property
    def output_offset(self) -> int: ...
    @property
    def multiplier(self) -> Array: ...
    @property
    def shift(self) -> Array: ...
    @property
    def activation_min(self) -> float: ...
    @property
    def activation_max(self) -> float: ...
    @property
    def accumulates_64_bits(self) -> bool: ...


@dataclass(frozen=True, eq=False)
class Sums:
    """Per output channel: the bias, the sum of all weights and of their magnitudes."""

    bias: Array
    weights: Array
    magnitudes: Array

    @classmethod
    def of(cls, weights: Array, bias: Array | None) -> Sums:
        """Of weights ``(channels, ...)`` and a bias, absent where it is None."""
        flat = weights.reshape(len(weights), -1)
        return cls(
            bias=np.zeros(len(weights), weights.dtype) if bias is None else bias.reshape(-1),
            weights=flat.sum(axis=1, dtype=np.int64) if flat.dtype.kind == "i" else np.zeros(0),
            magnitudes=np.abs(flat.astype(np.float64)).sum(axis=1),
        )

    def __getitem__(self, channels: slice) -> Sums:
        return Sums(self.bias[channels], self.weights[channels], self.magnitudes[channels])


def finish_of(
    params: OutputParams, sums: Sums, x: Array, out: Array, *, rows: int, channels: slice
) -> tuple[np.dtype[Any], Finish]:
    """The element type in which sums ``x * w`` are exact, and what follows them.

    ``x`` holds raw values, and the input's zero point outside the image: its offset is
    made good for here, as a constant per channel. ``rows`` is the number of sums per
    channel; ``x`` and ``out`` give types only.
    """
    sums = sums[channels]
    if out.dtype == np.float32:
        stage = FloatStage(sums.bias, params.activation_min, params.activation_max)
        return np.dtype(np.float64), stage
    largest = max(-int(np.iinfo(x.dtype).min), abs(params.input_offset))
    bias = sums.bias + params.input_offset * sums.weights
    bound = largest * sums.magnitudes
    requantizer = Requantizer(
        OutputStage(
            multiplier=params.multiplier[channels],
            shift=params.shift[channels],
            bias=bias,
            zero_point=params.output_offset,
            low=int(params.activation_min),
            high=int(params.activation_max),
            wide=params.accumulates_64_bits,
        ),
        bound,
        rows,
        out.dtype,
    )
    exact = np.float32 if bound.max() < 2**24 else np.float64
    return np.dtype(exact), requantizer


def padding_type(x: Array, zero_point: int) -> np.dtype[Any]:
    """The element type of a border around ``x``, filled with the zero point."""
    if x.dtype.kind == "f":
        return x.dtype
    legal = np.iinfo(x.dtype).min <= zero_point <= np.iinfo(x.dtype).max
    return x.dtype if legal else np.dtype(np.int32)


# -- invoke ---------------------------------------------------------------------------

Kernel = Callable[[Array, Array], None]
Build = Callable[[Any, Array, Array, Array | None, Array], Kernel]


def invoke_with(build: Build) -> Callable[[Context, Node], None]:
    """An ``invoke`` that runs the kernel which ``build(params, x, weights, bias, out)`` makes.

    The kernel is kept where weights and bias are constants.
    """

    def invoke(context: Context, node: Node) -> None:
        x, out = input_array(context, node, 0), output_array(context, node)
        kernel: Kernel | None = node.host.get("kernel")
        if kernel is None:
            kernel = made(context, node, x, out)
        kernel(x, out)

    def made(context: Context, node: Node, x: Array, out: Array) -> Kernel:
        weights = context.get_eval_tensor(node.inputs[1])
        has_bias = len(node.inputs) > 2 and node.inputs[2] >= 0
        bias = context.get_eval_tensor(node.inputs[2]).data if has_bias else None
        kernel = build(node.params, x, weight_values(weights), bias, out)
        if out.dtype == np.float32:
            kernel = quiet(kernel)
        sources = [data for data in (weights.data, bias) if data is not None]
        if not any(data.flags.writeable for data in sources):
            node.host["kernel"] = kernel
        return kernel

    return invoke


def weight_values(weights: EvalTensor) -> Array:
    """Weights with one array element each."""
    assert weights.data is not None
    if weights.type is TensorType.INT4:
        return unpack_int4(weights.data, weights.size).reshape(weights.shape)
    return weights.data


def quiet(kernel: Kernel) -> Kernel:
    """A kernel on floats without NumPy's warnings: infinities and NaN are C's business."""

    def run(x: Array, out: Array) -> None:
        with np.errstate(invalid="ignore", over="ignore"):
            kernel(x, out)

    return run
