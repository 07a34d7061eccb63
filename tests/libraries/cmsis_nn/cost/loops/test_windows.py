"""TFLM's own kernels that slide windows: by hand."""

from arenite.libraries.cmsis_nn.cost.loops.windows import KERNELS
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.tflite.batch_matmul import BatchMatMulOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.transpose_conv import TransposeConvOptions
from tests.libraries.cmsis_nn.cost.loops.views import passes, view


def times(name, inputs, output, options):
    ports = [port if isinstance(port, list) else (port, "float32") for port in inputs]
    return passes(KERNELS[name](view(name, ports, [(output, "float32")], options)))


def test_a_convolution_looks_at_taps_outside_too():
    found = times("CONV_2D", [(1, 3, 3, 2), (4, 3, 3, 2)], (1, 3, 3, 4), Conv2DOptions(0, 1, 1))
    assert found["tap"] == 9 * 4 * 9
    # Of all windows 49 taps meet a pixel.
    assert (found["tap inside"], found["product"]) == (49 * 4, 49 * 4 * 2)


def test_a_depthwise_convolution_has_one_product_per_tap():
    options = DepthwiseConv2DOptions(0, 1, 1, 2)
    found = times("DEPTHWISE_CONV_2D", [(1, 3, 3, 2), (1, 3, 3, 4)], (1, 3, 3, 4), options)
    assert (found["input channel"], found["channel"]) == (18, 36)
    assert found["tap of one channel"] == 49 * 4


def test_pooling_looks_at_taps_inside_only():
    found = times("MAX_POOL_2D", [(1, 3, 3, 2)], (1, 3, 3, 2), Pool2DOptions(0, 1, 1, 3, 3))
    assert (found["channel"], found["row of taps"], found["tap"]) == (18, 7 * 3 * 2, 49 * 2)


def test_a_fully_connected_layer_is_a_product_of_matrices():
    found = times("FULLY_CONNECTED", [(2, 5), (3, 5)], (2, 3), FullyConnectedOptions())
    assert (found["row"], found["unit"], found["product"]) == (2, 6, 30)


def test_a_transposed_convolution_spreads_every_value():
    inputs = [[1, 4, 4, 3], (3, 2, 2, 5), (1, 2, 2, 5)]
    found = times("TRANSPOSE_CONV", inputs, (1, 4, 4, 3), TransposeConvOptions(0, 2, 2))
    assert (found["value"], found["tap"], found["product"]) == (20, 80, 240)


def test_operands_that_lie_the_other_way_are_transposed_first():
    inputs = [(2, 3, 4), (2, 4, 5)]
    found = times("BATCH_MATMUL", inputs, (2, 3, 5), BatchMatMulOptions(False, False))
    assert (found["matrix"], found["product"]) == (2, 120)
    assert found["right value that is transposed"] == 40
    assert "left value that is transposed" not in found
