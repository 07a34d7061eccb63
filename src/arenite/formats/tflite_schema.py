"""The tables of a ``.tflite`` file as rows (``schema.fbs``, version 3).

The options of builtin operators are not listed: each operator's own file declares them,
and :mod:`arenite.formats.tflite` reads and writes them through that row.
"""

from __future__ import annotations

from arenite.formats.flatbuffer import Field, Schema

SCHEMA = Schema(
    name="TensorFlow Lite",
    root="Model",
    identifier=b"TFL3",
    tables={
        "Model": (
            Field("version", 0, "uint32", 0),
            Field("operator_codes", 1, "[OperatorCode]"),
            Field("subgraphs", 2, "[SubGraph]"),
            Field("description", 3, "string"),
            Field("buffers", 4, "[Buffer]"),
            Field("metadata", 6, "[Metadata]"),
            Field("signature_defs", 7, "[SignatureDef]"),
        ),
        "OperatorCode": (
            Field("deprecated_builtin_code", 0, "int8", 0),
            Field("custom_code", 1, "string"),
            Field("version", 2, "int32", 1),
            Field("builtin_code", 3, "int32", 0),
        ),
        "SubGraph": (
            Field("tensors", 0, "[Tensor]"),
            Field("inputs", 1, "[int32]", as_tuple=True),
            Field("outputs", 2, "[int32]", as_tuple=True),
            Field("operators", 3, "[Operator]"),
            Field("name", 4, "string"),
        ),
        "Tensor": (
            Field("shape", 0, "[int32]", as_tuple=True),
            Field("type", 1, "int8", 0),
            Field("buffer", 2, "uint32", 0),
            Field("name", 3, "string"),
            Field("quantization", 4, "QuantizationParameters"),
            Field("is_variable", 5, "bool", False),
            Field("sparsity", 6, "Unread"),
            Field("shape_signature", 7, "[int32]", as_tuple=True),
            Field("has_rank", 8, "bool", False),
            Field("variant_tensors", 9, "[Unread]"),
            Field("external_buffer", 10, "uint32", 0),
        ),
        "QuantizationParameters": (
            Field("min", 0, "[float32]"),
            Field("max", 1, "[float32]"),
            Field("scale", 2, "[float32]"),
            Field("zero_point", 3, "[int64]"),
            Field("details", 5, "union:QuantizationDetails"),
            Field("quantized_dimension", 6, "int32", 0),
        ),
        "Operator": (
            Field("opcode_index", 0, "uint32", 0),
            Field("inputs", 1, "[int32]", as_tuple=True),
            Field("outputs", 2, "[int32]", as_tuple=True),
            Field("builtin_options", 4, "union:BuiltinOptions"),
            Field("custom_options", 5, "[uint8]"),
            Field("mutating_variable_inputs", 7, "[bool]", as_tuple=True),
            Field("intermediates", 8, "[int32]", as_tuple=True),
            Field("large_custom_options_offset", 9, "uint64", 0),
            Field("large_custom_options_size", 10, "uint64", 0),
            Field("builtin_options_2", 12, "union:BuiltinOptions2"),
        ),
        "Buffer": (
            Field("data", 0, "[uint8]", align=16),
            Field("offset", 1, "uint64", 0),
            Field("size", 2, "uint64", 0),
        ),
        "Metadata": (
            Field("name", 0, "string"),
            Field("buffer", 1, "uint32", 0),
        ),
        "TensorMap": (
            Field("name", 0, "string"),
            Field("tensor_index", 1, "uint32", 0),
        ),
        "SignatureDef": (
            Field("inputs", 0, "[TensorMap]"),
            Field("outputs", 1, "[TensorMap]"),
            Field("signature_key", 2, "string"),
            Field("subgraph_index", 4, "uint32", 0),
        ),
        # Tables whose presence alone is of interest.
        "Unread": (),
    },
    unions={"BuiltinOptions": {}, "BuiltinOptions2": {}, "QuantizationDetails": {}},
)
