"""What has to hold in a model so that nothing behind it meets a bad index or size.

Paths in the messages use the names of ``schema.fbs``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.errors import ModelError
from arenite.model.builtin import BuiltinOperator
from arenite.model.model import Model, Operator, Quantization, SignatureDef, Subgraph, Tensor
from arenite.model.types import TensorType

Array = npt.NDArray[Any]

#: Bytes that one tensor may take, and elements that it may have.
MAX_TENSOR_BYTES = 2**31 - 1
#: Dimensions that every supported NumPy can handle.
MAX_RANK = 32

_ZERO_POINTS = {
    TensorType.INT4: (-8, 7),
    TensorType.UINT4: (0, 15),
    TensorType.INT2: (-2, 1),
    TensorType.INT8: (-128, 127),
    TensorType.UINT8: (0, 255),
    TensorType.INT16: (-(2**15), 2**15 - 1),
    TensorType.UINT16: (0, 2**16 - 1),
}
_ANY_ZERO_POINT = (-(2**31), 2**31 - 1)
_FLOAT32_MAX = float(np.finfo(np.float32).max)


def check(model: Model) -> None:
    """Check indices, shapes, constants and quantisation of a whole model.

    Raises:
        ModelError: Names the first thing that is wrong and its path.
    """
    if model.version != 3:
        raise ModelError(f"expected schema version 3, got {model.version}", path="$.version")
    if not model.subgraphs:
        raise ModelError("expected at least one subgraph, got none", path="$.subgraphs")
    for number, subgraph in enumerate(model.subgraphs):
        _check_subgraph(subgraph, f"$.subgraphs[{number}]")
    for number, signature in enumerate(model.signatures):
        _check_signature(model, signature, f"$.signature_defs[{number}]")


def _check_subgraph(subgraph: Subgraph, path: str) -> None:
    for number, tensor in enumerate(subgraph.tensors):
        _check_tensor(tensor, f"{path}.tensors[{number}]")
    for number, operator in enumerate(subgraph.operators):
        _check_operator(subgraph, operator, f"{path}.operators[{number}]")
    count = len(subgraph.tensors)
    _check_indices(subgraph.inputs, 0, count, path, "inputs")
    _check_indices(subgraph.outputs, 0, count, path, "outputs")
    _check_writable(subgraph, subgraph.inputs, path, "inputs")
    _check_open_dimensions(subgraph, path)


def _check_operator(subgraph: Subgraph, operator: Operator, path: str) -> None:
    count = len(subgraph.tensors)
    _check_indices(operator.inputs, -1, count, path, "inputs")
    _check_indices(operator.outputs, 0, count, path, "outputs")
    _check_indices(operator.intermediates, -1, count, path, "intermediates")
    _check_writable(subgraph, operator.outputs, path, "outputs")
    if operator.is_custom == (operator.name in BuiltinOperator.__members__):
        kind = "custom" if operator.is_custom else "builtin"
        raise ModelError(f"{operator.name!r} is no name for a {kind} operator", path=path)


def _check_indices(indices: Sequence[int], low: int, count: int, path: str, side: str) -> None:
    for place, index in enumerate(indices):
        if not low <= index < count:
            raise ModelError(
                f"expected a tensor index from {low} to {count - 1}, got {index}",
                path=f"{path}.{side}[{place}]",
            )


def _check_writable(subgraph: Subgraph, indices: Iterable[int], path: str, side: str) -> None:
    for place, index in enumerate(indices):
        tensor = subgraph.tensors[index]
        # TFLM gives a variable memory of its own, whether the file has data for it or not.
        if tensor.is_constant and not tensor.is_variable:
            raise ModelError(
                f"tensor {index} ({tensor.name!r}) is a constant and cannot be written",
                path=f"{path}.{side}[{place}]",
            )


def _check_tensor(tensor: Tensor, path: str) -> None:
    _check_shape(tensor, path)
    if tensor.buffer < 0:
        raise ModelError(
            f"expected a buffer index of 0 or more, got {tensor.buffer}", path=f"{path}.buffer"
        )
    if tensor.data is not None and len(tensor.data) < tensor.nbytes:
        raise ModelError(
            f"constant {tensor.name!r}: expected {tensor.nbytes} bytes for "
            f"{tensor.type}{list(tensor.shape)}, got {len(tensor.data)}",
            path=f"{path}.buffer",
        )
    if tensor.quantization is not None:
        _check_quantization(tensor, tensor.quantization, path)


def _check_shape(tensor: Tensor, path: str) -> None:
    if len(tensor.shape) > MAX_RANK:
        raise ModelError(
            f"expected at most {MAX_RANK} dimensions, got {len(tensor.shape)}",
            path=f"{path}.shape",
        )
    elements = tensor.size
    if min(tensor.shape, default=1) < 1:
        elements = _check_dimensions(tensor.shape, path)
    if max(elements, tensor.type.nbytes(elements)) > MAX_TENSOR_BYTES:
        raise ModelError(
            f"expected a tensor of at most {MAX_TENSOR_BYTES} bytes, got "
            f"{tensor.type}{list(tensor.shape)}",
            path=f"{path}.shape",
        )


def _check_dimensions(shape: tuple[int, ...], path: str) -> int:
    """Check dimensions of 0 and less; the elements that the others make."""
    for axis, size in enumerate(shape):
        if size < -1 or (size == -1 and -1 in shape[:axis]):
            raise ModelError(
                f"expected a dimension of 0 or more, or one -1, got {size}",
                path=f"{path}.shape[{axis}]",
            )
    # Zeros do not make the other dimensions harmless: some code multiplies a part of them.
    return prod(size for size in shape if size > 0)


def _check_open_dimensions(subgraph: Subgraph, path: str) -> None:
    """A -1 stands for what a RESHAPE computes; nobody else may meet the tensor before it."""
    unknown = {index for index, tensor in enumerate(subgraph.tensors) if -1 in tensor.shape}
    early = unknown.intersection(subgraph.inputs)
    for operator in subgraph.operators if unknown else ():
        is_reshape = operator.name == "RESHAPE"
        met = operator.inputs + operator.intermediates + (() if is_reshape else operator.outputs)
        early |= unknown.intersection(met)
        if is_reshape:
            unknown.difference_update(set(operator.outputs) - early)
    if unknown:
        index = min(early or unknown)
        shape = subgraph.tensors[index].shape
        raise ModelError(
            f"expected dimensions of 0 or more, got {list(shape)}; only the output of a "
            "RESHAPE may leave one open, until that has run",
            path=f"{path}.tensors[{index}].shape[{shape.index(-1)}]",
        )


def _check_quantization(tensor: Tensor, quantization: Quantization, path: str) -> None:
    scale, zero_point = quantization.scale, quantization.zero_point
    if not _are_within(scale, 0.0, _FLOAT32_MAX):
        raise ModelError(
            f"expected finite scales of 0 or more, got {scale[:8]}",
            path=f"{path}.quantization.scale",
        )
    if len(zero_point) not in (0, 1, len(scale)):
        raise ModelError(
            f"expected 0, 1 or {len(scale)} zero points (as many as scales), got {len(zero_point)}",
            path=f"{path}.quantization.zero_point",
        )
    low, high = _ZERO_POINTS.get(tensor.type, _ANY_ZERO_POINT)
    # Most are those of weights, which have none.
    if zero_point.any() and not _are_within(zero_point, low, high):
        raise ModelError(
            f"expected zero points of {tensor.type} from {low} to {high}, got {zero_point[:8]}",
            path=f"{path}.quantization.zero_point",
        )
    # Old converters give a bias the quantised dimension of its filter: TFLM reads it for
    # weights only, and their kernels look whether the tensor has that dimension.
    if not 0 <= quantization.quantized_dimension < MAX_RANK:
        raise ModelError(
            f"expected a quantised dimension from 0 to {MAX_RANK - 1}, got "
            f"{quantization.quantized_dimension}",
            path=f"{path}.quantization.quantized_dimension",
        )


def _are_within(values: Array, low: float, high: float) -> bool:
    """Whether all values lie in ``[low, high]``, as 0 does; NaN does not."""
    if len(values) == 1:
        return bool(low <= values.item() <= high)
    least = np.minimum.reduce(values, initial=0)
    return bool(least >= low and np.maximum.reduce(values, initial=0) <= high)


def _check_signature(model: Model, signature: SignatureDef, path: str) -> None:
    if not 0 <= signature.subgraph < len(model.subgraphs):
        raise ModelError(
            f"expected a subgraph index from 0 to {len(model.subgraphs) - 1}, got "
            f"{signature.subgraph}",
            path=f"{path}.subgraph_index",
        )
    count = len(model.subgraphs[signature.subgraph].tensors)
    for side, tensors in (("inputs", signature.inputs), ("outputs", signature.outputs)):
        _check_indices(tuple(tensors.values()), 0, count, path, side)
