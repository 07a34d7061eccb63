"""The result of a rule for an operator."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Changed(NamedTuple):
    """The rule changed something; what, and why that is allowed."""

    text: str
    is_change: bool = True


class Declined(NamedTuple):
    """The rule would have changed something; why it did not."""

    text: str
    is_change: bool = False


#: None where a rule does not apply.
Result: TypeAlias = Changed | Declined | None
