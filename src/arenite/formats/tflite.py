"""TensorFlow Lite files (``.tflite``) to :class:`Model` and back.

Facts: ``schema.fbs``; what TFLM makes of a tensor's buffer and quantisation:
``micro_allocator.cc``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from mmap import mmap
from typing import Any, TypeVar

import numpy as np

from arenite import native, ops
from arenite.errors import ModelError
from arenite.formats import flatbuffer
from arenite.formats import tflite_records as records
from arenite.formats.flatbuffer import Row, TableLayout, Tables, values_of
from arenite.formats.tflite_rows import OPERATOR_PATHS, TENSOR_PATHS, OperatorRow, TensorRow
from arenite.formats.tflite_schema import SCHEMA
from arenite.formats.tflite_write import options_fields, write
from arenite.model import (
    Array,
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
from arenite.model.check import VERSION, check
from arenite.model.gc_pause import paused
from arenite.model.offline_plan import OFFLINE_METADATA

_Row = TypeVar("_Row", bound=OptionsTable)

#: The same for files that need not say what they are.
_UNMARKED = replace(SCHEMA, identifier=b"")

__all__ = ["SCHEMA", "Buffer", "read", "write"]

Values = tuple[Any, ...]

#: Files of more bytes may hold thousands of tensors.
_LARGE = 1 << 20
Buffer = bytes | bytearray | memoryview | mmap | Array


def read(data: Buffer, *, source: str = "", is_marked: bool = True) -> Model:
    """Verify a ``.tflite`` file and read it; constants are views on ``data``.

    Args:
        data: The whole file: any object with a contiguous buffer.
        source: The file's name, for messages.
        is_marked: Whether the file has to have its identifier (bytes 4 to 7) and the schema's
            version. TFLM looks at neither (``GetModel``), and some of its tools write neither.

    Raises:
        ModelError: With byte offset and path of what is wrong.
    """
    view = flatbuffer.view_of(data)
    try:
        reader = flatbuffer.Reader(SCHEMA if is_marked else _UNMARKED, view)
        root = reader.tables()
    except ModelError as error:
        name = f" {source!r}" if source else ""
        raise ModelError(
            f"the TensorFlow Lite file{name} is truncated or damaged: {error.message}",
            offset=error.offset,
            path=error.path,
        ) from None
    try:
        with paused(reader.size > _LARGE):
            model = _ModelReader(reader, root).model(source)
            if not is_marked:
                model = replace(model, version=VERSION)
            check(model, native.checks())
    except ModelError as error:
        if error.offset is not None:
            raise
        offset = flatbuffer.locate(SCHEMA, view, error.path)
        raise ModelError(error.message, offset=offset, path=error.path) from None
    object.__setattr__(model, "content", data)
    return model


class _ModelReader:
    """Turns a file's tables into a model."""

    def __init__(self, reader: flatbuffer.Reader, root: Tables | list[Row]) -> None:
        self.reader = reader
        (values,) = values_of(root, records.ROOT)
        self.root = dict(zip(records.ROOT, values, strict=True))
        self.metadata: dict[int, bytes] = {}
        #: Buffers that lie behind the FlatBuffer; tensors and operators with such data, by name.
        self.outside: set[int] = set()
        self.behind: list[str] = []
        self.codes = [
            records.operator_code(code, f"$.operator_codes[{number}]")
            for number, code in enumerate(values_of(self.root["operator_codes"], records.CODE))
        ]
        tables = self.root["buffers"]
        made = tables.made(records.BUFFERS, {}) if isinstance(tables, Tables) else None
        #: Whether C has read the buffers, of which none lies behind the FlatBuffer.
        self.are_inside = made is not None
        found = self._buffers() if made is None else made
        self.buffers = [data if data is not None and len(data) else None for (data,) in found]

    def model(self, source: str) -> Model:
        """The whole model."""
        root = self.root
        metadata = list(values_of(root["metadata"], ("name", "buffer")))
        for number, (name, buffer) in enumerate(metadata):
            if name == "COMPRESSION_METADATA":
                raise ModelError(records.COMPRESSED, path=f"$.metadata[{number}]")
            if name == OFFLINE_METADATA and buffer in self.outside:
                self.behind.append(f"metadata {name}")
        subgraphs = list(values_of(root["subgraphs"], records.SUBGRAPH))
        read = tuple(self._made(subgraphs) or self._read(subgraphs))
        return Model(
            subgraphs=read,
            description=root["description"] or "",
            metadata={
                name or "": self._metadata(buffer, f"$.metadata[{number}]")
                for number, (name, buffer) in enumerate(metadata)
            },
            signatures=_signatures(root["signature_defs"]),
            version=root["version"],
            source=source,
            nbytes=self.reader.size,
            format="tflite",
            behind=tuple(self.behind),
        )

    # -- buffers

    def _buffers(self) -> Iterator[tuple[Array | None]]:
        """Buffers' bytes, which may lie behind the FlatBuffer where there are none inside."""
        for number, (data, offset, size) in enumerate(
            values_of(self.root["buffers"], records.BUFFER)
        ):
            found = data
            if data is None and offset > 1:
                found = self.reader.span(offset, size, f"$.buffers[{number}]")
                self.outside.add(number)
            yield (found,)

    def _data(self, index: int, type_: TensorType, path: str, tensor: int) -> Array | None:
        """A tensor's constant data, copied only if they are not aligned."""
        if index >= len(self.buffers):
            if index == 0:
                return None
            where = f"{path}.tensors[{tensor}].buffer"
            raise records.bad_index("a buffer", index, len(self.buffers), where)
        data = self.buffers[index]
        if data is not None and not _is_aligned(data, type_.dtype):
            data = data.copy()
            data.flags.writeable = False
            self.buffers[index] = data
        return data

    def _metadata(self, index: int, path: str) -> bytes:
        if index >= len(self.buffers):
            raise records.bad_index("a buffer", index, len(self.buffers), f"{path}.buffer")
        if index not in self.metadata:
            data = self.buffers[index]
            self.metadata[index] = b"" if data is None else data.tobytes()
        return self.metadata[index]

    # -- subgraphs

    def _made(self, subgraphs: list[Values]) -> list[Subgraph]:
        """All subgraphs, made in C; none where a file is not as most are, or there is no C."""
        budget, made = self.reader.budget, []
        if not self.are_inside:
            return []
        names, are_custom, versions = zip(*self.codes, strict=True) if self.codes else ((), (), ())
        given: dict[str, Any] = {
            "types": _readable(self.reader.alignment(self.root["buffers"].numbers("data"))),
            "data": tuple(self.buffers),
            "names": names,
            "are_custom": are_custom,
            "versions": versions,
            "options": tuple(
                _OPAQUE if custom else _opaque(name)
                for name, custom in zip(names, are_custom, strict=True)
            ),
        }
        for number, (tensors, operators, inputs, outputs, name) in enumerate(subgraphs):
            vector = f"$.subgraphs[{number}].operators"
            given["raw"] = RawOptions, self.reader.bytes, vector, "builtin_options"
            ours = [] if tensors is None else tensors.made(records.TENSORS, given)
            nodes = [] if operators is None else operators.made(records.OPERATORS, given)
            if ours is None or nodes is None:
                self.reader.budget = budget
                return []
            sides = inputs or (), outputs or ()
            made.append(Subgraph(tuple(ours), tuple(nodes), *sides, name or ""))
        return made

    def _read(self, subgraphs: list[Values]) -> Iterator[Subgraph]:
        """The same in Python, which says what is wrong."""
        for number, (tensors, operators, inputs, outputs, name) in enumerate(subgraphs):
            path = f"$.subgraphs[{number}]"
            yield Subgraph(
                tensors=tuple(self._tensors(tensors, path)),
                operators=tuple(self._operators(operators, path)),
                inputs=inputs or (),
                outputs=outputs or (),
                name=name or "",
            )

    def _tensors(self, tables: Tables | None, path: str) -> Iterator[Tensor]:
        buffers, count = self.buffers, len(self.buffers)
        for number, row in enumerate(map(TensorRow._make, values_of(tables, TENSOR_PATHS))):
            type_ = records.TYPES.get(row.type)
            if type_ is None or row.sparsity or row.external_buffer or row.variant_tensors:
                refused = row.sparsity, row.external_buffer, row.variant_tensors
                records.check_tensor(row.type, refused, f"{path}.tensors[{number}]")
            assert type_ is not None
            data = quantization = None
            if row.buffer >= count or buffers[row.buffer] is not None:
                data = self._data(row.buffer, type_, path, number)
                if row.buffer in self.outside:
                    self.behind.append(f"tensor {row.name or number!r}")
            if row.details:
                where = f"{path}.tensors[{number}].quantization.details"
                raise ModelError(records.DETAILS, path=where)
            if row.is_quantized:
                quantization = Quantization(
                    records.NO_SCALES if row.scale is None else row.scale,
                    records.NO_ZERO_POINTS if row.zero_point is None else row.zero_point,
                    row.axis,
                    row.low,
                    row.high,
                )
            yield Tensor(
                row.name or "",
                type_,
                row.shape or (),
                data,
                quantization,
                row.is_variable,
                row.shape_signature,
                row.has_rank,
                row.buffer,
            )

    # -- operators

    def _operators(self, tables: Tables | None, path: str) -> Iterator[Operator]:
        codes, count, file = self.codes, len(self.codes), self.reader.bytes
        for number, row in enumerate(map(OperatorRow._make, values_of(tables, OPERATOR_PATHS))):
            where = f"{path}.operators[{number}]"
            if row.code >= count:
                raise records.bad_index(
                    "an operator code", row.code, count, f"{where}.opcode_index"
                )
            name, is_custom, version = codes[row.code]
            raw = options = None
            if row.union:
                raw = RawOptions(row.union, file, row.position, f"{where}.builtin_options")
                options = self._options(name, is_custom, raw, row.is_empty)
            elif row.union_2:
                raw = RawOptions(row.union_2, file, row.position_2, f"{where}.builtin_options_2")
                options = OptionsTable() if row.is_empty_2 else None
            custom_options = b""
            if row.custom is not None or (is_custom and row.custom_offset > 1):
                custom_options = self._custom_options(
                    row.custom, row.custom_offset, row.custom_size, where
                )
                if row.custom is None:
                    self.behind.append(f"the custom options of operator {number} ({name})")
            yield Operator(
                name,
                row.inputs or (),
                row.outputs or (),
                options,
                custom_options,
                is_custom,
                row.intermediates or (),
                version,
                row.union,
                row.union_2,
                row.mutating or (),
                raw,
            )

    def _options(
        self, name: str, is_custom: bool, raw: RawOptions, is_empty: bool
    ) -> OptionsTable | None:
        """The operator's options through its own row; None where there is no such row."""
        found = None if is_custom else _options_row(name)
        if found is None:
            return OptionsTable() if is_empty else None
        row, layout = found
        if raw.union_type != row.UNION_TYPE:
            return None
        return row.filled(self.reader.table(raw.position, layout, raw.path))

    def _custom_options(self, data: Array | None, offset: int, size: int, path: str) -> bytes:
        if data is None:
            where = f"{path}.large_custom_options_offset"
            return self.reader.span(offset, size, where).tobytes()
        return data.tobytes()


