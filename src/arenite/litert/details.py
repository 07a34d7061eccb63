"""Operators and tensors as LiteRT's dictionaries, and what a value must be to be set.

Facts: LiteRT ``interpreter.py``, ``interpreter_wrapper.cc``; the words of errors are theirs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from arenite.model import Subgraph, Tensor, TensorType
from arenite.model.details import quantization, quantization_parameters, shape_array
from arenite.model.model import Array

Details = dict[str, Any]

#: The package that gives NumPy the type bfloat16; others import it.
_BFLOAT16_OF = "ml_dtypes"
#: What LiteRT calls the elements of types that NumPy does not have.
_DTYPES: dict[TensorType, type] = {
    TensorType.STRING: np.bytes_,
    TensorType.RESOURCE: np.object_,
    TensorType.VARIANT: np.object_,
    TensorType.INT4: np.int8,
    TensorType.INT2: np.int8,
    TensorType.FLOAT8_E4M3FN: np.int8,
    TensorType.FLOAT8_E5M2: np.int8,
}


def tensor_details(tensor: Tensor, index: int, shape: tuple[int, ...]) -> Details:
    """Name, index, shape, dtype and quantisation of a tensor that has this shape now."""
    return {
        "name": tensor.name,
        "index": index,
        "shape": shape_array(shape),
        "shape_signature": shape_array(tensor.shape_signature or shape),
        "dtype": _dtype(tensor.type),
        "quantization": quantization(tensor),
        "quantization_parameters": {**quantization_parameters(tensor), "block_size": 0},
        "sparsity_parameters": {},
    }


def operator_details(subgraph: Subgraph, index: int) -> Details:
    """Number, name, tensors and their types of an operator.

    Raises:
        ValueError: There is no such operator.
    """
    count = len(subgraph.operators)
    if not 0 <= index < count:
        raise ValueError(f"Invalid node index: expected one below {count}, got {index}")
    operator = subgraph.operators[index]
    return {
        "index": index,
        "op_name": operator.name,
        "inputs": shape_array(operator.inputs),
        "outputs": shape_array(operator.outputs),
        "operand_types": _types(subgraph, operator.inputs),
        "result_types": _types(subgraph, operator.outputs),
    }


def check_value(value: Array, place: Array, tensor: Tensor, index: int) -> None:
    """Check that an array can be copied into a tensor's memory ``place``.

    Raises:
        ValueError: It has another type or shape.
    """
    if value.dtype != place.dtype:
        raise ValueError(
            f"Cannot set tensor: Got value of type {_type_name(value)} but expected type "
            f"{tensor.type.name} for input {index}, name: {tensor.name} "
        )
    mismatch = "Cannot set tensor: Dimension mismatch."
    if value.ndim != place.ndim:
        raise ValueError(
            f"{mismatch} Got {value.ndim} but expected {place.ndim} for input {index}."
        )
    for axis, (size, expected) in enumerate(zip(value.shape, place.shape, strict=True)):
        if size != expected:
            raise ValueError(
                f"{mismatch} Got {size} but expected {expected} for dimension {axis} of input "
                f"{index}."
            )


def check_strictly(tensor: Tensor, index: int, shape: tuple[int, ...]) -> None:
    """Check that a new shape differs only where the file leaves a dimension open.

    Raises:
        RuntimeError: It differs elsewhere.
    """
    known = tensor.shape_signature or tensor.shape
    if len(known) != len(shape):
        raise RuntimeError(
            f"tensor {index} ({tensor.name!r}): expected {len(known)} dimensions, got {len(shape)}"
        )
    for axis, (old, new) in enumerate(zip(known, shape, strict=True)):
        if old not in (-1, new):
            raise RuntimeError(
                f"Attempting to resize dimension {axis} of tensor {index} with value {old} to "
                f"{new}. ResizeInputTensorStrict only allows mutating unknown dimensions "
                "identified by -1."
            )


def _types(subgraph: Subgraph, indices: Sequence[int]) -> list[type]:
    return [_dtype(subgraph.tensors[index].type) for index in indices if index >= 0]


def has_details(type_: TensorType) -> bool:
    """Whether LiteRT shows tensors of a type: bfloat16 has a name only where it was imported."""
    return type_ is not TensorType.BFLOAT16 or _BFLOAT16_OF in sys.modules


def _dtype(type_: TensorType) -> type:
    if type_ is TensorType.BFLOAT16 and has_details(type_):
        found: type = sys.modules[_BFLOAT16_OF].bfloat16
        return found
    return _DTYPES.get(type_, type_.dtype.type)


def _type_name(value: Array) -> str:
    """LiteRT's name for the type of an array's elements."""
    try:
        return TensorType.of(value.dtype).name
    except TypeError:
        return "STRING"
