"""How far estimates were off on a Cortex-M55, on random layers that no constant comes from.

By kernel: the median and the worst error in percent of instructions, and how many layers.
"""

from __future__ import annotations

ERRORS: dict[str, tuple[float, float, int]] = {}
