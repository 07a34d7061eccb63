"""FULLY_CONNECTED: which function it goes to, why, and memory."""

import pytest

from arenite.libraries.cmsis_nn.decisions.fully_connected import fully_connected_s8, kernel_sums
from arenite.libraries.shapes import DenseShape
from tests.libraries.cmsis_nn.decisions.geometry import DSP, MVE, PLAIN, asked


@pytest.mark.parametrize(
    ("layer", "function"),
    [
        (DenseShape(1, 8, 4), "arm_fully_connected_s8"),
        (DenseShape(1, 8, 4, per_channel=True), "arm_fully_connected_per_channel_s8"),
        (DenseShape(6, 8, 4, rank=3), "arm_convolve_1x1_s8_fast"),
        (DenseShape(6, 8, 4, rank=3, per_channel=True), "arm_convolve_1x1_s8_fast"),
        (DenseShape(6, 7, 4, rank=3), "arm_fully_connected_s8"),
    ],
)
def test_fully_connected(layer: DenseShape, function: str) -> None:
    path = fully_connected_s8(layer, DSP)
    assert path.function == function
    assert asked(path)[:2] == (
        (f"the output has more than 2 dimensions: {layer.rank}", layer.rank > 2),
        (f"the depth is a multiple of 4: {layer.depth}", layer.depth % 4 == 0),
    )


def test_sums_of_weights_are_kept_for_vectors() -> None:
    paths = [fully_connected_s8(DenseShape(1, 8, 10), target) for target in (PLAIN, DSP, MVE)]
    assert [sum(kept.size for kept in path.persistent) for path in paths] == [0, 0, 40]
    assert [path.scratch for path in paths] == [()] * 3


def test_sums_of_weights_that_change_are_scratch_memory() -> None:
    path = fully_connected_s8(DenseShape(1, 8, 10), MVE, keeps_sums=False)
    assert (path.scratch, path.persistent) == (kernel_sums(10, MVE), ())
