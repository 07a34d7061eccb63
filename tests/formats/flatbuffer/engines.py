"""A file's root table by each of the two engines: row and what is left of the budget."""

from array import array

from arenite.formats.flatbuffer import FormatError, Reader, Row, Schema, rows

Found = tuple[Row, int] | None


def in_python(schema: Schema, data: bytes) -> Found:
    """What the reader in Python finds; None if something is wrong."""
    reader = Reader(schema, memoryview(data))
    if len(data) < 8:
        return None
    try:
        return reader.read_root(), reader.budget
    except FormatError:
        return None


def in_c(schema: Schema, data: bytes) -> Found:
    """What the verifier in C finds; None if something is wrong.

    The file lies in a block of its own, behind which a sanitizer sees what is read.
    """
    reader = Reader(schema, memoryview(array("B", data)))
    return rows.rows_of(schema, reader, reader.budget)
