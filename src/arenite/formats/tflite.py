"""TensorFlow Lite files (``.tflite``) to :class:`Model` and back.

Facts: ``schema.fbs``; what TFLM makes of a tensor's buffer and quantisation:
``micro_allocator.cc``.
"""

from __future__ import annotations

from functools import cache
from mmap import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite import ops
from arenite.errors import ModelError
from arenite.formats import flatbuffer
from arenite.formats.flatbuffer import Opaque, Row, TableLayout, Union
from arenite.formats.tflite_schema import SCHEMA
from arenite.formats.tflite_write import options_fields, write
from arenite.model import (
    BuiltinOperator,
    Model,
    Operator,
    OptionsTable,
    Quantization,
    RawOptions,
    SignatureDef,
    Subgraph,
    Tensor,
    TensorType,
)
from arenite.model.check import check

__all__ = ["SCHEMA", "Buffer", "read", "write"]

Array = npt.NDArray[Any]
Buffer = bytes | bytearray | memoryview | mmap | Array


def read(data: Buffer, *, source: str = "") -> Model:
    """Verify a ``.tflite`` file and read it; constants are views on ``data``.

    Args:
        data: The whole file: any object with a contiguous buffer.
        source: The file's name, for messages.

    Raises:
        ModelError: With byte offset and path of what is wrong.
    """
    view = flatbuffer.view_of(data)
    try:
        reader = flatbuffer.Reader(SCHEMA, view)
        row = reader.root()
    except ModelError as error:
        name = f" {source!r}" if source else ""
        raise ModelError(
            f"the TensorFlow Lite file{name} is truncated or damaged: {error.message}",
            offset=error.offset,
            path=error.path,
        ) from None
    try:
        model = _ModelReader(reader, row).model(source)
        check(model)
    except ModelError as error:
        if error.offset is not None:
            raise
        offset = flatbuffer.locate(SCHEMA, view, error.path)
        raise ModelError(error.message, offset=offset, path=error.path) from None
    return model


