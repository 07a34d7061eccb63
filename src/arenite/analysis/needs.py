"""Need of a model for one thing, next to what there is: RAM, flash or time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

#: ``"marginal"``: the limit lies within what the estimate may be off.
Verdict = Literal["fits", "marginal", "exceeds", "unknown", "no limit"]


@dataclass(frozen=True)
class Need:
    """One thing that a model needs, and what there is of it.

    Attributes:
        name: ``"RAM"``, ``"flash"`` or ``"time"``.
        unit: ``"bytes"`` or ``"ms"``.
        parts: What it is made of, by name; nothing where it is not known.
        limit: What there is; None if that was not said.
        note: What is not in it, how sure it is, or why it is not known.
        is_known: Whether it is known as a whole.
        low: The least that it can be; by default the sum of its parts. Where it is not known, a
            bound that nothing undercuts, if there is one: no estimate.
        high: The most; by default the sum of its parts.
        where: The bank of RAM that the limit is of, if that is known.
    """

    name: str
    unit: str
    parts: dict[str, float]
    limit: float | None
    note: str = ""
    is_known: bool = True
    low: float | None = None
    high: float | None = None
    where: str = ""

    def __post_init__(self) -> None:
        if not self.is_known and self.parts:
            raise ValueError(f"expected no parts of what is not known, got {self.parts}")

    def noted(self, more: str) -> Need:
        """The same with more in its note."""
        return replace(self, note=self.note + more)

    @property
    def total(self) -> float | None:
        """The sum of its parts, between ``least`` and ``most``; None where it is not known."""
        return sum(self.parts.values()) if self.parts else None

    @property
    def least(self) -> float | None:
        """The least that it can be; None where nothing is known."""
        return self.total if self.low is None else self.low

    @property
    def most(self) -> float | None:
        """The most that it can be; None where it is not known."""
        return self.total if self.high is None else self.high

    @property
    def left(self) -> float | None:
        """Rest below the limit at worst; None if it is not known, negative if exceeded."""
        if self.limit is None or self.least is None:
            return None
        if self.least > self.limit:
            return self.limit - self.least
        return None if self.most is None else self.limit - self.most

    @property
    def verdict(self) -> Verdict:
        """``"unknown"`` where nothing is sure; a bound alone can exceed."""
        if self.limit is None:
            return "no limit"
        if self.least is not None and self.least > self.limit:
            return "exceeds"
        if self.most is None:
            return "unknown"
        return "fits" if self.most <= self.limit else "marginal"

    @property
    def amount(self) -> str:
        """Need in words: ``"22,832 bytes"``, ``"72 to 115 ms"``, ``"not known"``."""
        if self.least is None or self.most is None:
            return "not known"
        low, high = amount(self.least, self.unit), amount(self.most, self.unit)
        return high if low == high else f"{low.rpartition(' ')[0]} to {high}"


def amount(value: float, unit: str) -> str:
    """``22,832 bytes``, ``9.53 ms``."""
    if unit == "bytes":
        return f"{value:,.0f} bytes"
    return f"{value:,.0f} {unit}" if abs(value) >= 1000 else f"{value:.3g} {unit}"
