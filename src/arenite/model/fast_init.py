"""Frozen dataclasses of which loading a model makes thousands."""

from __future__ import annotations

import sys
from dataclasses import MISSING, fields
from typing import Any, TypeVar

T = TypeVar("T")


def quick(cls: type[T]) -> type[T]:
    """Let a frozen dataclass fill its objects at once: under half of the time.

    ``dataclass`` stores every field through ``object.__setattr__``, a call each, because the class
    refuses assignments. Here ``__init__``, of the same arguments, writes to the object's dict, as
    that of a frozen class of ``attrs`` does.

    Raises:
        TypeError: The class has slots, a ``__post_init__``, or defaults to be made.
    """
    ours: Any = cls
    is_plain = all(f.init and f.default_factory is MISSING for f in fields(ours))
    if not is_plain or hasattr(cls, "__post_init__") or hasattr(cls, "__slots__"):
        raise TypeError(f"{cls.__name__}: expected a dataclass of plain fields without slots")
    if sys.version_info < (3, 11):
        return cls  # where a dict that is written to shares no names with others
    names = [f.name for f in fields(ours)]
    lines = [f"    state[{name!r}] = {name}" for name in names]
    source = f"def __init__(self, {', '.join(names)}):\n    state = self.__dict__\n"
    made: dict[str, Any] = {}
    # As ``dataclasses`` makes its own; the names of fields stand in the source code. Without this
    # an interpreter of a keyword spotter takes 4 % longer to make.
    exec(source + "\n".join(lines), made)
    init, before = made["__init__"], ours.__init__
    init.__defaults__, init.__annotations__ = before.__defaults__, before.__annotations__
    init.__qualname__, init.__module__ = before.__qualname__, cls.__module__
    ours.__init__ = init
    return cls
