"""Helpers of several operators in ``prepare`` and ``invoke``.

Named after, and equal in results to, TFLM's ``kernels/kernel_util.cc`` and
``kernels/padding.h``.
"""

from __future__ import annotations

import math
from enum import IntEnum
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite import native
from arenite.memory.abi import Struct
from arenite.model import Quantization, TensorType
from arenite.model.types import FLOAT32, INT8, INT16, INT32, UINT8
from arenite.numeric import fixedpoint as fp
from arenite.ops.context import Array, Context, Declared, Node, TfLiteTensor, params_of

FLOAT32_LOWEST = float(np.finfo(np.float32).min)
FLOAT32_MAX = float(np.finfo(np.float32).max)

QUANTIZED_RANGE: dict[TensorType, tuple[int, int]] = {
    INT8: (-128, 127),
    UINT8: (0, 255),
    INT16: (-32768, 32767),
    INT32: (-(2**31), 2**31 - 1),
}


class Padding(IntEnum):
    """``enum Padding`` of the schema."""

    SAME = 0
    VALID = 1


class Activation(IntEnum):
    """``enum ActivationFunctionType`` of the schema: a function fused into an operator."""

    NONE = 0
    RELU = 1
    RELU_N1_TO_1 = 2
    RELU6 = 3
    TANH = 4
    SIGN_BIT = 5


# -- tensors in prepare ---------------------------------------------------------------


def input_tensor(context: Context, node: Node, index: int) -> TfLiteTensor:
    """Input ``index`` as a temporary tensor; the operator's constraints require it."""
    return context.get_tensor(node.inputs[index])


def optional_input_tensor(context: Context, node: Node, index: int) -> TfLiteTensor | None:
    """Input ``index`` as a temporary tensor, or None where the model leaves it out."""
    if index >= len(node.inputs) or node.inputs[index] < 0:
        return None
    return context.get_tensor(node.inputs[index])


def output_tensor(context: Context, node: Node, index: int = 0) -> TfLiteTensor:
    """Output ``index`` as a temporary tensor."""
    return context.get_tensor(node.outputs[index])


def like_input(
    context: Context, node: Node, declared: Declared = "kept"
) -> tuple[TfLiteTensor, TfLiteTensor]:
    """Input 0 and output 0 as temporary tensors; the output gets the input's shape."""
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    context.resize_tensor(output.index, inp.shape, declared)
    return inp, output


def allocate_struct(struct: Struct) -> Any:
    """An ``init`` that allocates an operator's ``OpData`` struct, as TFLM's does."""

    def init(context: Context, options: Any) -> None:
        size, _ = struct.layout(context.abi)
        context.reserve_persistent_buffer(size, struct.name)

    return init


# -- arrays in invoke -----------------------------------------------------------------


def input_array(context: Context, node: Node, index: int) -> Array:
    """The data of input ``index``, shaped."""
    data = context.get_eval_tensor(node.inputs[index]).data
    assert data is not None
    return data


def optional_input_array(context: Context, node: Node, index: int) -> Array | None:
    """The data of input ``index``, or None where the model leaves it out."""
    if index >= len(node.inputs) or node.inputs[index] < 0:
        return None
    return context.get_eval_tensor(node.inputs[index]).data


def output_array(context: Context, node: Node, index: int = 0) -> Array:
    """The data of output ``index``, shaped and writable."""
    data = context.get_eval_tensor(node.outputs[index]).data
    assert data is not None
    return data


def unpack_int4(packed: Array, size: int) -> npt.NDArray[np.int8]:
    """Unpack ``size`` int4 values from flat bytes, low nibble first.

    TFLM ``UnpackDenseInt4IntoInt8``.
    """
    values = np.empty(2 * len(packed), np.int8)
    signed = packed.view(np.int8)
    values[0::2] = (signed << 4).astype(np.int8) >> 4
    values[1::2] = signed >> 4
    return values[:size]


# -- activations ----------------------------------------------------------------------


def activation_range(activation: int) -> tuple[float, float]:
    """Bounds of a fused activation on floats (``CalculateActivationRange``)."""
    match activation:
        case Activation.RELU:
            return 0.0, FLOAT32_MAX
        case Activation.RELU6:
            return 0.0, 6.0
        case Activation.RELU_N1_TO_1:
            return -1.0, 1.0
        case _:
            return FLOAT32_LOWEST, FLOAT32_MAX


