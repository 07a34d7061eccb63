"""Native int8 convolutions equal the reference on images and filters of all proportions.

The operators' own tests draw small models. Here are those whose rows, columns and channels fill
the kernels' blocks, in every combination with strides, dilations and paddings.
"""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.differential import CASES, differential

pytest.importorskip("arenite.native._engine")

from arenite.native.program import available_isas
from tests.native.convolutions import check, convolution, largest_sum
from tests.native.layers import Layer, Pair, build, parts_are_the_whole

#: Products of the largest layer.
MOST = 3_000_000
CHANNELS = st.sampled_from([1, 2, 3, 4, 8, 16, 24, 32, 40, 48, 64, 128]) | st.integers(1, 140)


#: Columns that lie side by side in the output, and apart in the input.
APART = Layer("DEPTHWISE_CONV_2D", (1, 20, 12, 16), (1, 1), 16, (1, 3), (1, 1), 0, 0)


def pairs(*common: int, most: int) -> st.SearchStrategy[Pair]:
    """The same in both directions, more often than not."""
    either = st.tuples(st.integers(1, most), st.integers(1, most))
    return st.sampled_from([(n, n) for n in common]) | either if common else either


@st.composite
def layers(draw: st.DrawFn) -> Layer:
    name = draw(st.sampled_from(["CONV_2D", "DEPTHWISE_CONV_2D"]))
    channels = draw(CHANNELS)
    multiplier = draw(st.sampled_from([1, 1, 1, 1, 2]) if channels > 1 else st.integers(1, 20))
    layer = Layer(
        name=name,
        image=(
            draw(st.integers(1, 2)),
            draw(st.integers(1, 33)),
            draw(st.integers(1, 33)),
            channels,
        ),
        filter=draw(pairs(3, 3, 1, most=9)),
        filters=draw(CHANNELS) if name == "CONV_2D" else channels * multiplier,
        stride=draw(pairs(1, 1, 2, most=3)),
        dilation=draw(pairs(1, 1, 1, most=3)),
        padding=draw(st.integers(0, 1)),
        activation=draw(st.integers(0, 3)),
    )
    assume(min(layer.output) > 0 and np.prod(layer.output) * layer.depth <= MOST)
    return layer


@st.composite
def first_layers(draw: st.DrawFn) -> Layer:
    """Eight filters over an image's channels, every other column: rows of 16 positions and more."""
    depth, width = draw(st.sampled_from([1, 3])), draw(st.integers(31, 133))
    name = draw(st.sampled_from(["CONV_2D", "DEPTHWISE_CONV_2D"])) if depth == 1 else "CONV_2D"
    return Layer(
        name=name,
        image=(draw(st.integers(1, 2)), draw(st.integers(5, 19)), width, depth),
        filter=(3, 3),
        filters=8,
        stride=(draw(st.integers(1, 3)), 2),
        dilation=(draw(st.integers(1, 2)), 1),
        padding=draw(st.integers(0, 1)),
        activation=draw(st.integers(0, 3)),
    )


@st.composite
def row_layers(draw: st.DrawFn) -> Layer:
    """Depthwise 3x3 filters on all columns or every other one; some channels divide 64."""
    channels = draw(st.sampled_from([8, 16, 32, 48, 64, 128, 192]))
    height, width = draw(st.integers(3, 9)), draw(st.integers(3, 24))
    return Layer(
        name="DEPTHWISE_CONV_2D",
        image=(draw(st.integers(1, 2)), height, width, channels),
        filter=(3, 3),
        filters=channels,
        stride=draw(st.sampled_from([(1, 1), (1, 1), (1, 2), (2, 2), (3, 2)])),
        dilation=(1, 1),
        padding=draw(st.integers(0, 1)),
        activation=draw(st.integers(0, 3)),
    )


@st.composite
def single_layers(draw: st.DrawFn) -> Layer:
    """One position in a row of the output, in runs that are whole words and that are not."""
    filter_size, depth = draw(st.integers(1, 4)), draw(st.integers(1, 70))
    padding = draw(st.integers(0, 1))
    height = draw(st.integers(filter_size, 6))
    return Layer(
        name="CONV_2D",
        image=(draw(st.integers(1, 2)), height, filter_size, depth),
        filter=(filter_size, filter_size),
        filters=draw(st.integers(1, 140)),
        stride=(draw(st.integers(1, 2)), filter_size),
        dilation=(1, 1),
        padding=padding,
        activation=draw(st.integers(0, 3)),
    )


LAYERS = layers() | first_layers() | row_layers() | single_layers()


@pytest.mark.parametrize("isa", available_isas())
@settings(differential, max_examples=4 * CASES)
@given(layer=LAYERS, seed=st.integers(0, 2**32 - 1))
@example(layer=APART, seed=0)
def test_equals_the_reference(isa: str, layer: Layer, seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = build(layer, rng)
    reference, native = HeapInterpreter(model), HeapInterpreter(model)
    x = rng.integers(-128, 128, layer.image, np.int8)
    for interpreter in (reference, native):
        interpreter.allocate_tensors()
        interpreter.input(0)[...] = x
    reference.invoke()
    native.compile(isa).invoke()
    np.testing.assert_array_equal(native.output(0), reference.output(0))


@pytest.mark.parametrize("isa", available_isas())
@settings(differential, max_examples=2 * CASES)
@given(
    layer=LAYERS,
    seed=st.integers(0, 2**32 - 1),
    parts=st.sampled_from([2, 3, 5, 16]),
)
@example(layer=APART, seed=0, parts=3)
def test_its_parts_are_the_whole(isa: str, layer: Layer, seed: int, parts: int) -> None:
    parts_are_the_whole(isa, layer, seed, parts)


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("size", [(2, 2), (3, 1), (4, 2)])
def test_the_only_output_of_an_image_leaves_its_other_pixels_out(
    isa: str, size: tuple[int, int]
) -> None:
    rng = np.random.default_rng(7)
    x = rng.integers(-128, 128, (3, *size, 5), np.int8)
    weights = rng.integers(-128, 128, (6, 1, 1, 5), np.int8)
    check(isa, x, convolution(x, weights, max(size), largest_sum(weights) / 200))
