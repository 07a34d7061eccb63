"""3x3 convolutions with four products in the place of nine."""

from __future__ import annotations

import numpy as np
import pytest

from arenite.firmware.cortex_m.winograd import winograd
from arenite.firmware.work import UnsupportedError
from tests.firmware.cortex_m.layers import NONE, VALID, Layers

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")


def test_all_layers_are_equal_on_the_board():
    layers = Layers(7)
    layers.conv((4, 4, 12), 12, (3, 3))
    layers.conv((6, 8, 8), 16, (3, 3), activation=NONE)
    layers.conv((2, 12, 20), 12, (3, 3))
    layers.conv((8, 8, 32), 12, (3, 3), activation=NONE)
    assert all(winograd(layer).routine.stem == "winograd" for layer in layers.layers())
    result = layers.run(flash=1 << 20)
    assert result.differences == ()
    assert [layer.function[:8] for layer in result.layers] == ["winograd"] * 4


@pytest.mark.parametrize(
    "layer",
    [
        lambda net: net.conv((4, 4, 4), 4, (3, 3), stride=2),
        lambda net: net.conv((4, 4, 4), 4, (3, 3), padding=VALID),
        lambda net: net.conv((4, 4, 4), 4, (1, 1)),
        lambda net: net.conv((5, 4, 4), 4, (3, 3)),
        lambda net: net.conv((4, 6, 4), 4, (3, 3)),
    ],
)
def test_other_convolutions_are_refused(layer):
    layers = Layers(8)
    layer(layers)
    with pytest.raises(UnsupportedError, match="expected"):
        winograd(layers.layers()[0])


def test_sums_of_transformed_products_are_the_convolution_times_64():
    rng = np.random.default_rng(0)
    x, w = rng.integers(-128, 128, (4, 4)), rng.integers(-127, 128, (3, 3))
    g = np.array([[2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, 2]])
    b = np.array([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]])
    a = np.array([[1, 1, 1, 0], [0, 1, -1, -1]])
    sums = a @ ((16 * g @ w @ g.T) * (b @ x @ b.T)) @ a.T
    wanted = [[(x[i : i + 3, j : j + 3] * w).sum() for j in (0, 1)] for i in (0, 1)]
    np.testing.assert_array_equal(sums, 64 * np.array(wanted))