def activation_range_of(
    context: Context, activation: int, output: TfLiteTensor, note: str = ""
) -> tuple[float, float]:
    """Bounds of a fused activation in an output's own values: floats or quantised ones."""
    if output.type is FLOAT32:
        return activation_range(activation)
    return activation_range_quantized(context, activation, output, note)


def activation_range_quantized(
    context: Context, activation: int, output: TfLiteTensor, note: str = ""
) -> tuple[int, int]:
    """Bounds of a fused activation in the output's quantised values.

    ``CalculateActivationRangeQuantized``: the division is done in float32 and
    rounded half away from zero. TFLM lets 2**31 steps through, which no int32 holds.
    ``note`` is appended to the error.
    """
    low, high = QUANTIZED_RANGE[output.type]
    bounds = _BOUNDS.get(activation)
    if bounds is None:
        return low, high
    least, most = bounds
    low = max(low, _quantized(context, least, output, note))
    return low, high if most is None else min(high, _quantized(context, most, output, note))


#: What activations cut values to; None where they leave them as they are.
_BOUNDS: dict[int, tuple[float, float | None]] = {
    int(Activation.RELU): (0.0, None),
    int(Activation.RELU6): (0.0, 6.0),
    int(Activation.RELU_N1_TO_1): (-1.0, 1.0),
}


def _quantized(context: Context, real: float, output: TfLiteTensor, note: str) -> int:
    scale = output.scale
    if real == 0.0 < scale:
        return output.zero_point
    scaled = real / scale if scale else math.inf
    steps = float(np.float32(scaled)) if abs(scaled) < 2.0**32 else math.inf
    if not -(2.0**31) <= steps < 2.0**31:
        context.report_error(
            f"output {output.name!r}: {real:g} must be a number of steps under 2**31, got "
            f"a quantisation scale of {scale:g}{note}"
        )
    return output.zero_point + fp.round_half_away(steps)


# -- many numbers at once -------------------------------------------------------------


@cache
def in_c() -> ModuleType | None:
    """:mod:`arenite.native.parameters`, or None without the engine: NumPy computes the same."""
    if not native.available():
        return None
    from arenite.native import parameters  # noqa: PLC0415 - the engine may be absent

    return parameters


def all_params_of(quantizations: list[Quantization | None]) -> list[tuple[float, int, int]]:
    """:func:`params_of` each."""
    quick = in_c()
    if quick is None:
        return list(map(params_of, quantizations))
    found: list[tuple[float, int, int]] = quick.all_params_of(quantizations, params_of)
    return found


# -- requantisation -------------------------------------------------------------------


def rounding_of(context: Context) -> int:
    """Addend of a shift by the target's rounding, see :mod:`arenite.numeric.fixedpoint`."""
    return fp.ONCE if context.target.rounding == "single" else 0


def scale_ratio(scale: float, other: float) -> float:
    """``scale / other``, infinite where the other one is 0: without a scale, TFLM has 0."""
    return scale / other if other else math.inf


def quantized(context: Context, real: float) -> tuple[int, int]:
    """Multiplier and shift of a finite ratio, as the target's build makes them."""
    if context.target.emulate_float:
        return fp.quantize_multiplier_integer(real)
    return fp.quantize_multiplier(real)


def requantization(context: Context, real: float, formula: str, most: int = 30) -> tuple[int, int]:
    """Multiplier and shift of a ratio of scales, with the target's rounding.

    ``formula`` is the ratio in words. A ratio that is no finite number (a scale is 0, or there is
    none) becomes 0, as in TFLM's package; C leaves the conversion undefined, of which this warns.

    Refuses a shift over ``most``, for which C's left shift is not defined.
    """
    if not math.isfinite(real):
        context.warn_undefined(
            f"the scales' ratio {formula} is {real:g}, which C cannot convert; as in TFLM's "
            f"package, it counts as 0, and what is scaled by it becomes the zero point"
        )
        real = 0.0
    multiplier, shift = quantized(context, real)
    if shift > most:
        context.report_error(f"the scales' ratio {formula} must be under 2**{most}, got {real:.6g}")
    return multiplier, shift + rounding_of(context)


def requantization_below_one(context: Context, real: float, formula: str) -> tuple[int, int]:
    """The same of a ratio in (0, 1): the shift is 0 or negative.

    ``QuantizeMultiplierSmallerThanOneExp``, which ends the program for other ratios.
    """
    multiplier, shift = quantized(context, real) if 0 < real < 1 else (0, 1)
    if shift > 0:
        context.report_error(f"the scales' ratio {formula} must be between 0 and 1, got {real:.9g}")
    return multiplier, shift + rounding_of(context)


