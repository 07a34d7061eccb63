"""How near below its input an output may begin in CMSIS-NN, against compiled functions."""

import numpy as np
import pytest

from arenite.model import Model
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.pad import PadOptions
from arenite.runtime.distances import safe_distances
from tests.libraries.cmsis_nn.measured import LEAST, Geometry
from tests.libraries.cmsis_nn.measured import OVERLAP_PROCESSORS as PROCESSORS
from tests.ops.overlapping import Layer


def slack(kind: str, geometry: Geometry) -> int:
    """Bytes by which what is stated may be larger than it has to be."""
    channels, multiplier = geometry[2], geometry[-1]
    if kind == "max_pool":
        return channels  # a window's first pixel is copied, not compared
    return 3 if kind.startswith("depthwise") and multiplier % 4 == 0 else 0  # four at a time


def window(kind: str, geometry: Geometry) -> Model:
    """A layer with a window, by its sizes as :data:`LEAST` has them."""
    h, w, c, channels, kh, kw, sh, sw, dh, dw, padding, multiplier = geometry
    one = Layer(np.random.default_rng(0), "int8")
    same = one.quantized(-3)
    x = one.x((1, h, w, c), **same)
    size = [
        -(-n // s) if padding == 0 else (n - (k - 1) * d - 1) // s + 1
        for n, k, s, d in ((h, kh, sh, dh), (w, kw, sw, dw))
    ]
    strides = {"stride_h": sh, "stride_w": sw, "padding": padding}
    dilations = {"dilation_h_factor": dh, "dilation_w_factor": dw}
    shape = (1, *size, channels)
    if "pool" in kind:
        y = one.b.tensor("y", shape, "int8", **same)
        pooling = Pool2DOptions(**strides, filter_height=kh, filter_width=kw)
        return one.finish(f"{kind.upper()}_2D", [x], y, pooling)
    if "depthwise" in kind:
        parts = one.weights((1, kh, kw, channels), channels, 3)
        depthwise = DepthwiseConv2DOptions(**strides, **dilations, depth_multiplier=multiplier)
        return one.done("DEPTHWISE_CONV_2D", [x, *parts], shape, depthwise)
    parts = one.weights((channels, kh, kw, c // multiplier), channels, 0)
    return one.done("CONV_2D", [x, *parts], shape, Conv2DOptions(**strides, **dilations))


def padded(geometry: Geometry) -> Model:
    """PAD of an image."""
    shape, pads = (1, *geometry[:3]), np.array((0, 0, *geometry[3:]), np.int32).reshape(4, 2)
    one = Layer(np.random.default_rng(0), "int8")
    same = one.quantized(-3)
    x = one.x(shape, **same)
    at = one.b.constant("pads", pads)
    out = tuple(int(n + sum(pad)) for n, pad in zip(shape, pads, strict=True))
    y = one.b.tensor("y", out, "int8", **same)
    return one.finish("PAD", [x, at], y, PadOptions())


@pytest.mark.parametrize("kind", LEAST)
@pytest.mark.parametrize(("number", "processor"), list(enumerate(PROCESSORS)))
def test_what_is_stated_is_the_least_that_compiled_functions_allow(
    kind: str, number: int, processor: str
) -> None:
    for geometry, least in LEAST[kind]:
        model = padded(geometry) if kind == "pad" else window(kind, geometry)
        stated = [one.distance for one in safe_distances(model, processor)]
        size = model.outputs[0].nbytes
        found = stated[0] if stated else size
        measured = min(least[number], size)
        where = f"{kind} {geometry} on {processor}"
        assert measured <= found, where
        assert not stated or found <= measured + slack(kind, geometry), where


def test_the_layers_tell_processors_apart() -> None:
    pointwise = [least for _, least in LEAST["pointwise"]]
    assert any(m4 > m55 for _, m4, m55 in pointwise)
    assert sum(len(rows) for rows in LEAST.values()) >= 60
