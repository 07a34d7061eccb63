"""Files with fields that Arenite does not write, through the classes that LiteRT's package has."""

from collections.abc import Callable
from typing import Any

import flatbuffers
import pytest

#: Larger than any offset in a test's file; offsets are written in as many bytes whatever they are.
_FAR = 1 << 40


def schema() -> Any:
    """The classes that ``flatc`` makes of ``schema.fbs``; the test is skipped without LiteRT."""
    return pytest.importorskip("ai_edge_litert.schema_py_generated")


def edited(data: bytes, *edits: Callable[[Any], object]) -> bytes:
    """A file after ``edit(model)``, where ``model`` is its ``ModelT``."""
    model = schema().ModelT.InitFromPackedBuf(data, 0)
    for edit in edits:
        edit(model)
    builder = flatbuffers.Builder(len(data))
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def behind(data: bytes, least: int = 1, *, options: bool = True) -> bytes:
    """A file whose buffers and custom options of ``least`` bytes lie behind the FlatBuffer.

    So ``ai-edge-quantizer`` writes them: a field ``offset`` from the beginning of the file.
    """

    def build(begin: int) -> tuple[bytes, bytes]:
        outside = bytearray()

        def place(values: Any) -> int:
            outside.extend(b"\0" * (-len(outside) % 16))
            outside.extend(bytes(bytearray(values)))
            return begin + len(outside) - len(values)

        def move(model: Any) -> None:
            for buffer in model.buffers:
                if buffer.data is not None and len(buffer.data) >= least:
                    buffer.offset, buffer.size = place(buffer.data), len(buffer.data)
                    buffer.data = None
            for one in [op for graph in model.subgraphs for op in graph.operators or ()]:
                if options and one.customOptions is not None and len(one.customOptions) >= least:
                    one.largeCustomOptionsOffset = place(one.customOptions)
                    one.largeCustomOptionsSize = len(one.customOptions)
                    one.customOptions = None

        return edited(data, move), bytes(outside)

    size = len(build(_FAR)[0])
    begin = -(-size // 16) * 16
    file, outside = build(begin)
    assert len(file) == size
    return file.ljust(begin, b"\0") + outside
