"""Random models with one pooling operator."""

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.kernel_util import window_output_size
from arenite.ops.shared.pooling import Pool2DOptions
from tests.ops.convolutions import windows
from tests.ops.differential import one_operator


@st.composite
def pooling_models(draw: st.DrawFn, operator: str, *kinds: str) -> Model:
    """Any window, type (of ``kinds``, else of all), quantisation and activation."""
    kind = draw(st.sampled_from(kinds or ("int8", "int8", "int16", "float32")))
    window = draw(windows(dilations=(1,)))
    batch, depth = draw(st.integers(1, 2)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    quantization: dict[str, float] = {}
    if kind != "float32":
        limits = np.iinfo(kind)
        zero_point = rng.choice([0, limits.min, limits.max, rng.integers(limits.min, limits.max)])
        quantization = {"scale": 10.0 ** rng.uniform(-6, 2), "zero_point": int(zero_point)}
    b = ModelBuilder()
    x = b.input("x", (batch, *window.size, depth), kind, **quantization)
    y = b.tensor("y", (batch, *window.output, depth), kind, **quantization)
    options = Pool2DOptions(
        padding=window.padding,
        stride_w=window.stride[1],
        stride_h=window.stride[0],
        filter_width=window.filter[1],
        filter_height=window.filter[0],
        fused_activation_function=draw(st.integers(0, 5)),
    )
    return one_operator(b, operator, [x], [y], options)


def pooling(
    operator: str,
    size: tuple[int, int],
    window: tuple[int, int],
    *,
    kind: str = "int8",
    output_kind: str = "",
    padding: int = 1,
    stride: int = 1,
    activation: int = 0,
    scales: tuple[float, float] = (1.0, 1.0),
    zero_points: tuple[int, int] = (0, 0),
) -> Model:
    """A model that pools one image of one channel; scales of input and output."""
    b = ModelBuilder()
    x = b.input("x", (1, *size, 1), kind, scale=scales[0], zero_point=zero_points[0])
    output = [
        max(1, window_output_size(padding, *axis, 1, 1)) for axis in zip(size, window, strict=True)
    ]
    y = b.tensor(
        "y", (1, *output, 1), output_kind or kind, scale=scales[1], zero_point=zero_points[1]
    )
    options = Pool2DOptions(
        padding=padding,
        stride_w=stride,
        stride_h=stride,
        filter_width=window[1],
        filter_height=window[0],
        fused_activation_function=activation,
    )
    return one_operator(b, operator, [x], [y], options)


def bad_poolings(operator: str) -> list[tuple[Model, str]]:
    """Models that are refused, and a part of the reason."""
    return [
        (pooling(operator, (2, 2), (3, 3)), "a filter of (3, 3) does not fit an input of (2, 2)"),
        (pooling(operator, (2, 2), (1, 1), stride=0), "must be at least 1"),
        (pooling(operator, (2, 2), (0, 1)), "must be at least 1"),
        (pooling(operator, (2, 2), (1, 1), scales=(1.0, 1.1)), "has the input's zero point"),
        (pooling(operator, (2, 2), (1, 1), zero_points=(0, 1)), "has the input's zero point"),
        (
            pooling(operator, (2, 2), (1, 1), scales=(0.0, 0.0), activation=1),
            "TFLM runs this with bounds that it never sets: what its arena held before",
        ),
        (pooling(operator, (2, 2), (1, 1), kind="uint8"), "is one of: float32, int8, int16"),
        (pooling(operator, (2, 2), (1, 1), output_kind="int16"), "have the same type"),
    ]
