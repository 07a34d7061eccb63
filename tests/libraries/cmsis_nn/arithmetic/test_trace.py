"""One value's way through an int8 convolution: the numbers are those of the functions."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.analysis.convolution_walk import convolution_walk
from arenite.analysis.device import device_operators
from arenite.cores import CORES
from arenite.libraries.cmsis_nn.arithmetic.mat_mult import ChannelQuantization
from arenite.libraries.cmsis_nn.arithmetic.trace import Walk, requantization, walk
from arenite.libraries.shapes import ConvShape, Dims, Pair
from arenite.model import Model
from arenite.target import Target
from tests.libraries.cmsis_nn.arithmetic.int8_convolutions import arguments, models
from tests.ops.differential import differential, random_array

CORTEX_M = sorted(core.name for core in CORES.values() if core.family == "cortex-m")


# -- random convolutions -----------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1), target=st.sampled_from(CORTEX_M))
def test_the_value_is_the_reference_kernel_s(model: Model, seed: int, target: str) -> None:
    x = random_array(model.inputs[0], np.random.default_rng(seed))
    (operator,) = device_operators(model, Target(target))
    numbers = convolution_walk(model, operator, Target(target), [x]).numbers
    assert numbers.agrees, f"{numbers.requantization}\n{model}"
    assert len(numbers.positions) <= (4 if CORES[target].instructions == "mve" else 2)
    columns = [column for step in numbers.steps for column in step.columns]
    assert sorted(columns) == list(range(len(numbers.row)))


# -- a small one by hand -----------------------------------------------------------------

#: 3 x 3 over 4 x 4 pixels of one channel, padding 1, two filters.
LAYER = ConvShape(
    Dims(1, 4, 4, 1), Dims(1, 3, 3, 1), Dims(1, 4, 4, 2), stride=Pair(1, 1), padding=Pair(1, 1)
)
X = np.arange(16, dtype=np.int8).reshape(1, 4, 4, 1)


def small(target: str = "cortex-m4") -> Walk:
    weights = [[1, 0, 0, 0, 2, 0, 0, 0, 3], [0] * 8 + [1]]
    args = arguments(LAYER, weights, bias=[100, 0], offset=5, target=Target(target))
    return walk(args, X, np.full((1, 4, 4, 2), 50, np.int8))


def test_the_position_shows_padding_and_the_image():
    numbers = small()
    assert numbers.positions == ((1, 0), (1, 1))
    assert numbers.row == (-5, 0, 1, -5, 4, 5, -5, 8, 9)
    assert [tap.inside for tap in numbers.taps] == [False, True, True] * 3
    assert numbers.taps[1].pixel == (0, 0)


def test_four_values_are_widened_in_the_order_0_2_1_3():
    widening = small().widening
    assert widening is not None
    assert widening.values == (-5, 0, 1, -5)
    assert widening.stored == (0, 6, 5, 0)
    assert widening.offsets == 0x00050005
    assert widening.word & 0xFFFFFFFF == 0xFB0100FB
    assert (widening.even, widening.odd) == (0x00060000, 0x00000005)


def test_steps_take_columns_0_2_then_1_3_and_the_rest_one_by_one():
    numbers = small()
    assert [step.columns for step in numbers.steps] == [(0, 2), (1, 3), (4, 6), (5, 7), (8,)]
    assert [step.instruction for step in numbers.steps] == ["SMLAD"] * 4 + ["MLA"]
    assert numbers.start == ((100, 100), (0, 0))
    # Channel 0 at (1, 0): 100 + 1 * 0 + 2 * (4 + 5) + 3 * (9 + 5).
    assert numbers.steps[2].sums[0][0] == 100 + 18
    assert numbers.steps[-1].sums[0][0] == 100 + 18 + 42
    assert numbers.steps[-1].sums[1] == (9 + 5, 10 + 5)


def test_targets_without_dsp_instructions_take_one_column_at_a_time():
    numbers = small("cortex-m0")
    assert numbers.widening is None
    assert [step.instruction for step in numbers.steps] == ["MLA"] * 9


def test_vectors_take_four_positions_and_add_the_offset_behind_the_loop():
    numbers = small("cortex-m55")
    assert numbers.positions == ((1, 0), (1, 1), (1, 2), (1, 3))
    (step,) = numbers.steps
    assert step.instruction == "VMLADAVA"
    assert numbers.weight_sums == (6,)
    assert numbers.requantization.acc == step.sums[0][0] + 5 * 6 + 100


def test_the_channel_is_the_first_that_is_not_clamped():
    args = arguments(LAYER, np.zeros((2, 9), np.int8), bias=[127, 3])
    numbers = walk(args, X, np.stack([np.full((1, 4, 4), 127), np.full((1, 4, 4), 3)], -1))
    assert (numbers.channels, numbers.traced) == ((0, 1), 1)
    assert numbers.requantization.value == 3


# -- requantisation ----------------------------------------------------------------------


def quantization(multiplier: int, shift: int, **changes: Any) -> ChannelQuantization:
    fields = {
        "input_offset": 0,
        "output_offset": -3,
        "multiplier": np.array([multiplier], np.int32),
        "shift": np.array([shift], np.int32),
        "activation_min": -128,
        "activation_max": 127,
    }
    return ChannelQuantization(**{**fields, **changes})


def test_a_factor_of_0_035_is_applied_in_two_roundings():
    # The multiplier of 0.035 = 0.56 * 2**-4.
    r = requantization(1000, quantization(1202590843, -4), 0)
    assert r.product == 1000 * 1202590843 + (1 << 30)
    assert (r.high, r.remainder, r.threshold) == (560, 0, 7)
    assert (r.scaled, r.with_offset, r.value) == (35, 32, 32)


def test_a_left_shift_comes_before_the_product():
    r = requantization(100, quantization(1 << 30, 3), 0)
    assert (r.shifted, r.high, r.scaled) == (800, 400, 400)
    assert (r.remainder, r.threshold) == (0, 0)
    assert r.value == 127


@pytest.mark.parametrize(("acc", "scaled"), [(24, 2), (-24, -2), (8, 1), (-8, -1), (7, 0)])
def test_halves_are_rounded_away_from_zero(acc, scaled):
    r = requantization(2 * acc, quantization(1 << 30, -4), 0)
    assert r.high == acc
    assert r.scaled == scaled
