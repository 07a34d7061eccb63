"""Which function does the work, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Condition(NamedTuple):
    """Something that was asked on the way to a function.

    Attributes:
        sentence: What, behind a colon what the operator has there.
        holds: The answer.
        function: The function that is taken if it holds, with all others of that function.
    """

    sentence: str
    holds: bool
    function: str = ""


@dataclass(frozen=True)
class Path:
    """The function that an operator's work goes to.

    Attributes:
        function: The function that was chosen; TFLM's own where CMSIS-NN has none.
        conditions: What was asked, in order, with the values that answer it.
        calls: The functions in turn that lead from TFLM's kernel to the innermost loops.
    """

    function: str
    conditions: tuple[Condition, ...] = ()
    calls: tuple[str, ...] = ()

    @property
    def is_cmsis_nn(self) -> bool:
        """Whether the function is CMSIS-NN's."""
        return self.function.startswith("arm_")

    def after(self, *conditions: Condition) -> Path:
        """The same path with conditions that were asked before."""
        return Path(self.function, (*conditions, *self.conditions), self.calls)


def asked_for(function: str, *conditions: Condition) -> tuple[Condition, ...]:
    """The conditions as those of ``function``."""
    return tuple(condition._replace(function=function) for condition in conditions)


def path_to(function: str, conditions: tuple[Condition, ...], *inner: str, outer: str = "") -> Path:
    """A path to ``function``, called by ``outer`` and calling ``inner`` in turn."""
    return Path(function, conditions, (*filter(None, (outer,)), function, *inner))


def path_to_reference(function: str, *conditions: Condition) -> Path:
    """A path to TFLM's own kernel."""
    return Path(f"reference_ops::{function}", conditions, (f"reference_ops::{function}",))
