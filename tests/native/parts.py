"""Steps in parts, however small they are."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from arenite.native import program


@contextmanager
def divided_into(parts: int) -> Iterator[None]:
    """Programs that are made here divide every step that can be into so many parts."""

    def always(work: int, threads: int) -> int:
        return parts if threads > 1 else 1

    with patch.object(program, "parts_of", always):
        yield
