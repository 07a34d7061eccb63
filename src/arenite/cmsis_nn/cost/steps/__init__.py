"""What one pass of a loop costs, by processor, function and step: instructions and cycles."""

from __future__ import annotations

from arenite.cmsis_nn.cost.steps import cortex_m4, cortex_m7, cortex_m55

Steps = dict[str, dict[str, tuple[float, float]]]

STEPS: dict[str, Steps] = {
    "cortex-m4": cortex_m4.STEPS,
    "cortex-m7": cortex_m7.STEPS,
    "cortex-m55": cortex_m55.STEPS,
}
