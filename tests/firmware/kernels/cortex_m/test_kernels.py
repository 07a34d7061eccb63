"""Layers in assembly give the reference's bits on an emulated Cortex-M4."""

from __future__ import annotations

import pytest

from arenite.firmware.kernels.cortex_m import cortex_m_work
from arenite.firmware.network.layers import Layer, network_of
from arenite.model import TensorType
from tests.firmware.boards import compared_on
from tests.firmware.bulk import cases_of
from tests.firmware.kernels.cortex_m.layers import (
    NONE,
    RELU,
    RELU6,
    RELU_N1,
    VALID,
    Layers,
    assert_equal_in_assembly,
)

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")


def test_pointwise():
    layers = Layers(0)
    layers.conv((4, 4, 8), 8)
    layers.conv((3, 3, 16), 8)  # an odd number of pixels
    layers.conv((3, 5, 8), 24)  # outputs grow: from the last pixel on
    layers.conv((1, 1, 24), 4, activation=NONE)
    layers.conv((5, 5, 64), 64)
    layers.conv((2, 3, 136), 12, activation=NONE)  # 68 steps
    layers.conv((3, 3, 40), 44, activation=NONE)
    layers.conv((3, 3, 12), 8)  # half of a turn widens two pixels
    layers.conv((2, 3, 20), 24, activation=NONE)
    assert_equal_in_assembly(layers)


def test_convolutions():
    layers = Layers(1)
    layers.conv((6, 6, 8), 8, (3, 3))
    layers.conv((6, 7, 16), 4, (3, 3), activation=NONE)
    layers.conv((7, 7, 24), 8, (3, 3), stride=2)
    layers.conv((8, 8, 3), 8, (3, 3), stride=2)
    layers.conv((9, 6, 1), 12, (5, 4), stride=2)
    layers.conv((5, 6, 5), 4, (2, 3), padding=VALID, activation=NONE)
    layers.conv((6, 6, 16), 8, (1, 1), stride=2)
    layers.conv((3, 3, 8), 4, (3, 3), padding=VALID)
    layers.conv((4, 3, 2), 4, (1, 1))
    layers.conv((5, 5, 12), 8, (3, 3), stride=(1, 3))
    layers.conv((3, 3, 28), 4, (2, 2), activation=NONE)
    assert_equal_in_assembly(layers)


def test_depthwise_of_channels_whose_outputs_are_further_away_than_one_store_reaches():
    layers = Layers(14)
    layers.depthwise((3, 4, 1028))
    layers.depthwise((3, 3, 1028), activation=NONE)
    assert_equal_in_assembly(layers)


@pytest.mark.parametrize("activation", [RELU, NONE])
def test_filters_that_are_no_multiple_of_four(activation):
    layers = Layers(12)
    for filters in (1, 2, 3, 5, 7, 10):
        layers.conv((3, 3, 8), filters, activation=activation)
        layers.conv((3, 4, 3), filters, (2, 3), activation=activation)
        layers.dense(8, filters, activation)
    assert_equal_in_assembly(layers)


def test_clamps_to_less_than_int8():
    layers = Layers(13)
    for activation in (RELU_N1, RELU6):
        layers.conv((3, 3, 8), 8, activation=activation)
        layers.conv((4, 4, 3), 5, (3, 3), activation=activation)
        layers.dense(12, 8, activation)
        layers.add(9, "ADD", activation)
        layers.depthwise((5, 5, 4), activation=activation)
        layers.depthwise((5, 5, 4), kernel=(2, 5), activation=activation)
    ranges = (
        (layer.params.activation_min, layer.params.activation_max) for layer in layers.layers()
    )
    assert sum(one != (-128, 127) for one in ranges) > 8
    assert_equal_in_assembly(layers)


def test_depthwise():
    layers = Layers(2)
    layers.depthwise((5, 5, 4))
    layers.depthwise((3, 3, 8))
    layers.depthwise((1, 1, 4))
    layers.depthwise((6, 8, 12))
    layers.depthwise((12, 7, 4), padding=VALID)
    layers.depthwise((8, 8, 8), stride=2)
    layers.depthwise((7, 9, 4), stride=2)
    layers.depthwise((5, 5, 8), stride=2, padding=VALID)
    layers.depthwise((40, 30, 4))  # several strips, the last of other height
    layers.depthwise((41, 37, 4), stride=2)
    layers.depthwise((6, 6, 4), activation=NONE)
    layers.depthwise((7, 7, 8), stride=2, activation=NONE)
    layers.depthwise((5, 6, 7))  # the last channels are done twice
    assert_equal_in_assembly(layers)


