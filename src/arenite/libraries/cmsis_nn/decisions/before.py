"""The state of CMSIS-NN that a target has, as questions on ``revisions/cmsis_nn.csv``."""

from __future__ import annotations

from arenite.revisions.cmsis_nn import lacks
from arenite.target import Target


def is_before(target: Target, change: str) -> bool:
    """Whether the target's CMSIS-NN has not that change yet."""
    return bool(target.cmsis_nn) and lacks(target.cmsis_nn, change)
