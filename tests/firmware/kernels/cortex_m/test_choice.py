"""Which layers are worth more flash."""

import pytest

from arenite.firmware import export
from tests.firmware.kernels.cortex_m.layers import Layers

#: For scratch memory, of which there is more than in TFLM's arena.
_ROOM = 1 << 20


def test_more_flash_makes_more_layers_faster(tmp_path):
    layers = Layers(10)
    layers.conv((8, 8, 16), 16, (3, 3))
    layers.conv((4, 4, 16), 16, (3, 3))
    model = layers.build()
    plain = export(model, tmp_path / "plain")
    sizes = [one.constant_bytes for one in plain.layers]
    one_more = plain.constant_bytes + 3 * sizes[0]
    for flash, fast in ((plain.constant_bytes, 0), (one_more, 1), (8 * plain.constant_bytes, 2)):
        result = export(model, tmp_path / str(fast), flash=flash, ram=_ROOM)
        assert sum(one.function.startswith("winograd") for one in result.layers) == fast
        assert result.constant_bytes <= flash


def test_tiles_are_as_large_as_flash_allows(tmp_path):
    layers = Layers(12)
    layers.conv((8, 8, 16), 16, (3, 3))
    for flash, name in ((4_000, "conv_2d"), (10_000, "winograd_2x2"), (20_000, "winograd_4x4")):
        (layer,) = export(layers.build(), tmp_path / name, flash=flash, ram=_ROOM).layers
        assert layer.function == f"{name}_1"


def test_too_little_flash_is_refused_with_the_least_that_is_enough(tmp_path):
    layers = Layers(11)
    layers.conv((4, 4, 8), 8)
    with pytest.raises(ValueError, match=r"flash: expected at least \d+ bytes, got 10"):
        export(layers.build(), tmp_path / "m", flash=10)
