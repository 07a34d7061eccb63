"""The phases of an interpreter's life, and the guard that keeps calls inside them."""

from __future__ import annotations

from enum import Enum

from arenite.errors import StateError


class InterpreterState(Enum):
    """TFLM's ``MicroInterpreterContext::InterpreterState``."""

    INIT = "init"
    PREPARE = "prepare"
    MEMORY_PLANNING = "memory planning"
    INVOKE = "invoke"


class StateGuard:
    """Holds the current phase and refuses calls that are not legal in it."""

    def __init__(self) -> None:
        #: The current phase; an attribute, because every inference reads it.
        self.state = InterpreterState.INIT

    def set_state(self, state: InterpreterState) -> None:
        """Enter a phase."""
        self.state = state

    def require(self, call: str, *legal: InterpreterState, before: str = "") -> None:
        """Raise ``StateError`` unless the current phase is one of the legal ones.

        ``before`` names the call that ends the first phase, where the user makes it.
        """
        if self.state not in legal:
            phases = " or ".join(state.value for state in legal)
            advice = (
                f"; call {before} first" if before and self.state is InterpreterState.INIT else ""
            )
            raise StateError(
                f"{call} is legal in the {phases} phase, the interpreter is in the "
                f"{self.state.value} phase{advice}"
            )
