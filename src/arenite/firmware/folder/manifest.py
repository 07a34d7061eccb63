"""``arenite.json``, which is read like any other file: every field is checked before it is used.

A folder may come from anybody. What is wrong is said with the field, what was expected there and
what was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from arenite.documents import read_json
from arenite.errors import BoardError
from arenite.model import TensorType

#: The file by which a folder is known as written here.
MANIFEST = "arenite.json"
_MOST_FILES, _MOST_LAYERS, _MOST_PORTS, _MOST_AXES = 1 << 12, 1 << 16, 1 << 12, 32
_MOST_SIZE, _MOST_COUNT, _LONGEST_NAME, _LONGEST = 1 << 40, 1 << 63, 1 << 16, 1 << 12
_MOST_REAL = float.fromhex("0x1.fffffep+127")
_SHOWN = 60

Check = Callable[[Any, str], None]
"""``check(value, field)`` raises a ValueError that says field, expected and got."""


def manifest_of(folder: Path) -> dict[str, Any]:
    """Contents of ``arenite.json``, all that is read of it checked.

    Raises:
        BoardError: A field is missing, or of another kind, range or length.
        OSError: It is not there.
    """
    facts = _loaded(folder)
    try:
        is_tflm = isinstance(facts, dict) and facts.get("library") == "tflm"
        (_TFLM if is_tflm else _EXPORT)(facts, "")
    except ValueError as error:
        raise BoardError(f"'{folder / MANIFEST}' is broken: {error}") from None
    return dict(facts)


def digests_of(folder: Path) -> dict[str, set[str]]:
    """The digests that each file may have if nobody changed it; the rest is not looked at.

    There are two of a file where an export was killed while it replaced them.

    Raises:
        BoardError: It says none that can be read.
        OSError: It is not there.
    """
    facts = _loaded(folder)
    try:
        _row({}, _DIGESTED)(facts, "")
    except ValueError as error:
        raise BoardError(f"'{folder / MANIFEST}' is broken: {error}") from None
    found: dict[str, set[str]] = {}
    for field in _DIGESTED:
        for path, digest in facts.get(field, {}).items():
            found.setdefault(path, set()).add(digest)
    return found


def _loaded(folder: Path) -> Any:
    path = folder / MANIFEST
    try:
        return read_json(path)
    except ValueError as error:
        raise BoardError(f"'{path}' is broken: {error}") from None


# -- what a field may be --------------------------------------------------------------------


def _wrong(field: str, expected: str, got: Any) -> ValueError:
    text = type(got).__name__ if isinstance(got, dict | list) else ascii(got)
    shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
    return ValueError(f"{field or 'all of it'}: expected {expected}, got {shown}")


def _text(most: int, pattern: str = "", expected: str = "") -> Check:
    what = expected or f"text of at most {most} characters"
    form = re.compile(pattern, re.DOTALL) if pattern else None

    def check(value: Any, field: str) -> None:
        if not isinstance(value, str) or len(value) > most or (form and not form.fullmatch(value)):
            raise _wrong(field, what, value)

    return check


def _whole(low: int, high: int) -> Check:
    def check(value: Any, field: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise _wrong(field, f"a whole number from {low} to {high}", value)

    return check


def _real(value: Any, field: str) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not abs(value) <= _MOST_REAL:
        raise _wrong(field, "a finite number of 32 bits", value)


def _flag(value: Any, field: str) -> None:
    if not isinstance(value, bool):
        raise _wrong(field, "true or false", value)


def _one_of(*words: str) -> Check:
    def check(value: Any, field: str) -> None:
        if not isinstance(value, str) or value not in words:
            raise _wrong(field, f"one of {', '.join(map(repr, words))}", value)

    return check


def _maybe(inner: Check) -> Check:
    """The same, or null."""

    def check(value: Any, field: str) -> None:
        if value is not None:
            inner(value, field)

    return check


def _list(inner: Check, most: int, least: int = 0) -> Check:
    def check(value: Any, field: str) -> None:
        if not isinstance(value, list):
            raise _wrong(field, "a list", value)
        if len(value) > most:
            raise _wrong(field, f"at most {most} of them", len(value))
        if len(value) < least:
            raise _wrong(field, f"at least {least} of them", len(value))
        for number, one in enumerate(value):
            inner(one, f"{field}[{number}]")

    return check


def _row(needed: Mapping[str, Check], others: Mapping[str, Check]) -> Check:
    """An object; fields that nobody reads are not looked at."""

    def check(value: Any, field: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(field, "an object", value)
        for name, inner in (*needed.items(), *others.items()):
            within = f"{field}.{name}" if field else name
            if name in value:
                inner(value[name], within)
            elif name in needed:
                raise ValueError(f"{within}: expected it, got nothing")

    return check


def _by_path(inner: Check) -> Check:
    def check(value: Any, field: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(field, "an object", value)
        if len(value) > _MOST_FILES:
            raise _wrong(field, f"at most {_MOST_FILES} of them", len(value))
        for path, one in value.items():
            _path(path, f"a path in {field}")
            inner(one, f"{field}[{path!r}]")

    return check


# -- the fields ------------------------------------------------------------------------------

_PART = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_path = _text(255, rf"{_PART}(?:/{_PART}){{0,3}}", "a path in the folder, as src/model.c")
_digest = _text(64, "[0-9a-f]{64}", "64 hexadecimal digits")
_size, _count = _whole(0, _MOST_SIZE), _whole(0, _MOST_COUNT)
_name = _text(_LONGEST, "[a-z][a-z0-9_]*", "a C identifier in lower case")
_target = _text(64, "[A-Za-z0-9_.+-]+", "a processor's name")
_port = _row(
    {
        "name": _text(_LONGEST_NAME),
        "type": _one_of(*map(str, TensorType)),
        "shape": _list(_whole(0, (1 << 31) - 1), _MOST_AXES),
        "scale": _real,
        "zero_point": _whole(-(1 << 63), (1 << 63) - 1),
    },
    {},
)
_maybe_counts = dict.fromkeys(
    ("instructions", "cycles", "first_instructions", "first_cycles"), _maybe(_count)
)
_layer = _row(
    {
        "name": _text(_LONGEST_NAME),
        "shapes": _text(_LONGEST_NAME),
        "function": _text(_LONGEST, r"[A-Za-z0-9_]*", "a C identifier, or nothing"),
        "language": _one_of("", "c", "s", "cc"),
        "reason": _text(_LONGEST),
    },
    {
        "index": _whole(0, _MOST_LAYERS),
        "constant_bytes": _size,
        "scratch_bytes": _size,
        "rows": _size,
        **_maybe_counts,
    },
)
_pair = _list(_count, 2, least=2)
_model = _row(
    {
        "file": _text(_LONGEST_NAME),
        "sha256": _digest,
        "optimized": _maybe(
            _row(
                {"sha256": _digest},
                {"layers": _pair, "alive_bytes": _pair, "constant_bytes": _pair},
            )
        ),
    },
    {},
)
_SHARED: Mapping[str, Check] = {
    "name": _name,
    "target": _target,
    "arena_bytes": _size,
    "files": _list(_path, _MOST_FILES),
}
_DIGESTED: Mapping[str, Check] = dict.fromkeys(("digests", "before"), _by_path(_digest))
_EXPORT = _row(
    {
        **_SHARED,
        "constant_bytes": _size,
        "state_bytes": _size,
        "inputs": _list(_port, _MOST_PORTS),
        "outputs": _list(_port, _MOST_PORTS),
        "layers": _list(_layer, _MOST_LAYERS),
    },
    {
        **_DIGESTED,
        "input_mode": _one_of("overwritten", "apart", "kept", "rows"),
        "emulated": _maybe(_target),
        "equal": _maybe(_flag),
        "model": _maybe(_model),
        "not_verified": _text(_LONGEST),
        "least_ram_bytes": _maybe(_size),
        "tflm_arena_bytes": _maybe(_size),
        **_maybe_counts,
        **dict.fromkeys(
            ("code_bytes", "flash_bytes", "stack_bytes", "static_bytes"), _maybe(_count)
        ),
    },
)
_TFLM = _row({**_SHARED, "model_bytes": _size, "operators": _whole(1, 1 << 16)}, _DIGESTED)
