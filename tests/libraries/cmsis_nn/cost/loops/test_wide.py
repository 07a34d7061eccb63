"""int16 activations: two positions and four columns at a time, or vectors."""

from arenite.libraries.cmsis_nn.cost.loops import wide
from arenite.ops.tflite.batch_matmul import BatchMatMulOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.target import Target
from tests.libraries.cmsis_nn.cost.loops.views import passes, view

DSP, MVE = Target("cortex-m4"), Target("cortex-m55")


def conv():
    inputs = [((1, 1, 5, 6), "int16"), ((3, 1, 1, 6), "int8")]
    return view("CONV_2D", inputs, [((1, 1, 5, 3), "int16")], Conv2DOptions(0, 1, 1))


def depthwise(by=1):
    inputs = [((1, 3, 3, 6), "int16"), ((1, 3, 3, 6 * by), "int8")]
    options = DepthwiseConv2DOptions(0, 1, 1, by)
    return view("DEPTHWISE_CONV_2D", inputs, [((1, 3, 3, 6 * by), "int16")], options)


def test_a_convolution_takes_two_positions_and_two_channels():
    found = passes(wide.convolve(conv(), DSP))
    assert (found["2 positions"], found["2 positions, 2 channels"]) == (2, 2)
    assert found["2 positions, 2 channels, 4 columns"] == 2
    assert found["2 positions, 2 channels, column"] == 2 * 2
    assert found["last position, channel"] == 3


def test_vectors_take_four_positions_and_eight_columns():
    found = passes(wide.convolve(conv(), MVE))
    assert found["4 positions, channel, 8 columns"] == 3
    assert found["position, channel, 8 columns"] == 3


def test_channel_by_channel_or_four_of_one_input_channel():
    assert passes(wide.depthwise(depthwise(), DSP))["tap"] == 49 * 6
    (kernel,) = {loop.function for loop in wide.depthwise(depthwise(4), DSP)}
    assert kernel == "DEPTHWISE_CONV_2D, int16, by 4"


def test_units_two_by_two():
    inputs = [((1, 10), "int16"), ((3, 10), "int8")]
    layer = view("FULLY_CONNECTED", inputs, [((1, 3), "int16")], FullyConnectedOptions())
    found = passes(wide.fully_connected(layer, DSP))
    assert (found["2 units, 4 columns"], found["2 units, column"], found["last unit"]) == (2, 2, 1)
    assert passes(wide.fully_connected(layer, MVE))["last unit, 8 columns"] == 3 * 2


def test_matrices_that_lie_the_other_way_are_transposed():
    inputs = [((2, 3, 4), "int8"), ((2, 4, 6), "int8")]
    matmul = view("BATCH_MATMUL", inputs, [((2, 3, 6), "int8")], BatchMatMulOptions(False, False))
    found = passes(wide.batch_matmul(matmul, DSP))
    assert (found["value that is transposed"], found["2 units"]) == (48, 18)
