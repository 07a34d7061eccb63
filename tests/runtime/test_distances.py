"""Safe distances of a model: one target's, or what all of them allow."""

import numpy as np
import pytest

from arenite.memory.overlap import Order
from arenite.model import Model, ModelBuilder
from arenite.ops import AllOpsResolver, MutableOpResolver, Registration, builtin
from arenite.ops.shared.add_sub import AddOptions
from arenite.runtime.distances import BUILDS, SafeDistance, safe_distances
from arenite.runtime.loop_order import order_of
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.target import Target
from tests.ops.differential import CASES as COUNT
from tests.ops.overlapping import CASES, Layer, conv, depthwise, pointwise, pool


def order(model: Model, target: Target, position: int = 0) -> Order | None:
    """In which order the model's operator reads an input and writes its output."""
    micro = MicroInterpreter.in_smallest_arena(model, AllOpsResolver(), target=target)
    graph = micro.life.graph
    graph.host.enter_node(0, 0)
    return order_of(graph.host, graph.entry(0), position)


def limited(found: Order | None, size: int) -> tuple[int, int] | None:
    """An order's distance and step; None where that is none below the output's size."""
    if found is None:
        return None
    if found.unit == 0:
        return 0, 0
    least = found.distance()
    rounded = -(-least // found.unit) * found.unit
    return (rounded, found.unit) if rounded < size else None


WIDE = {
    "conv_wide": lambda rng: conv(rng, channels=40),
    "pointwise_wide": lambda rng: pointwise(rng, channels=40),
    "depthwise_wide": lambda rng: depthwise(rng, channels=160),
    "average_pool_wide": lambda rng: pool(rng, "AVERAGE_POOL_2D", channels=60),
    "max_pool_wide": lambda rng: pool(rng, "MAX_POOL_2D", channels=60),
}


@pytest.mark.parametrize("build", BUILDS, ids=str)
@pytest.mark.parametrize("name", [*CASES, *WIDE])
def test_what_is_stated_is_what_the_steps_of_the_loops_say(name: str, build: Target) -> None:
    rng = np.random.default_rng(11)
    for _ in range(max(8, COUNT // 2)):
        model = {**CASES, **WIDE}[name](rng)
        first, size = model.main.operators[0].inputs[0], model.outputs[0].nbytes
        stated = [one for one in safe_distances(model, build) if one.input_tensor == first]
        expected = (stated[0].distance, stated[0].step) if stated else None
        assert limited(order(model, build), size) == expected, f"on {build}:\n{model}"


def chain() -> Model:
    """A pointwise convolution from 4 channels to 4 on 3 x 3 pixels, then RELU."""
    layer = Layer(np.random.default_rng(0), "int8")
    x = layer.x((1, 3, 3, 4))
    weights = layer.weights((4, 1, 1, 4), 4, 0)
    from arenite.ops.tflite.conv_2d import Conv2DOptions

    options = Conv2DOptions(stride_h=1, stride_w=1)
    y = layer.b.tensor("y", (1, 3, 3, 4), "int8", **layer.quantized(2, 0.1))
    z = layer.b.tensor("z", (1, 3, 3, 4), "int8", **layer.quantized(2, 0.1))
    layer.b.operator("CONV_2D", [x, *weights], [y], options)
    layer.b.operator("RELU", [y], [z])
    layer.b.output(z)
    return layer.b.build()


def test_a_pointwise_convolution_of_the_reference_is_ahead_by_a_pixel_less_a_channel() -> None:
    assert safe_distances(chain()) == (
        SafeDistance(0, 0, output_tensor=3, input_tensor=0, distance=3),
        SafeDistance(0, 1, output_tensor=4, input_tensor=3, distance=0),
    )


def test_the_same_on_a_cortex_m4_takes_pairs_of_channels_through_the_image() -> None:
    conv, _ = safe_distances(chain(), "cortex-m4")
    assert conv.distance == 8 * 4 + 2  # all pixels but the last, and its first pair


def test_vectors_take_four_pixels_at_a_time() -> None:
    conv, _ = safe_distances(chain(), "cortex-m55")
    assert conv.distance == 4 * 4 - 1


def test_portable_is_the_greatest_of_all() -> None:
    model = chain()
    conv, relu = safe_distances(model, mode="portable")
    found = [safe_distances(model, build)[0].distance for build in BUILDS]
    assert (conv.distance, relu.distance) == (max(found), 0)


def test_none_is_none() -> None:
    assert safe_distances(chain(), mode="none") == ()


def test_there_are_three_modes() -> None:
    with pytest.raises(ValueError, match="none, portable, target, got 'all'"):
        safe_distances(chain(), mode="all")  # type: ignore[arg-type]


def test_a_users_kernel_and_a_custom_operator_are_kept_apart() -> None:
    own = builtin("RELU")
    assert own is not None
    kernel = Registration(invoke=own.invoke, prepare=own.prepare, strict=False)
    resolver = MutableOpResolver().add("CONV_2D").add("RELU", kernel)
    assert [one.operator for one in safe_distances(chain(), resolver=resolver)] == [0]


def test_an_input_that_is_read_twice_is_as_far_as_both_readings_want() -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 8), "int8", scale=0.1)
    y = b.tensor("y", (1, 8), "int8", scale=0.2)
    b.operator("ADD", [x, x], [y], AddOptions())
    b.output(y)
    assert safe_distances(b.build()) == (SafeDistance(0, 0, 1, 0, 0),)


def test_variables_and_constants_have_no_distance() -> None:
    b = ModelBuilder()
    v = b.variable("v", (1, 8), "int8", scale=0.1)
    c = b.constant("c", np.ones((1, 8), np.int8), scale=0.1)
    y = b.tensor("y", (1, 8), "int8", scale=0.2)
    b.operator("ADD", [v, c], [y], AddOptions())
    b.output(y)
    assert safe_distances(b.build()) == ()
