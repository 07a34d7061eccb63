"""A verified ``.mnn`` file: MNN's ``Net`` as rows, checked as far as rows can be.

Facts: MNN 3.6.1 ``schema/default/MNN.fbs``, ``core/Interpreter.cpp``, ``core/Schedule.cpp``,
``core/OpCommonUtils.cpp``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from mmap import mmap
from typing import Any, NoReturn, TypeVar

import numpy as np

from arenite.errors import ModelError
from arenite.formats import flatbuffer
from arenite.formats.flatbuffer import Row, Union
from arenite.mnn.file.enums import Format, ForwardType, NetSource, OpType
from arenite.mnn.file.schema import NEWEST, OP_PARAMETERS, SCHEMA
from arenite.model import Array

Buffer = bytes | bytearray | memoryview | mmap | Array
Shape = tuple[int, ...]

_Kind = TypeVar("_Kind", bound=IntEnum)

_HEADER = 8
#: The identifier of TensorFlow Lite's files.
_TFLITE = b"TFL3"
#: ``Usage.INFERENCE_STATIC``
_STATIC = 2


@dataclass(frozen=True, eq=False)
class Op:
    """One operator of a net.

    ``main`` is the row of its parameters, or None where it has none or they are of a kind
    that the schema here does not list; ``main_type`` is that kind's name. ``type`` is None
    for a code that MNN 3.6.1 does not know.
    """

    index: int
    type: OpType | None
    code: int
    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    main: Row
    main_type: str
    format: Format

    @property
    def path(self) -> str:
        """Place in the file, for messages."""
        return f"$.oplists[{self.index}]"

    @property
    def type_name(self) -> str:
        """MNN's name of the operator's type."""
        return self.type.name if self.type is not None else f"OpType {self.code}"


@dataclass(frozen=True)
class Quant:
    """A tensor's quantisation: ``real = scale * (q - zero)``, q clamped to ``[min, max]``."""

    scale: float
    zero: float
    min: float
    max: float
    type: int


@dataclass(eq=False)
class Net:
    """Contents of a ``.mnn`` file.

    Attributes:
        ops: The operators, in the order in which they run.
        tensor_names: The names of all tensors; operators name tensors by position here.
        output_names: Names of the outputs; may be empty, then every tensor that nothing
            uses is one.
        described: The file's rows on single tensors, by position.
        quants: The quantisation of tensors that have one, by position.
        biz_code: The file's ``bizCode``.
        uuid: The file's ``mnn_uuid``.
        version: The MNN that wrote the file, such as ``"3.6.1"``; ``"<2.0.0"`` if it does
            not say so, as MNN has it.
    """

    ops: tuple[Op, ...]
    tensor_names: tuple[str, ...]
    output_names: tuple[str, ...]
    described: dict[int, Row]
    quants: dict[int, Quant]
    biz_code: str
    uuid: str
    version: str
    row: Row
    source: str
    view: memoryview
    _made: dict[Any, Any] = field(default_factory=dict)

    @property
    def prefer_forward_type(self) -> ForwardType | int:
        """The file's ``preferForwardType``, a plain number where MNN's schema has no name for it.

        Nothing here reads it: sessions run on the CPU.
        """
        return _known(ForwardType, self.row["preferForwardType"])

    @property
    def source_type(self) -> NetSource | int:
        """The file's ``sourceType``: what it was converted from; a plain number where unknown."""
        return _known(NetSource, self.row["sourceType"])

    @property
    def tensor_number(self) -> int:
        """The file's ``tensorNumber``; some writers leave it at 0."""
        return int(self.row["tensorNumber"])

    @property
    def nbytes(self) -> int:
        """The file's size."""
        return len(self.view)

    @property
    def is_static(self) -> bool:
        """Whether the file says all shapes, and its operators are those that MNN's kernels run."""
        return bool(self.row["usage"] == _STATIC)

    @property
    def inputs(self) -> tuple[Op, ...]:
        """The Input operators."""
        return tuple(op for op in self.ops if op.type is OpType.Input)

    def made(self, key: Any, make: Callable[[], Any]) -> Any:
        """Result of ``make``, kept: weights in another order, say, which no shape changes."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def fail(self, message: str, path: str) -> NoReturn:
        """Raise ``ModelError`` with the path and where in the file it is."""
        raise located(self.view, ModelError(message, path=path))


def net_facts(net: Net) -> dict[str, Any]:
    """The fields of a net for JSON, by their names in MNN's schema."""
    forward, source = net.prefer_forward_type, net.source_type
    return {
        "version": net.version,
        "sourceType": getattr(source, "name", source),
        "preferForwardType": getattr(forward, "name", forward),
        "tensorNumber": net.tensor_number,
        "tensorName": len(net.tensor_names),
        "oplists": len(net.ops),
        "outputName": list(net.output_names),
        "extraTensorDescribe": len(net.described),
        "bizCode": net.biz_code,
        "mnn_uuid": net.uuid,
    }


