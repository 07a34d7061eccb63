"""Single operations on numbers that a person can check."""

import numpy as np
import pytest

from tests.npu.streams import layer, stored

MAX, AVERAGE, SUM = range(3)
MUL, ADD, SUB, MINIMUM, MAXIMUM, LRELU, ABS, CLZ, SHR, SHL = range(10)
#: One scale for all: halves, rounded as TFLite does, towards zero, and up.
HALF = {"OFM_SCALE": 31 + 1 << 32 | 1 << 31}
DOUBLE, TRUNCATED, NATURAL = (1 | 1 << 8 | mode << 14 for mode in range(3))
#: A number instead of a second input.
THREE = {"IFM2_BROADCAST": 1 << 7, "IFM2_SCALAR": 3, "IFM2_ZERO_POINT": 0, "IFM2_PRECISION": 1}


def row(x: list[int], operation: str, parameter: int = 0, **changed: int) -> list[int]:
    """What an operation makes of a row of int8."""
    return stored(layer(1, len(x), 1, **changed).do(operation, parameter).stop(), x, len(x))


def test_a_pool_of_one_element_copies() -> None:
    assert row([1, -2, 3], "POOL", MAX) == [1, -2, 3]


def test_zero_points_are_taken_off_and_added() -> None:
    assert row([1, -2, 3], "POOL", MAX, IFM_ZERO_POINT=-1, OFM_ZERO_POINT=10) == [12, 9, 14]


def test_limits_and_the_type_bound_results() -> None:
    assert row([1, -2, 90], "POOL", MAX, ACTIVATION_MIN=0, OFM_ZERO_POINT=60) == [61, 58, 127]


@pytest.mark.parametrize(
    ("precision", "expected"),
    [(DOUBLE, [3, -3, 2, -2]), (TRUNCATED, [2, -2, 2, -2]), (NATURAL, [3, -2, 2, -2])],
)
def test_halves_are_rounded_as_the_stream_says(precision: int, expected: list[int]) -> None:
    assert row([5, -5, 4, -4], "POOL", SUM, OFM_PRECISION=precision, **HALF) == expected


def test_a_largest_element_ignores_padding() -> None:
    window = {"KERNEL_WIDTH": 2, "IFM_PAD_LEFT": 1}
    assert row([-5, -7, -6], "POOL", MAX, **window) == [-5, -5, -6]


def test_a_mean_counts_no_padding_and_rounds_halves_away_from_zero() -> None:
    window = {"KERNEL_WIDTH": 2, "IFM_PAD_LEFT": 1}
    assert row([-5, -8, 9], "POOL", AVERAGE, **window) == [-5, -7, 1]


def test_a_sum_goes_over_the_depth() -> None:
    stream = layer(1, 2, 1, IFM_DEPTH=3, IFM_STRIDE_X=3, IFM_STRIDE_Y=6).do("POOL", SUM).stop()
    assert stored(stream, [1, 2, 3, 4, 5, -6], 2) == [6, 3]


def test_an_input_is_upscaled_first() -> None:
    assert row([1, 2, 0, 0], "POOL", MAX, IFM_UPSCALE=1) == [1, 1, 2, 2]
    assert row([1, 2, 0, 0], "POOL", MAX, IFM_UPSCALE=2) == [1, 0, 2, 0]


@pytest.mark.parametrize(
    ("function", "expected"),
    [(MUL, [15, -15]), (MINIMUM, [3, -5]), (MAXIMUM, [5, 3]), (SHL, [40, -40])],
)
def test_functions_of_an_element_and_a_number(function: int, expected: list[int]) -> None:
    assert row([5, -5], "ELEMENTWISE", function, **THREE) == expected


def test_operands_of_a_sum_have_scales_of_their_own() -> None:
    scales = {"OPA_SCALE": 2, "OPB_SCALE": 10}
    assert row([5, -5], "ELEMENTWISE", ADD, **THREE, **scales) == [40, 20]
    assert row([5, -5], "ELEMENTWISE", SUB, **THREE, **scales) == [-20, -40]


def test_the_second_operand_may_come_first() -> None:
    scales = {"OPA_SCALE": 1, "OPB_SCALE": 1}
    turned = {**THREE, "IFM2_BROADCAST": 1 << 7 | 1 << 6}
    assert row([5, -5], "ELEMENTWISE", SUB, **turned, **scales) == [-2, 8]


def test_a_second_input_may_be_one_row_for_all() -> None:
    second = {f"IFM2_BASE{i}": 32 * (i == 0) for i in range(4)}
    tiles = {"IFM2_HEIGHT0": 1, "IFM2_HEIGHT1": 1, "IFM2_WIDTH0": 2, "IFM2_REGION": 1}
    steps = {"IFM2_STRIDE_Y": 2, "IFM2_STRIDE_X": 1, "IFM2_STRIDE_C": 1}
    kind = {"IFM2_BROADCAST": 1, "IFM2_PRECISION": 1, "IFM2_ZERO_POINT": 0}
    scales = {"OPA_SCALE": 1, "OPB_SCALE": 1}
    commands = layer(2, 2, 1, **second, **tiles, **steps, **kind, **scales)
    x = [1, 2, 3, 4, *[0] * 28, 10, 20]
    assert stored(commands.do("ELEMENTWISE", ADD).stop(), x, 4) == [11, 22, 13, 24]


def test_functions_of_one_element() -> None:
    assert row([5, -5], "ELEMENTWISE", ABS) == [5, 5]
    assert row([5, -5, 0], "ELEMENTWISE", CLZ) == [29, 0, 32]
    leaky = {"OFM_PRECISION": DOUBLE, **HALF}
    assert row([5, -6], "ELEMENTWISE", LRELU, **leaky) == [5, -3]


def test_channels_in_bricks_of_16_are_found() -> None:
    # Two positions of 17 channels: a brick of 16 each, then the last channel of each.
    bricks = {"IFM_PRECISION": 1 | 1 << 6, "IFM_STRIDE_Y": 64, "IFM_STRIDE_C": 32}
    x = [*range(16), *range(20, 36), 16, *[0] * 15, 36]
    found = stored(layer(1, 2, 17, **bricks).do("POOL", MAX).stop(), x, 34)
    assert found == [*range(17), *range(20, 37)]


def test_tiles_go_on_at_other_places() -> None:
    # Rows 0 and 1 at 0, row 2 at 32; of its two columns the right one at 16 and 48.
    tiles = {"IFM_HEIGHT0": 2, "IFM_HEIGHT1": 1, "IFM_WIDTH0": 1}
    bases = {"IFM_BASE1": 16, "IFM_BASE2": 32, "IFM_BASE3": 48}
    steps = {"IFM_STRIDE_Y": 1, "IFM_STRIDE_X": 1}
    x = np.zeros(64, int)
    x[[0, 1, 16, 32, 48, 49]] = [1, 3, 2, 5, 4, 6]
    commands = layer(3, 2, 1, **tiles, **bases, **steps).do("POOL", MAX)
    assert stored(commands.stop(), x.tolist(), 6) == [1, 2, 3, 4, 5, 6]
