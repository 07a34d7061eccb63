"""Conditions of a model, so that nothing behind it meets a bad index or size.

Paths in the messages use the names of ``schema.fbs``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Protocol

from arenite.errors import ModelError
from arenite.model.builtin import BuiltinOperator
from arenite.model.calls import check_calls
from arenite.model.check_quantization import MAX_RANK, check_quantization
from arenite.model.model import Model, Operator, SignatureDef, Subgraph, Tensor

#: The schema's only version that there are files of.
VERSION = 3
#: Bytes that one tensor may take, and elements that it may have.
MAX_TENSOR_BYTES = 2**31 - 1
_BUILTINS = frozenset(BuiltinOperator.__members__)


class Quick(Protocol):
    """Check of many tensors and operators at once, which may say no of any."""

    def are_plain(self, tensors: tuple[Tensor, ...]) -> bool:
        """Whether nothing is to be said against them, and all dimensions are 1 or more."""

    def in_order(self, subgraph: Subgraph) -> bool:
        """Whether nothing is to be said against operators, inputs and outputs, nor their order."""


def check(model: Model, quick: Quick | None = None) -> None:
    """Check indices, shapes, constants and quantisation of a whole model.

    With ``quick`` most models take less time.

    Raises:
        ModelError: Names the first thing that is wrong and its path.
    """
    if model.version != VERSION:
        raise ModelError(
            f"expected schema version {VERSION}, got {model.version}", path="$.version"
        )
    if not model.subgraphs:
        raise ModelError("expected at least one subgraph, got none", path="$.subgraphs")
    for number, subgraph in enumerate(model.subgraphs):
        _check_subgraph(subgraph, f"$.subgraphs[{number}]", quick)
    check_calls(model)
    for number, signature in enumerate(model.signatures):
        _check_signature(model, signature, f"$.signature_defs[{number}]")


def _check_subgraph(subgraph: Subgraph, path: str, quick: Quick | None) -> None:
    is_plain = quick is not None and quick.are_plain(subgraph.tensors)
    for number, tensor in enumerate(() if is_plain else subgraph.tensors):
        _check_tensor(tensor, f"{path}.tensors[{number}]")
        if tensor.quantization is not None:
            check_quantization(tensor, tensor.quantization, f"{path}.tensors[{number}]")
    if quick is None or not quick.in_order(subgraph):
        _check_operators(subgraph, path)
    if not is_plain:
        _check_open_dimensions(subgraph, path)


def _check_operators(subgraph: Subgraph, path: str) -> None:
    for number, operator in enumerate(subgraph.operators):
        _check_operator(subgraph, operator, f"{path}.operators[{number}]")
    count = len(subgraph.tensors)
    _check_indices(subgraph.inputs, 0, count, path, "inputs")
    _check_indices(subgraph.outputs, 0, count, path, "outputs")
    _check_writable(subgraph, subgraph.inputs, path, "inputs")


def _check_operator(subgraph: Subgraph, operator: Operator, path: str) -> None:
    count = len(subgraph.tensors)
    _check_indices(operator.inputs, -1, count, path, "inputs")
    _check_indices(operator.outputs, 0, count, path, "outputs")
    _check_indices(operator.intermediates, -1, count, path, "intermediates")
    _check_writable(subgraph, operator.outputs, path, "outputs")
    if operator.is_custom == (operator.name in _BUILTINS):
        kind = "custom" if operator.is_custom else "builtin"
        raise ModelError(f"{operator.name!r} is no name for a {kind} operator", path=path)


def _check_indices(indices: Sequence[int], low: int, count: int, path: str, side: str) -> None:
    if not indices or (low <= min(indices) and max(indices) < count):
        return
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
        if tensor.data is not None and not tensor.is_variable:
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


def _check_shape(tensor: Tensor, path: str) -> None:
    if len(tensor.shape) > MAX_RANK:
        raise ModelError(
            f"expected at most {MAX_RANK} dimensions, got {len(tensor.shape)}",
            path=f"{path}.shape",
        )
    elements = prod(tensor.shape)
    if min(tensor.shape, default=1) < 1:
        elements = _check_dimensions(tensor.shape, path)
    # Types without a size have elements all the same.
    if elements > MAX_TENSOR_BYTES or tensor.type.nbytes(elements) > MAX_TENSOR_BYTES:
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
