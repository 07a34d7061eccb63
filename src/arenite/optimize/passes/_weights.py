"""Constants that TFLM's float kernels cannot read: float16, and integers beside floats."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.model import Model, Quantization, Tensor, TensorType
from arenite.model.model import constant_bytes
from arenite.ops.registry import traits_of
from arenite.optimize._real import INTEGERS, as_floats
from arenite.optimize.parts import CannotError, Parts, why_refused
from arenite.optimize.rewrite import Edit
from arenite.optimize.settings import Settings

#: Constants of so many bytes as floats are not worth two operators.
_SMALL = 512


def widen_constant(edit: Edit, position: int, settings: Settings) -> str:
    """Make a constant float32 that is stored otherwise and converted at run time."""
    operator = edit.operator(position)
    if not traits_of(operator.name).converts or edit.constant(operator, 0) is None:
        return ""
    source, output = edit.tensors[operator.inputs[0]], operator.outputs[0]
    there = edit.tensors[output]
    if there.type is not TensorType.FLOAT32 or not edit.is_inner(output):
        return ""
    if not is_misread(source) and not why_refused(edit, operator, settings.target):
        return ""
    wide = as_floats(source)
    if wide is None:
        return ""
    edit.tensors[output] = replace(
        there, data=constant_bytes(wide), shape=wide.shape, shape_signature=None, buffer=0
    )
    edit.put(position, None)
    return f"of a constant was done: its {source.nbytes:,} bytes take {wide.nbytes:,} as float32"


def is_misread(constant: Tensor) -> bool:
    """Whether TFLM's DEQUANTIZE takes the first of several scales for all of a constant."""
    q = constant.quantization
    return q is not None and len(q.scale) > 1 and constant.is_constant


def misreads(model: Model) -> bool:
    """Whether a model has such a constant behind an operator that makes floats of it."""
    return any(
        one.inputs
        and one.inputs[0] >= 0
        and is_misread(graph.tensors[one.inputs[0]])
        and graph.tensors[one.outputs[0]].type is TensorType.FLOAT32
        for graph in model.subgraphs
        for one in graph.operators
        if traits_of(one.name).converts and one.outputs
    )


def float_weights(parts: Parts, *, is_small: bool = False) -> bool:
    """Make quantised constants float32 where the values beside them are: a hybrid layer.

    ``is_small`` leaves them integers in the file, of which every inference makes floats.
    """
    operator, tensors = parts.operator, parts.edit.tensors
    if not _is_hybrid(parts):
        return False
    inputs, before, after = list(operator.inputs), 0, 0
    for number, index in enumerate(operator.inputs):
        if index < 0 or tensors[index].type not in INTEGERS or tensors[index].is_variable:
            continue
        wide = as_floats(tensors[index])
        if wide is None:
            continue
        made = _made_floats(parts, index) if is_small and wide.nbytes > _SMALL else -1
        like = replace(tensors[index], type=TensorType.FLOAT32, quantization=None)
        if made < 0:
            made = parts.edit.add_constant(f"{like.name}/float32", wide, like)
            after += wide.nbytes
        inputs[number] = made
        before += tensors[index].nbytes
    if not before:
        return False
    if getattr(operator.options, "weights_format", 0):
        raise CannotError("its weights are shuffled")
    parts.operators.append(replace(operator, inputs=tuple(inputs)))
    rounds = "LiteRT rounds its input to 8 bits, TFLM will not"
    taken = f"take {after:,}" if after else "stay, and are made floats in every inference"
    parts.rounds(f"is a float layer: its weights of {before:,} bytes {taken}; {rounds}")
    return True


def _is_hybrid(parts: Parts) -> bool:
    tensors = parts.edit.tensors
    given = [tensors[index] for index in parts.operator.inputs if index >= 0]
    kinds = [parts.y.type, *(one.type for one in given if not one.is_constant)]
    return kinds[0] is TensorType.FLOAT32 and TensorType.FLOAT32 in kinds[1:]


def _made_floats(parts: Parts, index: int) -> int:
    """DEQUANTIZE of an int8 or int16 constant, and MUL by scales of channels; -1 where not.

    The same products as those of :func:`as_floats`, so the same bits.
    """
    tensor = parts.edit.tensors[index]
    q, value = tensor.quantization, tensor.value
    if tensor.type not in (TensorType.INT8, TensorType.INT16) or q is None or value is None:
        return -1
    zeros, count = np.unique(q.zero_point), len(q.scale)
    if len(zeros) > 1:
        return -1
    scale = np.ones(1, np.float32) if count > 1 else q.scale
    meant = Quantization(scale, zeros if len(zeros) else np.zeros(1, np.int64))
    small = replace(tensor, quantization=meant, buffer=0)
    shape = tensor.shape
    made = parts.run(
        "DEQUANTIZE", parts.edit.add(small), like=tensor, shape=shape, kind=TensorType.FLOAT32
    )
    if count == 1:
        return made
    along = [count if axis == q.quantized_dimension else 1 for axis in range(len(shape))]
    factors = parts.value(q.scale.astype(np.float32).reshape(along))
    return parts.run("MUL", made, factors, like=tensor, shape=shape, kind=TensorType.FLOAT32)
