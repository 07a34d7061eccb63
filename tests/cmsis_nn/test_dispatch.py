"""Which function every wrapper chooses, and which conditions say so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arenite.cmsis_nn import dispatch
from arenite.cmsis_nn.path import Path
from arenite.cmsis_nn.shapes import Convolution, Dims, FullyConnected, Pair
from arenite.cmsis_nn.targets import TARGETS, Target, find_target
from tests.cmsis_nn.test_buffer_sizes import conv, depthwise, line, transposed

PLAIN, DSP, MVE = (TARGETS[f"cortex-m{n}"] for n in (3, 7, 55))
ARM_COMPILER = Target("cortex-m4", "dsp", "armclang")
NO_VECTORS = pytest.mark.parametrize("target", [PLAIN, DSP], ids=lambda t: t.name)
ALL = pytest.mark.parametrize("target", [PLAIN, DSP, MVE], ids=lambda t: t.name)

POINTWISE = conv(channels=8, taps=(1, 1))


def failed(path: Path) -> list[str]:
    """The conditions that do not hold."""
    return [sentence for sentence, holds in asked(path) if not holds]


def asked(path: Path) -> tuple[tuple[str, bool], ...]:
    """What was asked, and the answers."""
    return tuple((condition.sentence, condition.holds) for condition in path.conditions)


# -- convolution: one by one ----------------------------------------------------------------


@ALL
def test_one_tap_with_unit_strides_takes_the_fast_path(target: Target) -> None:
    path = dispatch.arm_convolve_wrapper_s8(POINTWISE, target)
    assert path.function == "arm_convolve_1x1_s8_fast"
    assert asked(path) == (
        ("padding is 0 x 0: 0 x 0", True),
        ("the filter is 1 x 1: 1 x 1", True),
        ("dilation is 1 x 1: 1 x 1", True),
        ("the filter has all input channels: 8 of 8", True),
        ("strides are 1 x 1: 1 x 1", True),
    )
    assert path.calls == (
        "arm_convolve_wrapper_s8",
        "arm_convolve_1x1_s8_fast",
        "arm_nn_mat_mult_nt_t_s8",
    )


def test_arm_compiler_6_multiplies_pairs_of_pixels_in_int16() -> None:
    path = dispatch.arm_convolve_wrapper_s8(POINTWISE, ARM_COMPILER)
    assert path.function == "arm_convolve_1x1_s8_fast"
    assert path.calls[-1] == "arm_nn_mat_mult_kernel_s8_s16"


@ALL
@pytest.mark.parametrize("stride", [Pair(2, 1), Pair(1, 2)], ids=str)
def test_one_tap_with_strides_takes_the_strided_path(target: Target, stride: Pair) -> None:
    path = dispatch.arm_convolve_wrapper_s8(replace(POINTWISE, stride=stride), target)
    assert path.function == "arm_convolve_1x1_s8"
    assert failed(path) == [f"strides are 1 x 1: {stride}"]


@ALL
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"padding": Pair(1, 0)}, "padding is 0 x 0: 1 x 0"),
        ({"padding": Pair(0, 1)}, "padding is 0 x 0: 0 x 1"),
        ({"dilation": Pair(2, 1)}, "dilation is 1 x 1: 2 x 1"),
        ({"dilation": Pair(1, 2)}, "dilation is 1 x 1: 1 x 2"),
        ({"filter": Dims(1, 2, 1, 8)}, "the filter is 1 x 1: 2 x 1"),
        ({"filter": Dims(1, 1, 2, 8)}, "the filter is 1 x 1: 1 x 2"),
        ({"filter": Dims(1, 1, 1, 4)}, "the filter has all input channels: 4 of 8"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value,
)
def test_anything_else_than_one_tap_is_a_general_convolution(
    target: Target, change: dict[str, Dims | Pair], reason: str
) -> None:
    path = dispatch.arm_convolve_wrapper_s8(replace(POINTWISE, **change), target)  # type: ignore[arg-type]
    assert path.function == "arm_convolve_s8"
    assert reason in failed(path)


# -- convolution: along a line ---------------------------------------------------------------


def test_a_line_in_steps_of_whole_words_takes_the_1xn_path() -> None:
    path = dispatch.arm_convolve_wrapper_s8(line(10, 5, 10, 2), DSP)
    assert path.function == "arm_convolve_1_x_n_s8"
    assert asked(path)[4:] == (
        ("the input has height 1: 1", True),
        ("the filter has height 1: 1", True),
        ("horizontal dilation is 1: 1", True),
        ("horizontal stride times channels is a multiple of 4: 1 * 4 = 4", True),
        ("the filter has all input channels: 4 of 4", True),
    )


def test_without_vectors_the_1xn_path_is_the_general_convolution() -> None:
    path = dispatch.arm_convolve_wrapper_s8(line(10, 5, 10, 2), DSP)
    assert path.calls[1:] == (
        "arm_convolve_1_x_n_s8",
        "arm_convolve_s8",
        "arm_nn_mat_mult_kernel_s8_s16",
    )


def test_with_vectors_the_1xn_path_multiplies_the_line_itself() -> None:
    path = dispatch.arm_convolve_wrapper_s8(line(10, 5, 10, 2), MVE)
    assert path.calls[1:] == ("arm_convolve_1_x_n_s8", "arm_nn_mat_mult_nt_t_s8")


def test_with_vectors_a_line_that_is_all_padded_ends_is_a_general_convolution() -> None:
    path = dispatch.arm_convolve_wrapper_s8(line(2, 5, 2, 2), MVE)
    assert path.calls[1:3] == ("arm_convolve_1_x_n_s8", "arm_convolve_s8")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"input": Dims(1, 2, 10, 4)}, "the input has height 1: 2"),
        ({"filter": Dims(1, 2, 5, 4)}, "the filter has height 1: 2"),
        ({"dilation": Pair(1, 2)}, "horizontal dilation is 1: 2"),
        (
            {"input": Dims(1, 1, 10, 3), "filter": Dims(1, 1, 5, 3)},
            "horizontal stride times channels is a multiple of 4: 1 * 3 = 3",
        ),
        ({"input": Dims(1, 1, 10, 8)}, "the filter has all input channels: 4 of 8"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value,
)
def test_anything_else_than_a_line_is_a_general_convolution(
    change: dict[str, Dims | Pair], reason: str
) -> None:
    path = dispatch.arm_convolve_wrapper_s8(replace(line(10, 5, 10, 2), **change), DSP)  # type: ignore[arg-type]
    assert path.function == "arm_convolve_s8"
    assert reason in failed(path)


def test_the_stride_can_make_steps_of_whole_words() -> None:
    two_channels = replace(
        line(10, 3, 5, 1, stride=2), input=Dims(1, 1, 10, 2), filter=Dims(1, 1, 3, 2)
    )
    assert dispatch.arm_convolve_wrapper_s8(two_channels, DSP).function == "arm_convolve_1_x_n_s8"


# -- convolution: the product, other types ----------------------------------------------------


def grouped() -> Convolution:
    base = conv(channels=6)
    return replace(base, filter=replace(base.filter, c=3))


def test_the_general_convolution_multiplies_as_the_target_can() -> None:
    products = [dispatch.arm_convolve_wrapper_s8(conv(), t).calls[-1] for t in (PLAIN, DSP, MVE)]
    assert products == [
        "arm_nn_mat_mult_kernel_s8_s16",
        "arm_nn_mat_mult_kernel_s8_s16",
        "arm_nn_mat_mult_nt_t_s8",
    ]


def test_groups_write_their_outputs_side_by_side() -> None:
    products = [dispatch.arm_convolve_wrapper_s8(grouped(), t).calls[-1] for t in (DSP, MVE)]
    assert products == ["arm_nn_mat_mult_kernel_row_offset_s8_s16", "arm_nn_mat_mult_nt_t_s8"]


@pytest.mark.parametrize(
    ("shape", "target", "function"),
    [
        (POINTWISE, DSP, "arm_convolve_1x1_s4_fast"),
        (replace(POINTWISE, stride=Pair(2, 2)), DSP, "arm_convolve_1x1_s4"),
        (line(10, 5, 10, 2), DSP, "arm_convolve_1_x_n_s4"),
        (conv(channels=2), DSP, "arm_convolve_s4"),
        (conv(channels=2), MVE, "arm_convolve_even_s4"),
        (conv(channels=3), MVE, "arm_convolve_s4"),
    ],
)
def test_int4_weights(shape: Convolution, target: Target, function: str) -> None:
    assert dispatch.arm_convolve_wrapper_s4(shape, target).function == function


@ALL
def test_int16_activations_have_one_path(target: Target) -> None:
    assert dispatch.arm_convolve_wrapper_s16(target).function == "arm_convolve_s16"


# -- depthwise convolution --------------------------------------------------------------------


@NO_VECTORS
def test_a_3x3_depthwise_convolution_has_its_own_path(target: Target) -> None:
    path = dispatch.arm_depthwise_conv_wrapper_s8(depthwise(taps=(3, 3)), target)
    assert path.function == "arm_depthwise_conv_3x3_s8"
    assert asked(path) == (
        ("the depth multiplier is 1: 1", True),
        ("there is one image: 1", True),
        ("dilation is 1 x 1: 1 x 1", True),
        ("the filter is 3 x 3: 3 x 3", True),
        ("padding is at most 1 x 1: 1 x 1", True),
    )


@NO_VECTORS
@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        (depthwise(taps=(5, 3)), "the filter is 3 x 3: 5 x 3"),
        (replace(depthwise(taps=(3, 3)), padding=Pair(2, 0)), "padding is at most 1 x 1: 2 x 0"),
    ],
    ids=["filter", "padding"],
)
def test_other_plain_depthwise_convolutions_are_optimised(
    target: Target, shape: Convolution, reason: str
) -> None:
    path = dispatch.arm_depthwise_conv_wrapper_s8(shape, target)
    assert path.function == "arm_depthwise_conv_s8_opt"
    assert reason in failed(path)


def test_with_vectors_3x3_is_like_any_other() -> None:
    path = dispatch.arm_depthwise_conv_wrapper_s8(depthwise(taps=(3, 3)), MVE)
    assert path.function == "arm_depthwise_conv_s8_opt"
    assert path.calls[-1] == "arm_nn_depthwise_conv_nt_t_s8"


def test_without_dsp_instructions_the_optimised_path_is_the_generic_one() -> None:
    calls = [dispatch.arm_depthwise_conv_wrapper_s8(depthwise(), t).calls[1:] for t in (PLAIN, DSP)]
    assert calls == [
        ("arm_depthwise_conv_s8_opt", "arm_depthwise_conv_s8"),
        ("arm_depthwise_conv_s8_opt",),
    ]


@ALL
@pytest.mark.parametrize(
    ("shape", "reason", "loop"),
    [
        (
            depthwise(multiplier=2),
            "the depth multiplier is 1: 2",
            "depthwise_conv_s8_generic",
        ),
        (
            depthwise(multiplier=4),
            "the depth multiplier is 1: 4",
            "depthwise_conv_s8_mult_4",
        ),
        (
            replace(depthwise(), dilation=Pair(1, 2)),
            "dilation is 1 x 1: 1 x 2",
            "depthwise_conv_s8_generic",
        ),
        (
            replace(depthwise(multiplier=4), input=Dims(2, 8, 8, 8)),
            "there is one image: 2",
            "depthwise_conv_s8_generic",
        ),
    ],
    ids=["multiplier 2", "multiplier 4", "dilation", "two images"],
)
def test_what_is_not_plain_is_generic(
    target: Target, shape: Convolution, reason: str, loop: str
) -> None:
    path = dispatch.arm_depthwise_conv_wrapper_s8(shape, target)
    assert path.function == "arm_depthwise_conv_s8"
    assert path.calls[-1] == loop
    assert reason in failed(path)


def test_vectors_convolve_one_channel_as_an_ordinary_convolution() -> None:
    path = dispatch.arm_depthwise_conv_wrapper_s8(depthwise(channels=1, multiplier=8), MVE)
    assert path.function == "arm_depthwise_conv_to_conv_s8"
    assert asked(path) == (
        ("the input has one channel: 1", True),
        ("the output has more than 1: 8", True),
    )
    assert path.calls[2:4] == ("arm_convolve_wrapper_s8", "arm_convolve_s8")


@pytest.mark.parametrize("target", [DSP, Target("cortex-m55", "mve", "armclang")])
def test_elsewhere_one_channel_is_a_depthwise_convolution(target: Target) -> None:
    path = dispatch.arm_depthwise_conv_wrapper_s8(depthwise(channels=1, multiplier=8), target)
    assert path.function == "arm_depthwise_conv_s8"


@pytest.mark.parametrize(
    ("shape", "function"),
    [
        (depthwise(), "arm_depthwise_conv_s4_opt"),
        (depthwise(multiplier=2), "arm_depthwise_conv_s4"),
    ],
)
def test_int4_weights_of_a_depthwise_convolution(shape: Convolution, function: str) -> None:
    assert dispatch.arm_depthwise_conv_wrapper_s4(shape).function == function


# -- transposed convolution, fully connected ---------------------------------------------------


def test_a_transposed_convolution_of_many_channels_is_one_with_a_reversed_filter() -> None:
    path = dispatch.arm_transpose_conv_wrapper_s8(transposed(17, Pair(2, 2)), DSP)
    assert path.function == "arm_convolve_s8"
    assert asked(path) == (
        ("strides are at most 2 x 2: 2 x 2", True),
        ("there are more than 16 input channels: 17", True),
    )


@pytest.mark.parametrize(
    ("channels", "stride", "reason"),
    [
        (16, Pair(2, 2), "there are more than 16 input channels: 16"),
        (17, Pair(3, 1), "strides are at most 2 x 2: 3 x 1"),
        (17, Pair(1, 3), "strides are at most 2 x 2: 1 x 3"),
    ],
)
def test_other_transposed_convolutions_scatter(channels: int, stride: Pair, reason: str) -> None:
    path = dispatch.arm_transpose_conv_wrapper_s8(transposed(channels, stride), DSP)
    assert path.function == "arm_transpose_conv_s8"
    assert failed(path) == [reason]


@pytest.mark.parametrize(
    ("layer", "function"),
    [
        (FullyConnected(1, 8, 4), "arm_fully_connected_s8"),
        (FullyConnected(1, 8, 4, per_channel=True), "arm_fully_connected_per_channel_s8"),
        (FullyConnected(6, 8, 4, rank=3), "arm_convolve_1x1_s8_fast"),
        (FullyConnected(6, 8, 4, rank=3, per_channel=True), "arm_convolve_1x1_s8_fast"),
        (FullyConnected(6, 7, 4, rank=3), "arm_fully_connected_s8"),
    ],
)
def test_fully_connected(layer: FullyConnected, function: str) -> None:
    path = dispatch.fully_connected_s8(layer, DSP)
    assert path.function == function
    assert asked(path)[:2] == (
        (f"the output has more than 2 dimensions: {layer.rank}", layer.rank > 2),
        (f"the depth is a multiple of 4: {layer.depth}", layer.depth % 4 == 0),
    )


# -- targets ------------------------------------------------------------------------------------


def test_targets_by_what_their_instructions_can_do() -> None:
    assert {name: target.instructions for name, target in TARGETS.items()} == {
        "cortex-m0": "plain",
        "cortex-m3": "plain",
        "cortex-m4": "dsp",
        "cortex-m7": "dsp",
        "cortex-m33": "dsp",
        "cortex-m55": "mve",
    }


def test_an_unknown_target_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"expected a target of cortex-m0, .*, got 'cortex-m9'"):
        find_target("cortex-m9")
