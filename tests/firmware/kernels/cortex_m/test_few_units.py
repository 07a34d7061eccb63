"""Products with a matrix of one or two columns, of one row of inputs and of several."""

import pytest

from arenite.firmware.kernels.cortex_m import cortex_m_work
from arenite.firmware.kernels.cortex_m.few_units import code
from arenite.firmware.kernels.cortex_m.requantize import Finish
from tests.firmware.kernels.cortex_m.layers import (
    NONE,
    RELU,
    RELU_N1,
    Layers,
    assert_equal_in_assembly,
)

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")


def stems(layers):
    return {cortex_m_work(one).routine.stem for one in layers.layers()}


@pytest.mark.parametrize("activation", [NONE, RELU, RELU_N1])
def test_all_are_equal(activation):
    layers = Layers(60 + activation)
    for depth, units, rows in ((1, 1, 1), (8, 1, 1), (40, 1, 5), (37, 2, 3), (300, 1, 1)):
        layers.dense(depth, units, activation, rows)
    layers.conv((4, 3, 20), 2, activation=activation)
    layers.conv((2, 2, 3), 1, activation=activation)
    assert stems(layers) == {"few_units"}
    assert_equal_in_assembly(layers)


def test_of_any_scales():
    layers = Layers(2000, extreme=True)
    for _ in range(20):
        depth, units, rows = (int(layers.rng.integers(1, most)) for most in (200, 3, 5))
        layers.dense(depth, units, NONE, rows)
    assert_equal_in_assembly(layers)


def test_many_weights_stay_in_bytes():
    layers = Layers(61)
    layers.dense(5000, 1)
    layers.dense(8, 3)
    assert stems(layers) == {"long_row", "fully_connected"}


def test_words_are_loaded_together_only_where_every_row_begins_at_one():
    assert "ldm r0!" in code(3, 36, 1, Finish(8))
    assert "ldm r0!" not in code(3, 37, 1, Finish(8))
