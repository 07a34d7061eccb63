"""Pooling: scratch bytes."""

from arenite.libraries.cmsis_nn.decisions.pooling import window_sums
from tests.libraries.cmsis_nn.decisions.geometry import DSP, MVE, PLAIN


def test_average_pooling_sums_in_memory_with_dsp_instructions_only() -> None:
    sizes = [sum(request.size for request in window_sums(64, t)) for t in (PLAIN, DSP, MVE)]
    assert sizes == [0, 256, 0]
