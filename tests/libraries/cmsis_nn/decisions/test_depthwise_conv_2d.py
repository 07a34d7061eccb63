"""DEPTHWISE_CONV_2D: which function every wrapper chooses, why, and scratch bytes."""

from dataclasses import replace

import pytest

from arenite.libraries.cmsis_nn.decisions.depthwise_conv_2d import (
    arm_depthwise_conv_wrapper_s4,
    arm_depthwise_conv_wrapper_s8,
)
from arenite.libraries.shapes import ConvShape, Dims, Pair
from arenite.target import Target
from tests.libraries.cmsis_nn.decisions.geometry import (
    ALL,
    DSP,
    MVE,
    NO_VECTORS,
    PLAIN,
    asked,
    depthwise,
    failed,
    scratch,
)


@NO_VECTORS
def test_a_3x3_depthwise_convolution_has_its_own_path(target: Target) -> None:
    path = arm_depthwise_conv_wrapper_s8(depthwise(taps=(3, 3)), target)
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
    target: Target, shape: ConvShape, reason: str
) -> None:
    path = arm_depthwise_conv_wrapper_s8(shape, target)
    assert path.function == "arm_depthwise_conv_s8_opt"
    assert reason in failed(path)


def test_with_vectors_3x3_is_like_any_other() -> None:
    path = arm_depthwise_conv_wrapper_s8(depthwise(taps=(3, 3)), MVE)
    assert path.function == "arm_depthwise_conv_s8_opt"
    assert path.calls[-1] == "arm_nn_depthwise_conv_nt_t_s8"


def test_without_dsp_instructions_the_optimised_path_is_the_generic_one() -> None:
    calls = [arm_depthwise_conv_wrapper_s8(depthwise(), t).calls[1:] for t in (PLAIN, DSP)]
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
    target: Target, shape: ConvShape, reason: str, loop: str
) -> None:
    path = arm_depthwise_conv_wrapper_s8(shape, target)
    assert path.function == "arm_depthwise_conv_s8"
    assert path.calls[-1] == loop
    assert reason in failed(path)


def test_vectors_convolve_one_channel_as_an_ordinary_convolution() -> None:
    path = arm_depthwise_conv_wrapper_s8(depthwise(channels=1, multiplier=8), MVE)
    assert path.function == "arm_depthwise_conv_to_conv_s8"
    assert asked(path) == (
        ("the input has one channel: 1", True),
        ("the output has more than 1: 8", True),
    )
    assert path.calls[2:4] == ("arm_convolve_wrapper_s8", "arm_convolve_s8")


@pytest.mark.parametrize("target", [DSP, Target("cortex-m55", compiler="armclang")])
def test_elsewhere_one_channel_is_a_depthwise_convolution(target: Target) -> None:
    path = arm_depthwise_conv_wrapper_s8(depthwise(channels=1, multiplier=8), target)
    assert path.function == "arm_depthwise_conv_s8"


@pytest.mark.parametrize(
    ("shape", "function"),
    [
        (depthwise(), "arm_depthwise_conv_s4_opt"),
        (depthwise(multiplier=2), "arm_depthwise_conv_s4"),
    ],
)
def test_int4_weights_of_a_depthwise_convolution(shape: ConvShape, function: str) -> None:
    assert arm_depthwise_conv_wrapper_s4(shape, DSP).function == function


# -- scratch memory ---


def test_the_optimised_depthwise_path_needs_a_window() -> None:
    """8 * 15 int16; with vectors 4 blocks of 124 channels."""
    assert scratch(arm_depthwise_conv_wrapper_s8, depthwise()) == [0, 240, 7440]


def test_the_3x3_path_needs_nothing_but_with_vectors() -> None:
    assert scratch(arm_depthwise_conv_wrapper_s8, depthwise(taps=(3, 3))) == [0, 0, 4464]
    wide = replace(depthwise(taps=(3, 3)), padding=Pair(2, 1))
    assert scratch(arm_depthwise_conv_wrapper_s8, wide) == [0, 144, 4464]


@pytest.mark.parametrize(
    "change",
    [
        depthwise(multiplier=2),
        replace(depthwise(), dilation=Pair(2, 1)),
        replace(depthwise(), input=Dims(2, 8, 8, 8)),
    ],
)
def test_the_generic_depthwise_path_needs_nothing(change: ConvShape) -> None:
    assert scratch(arm_depthwise_conv_wrapper_s8, change) == [0, 0, 0]


def test_one_channel_is_convolved_with_vectors_and_needs_its_turned_weights() -> None:
    """im2col of 15 values in 4 vectors, and 15 * 8 weights."""
    one = depthwise(channels=1, multiplier=8)
    assert scratch(arm_depthwise_conv_wrapper_s8, one) == [0, 0, 64 + 120]
    nine_needed = Target("cortex-m55", compiler="armclang")
    assert arm_depthwise_conv_wrapper_s8(one, nine_needed).scratch_size == 0


def test_int4_weights_take_a_window_even_without_dsp_instructions() -> None:
    assert scratch(arm_depthwise_conv_wrapper_s4, depthwise(taps=(3, 3))) == [144, 144, 4464]
    assert scratch(arm_depthwise_conv_wrapper_s4, depthwise(multiplier=2)) == [0, 0, 0]
