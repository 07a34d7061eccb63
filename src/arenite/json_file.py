"""JSON from a file that may be anybody's: bounded, every field once, numbers that are numbers."""

from __future__ import annotations

import json
import os
from typing import Any

from arenite.files import open_regular, read_whole

#: Digits of a whole number, at most.
_MOST_DIGITS = 20


def read_json(path: str | os.PathLike[str], most_bytes: int) -> Any:
    """Contents of a file.

    Args:
        path: Of a regular file.
        most_bytes: That are looked at; a larger file is refused before it is read.

    Raises:
        ValueError: It is too large or no such JSON; says what was expected.
        OSError: It cannot be read.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most_bytes:
            raise ValueError(f"expected at most {most_bytes} bytes, got {size}")
        data = read_whole(file)
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_once,
            parse_constant=_refused,
            parse_int=_integer,
        )
    except RecursionError as error:
        raise ValueError(str(error)) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("expected each field once in an object")
    return found


def _refused(word: str) -> None:
    raise ValueError(f"expected numbers, got {word}")


def _integer(word: str) -> int:
    if len(word) > _MOST_DIGITS:
        raise ValueError(f"expected at most {_MOST_DIGITS} digits, got a number of {len(word)}")
    return int(word)
