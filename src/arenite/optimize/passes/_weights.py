"""Constants that TFLM's float kernels cannot read: float16, and integers beside floats."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.model import Tensor, TensorType
from arenite.model.model import Array, constant_bytes
from arenite.ops.kernel_util import unpack_int4
from arenite.ops.registry import traits_of
from arenite.optimize.parts import CannotError, Parts, why_refused
from arenite.optimize.rewrite import Edit
from arenite.optimize.settings import Settings

_INTEGERS = (TensorType.INT8, TensorType.UINT8, TensorType.INT16, TensorType.INT4)


def widen_constant(edit: Edit, position: int, settings: Settings) -> str:
    """Make a constant float32 that is stored otherwise and converted at run time."""
    operator = edit.operator(position)
    if not traits_of(operator.name).converts or edit.constant(operator, 0) is None:
        return ""
    source, output = edit.tensors[operator.inputs[0]], operator.outputs[0]
    there = edit.tensors[output]
    if there.type is not TensorType.FLOAT32 or not edit.is_inner(output):
        return ""
    if not why_refused(edit, operator, settings.target):
        return ""
    wide = as_floats(source)
    if wide is None:
        return ""
    edit.tensors[output] = replace(
        there, data=constant_bytes(wide), shape=wide.shape, shape_signature=None, buffer=0
    )
    edit.put(position, None)
    return f"of a constant was done: its {source.nbytes:,} bytes take {wide.nbytes:,} as float32"


def float_weights(parts: Parts) -> bool:
    """Make quantised constants float32 where the values beside them are: a hybrid layer."""
    operator, tensors = parts.operator, parts.edit.tensors
    given = [tensors[index] for index in operator.inputs if index >= 0]
    values = [parts.y.type, *(one.type for one in given if not one.is_constant)]
    if values[0] is not TensorType.FLOAT32 or TensorType.FLOAT32 not in values[1:]:
        return False
    inputs, before, after = list(operator.inputs), 0, 0
    for number, index in enumerate(operator.inputs):
        if index < 0 or tensors[index].type not in _INTEGERS or tensors[index].is_variable:
            continue
        wide = as_floats(tensors[index])
        if wide is None:
            continue
        like = replace(tensors[index], type=TensorType.FLOAT32, quantization=None)
        inputs[number] = parts.edit.add_constant(f"{like.name}/float32", wide, like)
        before, after = before + tensors[index].nbytes, after + wide.nbytes
    if not after:
        return False
    if getattr(operator.options, "weights_format", 0):
        raise CannotError("its weights are shuffled")
    made = replace(operator, inputs=tuple(inputs))
    parts.operators.append(made)
    parts.rounds(
        f"is a float layer: its weights of {before:,} bytes take {after:,}; LiteRT rounds its "
        "input to 8 bits, TFLM will not"
    )
    return True


def as_floats(tensor: Tensor) -> Array | None:
    """A constant's real values as float32; None where that is not known."""
    value = tensor.value
    if value is None:
        return None
    if tensor.type is TensorType.FLOAT16:
        with np.errstate(over="ignore"):
            return value.astype(np.float32)
    q = tensor.quantization
    if tensor.type not in _INTEGERS or q is None or not len(q.scale):
        return None
    if tensor.type is TensorType.INT4:
        value = unpack_int4(value, tensor.size).reshape(tensor.shape)
    shape = [1] * value.ndim
    axis = q.quantized_dimension
    if len(q.scale) > 1:
        if not 0 <= axis < value.ndim or value.shape[axis] != len(q.scale):
            return None
        shape[axis] = len(q.scale)
    zero = q.zero_point if len(q.zero_point) else np.zeros(1, np.int64)
    zeros = np.broadcast_to(zero.astype(np.float32), q.scale.shape).reshape(shape)
    with np.errstate(over="ignore", invalid="ignore"):
        wide = value.astype(np.float32)  # a difference of small integers: exact
        return np.asarray((wide - zeros) * q.scale.reshape(shape).astype(np.float32))
