"""Names of a file, for people: a file may call a tensor anything."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""``text`` with everything that a terminal would act on escaped.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )
