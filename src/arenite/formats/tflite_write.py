"""A :class:`Model` as a ``.tflite`` file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields as dataclass_fields

import numpy as np

from arenite.errors import ModelError
from arenite.formats import flatbuffer
from arenite.formats.flatbuffer import Field, Row, Union
from arenite.formats.tflite_schema import SCHEMA
from arenite.model import Array, BuiltinOperator, Model, Operator, OptionsTable, Subgraph, Tensor
from arenite.model.check import check

OpCode = tuple[str, bool, int]
"""What makes an operator code: name, whether it is custom, version."""


def write(model: Model) -> bytes:
    """The model as the bytes of a ``.tflite`` file.

    What the file says is what the model says; how it is laid out is the writer's choice.
    Tensors that share a buffer keep sharing it.

    Raises:
        ModelError: The model is not sound, or an operator's options are not known.
    """
    check(model)
    codes = _operator_codes(model)
    buffers = _Buffers(model)
    metadata = [
        {"name": name, "buffer": buffers.add(np.frombuffer(data, np.uint8))}
        for name, data in model.metadata.items()
    ]
    row: Row = {
        "version": model.version,
        "operator_codes": [_operator_code(*code) for code in codes],
        "subgraphs": [
            _subgraph(subgraph, buffers, codes, f"$.subgraphs[{number}]")
            for number, subgraph in enumerate(model.subgraphs)
        ],
        "description": model.description,
        "buffers": buffers.rows(),
        "metadata": metadata or None,
        "signature_defs": [
            {
                "inputs": _tensor_maps(signature.inputs),
                "outputs": _tensor_maps(signature.outputs),
                "signature_key": signature.key,
                "subgraph_index": signature.subgraph,
            }
            for signature in model.signatures
        ]
        or None,
    }
    return flatbuffer.write(SCHEMA, row)


# -- operators --------------------------------------------------------------------------


def _operator_codes(model: Model) -> dict[OpCode, int]:
    codes: dict[OpCode, int] = {}
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            code = (operator.name, operator.is_custom, operator.version)
            codes.setdefault(code, len(codes))
    return codes


def _operator_code(name: str, is_custom: bool, version: int) -> Row:
    code = BuiltinOperator.CUSTOM if is_custom else BuiltinOperator[name]
    return {
        # Old readers know one byte; 127 tells them to look at the other field.
        "deprecated_builtin_code": min(code, BuiltinOperator.PLACEHOLDER_FOR_GREATER_OP_CODES),
        "custom_code": name if is_custom else None,
        "version": version,
        "builtin_code": int(code),
    }


def _operator(operator: Operator, codes: Mapping[OpCode, int], path: str) -> Row:
    return {
        "opcode_index": codes[operator.name, operator.is_custom, operator.version],
        "inputs": operator.inputs,
        "outputs": operator.outputs,
        "builtin_options_2" if operator.options_2_type else "builtin_options": _options(
            operator, path
        ),
        "custom_options": operator.custom_options or None,
        "mutating_variable_inputs": operator.mutating_variable_inputs or None,
        "intermediates": operator.intermediates or None,
    }


def _options(operator: Operator, path: str) -> Union | None:
    options = operator.options
    said = operator.options_2_type or operator.options_type
    if options is None and said:
        raise ModelError(
            f"{operator.name}: its options (union type {said}) are not known to Arenite "
            "and would be lost",
            path=f"{path}.builtin_options",
        )
    if options is None:
        return None
    union_type = options.UNION_TYPE or said
    row = {field.name: getattr(options, field.name) for field in dataclass_fields(options)}
    return Union(union_type, row, options_fields(type(options))) if union_type else None


def options_fields(row: type[OptionsTable]) -> tuple[Field, ...]:
    """An operator's options row as the FlatBuffer layer needs it."""
    return tuple(Field(*slot) for slot in row.slots())


# -- subgraphs and tensors --------------------------------------------------------------


def _subgraph(subgraph: Subgraph, buffers: _Buffers, codes: Mapping[OpCode, int], path: str) -> Row:
    return {
        "tensors": [_tensor(tensor, buffers) for tensor in subgraph.tensors],
        "inputs": subgraph.inputs,
        "outputs": subgraph.outputs,
        "operators": [
            _operator(operator, codes, f"{path}.operators[{number}]")
            for number, operator in enumerate(subgraph.operators)
        ],
        "name": subgraph.name,
    }


def _tensor(tensor: Tensor, buffers: _Buffers) -> Row:
    return {
        "shape": tensor.shape,
        "type": int(tensor.type),
        "buffer": buffers.index(tensor),
        "name": tensor.name,
        "quantization": _quantization(tensor),
        "is_variable": tensor.is_variable,
        "shape_signature": tensor.shape_signature,
        "has_rank": tensor.has_rank,
    }


def _quantization(tensor: Tensor) -> Row | None:
    quantization = tensor.quantization
    if quantization is None:
        return None
    return {
        "min": quantization.min,
        "max": quantization.max,
        "scale": quantization.scale,
        "zero_point": quantization.zero_point,
        "quantized_dimension": quantization.quantized_dimension,
    }


def _tensor_maps(tensors: Mapping[str, int]) -> list[Row]:
    return [{"name": name, "tensor_index": index} for name, index in tensors.items()]


# -- buffers ----------------------------------------------------------------------------


class _Buffers:
    """The file's buffers. Buffer 0 is empty: that is what tensors without data refer to."""

    def __init__(self, model: Model) -> None:
        tensors = [tensor for subgraph in model.subgraphs for tensor in subgraph.tensors]
        self._data: list[Array | None] = [None] * (
            1 + max((tensor.buffer for tensor in tensors), default=0)
        )
        self._index: dict[int, int] = {}
        for tensor in tensors:
            if tensor.data is not None:
                self._index[id(tensor)] = self._place(tensor.buffer, tensor.data)

    def index(self, tensor: Tensor) -> int:
        """The buffer of a tensor: its own number, unless that one's data are others'."""
        if tensor.data is not None:
            return self._index[id(tensor)]
        return tensor.buffer if self._data[tensor.buffer] is None else 0

    def add(self, data: Array) -> int:
        """Append a buffer."""
        self._data.append(data)
        return len(self._data) - 1

    def rows(self) -> Sequence[Row]:
        """The buffers as rows; empty ones have no data."""
        return [{} if data is None else {"data": data} for data in self._data]

    def _place(self, number: int, data: Array) -> int:
        present = self._data[number]
        if number == 0 or (present is not None and not np.array_equal(present, data)):
            return self.add(data)
        self._data[number] = data
        return number
