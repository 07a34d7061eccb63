"""The work and memory that the searches of all passes may take together.

Counted in steps and in bytes that they would keep, not in time: the same file gives the same
result on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, field

#: A step is what one task takes, some microseconds of Python.
MOST_STEPS = 1_000_000
MOST_BYTES = 96 << 20


@dataclass
class Effort:
    """The budget that searches have left.

    Attributes:
        steps: Of work.
        bytes: That one search may keep; it gives them back at its end.
    """

    steps: int = field(default_factory=lambda: MOST_STEPS)
    bytes: int = MOST_BYTES

    def share(self, part: int, whole: int) -> Effort:
        """A part of the steps for one search, which takes them by :meth:`spend`."""
        return Effort(self.steps * part // max(whole, 1), self.bytes)

    def spend(self, steps: int) -> None:
        """Count steps that were taken."""
        self.steps -= steps
