"""Random channels: scales, and the sums that they can reach."""

import numpy as np

from arenite.firmware.kernels.cortex_m.steps import Channels

CHANNELS, REACH = 160, 40_000


def channels(seed: int, zero_point: int, reach: int = REACH, shift: int = -6) -> Channels:
    """Channels whose sums reach so far on both sides, shifted so or by one less."""
    rng = np.random.default_rng(seed)
    return Channels(
        multiplier=rng.integers(1 << 30, 1 << 31, CHANNELS),
        shift=rng.integers(shift, shift + 2, CHANNELS),
        zero_point=zero_point,
        least=-rng.integers(reach // 2, reach, CHANNELS),
        most=rng.integers(reach // 2, reach, CHANNELS),
    )
