"""Need of a model for one thing, next to what there is: RAM, flash or time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: ``"marginal"``: the limit lies within what the estimate may be off.
Verdict = Literal["fits", "marginal", "exceeds", "unknown", "no limit"]


@dataclass(frozen=True)
class Need:
    """One thing that a model needs, and what there is of it.

    Attributes:
        name: ``"RAM"``, ``"flash"`` or ``"time"``.
        unit: ``"bytes"`` or ``"ms"``.
        parts: What it is made of, by name.
        limit: What there is; None if that was not said.
        note: What is not in it, how sure it is, or why it is not known.
        is_known: Whether ``parts`` are all there is; otherwise it is at least their sum.
        low: The least that it can be; by default the sum of its parts.
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

    @property
    def total(self) -> float:
        """The sum of its parts: an estimate where ``low`` and ``high`` differ."""
        return sum(self.parts.values())

    @property
    def least(self) -> float:
        """The least that it can be."""
        return self.total if self.low is None else self.low

    @property
    def most(self) -> float:
        """The most that it can be, if all of it is known."""
        return self.total if self.high is None else self.high

    @property
    def left(self) -> float | None:
        """Rest below the limit at worst; None if not all is known, negative if exceeded."""
        if self.limit is None or not self.parts:
            return None
        if self.verdict == "exceeds":
            return self.limit - self.least
        return self.limit - self.most if self.is_known else None

    @property
    def verdict(self) -> Verdict:
        """A part that is unknown makes a fit unknown, and an excess no better."""
        if self.limit is None:
            return "no limit"
        if self.parts and self.least > self.limit:
            return "exceeds"
        if not self.is_known or not self.parts:
            return "unknown"
        return "fits" if self.most <= self.limit else "marginal"

    @property
    def amount(self) -> str:
        """Need in words: ``"22,832 bytes"``, ``"72 to 115 ms"``, ``"at least 3 ms"``."""
        if not self.parts:
            return "not known"
        if not self.is_known:
            return f"at least {amount(self.least, self.unit)}"
        low, high = amount(self.least, self.unit), amount(self.most, self.unit)
        return high if low == high else f"{low.rpartition(' ')[0]} to {high}"


def amount(value: float, unit: str) -> str:
    """``22,832 bytes``, ``9.53 ms``."""
    if unit == "bytes":
        return f"{value:,.0f} bytes"
    return f"{value:,.0f} {unit}" if abs(value) >= 1000 else f"{value:.3g} {unit}"
