"""JSON and TOML that may be anybody's: bounded before a parser sees them.

Parsers take memory by what is nested, not by what is there: Python's for TOML takes 2.3 GB for a
key of 20,000 parts, which is 40 KB. So size, nesting, parts of a key and length of a word are
looked at first. In JSON each field comes once, and numbers are numbers.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

from arenite.files import read_file

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # the same under its older name

#: A parser makes up to thirty times as many bytes of these.
MOST_BYTES = 4 << 20
_MOST_TOML_BYTES = 256 << 10  # all boards that ship are 20 KB
_MOST_DEPTH = 64
_MOST_PARTS = 8
#: Digits of a whole number, at most.
_MOST_DIGITS = 20
#: Characters of a word of TOML: a bare key, a number, a date.
_MOST_CHARACTERS = 128
_JSON_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_TOML_TEXT = re.compile(
    r'"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z)' + r"|'''.*?(?:'{3,5}|\Z)"  # several lines
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"?' + r"|'[^'\n]*'?|\#[^\n]*",
    re.DOTALL,
)
_TOML_WORD = re.compile(rf"[\w+-]{{{_MOST_CHARACTERS + 1}}}")


def read_json(path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> Any:
    """Contents of a file.

    Args:
        path: Of a regular file.
        most_bytes: That are looked at; a larger file is refused before it is read.

    Raises:
        ValueError: It is too large or no such JSON; says what was expected.
        OSError: It cannot be read.
    """
    return parse_json(read_file(path, most_bytes))


def parse_json(data: bytes) -> Any:
    """The same of a file's bytes.

    Raises:
        ValueError: They are no such JSON.
    """
    text = data.decode("utf-8")
    _require_flat(_JSON_TEXT.sub("", text))
    return json.loads(text, object_pairs_hook=_once, parse_constant=_refused, parse_int=_integer)


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The tables of a file.

    Raises:
        ValueError: It is too large or no TOML; says what was expected.
        OSError: It cannot be read.
    """
    text = read_file(path, _MOST_TOML_BYTES).decode("utf-8")
    rest = _TOML_TEXT.sub("_", text)
    _require_flat(rest)
    parts = max(piece.count(".") for piece in re.split(r"[\[\]{}=,\n]", rest)) + 1
    if parts > _MOST_PARTS:
        raise ValueError(f"expected keys of at most {_MOST_PARTS} parts, got one of {parts:,}")
    if long := _TOML_WORD.search(rest):
        raise ValueError(
            f"expected words of at most {_MOST_CHARACTERS} characters, got {long[0][:20]}..."
        )
    found: dict[str, Any] = tomllib.loads(text)
    return found


def _require_flat(text: str) -> None:
    """Refuse brackets that are too deep in each other; none of them is in a string any more."""
    depth = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth += 1 if bracket in "[{" else -1
        if depth > _MOST_DEPTH:
            raise ValueError(f"expected at most {_MOST_DEPTH} brackets in each other, got more")


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
