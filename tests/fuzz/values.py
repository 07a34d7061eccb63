"""Other values for fields of rows: the ones at which code breaks."""

from typing import Any

import numpy as np

from arenite.formats.flatbuffer.schema import DTYPES, SCALARS
from tests.fuzz.rows import Place, copied

Rng = np.random.Generator

INTEGERS = (
    *(0, 0, 1, 1, -1, -1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, -128),
    *(255, 256, 1000, 4096, 32767, 32768, 65535, 65536, 2**20, 2**24, 2**30, 2**31 - 1, -(2**31)),
    *(-2, -3, -16, 2**31 - 16, 2**32 - 1, 2**32, 2**40, 2**62, 2**63 - 1, -(2**63)),
)
FLOATS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-6, 1e-38, 1e-45, 1e38, 3.4e38, -3.4e38, 1 / 256),
    *(float("inf"), float("-inf"), float("nan"), 2.0**31, 2.0**-31, 127.0, 255.5),
)


def choice(rng: Rng, values: Any) -> Any:
    """One of the values, as it is."""
    return values[int(rng.integers(len(values)))]


def integer(rng: Rng, old: int = 0) -> int:
    """A small change of an integer, or another one."""
    kind = int(rng.integers(10))
    if kind < 3:
        return old + int(choice(rng, (-2, -1, 1, 2)))
    if kind == 3:
        return int(choice(rng, (old * 2, old // 2, -old, old * 3 + 1)))
    return int(choice(rng, INTEGERS))


def number(rng: Rng, old: float = 1.0) -> float:
    """A small change of a real number, or another one."""
    if rng.random() < 0.3:
        return old * float(choice(rng, (0.5, 2.0, -1.0, 1.0000001, 1000.0)))
    return float(choice(rng, FLOATS))


def scalar(rng: Rng, kind: str, old: Any) -> Any:
    """Another value of a scalar field."""
    if kind == "bool":
        return not old
    if kind.startswith("float"):
        return fitted(kind, number(rng, float(old)))
    return fitted(kind, integer(rng, int(old)))


def fitted(kind: str, value: Any) -> Any:
    """A number of a kind: integers wrap around, reals become infinite."""
    dtype = DTYPES[kind]
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return float(np.asarray(value, np.float64).astype(dtype))
    if dtype.kind == "b":
        return bool(value)
    bits = 8 * dtype.itemsize
    value = int(value) % 2**bits
    return value - 2**bits if dtype.kind == "i" and value >= 2 ** (bits - 1) else value


def vector(rng: Rng, kind: str, old: Any) -> Any:
    """Another vector of scalars: other elements, another length, another order."""
    if isinstance(old, np.ndarray) and len(old) > 64:
        return array(rng, kind, old)
    values = [] if old is None else list(np.asarray(old).tolist())
    change = int(rng.integers(9))
    if not values or change == 0:
        values.insert(int(rng.integers(len(values) + 1)), scalar(rng, kind, 0))
    elif change == 1:
        del values[int(rng.integers(len(values)))]
    elif change == 2:
        values = [values[i] for i in rng.permutation(len(values))]
    elif change == 3:
        return choice(rng, (None, (), tuple(values + values)))
    else:
        place = int(rng.integers(len(values)))
        values[place] = scalar(rng, kind, values[place])
    return tuple(values)


def array(rng: Rng, kind: str, old: Any) -> Any:
    """A long vector with other elements, or cut off."""
    if rng.random() < 0.3:
        return old[: int(rng.integers(len(old)))]
    new = np.array(old)
    for _ in range(int(choice(rng, (1, 3, 10)))):
        place = int(rng.integers(len(new)))
        new[place] = scalar(rng, kind, new[place])
    return new


def rows(rng: Rng, old: list[Any]) -> list[Any]:
    """A list of tables or strings with one left out, twice, or elsewhere."""
    new, first, second = list(old), int(rng.integers(len(old))), int(rng.integers(len(old)))
    change = int(rng.integers(3))
    if change == 0:
        del new[first]
    elif change == 1:
        new.insert(second, copied(new[first]))
    else:
        new[first], new[second] = new[second], new[first]
    return new


def change(rng: Rng, place: Place) -> None:
    """Put another value into a field, whatever it is."""
    row, name, kind = place
    old = row.get(name)
    if kind in SCALARS:
        row[name] = scalar(rng, kind, old or 0)
    elif kind.startswith("[") and kind[1:-1] in SCALARS:
        row[name] = vector(rng, kind[1:-1], old)
    elif kind == "string":
        row[name] = choice(rng, (None, "", "x", "\x1b[31m", "../../x", "MNN_RASTER", "a" * 300))
    elif kind.startswith("union:"):
        if old is not None:
            row[name] = old._replace(type=int(rng.integers(1, 128))) if rng.random() < 0.3 else None
    elif kind.startswith("["):
        if old:
            row[name] = rows(rng, old)
    elif old is not None:
        row[name] = None
