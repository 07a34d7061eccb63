"""Questions on every tensor and operator of a ``.tflite`` file, asked with one call.

A record's fields are in the order of the paths beside them, which is that of the schema's tables
(:mod:`arenite.formats.tflite_schema`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

TENSOR_PATHS = (
    "name",
    "type",
    "shape",
    "buffer",
    "sparsity",
    "external_buffer",
    "variant_tensors",
    "is_variable",
    "shape_signature",
    "has_rank",
    "quantization.scale",
    "quantization.zero_point",
    "quantization.min",
    "quantization.max",
    "quantization.quantized_dimension",
    "quantization.details.type",
)


class TensorRow(NamedTuple):
    """A tensor's fields, by :data:`TENSOR_PATHS`; None where there is none."""

    name: str | None
    type: int
    shape: tuple[int, ...] | None
    buffer: int
    sparsity: Any
    external_buffer: int
    variant_tensors: Any
    is_variable: bool
    shape_signature: tuple[int, ...] | None
    has_rank: bool
    scale: Any
    zero_point: Any
    low: Any
    high: Any
    axis: Any
    details: int

    @property
    def is_quantized(self) -> bool:
        """Whether a table says anything; TFLM takes one that says nothing for none."""
        return any(one is not None for one in (self.scale, self.zero_point, self.low, self.high))


OPERATOR_PATHS = (
    "opcode_index",
    "inputs",
    "outputs",
    "intermediates",
    "mutating_variable_inputs",
    "builtin_options.type",
    "builtin_options.position",
    "builtin_options.empty",
    "builtin_options_2.type",
    "builtin_options_2.position",
    "builtin_options_2.empty",
    "custom_options",
    "large_custom_options_offset",
    "large_custom_options_size",
)


class OperatorRow(NamedTuple):
    """An operator's fields, by :data:`OPERATOR_PATHS`; None where there is none."""

    code: int
    inputs: tuple[int, ...] | None
    outputs: tuple[int, ...] | None
    intermediates: tuple[int, ...] | None
    mutating: tuple[bool, ...] | None
    union: int
    position: int
    is_empty: bool
    union_2: int
    position_2: int
    is_empty_2: bool
    custom: Any
    custom_offset: int
    custom_size: int
