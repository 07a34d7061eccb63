"""A smaller and faster model with the same outputs: passes from ``Model`` to ``Model``.

``arenite.optimize`` is two things: the function that users call, and the room that it lives in.
The module is callable, so that each is where one looks for it:

>>> optimize, Settings = ar.optimize, ar.optimize.settings.Settings     # doctest: +SKIP
>>> smaller, report = ar.optimize("model.tflite", "cortex-m4")          # doctest: +SKIP

Type checkers see the function, :func:`arenite.optimize.optimizer.optimize`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from arenite.model import Model
    from arenite.optimize.outcome import Report


class _Room(ModuleType):
    def __call__(self, *args: Any, **settings: Any) -> tuple[Model, Report]:
        """See :func:`arenite.optimize.optimizer.optimize`."""
        return self.__wrapped__(*args, **settings)

    @property
    def __wrapped__(self) -> Callable[..., tuple[Model, Report]]:
        # What ``inspect`` and ``help`` ask for the signature; loaded when it is needed.
        from arenite.optimize.optimizer import optimize  # noqa: PLC0415

        return optimize


sys.modules[__name__].__class__ = _Room