class _ModelReader:
    """Turns a file's rows into a model."""

    def __init__(self, reader: flatbuffer.Reader, row: Row) -> None:
        self.reader = reader
        self.row = row
        self.metadata: dict[int, bytes] = {}
        self.codes = [
            _operator_code(code, f"$.operator_codes[{number}]")
            for number, code in enumerate(_list(row["operator_codes"]))
        ]
        self.buffers = [
            self._buffer(buffer, number) for number, buffer in enumerate(_list(row["buffers"]))
        ]

    def model(self, source: str) -> Model:
        """The whole model."""
        row = self.row
        for number, entry in enumerate(_list(row["metadata"])):
            if entry["name"] == "COMPRESSION_METADATA":
                raise ModelError(_COMPRESSED, path=f"$.metadata[{number}]")
        return Model(
            subgraphs=tuple(
                self._subgraph(subgraph, f"$.subgraphs[{number}]")
                for number, subgraph in enumerate(_list(row["subgraphs"]))
            ),
            description=row["description"] or "",
            metadata={
                entry["name"] or "": self._metadata(entry, f"$.metadata[{number}]")
                for number, entry in enumerate(_list(row["metadata"]))
            },
            signatures=tuple(_signature(entry) for entry in _list(row["signature_defs"])),
            version=row["version"],
            source=source,
            nbytes=self.reader.size,
            format="tflite",
        )

    # -- buffers

    def _buffer(self, row: Row, number: int) -> Array | None:
        """A buffer's bytes, which may lie behind the FlatBuffer; None if it is empty."""
        data: Array | None = row["data"]
        if row["offset"] > 1:
            data = self.reader.span(row["offset"], row["size"], f"$.buffers[{number}]")
        return data if data is not None and len(data) else None

    def _data(self, index: int, type_: TensorType, path: str) -> Array | None:
        """The constant data of the tensor at ``path``, copied only if they are not aligned."""
        if index >= len(self.buffers):
            if index == 0:
                return None
            raise _bad_index("a buffer", index, len(self.buffers), f"{path}.buffer")
        data = self.buffers[index]
        if data is not None and not _is_aligned(data, type_.dtype):
            data = data.copy()
            data.flags.writeable = False
            self.buffers[index] = data
        return data

    def _metadata(self, row: Row, path: str) -> bytes:
        index = row["buffer"]
        if index >= len(self.buffers):
            raise _bad_index("a buffer", index, len(self.buffers), f"{path}.buffer")
        if index not in self.metadata:
            data = self.buffers[index]
            self.metadata[index] = b"" if data is None else data.tobytes()
        return self.metadata[index]

    # -- subgraphs

    def _subgraph(self, row: Row, path: str) -> Subgraph:
        return Subgraph(
            tensors=tuple(
                self._tensor(tensor, f"{path}.tensors[{number}]")
                for number, tensor in enumerate(_list(row["tensors"]))
            ),
            operators=tuple(
                self._operator(operator, f"{path}.operators[{number}]")
                for number, operator in enumerate(_list(row["operators"]))
            ),
            inputs=row["inputs"] or (),
            outputs=row["outputs"] or (),
            name=row["name"] or "",
        )

    def _tensor(self, row: Row, path: str) -> Tensor:
        type_ = _TYPES.get(row["type"])
        if type_ is None:
            raise ModelError(
                f"expected a tensor type from 0 to {len(_TYPES) - 1}, got {row['type']}",
                path=f"{path}.type",
            )
        if row["sparsity"] is not None or row["external_buffer"] or row["variant_tensors"]:
            raise _refused(row, path)
        return Tensor(
            row["name"] or "",
            type_,
            row["shape"] or (),
            self._data(row["buffer"], type_, path),
            _quantization(row["quantization"], path),
            row["is_variable"],
            row["shape_signature"],
            row["has_rank"],
            row["buffer"],
        )

    # -- operators

    def _operator(self, row: Row, path: str) -> Operator:
        index = row["opcode_index"]
        if index >= len(self.codes):
            raise _bad_index("an operator code", index, len(self.codes), f"{path}.opcode_index")
        name, is_custom, version = self.codes[index]
        union: Union | None = row["builtin_options"]
        union_2: Union | None = row["builtin_options_2"]
        return Operator(
            name=name,
            inputs=row["inputs"] or (),
            outputs=row["outputs"] or (),
            options=self._options(name, is_custom, union, f"{path}.builtin_options"),
            custom_options=self._custom_options(row, path),
            is_custom=is_custom,
            intermediates=row["intermediates"] or (),
            version=version,
            options_type=union.type if union else 0,
            options_2_type=union_2.type if union_2 else 0,
            mutating_variable_inputs=row["mutating_variable_inputs"] or (),
            raw_options=self._raw(union, f"{path}.builtin_options"),
        )

    def _raw(self, union: Union | None, path: str) -> RawOptions | None:
        if union is None:
            return None
        assert isinstance(union.value, Opaque)
        return RawOptions(union.type, self.reader.bytes, union.value.position, path)

    def _options(
        self, name: str, is_custom: bool, union: Union | None, path: str
    ) -> OptionsTable | None:
        """The operator's options through its own row; None where there is no such row."""
        if union is None:
            return None
        assert isinstance(union.value, Opaque)
        found = None if is_custom else _options_row(name)
        if found is None:
            return OptionsTable() if union.value.empty else None
        row, layout = found
        if union.type != row.UNION_TYPE:
            return None
        values = self.reader.table(union.value.position, layout, path)
        return row(**values)

    def _custom_options(self, row: Row, path: str) -> bytes:
        offset = row["large_custom_options_offset"]
        if offset > 1:
            where = f"{path}.large_custom_options_offset"
            return self.reader.span(offset, row["large_custom_options_size"], where).tobytes()
        data: Array | None = row["custom_options"]
        return b"" if data is None else data.tobytes()


def parse_options(raw: RawOptions, row: type[OptionsTable]) -> OptionsTable:
    """A file's options through an operator's row, verified.

    The row's defaults where the table is another operator's, which TFLM takes as well.

    Raises:
        ModelError: The table is malformed.
    """
    if row.UNION_TYPE not in (0, raw.union_type):
        return row()
    reader = flatbuffer.Reader(SCHEMA, flatbuffer.view_of(raw.data))
    return row(**reader.table(raw.position, _layout(row), raw.path))


