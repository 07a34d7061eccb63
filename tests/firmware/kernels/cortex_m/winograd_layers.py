"""Random 3x3 convolutions that Winograd's tiles take, whatever they cost."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from arenite.firmware.export import ASSEMBLED, KERNELS
from arenite.firmware.kernels.cortex_m import cortex_m_work
from arenite.firmware.kernels.cortex_m.tiles import Tiles
from arenite.firmware.kernels.cortex_m.winograd import winograd
from arenite.firmware.network.kernel import UnsupportedError, Work
from arenite.firmware.network.layers import Layer
from arenite.firmware.plan.budget import Budget
from tests.firmware.kernels.cortex_m.layers import NONE, RELU, RELU6, RELU_N1, SAME, VALID, Layers

_ACTIVATIONS = (NONE, RELU, RELU, RELU_N1, RELU6)
_DEPTHS = (4, 4, 8, 8, 12, 16, 20, 32, 64, 68)


@contextmanager
def always(*sizes: Tiles) -> Iterator[None]:
    """Convolutions that can be are done in such tiles, the sizes in turn; all else as usual."""

    def work(layer: Layer) -> Work:
        try:
            if layer.name == "CONV_2D":
                return winograd(layer, sizes[layer.index % len(sizes)])
        except UnsupportedError:
            pass
        return cortex_m_work(layer)

    kernels = patch.dict(KERNELS, dict.fromkeys(ASSEMBLED, work))  # type: ignore[arg-type]
    with kernels, patch.object(Budget, "most", None):  # they take more memory than TFLM
        yield


def random_winograd(seed: int, count: int, tiles: Tiles) -> Layers:
    """So many convolutions; a seed says everything."""
    net = Layers(seed, extreme=True)
    while len(net) < count:
        _convolution(net, tiles.outputs)
    return net


def _convolution(net: Layers, least: int) -> None:
    rng = net.rng
    padding = (SAME, VALID)[int(rng.integers(2))]
    least += 2 if padding == VALID else 0
    depth = int(rng.choice(_DEPTHS))
    widest = 40 if depth <= 8 else 20 if depth <= 16 else 11
    height, width = rng.integers(least, (least + 8, widest))
    shape = int(height), int(width), depth
    net.heaviest = int(rng.choice((40, 127)))  # deep ones have sums too large for large tiles
    activation = int(rng.choice(_ACTIVATIONS))
    net.conv(shape, int(rng.integers(4, 14)), (3, 3), padding=padding, activation=activation)
