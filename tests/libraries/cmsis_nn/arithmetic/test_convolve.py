"""CMSIS-NN's int8 convolution, step by step, gives the bits of its target."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arenite.analysis.device import device_operators
from arenite.libraries.cmsis_nn.arithmetic import convolve
from arenite.libraries.cmsis_nn.arithmetic.convolve import ConvArguments
from arenite.libraries.cmsis_nn.decisions.line import line_is_exact
from arenite.libraries.cmsis_nn.operators.conv_2d import arguments as of_params
from arenite.libraries.shapes import ConvShape, Dims, Pair
from arenite.model import Model
from arenite.ops import TfLiteTensor
from arenite.runtime.heap_host import HeapInterpreter
from arenite.target import Target
from tests.libraries.cmsis_nn.arithmetic.int8_convolutions import DSP, MVE, PLAIN, arguments, models
from tests.ops.differential import CASES, differential, random_array

ARM_COMPILER = Target("cortex-m4", compiler="armclang")


# -- random models -----------------------------------------------------------------------


def outputs(model: Model, target: Target, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What CMSIS-NN computes, step by step."""
    (operator,) = device_operators(model, target)
    out = operator.view.output(0)
    weights, bias = operator.view.input(1).data, optional_data(operator.view.inputs)
    assert operator.path is not None
    operands = (x.shape, weights, bias, out.shape)
    args = of_params(operator.params, operands, operator.path, target, Counter())
    y = np.empty(out.shape, np.int8)
    convolve.arm_convolve_wrapper_s8(args, x, y)
    return y


def optional_data(inputs: Sequence[TfLiteTensor | None]) -> Any:
    bias = inputs[2] if len(inputs) > 2 else None
    return None if bias is None else bias.data


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
@settings(differential, max_examples=10 * CASES)
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_an_inference_for_the_target_on_every_path(model: Model, seed: int) -> None:
    x = random_array(model.inputs[0], np.random.default_rng(seed))
    for target in (PLAIN, DSP, ARM_COMPILER, MVE):
        np.testing.assert_array_equal(
            outputs(model, target, x), inference(model, target, x), err_msg=f"{target}\n{model}"
        )


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_an_inference_without_vectors_is_tflm_s_own(model: Model, seed: int) -> None:
    x = random_array(model.inputs[0], np.random.default_rng(seed))
    for target in (PLAIN, DSP, ARM_COMPILER):
        np.testing.assert_array_equal(inference(model, target, x), inference(model, None, x))


def inference(model: Model, target: Target | None, x: np.ndarray[Any, Any]) -> Any:
    interpreter = HeapInterpreter(model, target=target)
    interpreter.allocate_tensors()
    interpreter.input(0)[...] = x
    interpreter.invoke()
    return interpreter.output(0)


# -- one convolution by hand ---------------------------------------------------------------


def line(width: int, taps: int, filters: int, pad: int = 0) -> ConvShape:
    """One channel along a line."""
    outputs = width + 2 * pad - taps + 1
    return ConvShape(
        Dims(1, 1, width, 1),
        Dims(1, 1, taps, 1),
        Dims(1, 1, outputs, filters),
        padding=Pair(0, pad),
    )


def run(args: ConvArguments, x: list[int]) -> Any:
    conv = args.conv
    out = np.zeros((conv.output.n, conv.output.h, conv.output.w, conv.output.c), np.int8)
    image = np.array(x, np.int8).reshape(conv.input.n, conv.input.h, conv.input.w, conv.input.c)
    convolve.arm_convolve_wrapper_s8(args, image, out)
    return out.reshape(-1, conv.output.c).tolist()


@pytest.mark.parametrize("target", [PLAIN, DSP, MVE], ids=lambda t: t.processor)
def test_sums_of_products_and_bias(target: Target) -> None:
    """Two positions, two channels: 1 + 2 * 2 + 3 * 3, and so on."""
    args = arguments(line(4, 3, 2), [[1, 2, 3], [-1, 0, 1]], bias=[0, 10], target=target)
    assert run(args, [1, 2, 3, 4]) == [[14, 12], [20, 12]]


@pytest.mark.parametrize("target", [PLAIN, DSP, MVE], ids=lambda t: t.processor)
def test_padding_counts_as_zero_whatever_the_offset(target: Target) -> None:
    args = arguments(line(2, 3, 1, pad=1), [[1, 10, 100]], offset=5, target=target)
    assert run(args, [-5, -4]) == [[100], [10]]


def test_im2col_copies_windows_and_fills_padding_with_minus_the_offset() -> None:
    args = arguments(line(3, 3, 1, pad=1), [[0, 0, 0]], offset=7)
    rows = np.zeros((3, 3), np.int8)
    image = np.array([1, 2, 3], np.int8).reshape(1, 3, 1)
    convolve.im2col(args, image, np.arange(3), rows)
    assert rows.tolist() == [[-7, 1, 2], [1, 2, 3], [2, 3, -7]]


# -- instructions that are executed --------------------------------------------------------


def executed(conv: ConvShape, target: Target = DSP) -> Counter[str]:
    count = Counter[str]()
    filters, taps = conv.output.c, conv.filter
    weights = np.ones((filters, taps.h, taps.w, taps.c), np.int8)
    x = [1] * (conv.input.n * conv.input.h * conv.input.w * conv.input.c)
    run(arguments(conv, weights, target=target, count=count), x)
    return count


def test_two_positions_times_two_channels_times_four_columns_are_8_smlad() -> None:
    """Widening 2 rows of 4 values: 2 PKHBT, 2 * 2 SXTAB16, 2 ROR. Weights: 2 * 2 SXTB16, 2 ROR."""
    assert executed(line(5, 4, 2)) == {
        "PKHBT": 2,
        "SXTAB16": 4,
        "ROR": 2 + 2,
        "SXTB16": 4,
        "SMLAD": 8,
        "SMLAL": 4,
    }


