"""FlexBuffers for the options of custom operators."""

from typing import Any

from flatbuffers import flexbuffers


def packed(value: Any) -> bytes:
    """A FlexBuffer; a map's values are in the order of their keys."""
    builder = flexbuffers.Builder()
    builder.Add(value)
    return bytes(builder.Finish())


def untyped(*values: Any) -> bytes:
    """A FlexBuffer of a vector whose elements say their types."""
    builder = flexbuffers.Builder()
    with builder.Vector():
        for value in values:
            builder.Add(value)
    return bytes(builder.Finish())
