"""Finder of rooms by name, when one is asked for: rooms that are functions too, and pictures.

``ar.optimize(model)`` and ``arenite.optimize.passes`` are one name. Rebinding it to the function
would break ``import arenite.optimize.passes as p``, and importing anything of the room would undo
that.

Notebooks ask a thing itself for its picture. Those are drawn in ``report``, which nothing below it
imports; so classes say ``_repr_html_ = html_of``, and ``report`` is loaded when a notebook asks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from arenite.hooks import call_above


def make_callable(room: str, module: str, name: str) -> None:
    """Make the module ``room`` callable as a function, which is loaded with the first call."""

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


def html_of(thing: object) -> str:
    """A thing as a notebook shows it: a small piece of HTML."""
    html: str = call_above("html", thing)
    return html
