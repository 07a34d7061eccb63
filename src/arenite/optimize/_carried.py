"""An operator on other numbers than its own, where TFLM's kernel has them: between conversions.

Facts: which types TFLM's kernels of CAST, QUANTIZE and DEQUANTIZE take (``micro/kernels``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from arenite.model import Quantization, Tensor, TensorType
from arenite.model.model import Array
from arenite.model.types import FLOAT32, INT8
from arenite.ops.registry import traits_of
from arenite.optimize._functions import Rule
from arenite.optimize._real import as_floats
from arenite.optimize.parts import CannotError, Parts, scalar

INT16, INT32, UINT8, BOOL = (
    TensorType.INT16,
    TensorType.INT32,
    TensorType.UINT8,
    TensorType.BOOL,
)
#: What CAST makes float32 of and TFLM's CAST makes again; of bool a comparison makes it.
_CAST = (INT8, INT16, BOOL)
_QUANTIZED = (INT8, INT16, UINT8)
#: A float32 holds all integers up to here.
_EXACT = 1 << 24
_HALF = 1 << 16


def carried(name: str) -> Rule | None:
    """The rule for any operator of a nature; None where nothing is known of it."""
    traits = traits_of(name)
    is_move = traits.values == "rising" and traits.exact_on_floats and not traits.clamps
    rules = [move] if is_move else []
    rules += [] if traits.effect else [signed, between_floats]
    return first_of(*rules) if rules else None


def first_of(*rules: Rule) -> Rule:
    """The first rule that can be applied; the reason is that of the first that has one."""

    def rule(parts: Parts) -> None:
        reasons = []
        for one in rules:
            try:
                one(parts)
            except CannotError as error:
                parts.forget()
                reasons.append(str(error))
            else:
                return
        raise CannotError(next(filter(None, reasons), ""))

    return rule


# -- the same numbers in another type ------------------------------------------------------


def move(parts: Parts) -> None:
    """Values that only change their places: as floats, as halves or signed; equal bits."""
    match parts.y.type:
        case TensorType.INT32:
            _in_halves(parts)
        case TensorType.UINT8:
            signed(parts)
        case _:
            by_number(parts)


def by_number(parts: Parts) -> None:
    """Small integers as the floats of the same value; equal bits."""
    kind = _kind_of(parts)
    parts.require(kind in _CAST, f"it is of {kind}")
    _convert(parts, kind, _as_number, _from_number)


def _kind_of(parts: Parts) -> TensorType:
    """The type that is carried: the output's, or the first input's of what compares and counts."""
    kinds = {parts.edit.tensors[index].type for index in parts.operator.inputs if index >= 0}
    return parts.y.type if parts.y.type in kinds.intersection(_CAST) else parts.x.type


def _as_number(parts: Parts, index: int) -> int:
    tensor = parts.edit.tensors[index]
    if tensor.is_constant and tensor.value is not None:
        return parts.value(tensor.value.astype(np.float32))
    return parts.run("CAST", index, like=tensor, shape=tensor.shape, kind=FLOAT32)


def _from_number(parts: Parts, made: int, output: Tensor) -> int:
    if output.type is BOOL:
        zero = parts.value(np.float32(0))
        return parts.run("NOT_EQUAL", made, zero, like=output, shape=output.shape)
    return parts.run("CAST", made, like=output, shape=output.shape)


def signed(parts: Parts) -> None:
    """uint8 as int8, whose kernels TFLM has; weights have to be symmetric there."""
    kinds = {parts.edit.tensors[i].type for i in parts.operator.inputs if i >= 0} | {parts.y.type}
    parts.require(UINT8 in kinds, "")
    traits = traits_of(parts.operator.name)
    has_weights = traits.values == "sums" or traits.drawn == "conv"
    parts.require(not has_weights, "int8 weights have no zero point")
    _convert(parts, UINT8, _as_signed, _from_signed)
    if traits.values != "rising" or not traits.exact_on_floats:
        parts.rounds("as int8, whose kernels may round otherwise than those of uint8")


def _as_signed(parts: Parts, index: int) -> int:
    tensor = parts.edit.tensors[index]
    like = _signed_like(tensor)
    if tensor.is_constant and tensor.value is not None:
        return parts.value(tensor.value.astype(np.int16) - 128, like)
    return parts.run("QUANTIZE", index, like=like, shape=tensor.shape)


def _signed_like(tensor: Tensor) -> Tensor:
    scale, zero = scalar(tensor)
    q = Quantization(np.array([scale], np.float32), np.array([zero - 128], np.int64))
    return replace(tensor, type=INT8, quantization=q, data=None, buffer=0)


def _from_signed(parts: Parts, made: int, output: Tensor) -> int:
    return parts.run("QUANTIZE", made, like=output, shape=output.shape)


def _convert(
    parts: Parts,
    kind: TensorType,
    there: Callable[[Parts, int], int],
    back: Callable[[Parts, int, Tensor], int],
) -> None:
    """The operator with all operands of a type converted, and what it gives converted back."""
    tensors, operator = parts.edit.tensors, parts.operator
    done: dict[int, int] = {}
    for index in operator.inputs:
        if index >= 0 and tensors[index].type is kind and index not in done:
            parts.require(not tensors[index].is_variable, "it remembers")
            done[index] = there(parts, index)
    parts.require(bool(done), f"it has no input of {kind}")
    carrier = tensors[next(iter(done.values()))].type
    outputs = []
    for index in operator.outputs:
        output = tensors[index]
        like = _signed_like(output) if output.type is UINT8 and carrier is INT8 else output
        is_carried = output.type is kind and like is output
        outputs.append(
            parts.made(operator.name.lower(), like, output.shape, carrier if is_carried else None)
        )
    parts.again([done.get(index, index) for index in operator.inputs], outputs)
    for number, (index, made) in enumerate(zip(operator.outputs, outputs, strict=True)):
        output = tensors[index]
        parts.give(back(parts, made, output) if output.type is kind else made, number)


# -- int32 --------------------------------------------------------------------------------


def _in_halves(parts: Parts) -> None:
    """``65536 * h + l`` with both moved as floats; small constants in one piece. Equal bits."""
    x = parts.edit.tensors[parts.input(0)]
    parts.require(x.type is INT32 and len(parts.operator.outputs) == 1, "it has several outputs")
    if x.is_constant and x.value is not None and _are_small(x.value):
        parts.run("CAST", _moved(parts, parts.value(x.value.astype(np.float32))))
        return
    high, low = _halves(parts, parts.input(0))
    _joined(parts, _moved(parts, high), _moved(parts, low))


def _are_small(values: Array) -> bool:
    return int(np.abs(values.astype(np.int64)).max(initial=0)) < _EXACT


def sum_of_halves(parts: Parts) -> None:
    """Sums of int32 by halves, which floats hold; equal bits, modulo 2**32 as well."""
    parts.require(parts.x.type is INT32 and parts.y.type is INT32, f"it is of {parts.x.type}")
    parts.require(parts.x.size <= _EXACT // (2 * _HALF), "it has too many values")
    high, low = _halves(parts, parts.input(0))
    _joined(parts, _moved(parts, high), _moved(parts, low))


def _halves(parts: Parts, x: int) -> tuple[int, int]:
    """``x`` as ``65536 * h + l``, as floats: of ``x`` rounded to a float, so ``l`` has 17 bits."""
    tensor = parts.edit.tensors[x]

    def run(name: str, *inputs: int, kind: TensorType = INT32) -> int:
        return parts.run(name, *inputs, like=tensor, shape=tensor.shape, kind=kind)

    part = run(
        "MUL", run("CAST", x, kind=FLOAT32), parts.value(np.float32(1 / _HALF)), kind=FLOAT32
    )
    high = run("FLOOR", part, kind=FLOAT32)
    above = run("MUL", run("CAST", high), parts.value(np.int32(_HALF)))
    return high, run("CAST", run("SUB", x, above), kind=FLOAT32)


def _moved(parts: Parts, x: int) -> int:
    made = parts.made(parts.operator.name.lower(), parts.y, parts.y.shape, FLOAT32)
    parts.again([x, *parts.operator.inputs[1:]], [made])
    return made


def _joined(parts: Parts, high: int, low: int) -> None:
    above = parts.run("MUL", parts.run("CAST", high), parts.value(np.int32(_HALF)))
    parts.run("ADD", above, parts.run("CAST", low))


# -- real numbers -------------------------------------------------------------------------


def between_floats(parts: Parts) -> None:
    """DEQUANTIZE, the operator's float kernel, QUANTIZE: rounded once, as a rule."""
    tensors, operator = parts.edit.tensors, parts.operator
    parts.require(parts.x.type in _QUANTIZED, "")
    inputs = list(operator.inputs)
    for number, index in enumerate(inputs):
        if index < 0 or tensors[index].quantization is None:
            continue
        parts.require(not tensors[index].is_variable, "it remembers")
        inputs[number] = _real(parts, index)
    parts.require(inputs != list(operator.inputs), "it has no scale")
    outputs = []
    for index in operator.outputs:
        kind = FLOAT32 if tensors[index].type in _QUANTIZED else None
        outputs.append(
            parts.made(operator.name.lower(), tensors[index], tensors[index].shape, kind)
        )
    parts.again(inputs, outputs)
    for number, (index, made) in enumerate(zip(operator.outputs, outputs, strict=True)):
        output = tensors[index]
        if output.type in _QUANTIZED:
            scalar(output)
            parts.give(parts.run("QUANTIZE", made, like=output, shape=output.shape), number)
        else:
            parts.give(made, number)
    parts.rounds("between floats, rounded at the end alone: some results are a step away")


