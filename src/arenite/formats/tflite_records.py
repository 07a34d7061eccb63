"""Fields that are read of a ``.tflite`` file's tables, the values that they become, refusals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arenite.errors import ModelError
from arenite.formats.flatbuffer import Part, Record
from arenite.model import BuiltinOperator, Operator, Quantization, Tensor, TensorType

ROOT = (
    "version",
    "operator_codes",
    "subgraphs",
    "description",
    "buffers",
    "metadata",
    "signature_defs",
)
CODE = ("deprecated_builtin_code", "builtin_code", "custom_code", "version")
BUFFER = ("data", "offset", "size")
SUBGRAPH = ("tensors", "operators", "inputs", "outputs", "name")
SIGNATURE = ("signature_key", "inputs", "outputs", "subgraph_index")

NO_SCALES = np.zeros(0, np.float32)
NO_ZERO_POINTS = np.zeros(0, np.int64)
NO_SCALES.flags.writeable = NO_ZERO_POINTS.flags.writeable = False

# Values that C makes of tables, as the reader's _tensors() and _operators() do.
BUFFERS = Record(None, (Part("data", "data"), Part("", "offset")))
QUANTIZATION = Record(
    Quantization,
    (
        Part("scale", "scale", NO_SCALES),
        Part("zero_point", "zero_point", NO_ZERO_POINTS),
        Part("min", "min"),
        Part("max", "max"),
        Part("quantized_dimension", "quantized_dimension"),
    ),
    needed=4,
)
TENSORS = Record(
    Tensor,
    (
        Part("name", "name", ""),
        Part("type", "type", of="types"),
        Part("shape", "shape", ()),
        Part("data", "buffer", of="data"),
        Part("quantization", "quantization", of=QUANTIZATION),
        *(Part(name, name) for name in ("is_variable", "shape_signature", "has_rank", "buffer")),
        *(Part("", name) for name in ("sparsity", "external_buffer", "variant_tensors")),
        Part("", "quantization.details.type"),
    ),
)
OPERATORS = Record(
    Operator,
    (
        Part("name", "opcode_index", of="names"),
        Part("inputs", "inputs", ()),
        Part("outputs", "outputs", ()),
        Part("options", "builtin_options", of="options", by="opcode_index"),
        Part("custom_options", "custom_options", b""),
        Part("is_custom", "opcode_index", of="are_custom"),
        Part("intermediates", "intermediates", ()),
        Part("version", "opcode_index", of="versions"),
        Part("options_type", "builtin_options.type"),
        Part("options_2_type", "builtin_options_2.type"),
        Part("mutating_variable_inputs", "mutating_variable_inputs", ()),
        Part("raw_options", "builtin_options", of="raw"),
        Part("", "builtin_options_2.position"),
        Part("", "large_custom_options_offset"),
    ),
)

#: Messages on what TFLM does not run.
REFUSED_IN_TENSORS = {
    "sparsity": "the tensor is sparse, which TFLM does not run; convert the model without "
    "sparsity (or densify its weights) first",
    "external_buffer": "the tensor's data are in another file; put the weights into the model",
    "variant_tensors": "the tensor is a variant with nested types, which TFLM does not run",
}
DETAILS = (
    "the tensor has custom or blockwise quantisation, which TFLM does not run; "
    "quantise the model per tensor or per channel"
)

COMPRESSED = (
    "the weights are compressed as older builds of TFLM have it (COMPRESSION_METADATA), which are "
    "built with USE_TFLM_COMPRESSION; load the model from before, or compress it for TFLM_DECODE"
)

#: Types of tensors by code.
TYPES = {int(type_): type_ for type_ in TensorType}
_LAST_CODE = max(BuiltinOperator)
_BUILTINS = {int(code): code.name for code in BuiltinOperator}


def operator_code(values: tuple[Any, ...], path: str) -> tuple[str, bool, int]:
    """Name, whether it is custom, version."""
    old, new, custom, version = values
    code = max(old, new)
    if not 0 <= code <= _LAST_CODE:
        raise ModelError(
            f"expected an operator code from 0 to {_LAST_CODE:d}, got {code}", path=path
        )
    if code != BuiltinOperator.CUSTOM:
        return _BUILTINS[code], False, version
    if not custom:
        raise ModelError("a custom operator needs a name", path=f"{path}.custom_code")
    return custom, True, version


def check_tensor(code: int, refused: Sequence[Any], path: str) -> None:
    """Check what most tensors have in common: a known type, nothing that TFLM does not run."""
    if code not in TYPES:
        raise ModelError(
            f"expected a tensor type from 0 to {len(TYPES) - 1}, got {code}", path=f"{path}.type"
        )
    for value, (name, message) in zip(refused, REFUSED_IN_TENSORS.items(), strict=True):
        if value:
            raise ModelError(message, path=f"{path}.{name}")


def bad_index(what: str, index: int, count: int, path: str) -> ModelError:
    """An index that is not below ``count``, as an error."""
    return ModelError(f"expected {what} from 0 to {count - 1}, got {index}", path=path)
