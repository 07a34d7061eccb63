"""Preconditions of kernels: which layers they take."""

from __future__ import annotations

from arenite.firmware.network.kernel import UnsupportedError
from arenite.firmware.network.layers import AnyLayer, Value
from arenite.model import TensorType
from arenite.ops.context import Array


def require_types(layer: AnyLayer, *types: TensorType, inputs: int | None = None) -> None:
    """The first inputs (all without a number) and the outputs have one of the types."""
    for value in (*layer.inputs[:inputs], *layer.outputs):
        if value is not None and value.type not in types:
            names = " or ".join(map(str, types))
            raise UnsupportedError(f"expected {names}, got a tensor of {value.type}")


def require_elements(layer: AnyLayer) -> None:
    """No tensor is empty."""
    require_some(*layer.inputs, *layer.outputs)


def elements_of_one_shape(layer: AnyLayer) -> int:
    """The number of elements of two tensors and the result, each of which has as many."""
    require_elements(layer)
    size = layer.output.size
    if {layer.input(0).size, layer.input(1).size} != {size}:
        raise UnsupportedError("expected tensors of one shape")
    return size


def require_some(*values: Value | None) -> None:
    """None of these is empty, those that are absent aside."""
    for value in values:
        if value is not None and not value.size:
            raise UnsupportedError(f"tensor {value.name!r} has no elements")


def constant_of(value: Value, what: str) -> Array:
    """A constant's array."""
    if value.data is None:
        raise UnsupportedError(f"the {what} must be constant")
    return value.data
