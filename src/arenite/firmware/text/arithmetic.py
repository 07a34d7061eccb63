"""``arithmetic.h``: the arithmetic that a program's kernels share, and nothing that none uses.

The functions are in the ``.h`` files beside this one.
"""

from __future__ import annotations

import re

from arenite.c_text import header

_HEADER = header(__name__, "arithmetic_head.h")
#: Files of functions, each of which calls only those before it, and those of files before its own.
_FILES = ("integer_functions", "float_arithmetic", "float_functions", "double_functions")
_FUNCTION = re.compile(r"^static inline \w+ (ar_\w+)\(", re.M)


def functions_of(text: str) -> dict[str, str]:
    """C functions by name, each with the comment above it."""
    functions = {}
    for piece in re.split(r"\n\n(?=/\*|static)", text.strip()):
        names = _FUNCTION.findall(piece)
        assert len(names) == 1, piece
        functions[names[0]] = piece
    return functions


#: All of them by name.
FUNCTIONS = functions_of("\n\n".join(header(__name__, f"{stem}.h") for stem in _FILES))


def arithmetic_h(kernels: str) -> str:
    """The header with what some kernels call, and what that calls, in an order that C takes."""
    wanted: set[str] = set()

    def add(text: str) -> None:
        for name in set(re.findall(r"\bar_\w+", text)) & FUNCTIONS.keys() - wanted:
            wanted.add(name)
            add(FUNCTIONS[name])

    add(kernels)
    functions = [text for name, text in FUNCTIONS.items() if name in wanted]
    return "\n\n".join([_HEADER.rstrip(), *functions, "#endif\n"])