def test_depthwise_of_other_windows():
    layers = Layers(14)
    layers.depthwise((9, 11, 4), kernel=(5, 5))
    layers.depthwise((9, 11, 5), kernel=(5, 5), activation=NONE)
    layers.depthwise((12, 13, 8), stride=2, kernel=(5, 5))
    layers.depthwise((9, 10, 4), stride=(1, 3), kernel=(2, 4), activation=NONE)
    layers.depthwise((30, 1, 8), kernel=(5, 1), padding=VALID)  # one column, seen as one row
    layers.depthwise((15, 1, 12), kernel=(15, 1), padding=VALID, activation=NONE)
    layers.depthwise((4, 5, 4), kernel=(3, 1))
    layers.depthwise((60, 30, 4), kernel=(4, 7))  # several strips, the last of other height
    layers.depthwise((9, 9, 4), stride=(3, 1), kernel=(1, 1))
    assert_equal_in_assembly(layers)


def test_depthwise_of_one_channel_is_a_convolution():
    layers = Layers(15)
    layers.depthwise((9, 8, 1), stride=2, kernel=(5, 4), multiplier=8)
    layers.depthwise((5, 5, 1), multiplier=3, activation=NONE)
    assert_equal_in_assembly(layers)
    assert {cortex_m_work(layer).routine.stem for layer in layers.layers()} == {"conv_2d"}


def test_fully_connected():
    layers = Layers(3)
    for depth, units in ((4, 4), (12, 8), (64, 12), (640, 4), (20, 20), (7, 4), (1, 1)):
        layers.dense(depth, units, RELU)
        layers.dense(depth, units, NONE)
    assert_equal_in_assembly(layers)


def test_sums_and_differences():
    layers = Layers(4)
    for size in (4, 8, 100, 7, 1):
        layers.add(size)
        layers.add(size, "SUB")
    assert_equal_in_assembly(layers)


def test_the_larger_and_the_smaller_of_two_tensors():
    layers = Layers(5)
    for size in (4, 100, 7, 1):
        layers.add(size, "MAXIMUM")
        layers.add(size, "MINIMUM")
        layers.add((size, 3), "MAXIMUM", other=(1, 1))  # a tensor and a value
        layers.add((1, 1), "MINIMUM", other=(size, 3))
    assert_equal_in_assembly(layers)


@pytest.mark.parametrize("activation", [NONE, RELU6])
def test_scales_of_any_ratio(activation):
    layers = Layers(16)
    for ratio in (2.0**-18, 2.0**-9, 0.3, 0.5, 0.9, 1.5, 3.0, 40.0):
        layers.ratio = ratio
        layers.conv((3, 3, 8), 6, activation=activation)
        layers.conv((4, 4, 3), 5, (3, 3), activation=activation)
        layers.depthwise((4, 4, 4), activation=activation)
        layers.depthwise((4, 4, 4), stride=2, activation=activation)
        layers.depthwise((4, 5, 4), kernel=(2, 4), activation=activation)
        layers.dense(9, 7, activation)
    forms = {form_of(layer) for layer in layers.layers()}
    assert forms == {"exact", "short"}
    assert_equal_in_assembly(layers)


def form_of(layer: Layer) -> str:
    """How its sums become outputs."""
    routine = cortex_m_work(layer).routine
    texts = [routine.body, *(part.body for _, part in routine.parts)]
    return "exact" if "smmulr" in "".join(texts) else "short"


def test_rows_and_pixels_of_any_length():
    layers = Layers(17)
    for depth, units in ((5, 3), (37, 6), (18, 1), (64, 2), (148, 9)):
        layers.dense(depth, units, rows=3)
        layers.conv((2, 3, depth), units, activation=NONE)
        layers.conv((1, 1, depth), units)
    layers.conv((3, 2, 4), 41)  # outputs grow: from the last pixel on
    layers.conv((3, 3, 7), 30)
    assert_equal_in_assembly(layers)


def test_rows_whose_sums_leave_24_bits():
    layers = Layers(25)
    layers.dense(1300, 8, RELU)
    layers.dense(1003, 5, NONE)
    layers.dense(3000, 3, RELU6, rows=3)
    layers.conv((2, 2, 1100), 6, activation=NONE)
    stems = {cortex_m_work(one).routine.stem for one in layers.layers()}
    assert stems == {"long_row", "long_rows"}
    assert_equal_in_assembly(layers)


@pytest.mark.parametrize("activation", [RELU, NONE, RELU6])
def test_windows_whose_sums_leave_24_bits(activation):
    layers = Layers(21)
    layers.conv((4, 5, 60), 8, (3, 3), activation=activation)
    layers.conv((3, 3, 60), 7, (3, 3), padding=VALID, stride=2, activation=activation)
    layers.conv((3, 4, 59), 2, (3, 3), activation=activation)
    layers.conv((4, 4, 112), 8, (3, 3), groups=2, activation=activation)
    layers.conv((3, 3, 130), 3, (3, 3), activation=activation)
    assert_equal_in_assembly(layers)


