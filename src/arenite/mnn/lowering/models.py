"""MNN's models (``.mnn``) as :class:`Model`.

``read`` is what :func:`arenite.load` calls. :func:`read_net` and :func:`convert` are its two
steps, for whoever converts one net several times: for other input shapes, or other outputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arenite.mnn.file.enums import Format, ForwardType, NetSource, OpType
from arenite.mnn.file.net import Buffer, Net, Op, looks_like_net, read_net
from arenite.mnn.file.schema import SCHEMA
from arenite.mnn.lowering.mapping import Converted, NetPort, convert
from arenite.model import Model

__all__ = [
    "SCHEMA",
    "Buffer",
    "Converted",
    "Format",
    "ForwardType",
    "Net",
    "NetPort",
    "NetSource",
    "Op",
    "OpType",
    "convert",
    "looks_like_net",
    "read",
    "read_net",
]


def read(
    data: Buffer, *, source: str = "", input_shapes: Mapping[str, Sequence[int]] | None = None
) -> Model:
    """Verify a ``.mnn`` file and map it to Arenite's operators.

    Args:
        data: The whole file: any object with a contiguous buffer.
        source: The file's name, for messages.
        input_shapes: Shapes of inputs by name; see :func:`convert`.

    Raises:
        ModelError: With byte offset and path of what is wrong.
        UnsupportedOperatorError: Lists all operators that have no mapping.
    """
    return convert(read_net(data, source=source), input_shapes=input_shapes).model
