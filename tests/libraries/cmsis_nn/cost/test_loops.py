"""How often loops run follows from shapes: by hand, and by counting while convolving."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.analysis.device import device_operators
from arenite.libraries.cmsis_nn.arithmetic import convolve
from arenite.libraries.cmsis_nn.arithmetic.convolve import ConvArguments
from arenite.libraries.cmsis_nn.arithmetic.mat_mult import ChannelQuantization
from arenite.libraries.cmsis_nn.cost.instructions import instruction_counts
from arenite.libraries.cmsis_nn.cost.loops import Loop, loops_of
from arenite.libraries.cmsis_nn.cost.loops import convolution as convolutions
from arenite.libraries.cmsis_nn.cost.loops import depthwise as depthwises
from arenite.libraries.cmsis_nn.cost.loops.copies import arm_pad_s8, memcpy
from arenite.libraries.cmsis_nn.cost.loops.layers import (
    arm_avgpool_s8,
    arm_nn_softmax_common_s8,
    larger_or_smaller,
    softmax_radius,
)
from arenite.libraries.cmsis_nn.cost.loops.products import arm_nn_vec_mat_mult_t
from arenite.libraries.cmsis_nn.cost.loops.recurrent import SvdfShape, svdf
from arenite.libraries.cmsis_nn.decisions.conv_2d import arm_convolve_wrapper_s8
from arenite.libraries.path import Path
from arenite.libraries.shapes import ConvShape, Dims, Pair, taps_inside
from arenite.model import ModelBuilder, TensorType
from arenite.ops import TfLiteTensor
from arenite.ops.constraints import NodeView
from arenite.target import Target
from tests.ops.differential import differential

PLAIN, DSP, MVE = Target("cortex-m0"), Target("cortex-m4"), Target("cortex-m55")
GENERAL = Path("arm_convolve_s8")


def chosen(layer: ConvShape, target: Target) -> list[Loop]:
    """The loops of the path that the wrapper takes."""
    path = arm_convolve_wrapper_s8(layer, target)
    return convolutions.arm_convolve_wrapper_s8(layer, path, target)


def times(loops: list[Loop]) -> dict[tuple[str, str], int]:
    """Passes by function and step, without loops that never run."""
    counted: Counter[tuple[str, str]] = Counter()
    for loop in loops:
        counted[loop.function, loop.step] += loop.times
    return {key: count for key, count in counted.items() if count}


def view(name: str, shape: tuple[int, ...], kind: str, data: Any) -> NodeView:
    """An operator with a constant second input; its output is of no matter."""
    x = TfLiteTensor(0, "x", TensorType[kind.upper()], shape)
    values = np.array(data, np.int32)
    constant = TfLiteTensor(1, "c", TensorType.INT32, values.shape, data=values)
    return NodeView(name, (x, constant), (x,), None)


def conv(
    size: tuple[int, int, int], filters: int, taps: tuple[int, int], pad: int = 0, **changes: Any
) -> ConvShape:
    """Strides of 1."""
    h, w, c = size
    out = (h + 2 * pad - taps[0] + 1, w + 2 * pad - taps[1] + 1)
    return ConvShape(
        input=Dims(1, h, w, c),
        filter=Dims(1, *taps, c),
        output=Dims(1, *out, filters),
        padding=Pair(pad, pad),
        **changes,
    )


# -- by hand -----------------------------------------------------------------------------


def test_taps_that_meet_padding_are_not_inside():
    # 3 x 3 windows over 3 x 3 pixels: corners meet 4 pixels, edges 6, the middle 9.
    assert taps_inside(conv((3, 3, 1), 1, (3, 3), pad=1)) == 4 * 4 + 4 * 6 + 9


def test_a_convolution_multiplies_two_positions_and_two_channels_at_a_time():
    loops = times(convolutions.arm_convolve_s8(conv((1, 5, 6), 3, (1, 1)), GENERAL, DSP))
    kernel = "arm_nn_mat_mult_kernel_s8_s16"
    assert loops[kernel, "call"] == 2  # 5 positions
    assert loops[kernel, "2 channels"] == 2 * 1
    assert loops[kernel, "2 channels, 4 columns"] == 2 * 1 * 1  # 6 columns
    assert loops[kernel, "2 channels, column"] == 2 * 1 * 2
    assert loops[kernel, "last channel"] == 2
    assert loops["arm_convolve_s8", "last position, channel"] == 3
    assert loops["arm_s8_to_s16_unordered_with_offset", "call"] == 5


def test_without_dsp_another_function_widens_rows_and_no_window_is_kept():
    loops = times(convolutions.arm_convolve_s8(conv((1, 5, 6), 3, (1, 1)), GENERAL, PLAIN))
    assert loops["arm_q7_to_q15_with_offset", "call"] == 5
    layer, path = conv((4, 4, 3), 3, (2, 2)), Path("arm_depthwise_conv_s8_opt")
    loops = times(depthwises.arm_depthwise_conv_s8_opt(layer, path, PLAIN))
    assert {function for function, _ in loops} == {"depthwise_conv_s8_generic"}
    assert loops["depthwise_conv_s8_generic", "channel, tap"] == 9 * 3 * 4


def test_without_dsp_a_vector_is_multiplied_by_three_units_at_a_time_value_by_value():
    loops = times(arm_nn_vec_mat_mult_t("f", 2, units=8, depth=5, target=PLAIN))
    assert loops == {
        ("f", "call"): 2,
        ("f", "3 units"): 2 * 2,
        ("f", "3 units, column"): 2 * 2 * 5,
        ("f", "last unit"): 2 * 2,
        ("f", "last unit, column"): 2 * 2 * 5,
    }


def test_a_vector_is_multiplied_by_two_units_in_blocks_of_columns_as_the_compiler_unrolls_them():
    loops = times(arm_nn_vec_mat_mult_t("arm_nn_vec_mat_mult_t_s8", 1, 5, depth=42, target=DSP))
    assert {step: n for (_, step), n in loops.items()} == {
        **{"call": 1, "any 2 units": 1, "2 units": 2, "last unit": 1},
        **{"2 units, any 16 columns": 2, "2 units, 16 columns": 4},
        **{"2 units, any 4 columns": 2, "2 units, next 4 columns": 2},
        **{"2 units, any column": 2, "2 units, next column": 2, "2 units, 4 columns or more": 2},
        **{"last unit, any 16 columns": 1, "last unit, 16 columns": 2},
        **{"last unit, any 4 columns": 1, "last unit, next 4 columns": 1},
        **{"last unit, any column": 1, "last unit, next column": 1},
        "last unit, 4 columns or more": 1,
    }


def test_a_product_that_nobody_unrolls_has_no_blocks_of_sixteen():
    name = "arm_nn_vec_mat_mul_result_acc_s8_s16"
    loops = times(arm_nn_vec_mat_mult_t(name, 1, 2, depth=38, target=DSP))
    assert loops[name, "2 units, 4 columns"] == 9
    assert (name, "2 units, 16 columns") not in loops


@pytest.mark.parametrize(
    ("name", "target", "steps"),
    [
        ("arm_svdf_state_s16_s8", DSP, {"2 states": 18, "any 2 states": 6, "state": 6}),
        ("arm_svdf_s8", DSP, {"4 states": 6, "any 4 states": 6, "state": 18, "any state": 6}),
        ("arm_svdf_s8", PLAIN, {"state": 42}),
        ("arm_svdf_state_s16_s8", MVE, {"state": 42}),
    ],
)
def test_an_svdf_sums_its_memory_by_pairs_of_int16_or_four_of_int8(name, target, steps):
    layer = SvdfShape(batches=1, inputs=4, units=3, rank=2, memory=7, has_bias=True)
    loops = times(svdf(layer, target, name))
    assert loops[name, "filter"] == loops[name, "unit, filter"] == 6
    assert steps.items() <= {step[8:]: n for (_, step), n in loops.items()}.items()


def test_an_svdf_of_rank_one_adds_its_bias_filter_by_filter():
    layer = SvdfShape(batches=1, inputs=4, units=3, rank=1, memory=7, has_bias=True)
    assert ("arm_svdf_s8", "unit, filter") not in times(svdf(layer, DSP, "arm_svdf_s8"))


def test_vectors_multiply_four_positions_at_a_time():
    loops = times(convolutions.arm_convolve_s8(conv((1, 6, 20), 3, (1, 1)), GENERAL, MVE))
    product = "arm_nn_mat_mult_nt_t_s8"
    assert loops[product, "4 rows, channel, 16 columns"] == 1 * 3 * 2
    assert loops[product, "row, channel, 16 columns"] == 2 * 3 * 2
    assert (product, "row, 4 channels") not in loops


def test_one_product_takes_all_pixels_of_a_1x1_convolution():
    loops = times(chosen(conv((3, 3, 22), 5, (1, 1)), DSP))
    product = "arm_nn_mat_mult_nt_t_s8"
    assert loops[product, "call"] == 1
    assert loops[product, "2 channels, 2 rows, 16 columns"] == 2 * 4 * 1
    assert loops[product, "2 channels, 2 rows, 4 columns"] == 2 * 4 * 1
    assert loops[product, "2 channels, 2 rows, column"] == 2 * 4 * 2
    assert loops[product, "last channel, row, column"] == 9 * 22


def test_a_product_enters_the_loops_of_sixteen_of_four_and_of_one_column_that_it_needs():
    loops = times(chosen(conv((2, 2, 32), 2, (1, 1)), DSP))
    entered = {step: n for (_, step), n in loops.items() if step.startswith("2 channels, 2 rows, ")}
    assert entered == {
        "2 channels, 2 rows, any 16 columns": 2,
        "2 channels, 2 rows, 16 columns": 4,
    }


def test_a_depthwise_3x3_leaves_out_what_meets_padding():
    layer = conv((3, 3, 8), 8, (3, 3), pad=1)
    loops = times(
        depthwises.arm_depthwise_conv_3x3_s8(layer, Path("arm_depthwise_conv_3x3_s8"), DSP)
    )
    name = "arm_depthwise_conv_3x3_s8"
    assert loops[name, "4 channels"] == 9 * 2
    assert loops[name, "4 channels, row of taps"] == (2 + 3 + 2) * 3 * 2
    # The middle column of taps always meets a pixel, the outer ones may not.
    assert loops[name, "4 channels, outer tap"] == (7 * 7 - 7 * 3) * 2


def test_average_pooling_adds_all_taps_but_the_first():
    pool = ConvShape(Dims(1, 4, 4, 3), Dims(1, 2, 2, 1), Dims(1, 2, 2, 3), stride=Pair(2, 2))
    assert times(arm_avgpool_s8(pool, DSP))["arm_avgpool_s8", "next tap, channel"] == 4 * 3 * 3


def test_softmax_takes_values_as_spread_evenly_over_the_range():
    loops = times(arm_nn_softmax_common_s8(2, 12, 127))  # half of 256 values are near
    assert loops["arm_nn_softmax_common_s8", "value near the largest"] == 2 * 6


def test_the_reach_of_an_exponential_follows_from_the_scale():
    # exp(-31) and less count as 0: 31 / 0.25 steps, where a power of two is exact.
    assert softmax_radius(scale=0.25, beta=1.0) == 31 * 2
    assert softmax_radius(scale=0.25, beta=0.5) == 31 * 4


def test_an_extreme_is_new_as_often_as_among_values_in_random_order():
    loops = times(loops_of(view("ARG_MAX", (2, 4), "float32", (1,)), None, DSP) or [])
    assert loops["ARG_MAX, float32", "new extreme"] == round(2 * (1 + 1 / 2 + 1 / 3 + 1 / 4))


def test_padded_channels_are_filled_pixel_by_pixel():
    padded = view("PAD", (1, 2, 3, 4), "int8", ((0, 0), (0, 0), (0, 0), (1, 2)))
    loops = times(arm_pad_s8(padded, MVE))
    assert loops["arm_pad_s8", "pixel"] == 6
    assert loops["arm_pad_s8", "fill, 16 bytes"] == 6 * 2


@pytest.mark.parametrize(
    ("other", "runs"), [((1, 2, 3, 4), 1), ((1, 1, 3, 4), 2), ((1, 2, 1, 4), 6), ((1, 2, 3, 1), 6)]
)
def test_larger_values_are_found_in_runs_that_broadcast_alike(other, runs):
    loops = times(larger_or_smaller("arm_maximum_s8", ((1, 2, 3, 4), other, (1, 2, 3, 4)), DSP))
    assert loops["arm_maximum_s8", "run"] == runs
    assert loops["arm_maximum_s8", "value"] == 24


def test_a_mask_is_decoded_by_its_bits():
    codes = np.array([0b10110000], np.uint8)
    meaning = np.zeros(20, np.uint8)
    meaning[[0, 1, 4]] = 2, 1, 1
    b = ModelBuilder()
    pair = [b.constant("codes", codes), b.constant("meaning", meaning)]
    y = b.tensor("y", (4,), "int8", scale=1.0)
    b.operator("TFLM_DECODE", pair, [y], custom_options=b"")
    b.output(y)
    (operator,) = device_operators(b.build(), DSP)
    loops = times(loops_of(operator.view, None, DSP) or [])
    assert loops["TFLM_DECODE, mask, bytes", "value"] == 4
    assert loops["TFLM_DECODE, mask, bytes", "value that is kept"] == 3


def test_copies_are_made_in_ever_smaller_blocks():
    assert times(memcpy(3, 64 + 32 + 8)) == {
        ("memcpy", "aligned"): 3,
        ("memcpy", "64 bytes"): 3,
        ("memcpy", "16 bytes"): 6,
        ("memcpy", "4 bytes"): 6,
    }
    assert times(memcpy(3, 3)) == {("memcpy", "under 4 bytes"): 3}


def test_nothing_is_said_of_kernels_without_a_model():
    tensor = TfLiteTensor(0, "x", TensorType.FLOAT32, (1, 4))
    view = NodeView("WHILE", (tensor,), (tensor,), None)
    assert loops_of(view, None, DSP) is None


# -- by counting -------------------------------------------------------------------------


@st.composite
def geometries(draw: st.DrawFn) -> ConvShape:
    """Convolutions of all paths, with groups, strides, dilations and paddings."""
    groups, depth = draw(st.sampled_from([1, 1, 2])), draw(st.integers(1, 9))
    size, taps = (draw(st.tuples(st.integers(1, 6), st.integers(1, 6))) for _ in range(2))
    one = draw(st.booleans()) or taps == (1, 1)
    taps = (1, 1) if one else taps
    stride, dilation = (Pair(*draw(st.tuples(*[st.integers(1, 2)] * 2))) for _ in range(2))
    pad = Pair(0, 0) if one else Pair(*draw(st.tuples(*[st.integers(0, 2)] * 2)))
    outputs = draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    if one:
        outputs = ((size[0] - 1) // stride.h + 1, (size[1] - 1) // stride.w + 1)
    return ConvShape(
        input=Dims(draw(st.integers(1, 2)), *size, depth * groups),
        filter=Dims(1, *taps, depth),
        output=Dims(1, *outputs, draw(st.integers(1, 5)) * groups),
        stride=stride,
        padding=pad,
        dilation=Pair(1, 1) if one else dilation,
    )


@differential
@given(layer=geometries(), target=st.sampled_from([DSP, MVE]))
def test_instructions_are_those_that_run(layer: ConvShape, target: Target) -> None:
    filters, count = layer.output.c, Counter[str]()
    args = ConvArguments(
        conv=layer,
        quant=ChannelQuantization(
            3, -5, np.full(filters, 1 << 30, np.int32), np.full(filters, -2, np.int32), -128, 127
        ),
        weights=np.ones((filters, layer.filter.h, layer.filter.w, layer.filter.c), np.int8),
        bias=np.zeros(filters, np.int32),
        path=arm_convolve_wrapper_s8(layer, target),
        target=target,
        count=count,
    )
    images, out = layer.input.n, layer.output
    x = np.ones((images, layer.input.h, layer.input.w, layer.input.c), np.int8)
    convolve.arm_convolve_wrapper_s8(args, x, np.zeros((images, out.h, out.w, filters), np.int8))
    loops = chosen(layer, target)
    assert dict(instruction_counts(loops, target)) == dict(count)


@pytest.mark.parametrize("name", ["cortex-m0", "cortex-m3"])
def test_targets_without_dsp_instructions_count_none(name):
    loops = convolutions.arm_convolve_s8(conv((3, 3, 4), 2, (2, 2)), GENERAL, DSP)
    assert instruction_counts(loops, Target(name)) == {}
