"""Names of a file, for people: a file may call a tensor anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arenite.model.model import Tensor


def printable(text: str) -> str:
    r"""``text`` with everything that a terminal would act on escaped.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def tensor_text(tensor: Tensor) -> str:
    """A tensor's type and shape: ``int8[1,49,10,1]``."""
    return f"{tensor.type}[{','.join(map(str, tensor.shape))}]"
