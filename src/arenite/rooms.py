"""Rooms of the package that are functions too: ``ar.optimize(model)``, ``arenite.optimize.passes``.

Rebinding the room's name to the function would break ``import arenite.optimize.passes as p``, and
importing anything of the room would undo it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any


def make_callable(room: str, module: str, name: str) -> None:
    """Let calls of the module ``room`` be calls of a function, which is loaded when one comes."""

    def function() -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(import_module(module), name)
        return found

    class Room(ModuleType):
        def __call__(self, *args: Any, **settings: Any) -> Any:
            return function()(*args, **settings)

        @property
        def __wrapped__(self) -> Callable[..., Any]:
            # What ``inspect`` and ``help`` ask for the signature.
            return function()

    sys.modules[room].__class__ = Room
