"""Names of a file, for people: a file may call a tensor anything."""

from __future__ import annotations

import re

#: What CI systems take for commands: GitHub's ``::`` begins a line, its older ``##[``, Azure's and
#: TeamCity's may stand anywhere (``ActionCommand.cs`` of GitHub's runner).
COMMAND = re.compile(r"^[^\S\n]*(:)(?=:)|(#)(?=#(?:\[|vso\[|teamcity\[))", re.MULTILINE)


def printable(text: str) -> str:
    r"""``text`` with everything that a terminal would act on escaped.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def inert(text: str) -> str:
    r"""``text``, in which no line is a command of a CI system.

    >>> inert("::error::approved")
    '\\x3a:error::approved'
    """
    return COMMAND.sub(lambda found: found[0][:-1] + escaped(found[0][-1]), text)


def escaped(char: str) -> str:
    r"""A character as Python writes it: ``\x3a`` for a colon."""
    return f"\\x{ord(char):02x}"