# -- pieces -----------------------------------------------------------------------------

_LAST_CODE = max(BuiltinOperator)
_TYPES = {int(type_): type_ for type_ in TensorType}
_REFUSED_IN_TENSORS = {
    "sparsity": "the tensor is sparse, which TFLM does not run; convert the model without "
    "sparsity (or densify its weights) first",
    "external_buffer": "the tensor's data are in another file; put the weights into the model",
    "variant_tensors": "the tensor is a variant with nested types, which TFLM does not run",
}


_COMPRESSED = (
    "the weights are compressed as older builds of TFLM have it (COMPRESSION_METADATA), which are "
    "built with USE_TFLM_COMPRESSION; load the model from before, or compress it for TFLM_DECODE"
)


def _operator_code(row: Row, path: str) -> tuple[str, bool, int]:
    """Name, whether it is custom, version."""
    code = max(row["deprecated_builtin_code"], row["builtin_code"])
    if not 0 <= code <= _LAST_CODE:
        raise ModelError(
            f"expected an operator code from 0 to {_LAST_CODE:d}, got {code}", path=path
        )
    if code != BuiltinOperator.CUSTOM:
        return BuiltinOperator(code).name, False, row["version"]
    if not row["custom_code"]:
        raise ModelError("a custom operator needs a name", path=f"{path}.custom_code")
    return row["custom_code"], True, row["version"]


def _refused(row: Row, path: str) -> ModelError:
    name = next(name for name in _REFUSED_IN_TENSORS if row[name] not in (None, 0, []))
    return ModelError(_REFUSED_IN_TENSORS[name], path=f"{path}.{name}")


def _quantization(row: Row | None, path: str) -> Quantization | None:
    """None also where the table is there and says nothing, as TFLM has it."""
    if row is None:
        return None
    if row["details"] is not None:
        raise ModelError(
            "the tensor has custom or blockwise quantisation, which TFLM does not run; "
            "quantise the model per tensor or per channel",
            path=f"{path}.quantization.details",
        )
    scale, zero_point, low, high = row["scale"], row["zero_point"], row["min"], row["max"]
    if scale is None and zero_point is None and low is None and high is None:
        return None
    return Quantization(
        _NO_SCALES if scale is None else scale,
        _NO_ZERO_POINTS if zero_point is None else zero_point,
        row["quantized_dimension"],
        low,
        high,
    )


_NO_SCALES = np.zeros(0, np.float32)
_NO_ZERO_POINTS = np.zeros(0, np.int64)
_NO_SCALES.flags.writeable = _NO_ZERO_POINTS.flags.writeable = False


def _signature(row: Row) -> SignatureDef:
    def tensors(side: str) -> dict[str, int]:
        return {entry["name"] or "": entry["tensor_index"] for entry in _list(row[side])}

    return SignatureDef(
        key=row["signature_key"] or "",
        inputs=tensors("inputs"),
        outputs=tensors("outputs"),
        subgraph=row["subgraph_index"],
    )


@cache
def _options_row(name: str) -> tuple[type[OptionsTable], TableLayout] | None:
    """A builtin operator's options row and its layout; imports that operator only."""
    registration = ops.builtin(name)
    if registration is None or registration.options is None:
        return None
    return registration.options, _layout(registration.options)


def _layout(row: type[OptionsTable]) -> TableLayout:
    fields = options_fields(row)
    short = (field._replace(as_tuple=field.kind.startswith("[")) for field in fields)
    return flatbuffer.layout_of(SCHEMA, short)


def _is_aligned(data: Array, dtype: np.dtype[Any]) -> bool:
    """Whether elements may be read where the bytes lie; their address itself takes NumPy longer."""
    if dtype.alignment == 1:
        return True
    first = data[: dtype.itemsize]
    return len(first) < dtype.itemsize or first.view(dtype).flags.aligned


def _bad_index(what: str, index: int, count: int, path: str) -> ModelError:
    return ModelError(f"expected {what} from 0 to {count - 1}, got {index}", path=path)


def _list(rows: list[Row] | None) -> list[Row]:
    return rows or []