def requantization_above_one(context: Context, real: float, formula: str) -> tuple[int, int]:
    """Multiplier and shift of a finite ratio over 1: the shift is 0 or positive.

    ``QuantizeMultiplierGreaterThanOne``, which ends the program for other ratios. One rounding
    or two are the same here: nothing is left to the second.
    """
    if not 1 < real < math.inf:
        context.report_error(f"the product {formula} must be greater than 1, got {real:.9g}")
    return quantized(context, real)


# -- sliding windows ------------------------------------------------------------------


def window_output_size(
    padding: int, size: int, filter_size: int, stride: int, dilation: int
) -> int:
    """Outputs of a sliding window along one axis (``ComputeOutSize``)."""
    if padding == Padding.SAME:
        return (size + stride - 1) // stride
    return (size + stride - ((filter_size - 1) * dilation + 1)) // stride


def window_padding(stride: int, dilation: int, size: int, filter_size: int, out_size: int) -> int:
    """Padding before the first element (``ComputePadding``); the rest goes behind."""
    total = (out_size - 1) * stride + (filter_size - 1) * dilation + 1 - size
    return max(total, 0) // 2


# -- convolution-like operators -------------------------------------------------------


def convolution_multipliers(
    context: Context,
    inp: TfLiteTensor,
    weights: TfLiteTensor,
    output: TfLiteTensor,
    channels: int,
    *,
    needs_input_scale: bool = True,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Requantisation per output channel: ``input_scale * weight_scale / output_scale``.

    ``PopulateConvolutionQuantizationParams``: computed in double from float32 scales.
    One scale is used for all channels. As :func:`requantization` has it of each; warns of weights
    with a zero point, which no such kernel reads. Empty for float32.
    """
    if inp.type is FLOAT32:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    for tensor in (inp, weights) if needs_input_scale else (weights,):
        if not tensor.scale_count:
            context.report_error(f"tensor {tensor.name!r} needs a scale and a zero point")
    assert weights.quantization is not None
    scales, axis = weights.quantization.scale, weights.quantization.quantized_dimension
    count = weights.scale_count
    if count not in (1, channels) or (count > 1 and weights.shape[axis : axis + 1] != (channels,)):
        context.report_error(
            f"weights {weights.name!r}: expected 1 or {channels} scales, the latter along an "
            f"axis of as many elements, got {count} along axis {axis} of {weights.shape}"
        )
    warn_of_zero_points(context, weights)
    before, behind = inp.scale, output.scale
    found = None
    if not context.target.emulate_float and (quick := in_c()):
        rounding = rounding_of(context)
        found = quick.quantize_multipliers(
            before, scales, behind, rounding=rounding, channels=channels
        )
    return found or _multipliers_in_numpy(context, before, scales, behind, channels=channels)


def warn_of_zero_points(context: Context, *weights: TfLiteTensor | None) -> None:
    """Warn of weights whose zero point is not 0, for kernels that do not look.

    LiteRT refuses most such models (``kernels/conv.cc``; XNNPACK).
    """
    for tensor in weights:
        quantization = None if tensor is None else tensor.quantization
        if quantization is None or not np.count_nonzero(quantization.zero_point):
            continue
        assert tensor is not None
        other = int(quantization.zero_point[quantization.zero_point.nonzero()[0][0]])
        context.warn_undefined(
            f"weights {tensor.name!r} have a zero point of {other}, which the kernel does not "
            "count, or not as the model says: outputs are those of other weights. Quantise "
            "weights symmetrically, with zero points 0"
        )


def _multipliers_in_numpy(
    context: Context, before: float, scales: Array, behind: float, *, channels: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Multipliers and shifts of ``before * scales / behind``, whatever these are."""
    rounding, formula = rounding_of(context), "input * weights / output"
    if not behind:
        requantization(context, math.inf, formula)
    effective = before * scales.astype(np.float64) / behind if behind else np.zeros(len(scales))
    multipliers, shifts = fp.quantize_multipliers(effective, integer=context.target.emulate_float)
    if np.maximum.reduce(shifts, initial=0) > 30:
        requantization(context, float(effective[shifts.argmax()]), formula)
    if rounding:
        shifts += np.int32(rounding)
    if len(scales) == channels:
        return multipliers, shifts
    return multipliers.repeat(channels), shifts.repeat(channels)
