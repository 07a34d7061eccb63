"""The state of CMSIS-NN that a target has, as questions on ``revisions/cmsis_nn.csv``."""

from __future__ import annotations

from arenite.revisions.cmsis_nn import fetched_by, lacks
from arenite.target import Target


def is_before(target: Target, change: str) -> bool:
    """Whether the target's CMSIS-NN, or that of its TFLM's day, has not that change yet."""
    if target.cmsis_nn:
        return lacks(target.cmsis_nn, change)
    return bool(target.tflm) and lacks(fetched_by(target.tflm), change)