def test_a_cortex_m7_loads_two_words_of_weights_at_once():
    layers = Layers(22)
    layers.conv((4, 4, 40), 8)
    layers.conv((5, 5, 8), 6, (3, 3), activation=NONE)
    usual, paired = (layers.run(processor=core) for core in ("cortex-m4", "cortex-m7"))
    assert paired.differences == ()
    assert paired.instructions < 0.95 * usual.instructions


def test_rows_of_one_and_of_three_outputs():
    layers = Layers(18)
    for width in (3, 5):
        layers.conv((4, width, 8), 8, (2, 3), padding=VALID)
        layers.conv((4, width, 3), 2, (2, 3), padding=VALID, activation=NONE)
        layers.conv((4, width, 20), 5, (4, 3), padding=VALID)
    assert_equal_in_assembly(layers)


def test_filters_in_groups():
    layers = Layers(23)
    layers.conv((5, 6, 8), 8, (3, 3), groups=2)
    layers.conv((5, 5, 6), 9, (2, 3), groups=3, stride=2, activation=NONE)
    layers.conv((4, 3, 24), 20, (1, 1), groups=2)
    layers.conv((4, 1, 20), 10, (2, 1), groups=5, padding=VALID)
    layers.conv((6, 7, 40), 16, (3, 3), groups=2, dilation=(2, 1))
    assert_equal_in_assembly(layers)


def test_windows_with_gaps():
    layers = Layers(19)
    layers.conv((9, 8, 4), 8, (3, 3), dilation=(2, 1))
    layers.conv((9, 8, 3), 5, (3, 2), dilation=(2, 3), padding=VALID)
    layers.conv((1, 12, 8), 6, (1, 3), dilation=(1, 4))  # a line
    layers.depthwise((9, 9, 8), dilation=(2, 2))
    layers.depthwise((9, 11, 5), dilation=(1, 3), kernel=(2, 4), padding=VALID, activation=NONE)
    layers.depthwise((1, 20, 4), dilation=(1, 5), kernel=(1, 4))
    layers.depthwise((9, 9, 3), dilation=(3, 2))
    assert_equal_in_assembly(layers)


def test_depthwise_of_few_channels_and_of_several_each():
    layers = Layers(20)
    layers.depthwise((5, 5, 2))
    layers.depthwise((6, 5, 3), stride=2, multiplier=2)
    layers.depthwise((5, 5, 4), multiplier=2)
    layers.depthwise((7, 6, 6), multiplier=3, stride=2, activation=NONE)
    layers.depthwise((30, 31, 5), kernel=(4, 3), multiplier=2)  # several strips
    layers.depthwise((3, 3, 516), multiplier=2)  # distances beyond one store
    assert_equal_in_assembly(layers)


def test_depthwise_of_wide_images():
    layers = Layers(21)
    layers.depthwise((4, 240, 4))
    layers.depthwise((5, 330, 4), stride=2, activation=NONE)
    layers.depthwise((3, 200, 6), kernel=(3, 5))
    assert_equal_in_assembly(layers)


def test_dilations_of_any_size_are_refused_before_weights_are_spread():
    layers = Layers(22)
    layers.conv((3, 3, 4), 4, (2, 2), dilation=(1, 1 << 30))
    layers.depthwise((3, 3, 4), dilation=(1 << 30, 1 << 30))
    assert all("windows span" in cortex_m_work(one).reason for one in layers.layers())


def test_lstm_of_random_shapes_and_scales():
    cases = [
        one
        for one in cases_of("UNIDIRECTIONAL_SEQUENCE_LSTM", 30)
        if one.model.outputs[0].type is TensorType.INT8
    ]
    reasons = [cortex_m_work(network_of(one.model).layers[0]).reason for one in cases]
    assert reasons.count("") > 5
    assert {*reasons} <= {"", "two weights of -128 are neighbours"}
    assert compared_on("cortex-m4", cases).different == []


@pytest.mark.parametrize(
    ("layer", "reason"),
    [
        (lambda net: net.depthwise((3, 360, 4)), "rows of 360 columns are too wide"),
        (lambda net: net.depthwise((30, 30, 4), kernel=(13, 13)), "169 weights per channel"),
        (lambda net: net.average((16, 16, 4)), "256 pixels are more than 255"),
        (lambda net: net.largest((4, 4, 3), kernel=(2, 2)), "at least 4 channels"),
        (lambda net: net.mean((4, 4, 3)), "four channels or more"),
        (lambda net: net.add((3, 4), "MAXIMUM", other=(1, 4)), "tensors of one shape"),
    ],
)
def test_what_no_assembly_takes_is_plain_c_with_a_reason(layer, reason):
    layers = Layers(6)
    layer(layers)
    (one,) = layers.layers()
    work = cortex_m_work(one)
    assert work.routine is not None
    assert work.routine.language == "c"
    assert reason in work.reason