def parse_options(raw: RawOptions, row: type[_Row]) -> _Row:
    """A file's options through an operator's row, verified.

    The row's defaults where the table is another operator's, which TFLM takes as well.

    Raises:
        ModelError: The table is malformed.
    """
    if row.UNION_TYPE not in (0, raw.union_type):
        return row()
    reader = flatbuffer.Reader(SCHEMA, flatbuffer.view_of(raw.data))
    return row.filled(reader.table(raw.position, _layout(row), raw.path))


# -- pieces -----------------------------------------------------------------------------

_OPAQUE = OptionsTable()


def _signatures(tables: Tables | None) -> tuple[SignatureDef, ...]:
    return tuple(
        SignatureDef(key or "", _by_name(inputs), _by_name(outputs), subgraph)
        for key, inputs, outputs, subgraph in values_of(tables, records.SIGNATURE)
    )


def _by_name(tables: Tables | None) -> dict[str, int]:
    return {name or "": tensor for name, tensor in values_of(tables, ("name", "tensor_index"))}


@cache
def _options_row(name: str) -> tuple[type[OptionsTable], TableLayout] | None:
    """A builtin operator's options row and its layout; imports that operator only."""
    registration = ops.builtin(name)
    if registration is None or registration.options is None:
        return None
    return registration.options, _layout(registration.options)


@cache
def _readable(alignment: int) -> tuple[Any, ...]:
    """The types of tensors by code, but for those that cannot be read wherever data may lie."""
    types = sorted(TensorType)
    return tuple(one if one.dtype.alignment <= alignment else NotImplemented for one in types)


@cache
def _opaque(name: str) -> Any:
    """Builtin operator's options as C makes them: objects of its row."""
    found = _options_row(name)
    if found is None:
        return _OPAQUE
    row, layout = found
    fields = (slot.field for slot in layout.slots)
    return flatbuffer.opaque(row.UNION_TYPE, fields, row, 1000 + BuiltinOperator[name])


def _layout(row: type[OptionsTable]) -> TableLayout:
    fields = options_fields(row)
    short = [field._replace(as_tuple=field.kind.startswith("[")) for field in fields]
    return flatbuffer.layout_of(SCHEMA, short)


def _is_aligned(data: Array, dtype: np.dtype[Any]) -> bool:
    """Whether elements may be read where the bytes lie; their address itself takes NumPy longer."""
    if dtype.alignment == 1:
        return True
    first = data[: dtype.itemsize]
    return len(first) < dtype.itemsize or first.view(dtype).flags.aligned