def _known(kind: type[_Kind], code: int) -> _Kind | int:
    """An enumeration's member, or the code where it has none."""
    return kind(code) if code in set(kind) else code


def located(view: memoryview, error: ModelError) -> ModelError:
    """The error with the byte offset of its path."""
    if error.offset is not None or not error.path.startswith("$"):
        return error
    offset = flatbuffer.locate(SCHEMA, view, error.path)
    return ModelError(error.message, offset=offset, path=error.path)


def looks_like_net(data: Buffer) -> bool:
    """Whether a file may be MNN's, which has no identifier: the beginning of a FlatBuffer.

    The root table and its vtable lie inside the file, and the vtable's entries inside the
    table. A file for which this holds by chance is refused by the verification.
    """
    view = flatbuffer.view_of(data)
    if len(view) < _HEADER:
        return False
    words = np.frombuffer(view[: len(view) // 4 * 4], "<u4")
    root = int(words[0])
    if root % 4 or not 4 <= root <= len(view) - 4:
        return False
    vtable = root - int(np.int32(words[root // 4].astype(np.int32)))
    if vtable % 2 or not 4 <= vtable <= len(view) - 4:
        return False
    size, table = np.frombuffer(view[vtable : vtable + 4], "<u2").tolist()
    if size % 2 or not 4 < size <= 64 or vtable + size > len(view):
        return False
    slots = np.frombuffer(view[vtable + 4 : vtable + size], "<u2")
    return bool(slots.any() and slots.max() < table and root + table <= len(view))


def read_net(data: Buffer, *, source: str = "") -> Net:
    """Verify a ``.mnn`` file.

    Args:
        data: The whole file: any object with a contiguous buffer. It is looked at again
            later, and must not change.
        source: The file's name, for messages.

    Raises:
        ModelError: The file is no FlatBuffer of MNN's schema, has no operators, is
            encrypted, or was made for a newer MNN.
    """
    view = flatbuffer.view_of(data)
    try:
        row = flatbuffer.read(SCHEMA, view)
    except ModelError as error:
        name = f"{source!r} is " if source else ""
        what = "not an MNN model, or an encrypted or damaged one"
        if bytes(view[4:8]) == _TFLITE:
            what = "not an MNN model but a TensorFlow Lite file, which arenite.load reads"
        raise ModelError(
            f"{name}{what}: {error.message}",
            offset=error.offset,
            path=error.path,
        ) from None
    try:
        return _net(row, source, view)
    except ModelError as error:
        raise located(view, error) from None


def _net(row: Row, source: str, view: memoryview) -> Net:
    _check_origin(row)
    if row["oplists"] is None:
        raise ModelError("the model has no operators (oplists)", path="$")
    if row["tensorName"] is None:
        raise ModelError("the model has no tensor names (tensorName)", path="$")
    names = tuple(row["tensorName"])
    described = dict(_described(row, len(names)))
    return Net(
        ops=tuple(_op(op, index, len(names)) for index, op in enumerate(row["oplists"])),
        tensor_names=names,
        output_names=tuple(row["outputName"] or ()),
        described=described,
        quants=dict(_quants(described)),
        biz_code=row["bizCode"] or "",
        uuid=row["mnn_uuid"] or "",
        version=_version(row) or "<2.0.0",
        row=row,
        source=source,
        view=view,
    )


def _check_origin(row: Row) -> None:
    """Refuse what was made for other readers than MNN 3.6."""
    extra = row["extraInfo"]
    if extra is not None and extra["buffer"] is not None and len(extra["buffer"]):
        raise ModelError(
            "the model is encrypted (extraInfo.buffer); only MNN built with its key reads it",
            path="$.extraInfo.buffer",
        )
    version = _version(row)
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
    if len(numbers) == 2 and numbers[0] > NEWEST[0]:
        raise ModelError(
            f"the model was made by MNN {version}, whose schema is newer than that of "
            f"MNN {NEWEST[0]}.{NEWEST[1]}, which is known here",
            path="$.extraInfo.version",
        )


def _version(row: Row) -> str:
    extra = row["extraInfo"]
    return (extra["version"] or "") if extra else ""


def _op(row: Row, index: int, tensors: int) -> Op:
    path = f"$.oplists[{index}]"
    if row["outputIndexes"] is None:
        raise ModelError("an operator without outputs (outputIndexes)", path=path)
    main: Union | None = row["main"]
    values = main.value if main is not None and isinstance(main.value, dict) else {}
    return Op(
        index=index,
        type=OpType(row["type"]) if row["type"] in _CODES else None,
        code=row["type"],
        name=row["name"] or "",
        inputs=_indices(row["inputIndexes"], tensors, f"{path}.inputIndexes"),
        outputs=_indices(row["outputIndexes"], tensors, f"{path}.outputIndexes"),
        main=values,
        main_type=_parameter_name(main.type) if main is not None else "",
        format=_format(row["defaultDimentionFormat"], f"{path}.defaultDimentionFormat"),
    )


_CODES = {int(code) for code in OpType}


def _parameter_name(code: int) -> str:
    return OP_PARAMETERS[code - 1] if code <= len(OP_PARAMETERS) else f"OpParameter {code}"


def _format(code: int, path: str) -> Format:
    if not 0 <= code <= Format.UNKNOWN:
        raise ModelError(
            f"expected a data format from 0 to {Format.UNKNOWN:d}, got {code}", path=path
        )
    return Format(code)


def _indices(values: Array | None, count: int, path: str) -> tuple[int, ...]:
    indices = () if values is None else tuple(int(value) for value in values)
    for place, index in enumerate(indices):
        if not 0 <= index < count:
            raise ModelError(
                f"expected a tensor index from 0 to {count - 1}, got {index}",
                path=f"{path}[{place}]",
            )
    return indices


def _described(row: Row, tensors: int) -> Iterable[tuple[int, Row]]:
    for number, tensor in enumerate(row["extraTensorDescribe"] or ()):
        path = f"$.extraTensorDescribe[{number}]"
        if not 0 <= tensor["index"] < tensors:
            raise ModelError(
                f"expected a tensor index from 0 to {tensors - 1}, got {tensor['index']}",
                path=f"{path}.index",
            )
        yield tensor["index"], {**tensor, "path": path}


def _quants(described: dict[int, Row]) -> Iterable[tuple[int, Quant]]:
    for index, tensor in described.items():
        info = tensor["quantInfo"]
        if info is None:
            continue
        quant = Quant(info["scale"], info["zero"], info["min"], info["max"], info["type"])
        if not np.isfinite([quant.scale, quant.zero, quant.min, quant.max]).all():
            raise ModelError(
                f"expected finite numbers, got {quant}", path=f"{tensor['path']}.quantInfo"
            )
        yield index, quant
