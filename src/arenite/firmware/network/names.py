"""Names of a folder in C: all come from here, so that no two things have the same one.

A name begins with the model's, so only what has that beginning can be in the way: the interface's
own functions and types, and what was named before. What the model itself is called is its file's
name, unless another library's names begin with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Where sources lie in a folder.
SOURCES = "src"

#: Functions and types of ``model.h`` and ``selftest.h``, behind the model's name.
_INTERFACE = (
    "init",
    "input",
    "output",
    "invoke",
    "invoke_observed",
    "reset",
    "observer",
    "row_fn",
    "selftest",
    "error",
    "prepare_kernels",
    "reset_kernels",
    "set_external_context",
)
#: What else has such names: the functions that kernels share, the emulated board, and C's and
#: POSIX's headers, some of whose functions end with ``_init`` as well.
_OTHERS = frozenset(("ar", "board", "atomic", "cnd", "mtx", "sem", "pthread_cond", "pthread_mutex"))
#: Characters of a model's name, at most: files and libraries are called so.
_LONGEST = 40


class Names:
    """Taken names of a folder, behind the model's name; every name is given away once.

    Args:
        ports: Inputs and outputs, as they are called in C: ``"input0"``.
    """

    def __init__(self, ports: Iterable[str] = ()) -> None:
        helpers = (f"{what}_{port}" for port in ports for what in ("quantize", "dequantize"))
        self._taken = {*_INTERFACE, *helpers}

    def take(self, wanted: str) -> str:
        """A name that nothing else has: with a number more where another thing is called so.

        >>> names = Names()
        >>> names.take("shape_1"), names.take("shape_1"), names.take("reset")
        ('shape_1', 'shape_1_2', 'reset_2')
        """
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name


def identifier(name: str) -> str:
    """A name as a C identifier in lower case: ``"kws int8.tflite"`` gives ``kws_int8_tflite``."""
    word = re.sub(r"[^0-9a-z]+", "_", name.lower()).strip("_") or "model"
    if word[0].isdigit() or word in _OTHERS:
        word = f"model_{word}"
    return word[:_LONGEST].rstrip("_")


def c_name(source: str, name: str | None) -> str:
    """Prefix of all names in C: the one that is asked for, or the file's name.

    Raises:
        ValueError: The name is no C identifier in lower case, or other names begin with it.
    """
    if name is None:
        return identifier(source.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0])
    if identifier(name) != name:
        raise ValueError(
            f"name: expected a C identifier in lower case, with which no other library's names "
            f"begin, such as {identifier(name)!r}, got {name!r}"
        )
    return name
