"""Ways to change the options of custom operators: by what they say, and byte by byte."""

from typing import Any

import numpy as np
from flatbuffers import flexbuffers

from arenite.errors import ModelError
from arenite.formats.flatbuffer import Row
from arenite.model import flexbuffer
from tests.fuzz.rows import operators
from tests.fuzz.values import Rng, choice, integer, number

#: Of what kind a value may be instead.
OTHERS: tuple[Any, ...] = (
    *(None, True, False, "", "12", "x" * 40, b"", b"\0\1", [], [1, 2], {}, {"a": 1}, 2**63 - 1),
    *(-(2**63), 2**32, 1e30, float("nan"), float("inf"), -0.0, [[[]]]),
)
#: Names that some operator reads.
NAMES = (
    *("max_detections", "num_classes", "use_regular_nms", "nms_iou_threshold", "y_scale", "a"),
    *("cycles_max", "frame_size", "frame_step", "fft_length", "num_channels", "T", "prefill"),
)


def options(root: Row, rng: Rng) -> None:
    """Other options of a custom operator."""
    found = [row for row in operators(root) if row.get("custom_options") is not None]
    if not found:
        return
    row = choice(rng, found)
    row["custom_options"] = np.frombuffer(another(bytes(row["custom_options"]), rng), np.uint8)


def another(data: bytes, rng: Rng) -> bytes:
    """Another FlexBuffer, or what was one."""
    if rng.random() < 0.3:
        return bytewise(data, rng)
    try:
        value = changed(flexbuffer.read(data), rng)
    except ModelError:
        return bytewise(data, rng)
    return written(value) or bytewise(data, rng)


def written(value: Any) -> bytes:
    """A FlexBuffer; nothing where the builder has no words for a value."""
    builder = flexbuffers.Builder()
    try:
        _add(builder, value)
        return bytes(builder.Finish())
    except (OverflowError, ValueError, TypeError, AssertionError):
        return b""


def _add(builder: Any, value: Any) -> None:
    if isinstance(value, dict):
        with builder.Map():
            for name, part in value.items():
                builder.Key(name)
                _add(builder, part)
    elif isinstance(value, list):
        with builder.Vector():
            for part in value:
                _add(builder, part)
    elif value is None:
        builder.Null()
    elif isinstance(value, bytes):
        builder.Blob(value)
    else:
        builder.Add(value)


def changed(value: Any, rng: Rng) -> Any:
    """One part of a value is another one, gone, or there twice."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        return _changed_map(dict(value), rng)
    if isinstance(value, list) and value and rng.random() < 0.9:
        new = list(value)
        place = int(rng.integers(len(new)))
        part = int(rng.integers(5))
        if part == 0:
            del new[place]
        elif part == 1:
            new.insert(place, changed(new[place], rng))
        else:
            new[place] = changed(new[place], rng)
        return new
    if rng.random() < 0.2:
        return choice(rng, OTHERS)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return integer(rng, value)
    if isinstance(value, float):
        return number(rng, value)
    return choice(rng, OTHERS)


def _changed_map(value: dict[str, Any], rng: Rng) -> dict[str, Any]:
    name = str(choice(rng, list(value)))
    part = int(rng.integers(8))
    if part == 0:
        del value[name]
    elif part == 1:
        value[str(choice(rng, NAMES))] = value.pop(name)
    elif part == 2:
        value[str(choice(rng, NAMES))] = changed(value[name], rng)
    else:
        value[name] = changed(value[name], rng)
    return value


def bytewise(data: bytes, rng: Rng) -> bytes:
    """A few other bytes, most often near the end, where the root is; or more or fewer of them."""
    new = bytearray(data)
    part = int(rng.integers(6))
    if part == 0:
        return bytes(new[: int(rng.integers(len(new) + 1))])
    if part == 1:
        return bytes(new + rng.bytes(int(rng.integers(1, 9))))
    for _ in range(int(rng.integers(1, 4))):
        if new:
            back = int(rng.integers(min(len(new), 8))) if rng.random() < 0.6 else 0
            place = len(new) - 1 - back if back else int(rng.integers(len(new)))
            new[place] = int(choice(rng, (0, 1, 2, 4, 8, 255, 128, int(rng.integers(256)))))
    return bytes(new)
