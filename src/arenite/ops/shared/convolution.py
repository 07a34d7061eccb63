"""Common parts of convolutions and fully connected layers: sums of products and the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from arenite.memory.abi import Struct
from arenite.model import TensorType
from arenite.model.types import FLOAT32, INT4, INT8, INT16, INT32
from arenite.numeric.fixedpoint import bare_shift
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.context import Array, Context, EvalTensor, Node, TfLiteTensor
from arenite.ops.shared.requantize import Finish, FloatStage, OutputStage, Requantizer
from arenite.ops.shared.window import axes_of

#: ``OpDataConv``, which CONV_2D and DEPTHWISE_CONV_2D share.
OP_DATA = Struct(
    "OpDataConv",
    ("int32",) * 4  # TfLitePaddingValues
    + ("int32", "int32", "int32", "int32", "int", "pointer", "pointer", "int32", "int32", "int"),
    compression=("int", "int"),
)


@dataclass(frozen=True)
class ConvolutionParams:
    """Parameters of all their kernels: offsets, requantisation per output channel, a range.

    Multipliers and shifts are empty for float32.
    """

    input_offset: int
    output_offset: int
    multiplier: Array
    shift: Array
    activation_min: float
    activation_max: float
    accumulates_64_bits: bool


# -- constraints ----------------------------------------------------------------------


def hybrid_refused(x: int = 0, weights: int = 1, *, int4: bool = True) -> c.Constraint:
    """A constraint on the types of activations ``x`` and weights; int4 weights where legal."""
    legal = {
        FLOAT32: (FLOAT32,),
        INT16: (INT8,),
        INT8: (INT8, INT4) if int4 else (INT8,),
    }

    def check(node: c.NodeView) -> bool:
        return node.input(weights).type in legal[node.input(x).type]

    names = "int8 or int4" if int4 else "int8"
    check.__name__ = "hybrid_refused"
    check.__doc__ = (
        f"Weights are integers ({names}) exactly where activations are: TFLM runs no hybrid "
        "models. Convert again with full integer quantisation (give the converter a "
        "representative_dataset)."
    )
    return check


def bias_types(*int16: TensorType, x: int = 0, bias: int = 2) -> c.Constraint:
    """A constraint on the bias; ``int16`` are its types for int16 activations ``x``."""
    legal = {
        FLOAT32: (FLOAT32,),
        INT8: (INT32,),
        INT16: int16,
    }

    def check(node: c.NodeView) -> bool:
        tensor = node.inputs[bias] if len(node.inputs) > bias else None
        return tensor is None or tensor.type in legal[node.input(x).type]

    names = " or ".join(str(t) for t in int16)
    check.__name__ = "bias_types"
    check.__doc__ = (
        "The bias is float32 with float32 activations, int32 with int8 ones and "
        f"{names} with int16 ones."
    )
    return check


def bias_per_channel(axis: int, weights: int = 1, bias: int = 2) -> c.Constraint:
    """A constraint: the bias has as many elements as the weights along ``axis``."""

    def check(node: c.NodeView) -> bool:
        tensor = node.inputs[bias] if len(node.inputs) > bias else None
        return tensor is None or tensor.size == node.input(weights).shape[axis]

    check.__name__ = "bias_per_channel"
    check.__doc__ = f"The bias has as many elements as axis {axis} of the weights."
    return check


#: Inputs are activations, weights and perhaps a bias.
CONSTRAINTS: tuple[c.Constraint, ...] = (
    c.inputs_between(2, 3, optional=frozenset({2})),
    c.outputs_exactly(1),
    c.input_types(0, FLOAT32, INT8, INT16),
    hybrid_refused(),
    c.same_type(),
)


# -- tensors in prepare -----------------------------------------------------------------


def tensors_of(context: Context, node: Node) -> tuple[TfLiteTensor, TfLiteTensor, TfLiteTensor]:
    """Output, input and weights, in the order in which TFLM asks for them."""
    get = context.get_tensor
    return get(node.outputs[0]), get(node.inputs[0]), get(node.inputs[1])


def ask_again(context: Context, node: Node) -> TfLiteTensor | None:
    """Ask for all tensors, the bias among them, which is given back; None where there is none.

    TFLM does so once it knows the geometry, which shows in the temporary memory.
    """
    get, inputs = context.get_tensor, node.inputs
    get(inputs[0])
    get(inputs[1])
    bias = get(inputs[2]) if len(inputs) > 2 and inputs[2] >= 0 else None
    get(node.outputs[0])
    return bias


def accumulates_64_bits(
    context: Context,
    activations: TensorType,
    bias_type: int | None,
    shift: Array,
) -> bool:
    """Whether sums have 64 bits: int16 activations without an int32 bias.

    Refuses shifts for which the 64-bit requantisation is not defined in C.
    """
    if activations is not INT16 or bias_type == INT32:
        return False
    most = int(bare_shift(shift).max(initial=0))
    if most > 14:
        context.report_error(
            "the scales' ratio input * weights / output must be under 2**14 where sums have "
            f"64 bits, got one of about 2**{most}"
        )
    return True


# -- the last step --------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Sums:
    """Bounds of the sums of products ``x * w`` of every output channel.

    ``bias`` comes on top of them; ``bound`` is their largest magnitude.
    """

    bias: Array
    bound: Array

    @classmethod
    def of(cls, weights: Array, bias: Array | None, largest: int = 0, offset: int = 0) -> Sums:
        """For weights ``(channels, ...)``, and ``x`` with magnitudes up to ``largest``.

        ``offset`` is what should have been added to every ``x`` before; the bias makes
        good for it.
        """
        flat = weights.reshape(len(weights), -1)
        if flat.dtype.kind == "f":
            nothing = np.zeros(len(flat))
            return cls(nothing if bias is None else bias.reshape(-1), nothing)
        constant = offset * flat.sum(axis=1, dtype=np.int64)
        if bias is not None:
            constant += bias.reshape(-1)
        return cls(constant, largest * np.abs(flat.astype(np.float64)).sum(axis=1))

    def __getitem__(self, channels: slice) -> Sums:
        return Sums(self.bias[channels], self.bound[channels])


def largest_raw(x: Array, offset: int) -> int:
    """Largest magnitude of raw values like ``x`` and of the zero point ``-offset``."""
    return 0 if x.dtype.kind == "f" else max(-int(np.iinfo(x.dtype).min), abs(offset))


def finish_of(
    params: ConvolutionParams, sums: Sums, out: Array, rows: int, channels: slice = slice(None)
) -> tuple[np.dtype[Any], Finish]:
    """The element type in which the sums of ``channels`` are exact, and what follows them.

    ``rows`` is the number of sums per channel; ``out`` gives the type of the output.
    """
    sums = sums[channels]
    if out.dtype == np.float32:
        stage = FloatStage(sums.bias, params.activation_min, params.activation_max)
        return np.dtype(np.float64), stage
    integer_stage = OutputStage(
        multiplier=params.multiplier[channels],
        shift=params.shift[channels],
        bias=sums.bias,
        zero_point=params.output_offset,
        low=int(params.activation_min),
        high=int(params.activation_max),
        wide=params.accumulates_64_bits,
    )
    exact = np.float32 if sums.bound.max() < 2**24 else np.float64
    return np.dtype(exact), Requantizer(integer_stage, sums.bound, rows, out.dtype)


def padding_type(x: Array, zero_point: int) -> np.dtype[Any]:
    """The element type of a border around ``x``, filled with the zero point."""
    if x.dtype.kind == "f":
        return x.dtype
    legal = np.iinfo(x.dtype).min <= zero_point <= np.iinfo(x.dtype).max
    return x.dtype if legal else np.dtype(np.int32)


# -- weights that are no numbers --------------------------------------------------------


def are_finite(weights: Array) -> bool:
    """Whether weights may be multiplied with the zeros that stand beside an image."""
    return weights.dtype.kind != "f" or bool(np.isfinite(weights).all())


class TapByTap:
    """A convolution of floats that leaves taps beside the image out, as TFLM does.

    With infinite weights that is another result than zeros there would give: those are NaN.
    ``weights`` are (filters, rows, columns, channels of a group).
    """

    def __init__(
        self,
        params: Any,
        weights: Array,
        bias: Array | None,
        groups: int,
    ) -> None:
        self._window, self._groups = params.window, groups
        self._weights = weights.astype(np.float64)
        start = Sums.of(weights, bias).bias
        self._finish = FloatStage(start, params.activation_min, params.activation_max)

    def __call__(self, x: Array, out: Array) -> None:
        """Convolve ``x`` (n, h, w, c) to ``out``."""
        rows, columns = axes_of(self._window, x.shape[1:3])
        n, height, width, filters = out.shape
        grouped = x.reshape(*x.shape[:3], self._groups, -1)
        weights = self._weights.reshape(self._groups, -1, *self._weights.shape[1:])
        acc = np.zeros((n, height, width, self._groups, filters // self._groups))
        for i in range(rows.count):
            for j in range(columns.count):
                (tops, ys), (lefts, xs) = rows.inside_of(i), columns.inside_of(j)
                taps = weights[:, :, rows.taps.start + i, columns.taps.start + j]
                acc[:, tops, lefts] += np.einsum("nhwgc,gfc->nhwgf", grouped[:, ys, xs], taps)
        self._finish(acc.reshape(-1, filters), out)


# -- invoke ---------------------------------------------------------------------------

Kernel = Callable[[Array, Array], None]
Build = Callable[[Any, Array, Array, Array | None, Array], Kernel]


def invoke_with(
    build: Build, x: int = 0, weights: int = 1, bias: int = 2
) -> Callable[[Context, Node], None]:
    """An ``invoke`` that runs the kernel which ``build(params, x, weights, bias, out)`` makes.

    The kernel is kept where weights and bias are constants.
    """

    def invoke(context: Context, node: Node) -> None:
        images, out = util.input_array(context, node, x), util.output_array(context, node)
        kernel: Kernel | None = node.host.get("kernel")
        if kernel is None:
            kernel = made(context, node, images, out)
        kernel(images, out)

    def made(context: Context, node: Node, images: Array, out: Array) -> Kernel:
        tensor = context.get_eval_tensor(node.inputs[weights])
        constant = util.optional_input_array(context, node, bias)
        with np.errstate(all="ignore"):  # a file's weights may be any numbers
            kernel = build(node.params, images, weight_values(tensor), constant, out)
        if out.dtype == np.float32:
            kernel = quiet(kernel)
        sources = [data for data in (tensor.data, constant) if data is not None]
        if not any(data.flags.writeable for data in sources):
            node.host["kernel"] = kernel
        return kernel

    return invoke


def weight_values(weights: EvalTensor) -> Array:
    """Weights with one array element each."""
    assert weights.data is not None
    if weights.type is INT4:
        return util.unpack_int4(weights.data, weights.size).reshape(weights.shape)
    return weights.data


def quiet(kernel: Kernel) -> Kernel:
    """A kernel on floats without NumPy's warnings: infinities and NaN are C's business."""

    def run(x: Array, out: Array) -> None:
        with np.errstate(invalid="ignore", over="ignore"):
            kernel(x, out)

    return run