def test_an_odd_channel_shares_its_weights_between_two_positions() -> None:
    counts = executed(line(5, 4, 1))
    assert (counts["SXTB16"], counts["SMLAD"]) == (2, 4)


def test_an_odd_position_goes_through_the_channels_one_by_one() -> None:
    counts = executed(line(4, 4, 3))
    assert (counts["PKHBT"], counts["SXTB16"], counts["SMLAD"]) == (1, 6, 6)


def test_columns_that_are_left_over_are_single_products() -> None:
    """6 columns: 4 in SMLAD, 2 * 2 positions * 2 channels single."""
    counts = executed(line(7, 6, 2))
    assert (counts["SMLAD"], counts["MLA"]) == (8, 8)


def test_without_dsp_instructions_all_products_are_single() -> None:
    assert executed(line(5, 4, 2), PLAIN) == {"MLA": 16, "SMLAL": 4}


def pointwise(pixels: int, channels: int, filters: int) -> ConvShape:
    return ConvShape(
        Dims(1, 1, pixels, channels), Dims(1, 1, 1, channels), Dims(1, 1, pixels, filters)
    )


def test_one_tap_widens_inputs_and_weights_in_the_product() -> None:
    """2 pixels and 2 rows of weights, 4 values each: 8 SXTB16, 8 SMLAD."""
    assert executed(pointwise(2, 4, 2)) == {"SXTB16": 8, "SMLAD": 8, "SMLAL": 4}


def test_one_tap_multiplies_an_odd_last_channel_value_by_value() -> None:
    assert executed(pointwise(2, 4, 1)) == {"MLA": 8, "SMLAL": 2}


def test_one_tap_multiplies_an_odd_last_pixel_with_two_channels() -> None:
    assert executed(pointwise(1, 4, 2)) == {"SXTB16": 6, "SMLAD": 4, "SMLAL": 2}


def test_one_tap_goes_through_int16_with_arm_compiler_6() -> None:
    assert executed(pointwise(2, 4, 2), ARM_COMPILER) == executed(line(5, 4, 2))


# -- vectors -------------------------------------------------------------------------------


def words(width: int, taps: int, stride: int, pad: int = 0, outputs: int | None = None) -> Any:
    """Four channels along a line, two filters: steps are whole words, as 1 x n wants them."""
    if outputs is None:
        outputs = (width + 2 * pad - taps) // stride + 1
    return ConvShape(
        Dims(1, 1, width, 4),
        Dims(1, 1, taps, 4),
        Dims(1, 1, outputs, 2),
        stride=Pair(1, stride),
        padding=Pair(0, pad),
    )


def test_four_positions_share_a_vector_of_weights() -> None:
    """8 positions, 2 channels, 20 columns: 2 blocks x 2 channels x 2 vectors."""
    counts = executed(pointwise(8, 20, 2), MVE)
    assert counts["VMLADAVA"] == 2 * 2 * 2 * 4
    assert counts["VADDVA"] == 2 * 2 * 2
    assert counts["VLDRB"] == 2 * 2 * (1 + 2 * 5)
    assert counts["VQRDMULH"] == 2 * 2
    assert "SMLAL" not in counts


def test_a_row_that_is_left_over_requantises_four_channels_at_a_time() -> None:
    counts = executed(pointwise(1, 16, 7), MVE)
    assert (counts["VMLADAVA"], counts["VQRDMULH"], counts["SMLAL"]) == (7, 1, 3)


def test_a_line_is_multiplied_where_it_lies_but_for_its_ends() -> None:
    """Copied are 3 pixels at the left, 2 at the right, and a pixel of padding beside each."""
    conv = words(10, 3, 1, pad=1)
    assert line_is_exact(conv)
    counts = executed(conv, MVE)
    assert counts["VSTRB"] == 1 + 1 + 1 + 1
    assert counts["VLDRB"] - 2 == (1 + 8 + 1 - 8) * 2 * 3 + 8 // 4 * 2 * 6


@pytest.mark.parametrize(
    ("conv", "exact"),
    [
        (words(9, 3, 1, pad=1), True),
        (words(9, 3, 2), True),
        (words(9, 5, 2, pad=2), False),  # the last window lacks two pixels
        (words(2, 5, 1, pad=2, outputs=2), False),  # the window is longer than the line
    ],
)
def test_the_ends_of_a_line_are_the_reference_s_even_where_c_reads_behind_it(conv, exact) -> None:
    assert line_is_exact(conv) is exact
    weights = np.random.default_rng(1).integers(-9, 9, (2, conv.filter.w, 4))
    x = np.random.default_rng(2).integers(-9, 9, conv.input.w * 4).tolist()
    of = {
        target: run(arguments(conv, weights, offset=3, target=target), x) for target in (DSP, MVE)
    }
    assert of[MVE] == of[DSP]


def test_vectors_put_padding_in_place_of_a_pixel_that_is_left_over() -> None:
    """Behind four windows of three pixels, two apart, one of ten is left."""
    conv, weights = words(10, 3, 2), np.random.default_rng(1).integers(-9, 9, (2, 3, 4))
    x = np.random.default_rng(2).integers(-9, 9, 40).tolist()
    padded = [*x[:32], -3, -3, -3, -3, *x[36:]]
    theirs = run(arguments(conv, weights, offset=3, target=MVE), x)
    assert theirs == run(arguments(conv, weights, offset=3, target=DSP), padded)
    assert theirs != run(arguments(conv, weights, offset=3, target=DSP), x)