def _real(parts: Parts, index: int) -> int:
    tensor = parts.edit.tensors[index]
    if not tensor.is_constant:
        scalar(tensor)
        parts.require(tensor.type in _QUANTIZED, f"an input is of {tensor.type}")
        return parts.run("DEQUANTIZE", index, like=tensor, shape=tensor.shape, kind=FLOAT32)
    wide = as_floats(tensor)
    if wide is None:
        raise CannotError("a constant has no scale")
    like = replace(tensor, type=FLOAT32, quantization=None)
    return parts.edit.add_constant(f"{tensor.name}/float32", wide, like)


def quantize(parts: Parts) -> None:
    """To uint8 and from it by way of int8; equal bits."""
    x, y = parts.x, parts.y
    parts.require(UINT8 in (x.type, y.type), f"it is from {x.type} to {y.type}")
    made = parts.input(0)
    if x.type is UINT8:
        made = parts.run("QUANTIZE", made, like=_signed_like(x), shape=x.shape)
    if y.type is UINT8:
        made = parts.run("QUANTIZE", made, like=_signed_like(y), shape=y.shape)
    parts.run("QUANTIZE", made)


def pixels(parts: Parts) -> None:
    """uint8 from and to floats and integers, as numbers of the scale 1; equal bits.

    TFLM's CAST has no uint8; its DEQUANTIZE has, and its QUANTIZE makes uint8 of int8. Of floats
    the whole part is taken, of integers the last eight bits, as LiteRT's CAST does.
    """
    kinds = (parts.x.type, parts.y.type)
    parts.require(UINT8 in kinds, f"it is of {parts.x.type}")
    if parts.x.type is UINT8:
        _plain(parts, parts.input(0))
        made = parts.run("DEQUANTIZE", parts.input(0), kind=FLOAT32)
        if parts.y.type is not FLOAT32:
            parts.run("CAST", made)
        return
    whole = parts.input(0)
    if parts.x.type is not INT32:
        whole = parts.run("CAST", whole, kind=INT32)
    _plain(parts, parts.operator.outputs[0])
    shifted = parts.run("SUB", whole, parts.told(128), kind=INT32)
    like = replace(parts.y, type=INT8, quantization=_plain_scale(-128))
    parts.run("QUANTIZE", parts.run("CAST", shifted, like=like, shape=parts.y.shape))


def _plain_scale(zero: int) -> Quantization:
    return Quantization(np.ones(1, np.float32), np.array([zero], np.int64))


def _plain(parts: Parts, index: int) -> None:
    """Let a tensor of uint8 say what it is: whole numbers."""
    tensor = parts.edit.tensors[index]
    if tensor.quantization is None or not len(tensor.quantization.scale):
        parts.edit.tensors[index] = replace(tensor, quantization=_plain_scale(0))
        parts.edit.is_changed = True
        parts.y = parts.edit.tensors[parts.operator.outputs[0]]
    scale, zero = scalar(parts.edit.tensors[index])
    parts.require((scale, zero) == (1, 0), "its pixels have a scale")
