"""C's arithmetic with elements of each type."""

from __future__ import annotations

from arenite.c_text import literal
from arenite.firmware.kernels.portable.elementwise_loop import c_type
from arenite.firmware.kernels.portable.needs import require_elements, require_types
from arenite.firmware.network.layers import AnyLayer, Layer, Value
from arenite.firmware.network.records import Clamped
from arenite.model import TensorType

#: What quantised networks and those of floats are made of.
QUANTISED = (TensorType.INT8, TensorType.INT16)
NUMBERS = (*QUANTISED, TensorType.FLOAT32)


def is_float(value: Value) -> bool:
    """Whether a tensor has floats."""
    return value.type is TensorType.FLOAT32


def require_numbers(layer: AnyLayer, *types: TensorType, inputs: int | None = None) -> None:
    """The layer's tensors have elements, of one of the types; without any, of ``NUMBERS``."""
    require_types(layer, *(types or NUMBERS), inputs=inputs)
    require_elements(layer)


def clamped(layer: Layer[Clamped], text: str) -> str:
    """An expression of C within the bounds of a layer's activation, as an element of its output."""
    low, high = layer.params.activation_min, layer.params.activation_max
    if is_float(layer.output):
        return f"ar_clamp_float({text}, {literal(float(low))}, {literal(float(high))})"
    bounds = f"{literal(int(low))}, {literal(int(high))}"
    return f"({c_type(layer.output)})ar_clamp({text}, {bounds})"
