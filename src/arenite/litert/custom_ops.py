"""An interpreter with operators of the caller's own, as LiteRT's is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from arenite.litert.interpreter import Interpreter
from arenite.ops import AllOpsResolver


class InterpreterWithCustomOps(Interpreter):
    """An interpreter with operators of the caller's own.

    Args:
        custom_op_registerers: Functions that get a resolver (:class:`arenite.AllOpsResolver`) and
            add their operators to it: ``resolver.add_custom(name, ar.Registration(...))``.
            LiteRT's are C++ functions, or their names; of these none can be called here.
        options: The arguments of :class:`Interpreter`.

    Raises:
        ValueError: A registerer is a name, or the interpreter cannot be made.
    """

    def __init__(
        self,
        custom_op_registerers: Sequence[str | Callable[[AllOpsResolver], object]] | None = None,
        **options: Any,
    ) -> None:
        resolver = AllOpsResolver()
        for registerer in custom_op_registerers or ():
            if isinstance(registerer, str):
                raise ValueError(
                    f"Looking up symbol '{registerer}' failed: it is a function of a C++ library; "
                    "give a Python function that calls resolver.add_custom(name, registration)"
                )
            registerer(resolver)
        super().__init__(**{"resolver": resolver, **options})
