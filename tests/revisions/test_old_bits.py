"""Old states with other results: computed where that is simple, else refused or warned about."""

import contextlib
import warnings
from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite.errors import ConstraintError, UndefinedWarning
from arenite.ops.tflite.batch_matmul import BatchMatMulOptions
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.transpose_conv import TransposeConvOptions
from arenite.revisions.changes import all_before


def elementwise(name, shape, type_="int8"):
    b = ar.ModelBuilder()
    x, z = (b.input(one, shape, type_, scale=0.5) for one in "xz")
    y = b.tensor("y", shape, type_, scale=0.5)
    b.operator(name, [x, z], [y])
    b.output(y)
    return b.build(name)


def padded(name, rank):
    b = ar.ModelBuilder()
    shape = (1, 2, 3, 4)[-rank:]
    x = b.input("x", shape, "int8", scale=0.5)
    inputs = [x, b.constant("pads", np.full((rank, 2), 1, np.int32))]
    if name == "PADV2":
        inputs.append(b.constant("value", np.array([3], np.int8), scale=0.5))
    y = b.tensor("y", tuple(one + 2 for one in shape), "int8", scale=0.5)
    b.operator(name, inputs, [y])
    b.output(y)
    return b.build(name)


def product(rows, columns, *, adj_x=False):
    b = ar.ModelBuilder()
    x = b.input("x", (1, rows, columns), "int8", scale=0.5)
    depth = rows if adj_x else columns
    z = b.input("z", (1, depth, 5), "int8", scale=0.5)
    y = b.tensor("y", (1, columns if adj_x else rows, 5), "int8", scale=0.5)
    b.operator("BATCH_MATMUL", [x, z], [y], BatchMatMulOptions(adj_x, False, False))
    b.output(y)
    return b.build("product")


def long_sums(name, bias_type=0, depth=1024):
    """Sums of int16 times int8 that need more than 32 bits, without a bias."""
    b = ar.ModelBuilder()
    is_conv = name == "CONV_2D"
    shape = (1, 1, 1, depth) if is_conv else (1, depth)
    x = b.input("x", shape, "int16", scale=0.001)
    weights = np.full((3, *shape[1:]), 127, np.int8)
    w = b.constant("w", weights, scale=0.01)
    y = b.tensor("y", (*shape[:-1], 3), "int16", scale=2.0)
    options = Conv2DOptions(1, 1, 1) if is_conv else FullyConnectedOptions()
    b.operator(name, [x, w, -1], [y], replace(options, quantized_bias_type=bias_type))
    b.output(y)
    return b.build(name)


def transposed(pad_rows, stride):
    """A transposed convolution of int8 with ``pad_rows`` rows of padding above."""
    b = ar.ModelBuilder()
    height, taps = 4, stride + 2 * pad_rows
    rows = height * stride
    shape = b.constant("shape", np.array([1, rows, rows, 4], np.int32))
    rng = np.random.default_rng(3)
    w = b.constant(
        "w",
        rng.integers(-9, 9, (4, taps, taps, 8)).astype(np.int8),
        scale=[0.1] * 4,
        zero_point=[0] * 4,
    )
    x = b.input("x", (1, height, height, 8), "int8", scale=0.5)
    y = b.tensor("y", (1, rows, rows, 4), "int8", scale=0.5)
    b.operator("TRANSPOSE_CONV", [shape, w, x], [y], TransposeConvOptions(0, stride, stride))
    b.output(y)
    return b.build("transposed")


def told(model, target):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ar.Interpreter(model, target=target)
    return " ".join(str(one.message) for one in caught if one.category is UndefinedWarning)


# -- int16 without a bias, summed in 32 bits until June 2026 -----------------------------------


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(
    ("name", "bias_type", "last_32", "first_64"),
    [
        ("FULLY_CONNECTED", 0, "2026-06-15", "2026-06-16"),
        ("FULLY_CONNECTED", 4, "2026-04-08", "2026-04-09"),
        ("CONV_2D", 0, "2026-06-15", "2026-06-16"),
        ("CONV_2D", 4, "2026-05-05", "2026-05-06"),
    ],
)
def test_sums_without_a_bias_had_32_bits(name, bias_type, last_32, first_64, engine):
    model = long_sums(name, bias_type)
    x = np.full(model.main.tensors[model.main.inputs[0]].shape, 32767, np.int16)
    exact = 127 * 32767 * 1024
    wrapped = (exact + 2**31) % 2**32 - 2**31
    assert wrapped != exact

    def result(day):
        target = ar.Target("host", tflm=day)
        return ar.Interpreter(model, target=target, engine=engine)(x).ravel()

    scale = 0.001 * 0.01 / 2.0
    np.testing.assert_allclose(result(last_32), [wrapped * scale] * 3, atol=1)
    np.testing.assert_allclose(result(first_64), [exact * scale] * 3, atol=1)


# -- ranks that CMSIS-NN's glue did not take until 27 May 2026 -------------------------------


@pytest.mark.parametrize("name", ["PAD", "PADV2"])
@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_padding_of_less_than_four_dimensions_is_refused(name, rank):
    model = padded(name, rank)
    ar.Interpreter(model, target=ar.Target("cortex-m4", tflm="2026-05-27"))
    ar.Interpreter(model, target=ar.Target("cortex-m4", tflm="2025-03-19"))  # TFLM's own kernel
    ar.Interpreter(model, target=ar.Target("host", tflm="2026-05-26"))
    then = ar.Target("cortex-m4", tflm="2026-05-26")
    if rank == 4:
        ar.Interpreter(model, target=then)
        return
    with pytest.raises(ConstraintError, match=r"four dimensions.*RESHAPE.*2026-05-27 \(2ba41b0f\)"):
        ar.Interpreter(model, target=then)


@pytest.mark.parametrize("name", ["MAXIMUM", "MINIMUM"])
@pytest.mark.parametrize("shape", [(8,), (1,), (2, 4), (1, 2, 4), (1, 1, 2, 4)])
def test_extremes_of_one_dimension_are_refused(name, shape):
    model = elementwise(name, shape)
    ar.Interpreter(model, target=ar.Target("cortex-m4", tflm="2026-05-27"))
    ar.Interpreter(model, target=ar.Target("cortex-m4", tflm="2025-02-04"))  # TFLM's own kernel
    then = ar.Target("cortex-m4", tflm="2026-05-26")
    if shape != (8,):
        ar.Interpreter(model, target=then)
        return
    with pytest.raises(ConstraintError, match=r"two to four dimensions.*2026-05-27 \(2ba41b0f\)"):
        ar.Interpreter(model, target=then)


# -- BATCH_MATMUL of September to November 2024 ----------------------------------------------


@pytest.mark.parametrize(("rows", "columns"), [(8, 4), (4, 8), (1, 4), (4, 4)])
@pytest.mark.parametrize("adj_x", [False, True])
def test_products_that_are_not_square_are_refused(rows, columns, adj_x):
    model = product(rows, columns, adj_x=adj_x)
    for day in ("2024-09-08", "2024-11-06"):
        ar.Interpreter(model, target=ar.Target("cortex-m4", tflm=day))
    then = ar.Target("cortex-m4", tflm="2024-11-05")
    if rows == columns:
        ar.Interpreter(model, target=then)
        return
    with pytest.raises(ConstraintError, match=r"as many rows as columns.*2024-11-06 \(92450028\)"):
        ar.Interpreter(model, target=then)


# -- rows of a transposed convolution until July 2026 ----------------------------------------


@pytest.mark.parametrize(("pad_rows", "stride"), [(1, 2), (2, 2), (1, 3), (2, 3), (3, 3), (1, 1)])
def test_padding_that_is_no_multiple_of_the_stride_is_warned_about(pad_rows, stride):
    model = transposed(pad_rows, stride)
    is_wrong = pad_rows % stride > 0
    for target in (
        ar.Target("cortex-m4"),
        ar.Target("cortex-m55", cmsis_nn="2026-07-13"),
        ar.Target("cortex-m4", tflm="2026-06"),
    ):
        words = told(model, target)
        assert ("14 July 2026 (4a8f5b5d)" in words) == is_wrong
        assert ("cut with SLICE" in words) == is_wrong
    for target in (
        ar.Target("cortex-m4", cmsis_nn="2026-07-14"),
        ar.Target("cortex-m4", cmsis_nn="6.0.0"),
        ar.Target("cortex-m4", library="tflm"),
    ):
        assert "14 July 2026" not in told(model, target)


# -- esp-tflite-micro's FULLY_CONNECTED --------------------------------------------------------


def dense(scales, shape):
    b = ar.ModelBuilder()
    x = b.input("x", (*shape[:-1], 16), "int8", scale=0.5)
    w = b.constant(
        "w", np.ones((shape[-1], 16), np.int8), scale=[0.1] * scales, zero_point=[0] * scales
    )
    y = b.tensor("y", shape, "int8", scale=0.5)
    b.operator("FULLY_CONNECTED", [x, w, -1], [y], FullyConnectedOptions(keep_num_dims=True))
    b.output(y)
    return b.build("dense")


@pytest.mark.parametrize("glue", ["1.3.3", "1.3.3~1"])
def test_scales_per_unit_are_warned_about_before_1_3_4(glue):
    target = ar.Target("esp32s3", glue_version=glue)
    assert "before 1.3.4 (312a65a0" in told(dense(3, (1, 3)), target)
    assert told(dense(1, (1, 3)), target) == ""
    assert "1.3.4" not in told(dense(3, (1, 3)), ar.Target("esp32s3", glue_version="1.3.4"))


def test_outputs_of_other_than_two_dimensions_are_warned_about_before_1_3_3():
    then = ar.Target("esp32", glue_version="1.3.1")
    assert "takes the first two dimensions of the output [1, 2, 3]" in told(
        dense(1, (1, 2, 3)), then
    )
    assert told(dense(1, (2, 3)), then) == ""
    assert told(dense(1, (1, 2, 3)), ar.Target("esp32", glue_version="1.3.3")) == ""


def test_scales_per_unit_are_refused_by_1_3_1():
    with pytest.raises(ConstraintError, match="a scale per channel came on 2024-09-27"):
        ar.Interpreter(dense(3, (1, 3)), target=ar.Target(sdk="esp-tflite-micro@1.3.1"))


# -- types and shapes that came later ------------------------------------------------------------


def scaled(name, type_, scale=None, shape=(1, 4), other=None):
    b = ar.ModelBuilder()
    x = b.input("x", shape, type_, scale=scale)
    inputs = [x] if other is None else [x, b.input("z", other, type_, scale=scale)]
    y = b.tensor("y", shape, "float32" if name == "CAST" else type_, scale=scale)
    b.operator(name, inputs, [y])
    b.output(y)
    return b.build(name)


@pytest.mark.parametrize(
    ("model", "came"),
    [
        (scaled("DIV", "int32", other=(1, 4)), "2023-10-02"),
        (scaled("SQUARED_DIFFERENCE", "int16", 0.1, other=(1, 4)), "2023-03-06"),
        (scaled("RSQRT", "int16", 0.1), "2023-03-02"),
        (scaled("MUL", "int16", 0.1, other=(1, 4)), "2023-02-14"),
        (scaled("CAST", "uint32"), "2022-01-24"),
        (scaled("TANH", "int16", 2**-15), "2022-01-27"),
        (scaled("LOGISTIC", "int16", 2**-15), "2022-01-27"),
        (scaled("ADD", "float32", shape=(1, 2, 1, 2, 2), other=(2,)), "2023-04-06"),
        (scaled("MUL", "float32", shape=(1, 2, 1, 2, 2), other=(2,)), "2023-09-05"),
    ],
    ids=lambda one: one if isinstance(one, str) else one.main.operators[0].name,
)
def test_what_came_later_is_refused_the_day_before(model, came):
    year, month, day = came.split("-")
    before = f"{year}-{month}-{int(day) - 1:02}"
    with pytest.raises(ConstraintError, match=f"came on {came}"):
        ar.Interpreter(model, target=ar.Target("host", tflm=before))
    # Others of its types may have come later still: none is refused for this one's sake.
    with contextlib.suppress(ConstraintError):
        ar.Interpreter(model, target=ar.Target("host", tflm=came))


def test_a_scale_per_unit_had_outputs_of_two_dimensions():
    model = dense(3, (1, 2, 3))
    then = ar.Target("host", tflm="2025-01-06")
    with pytest.raises(ConstraintError, match=r"output of two dimensions.*2025-01-07"):
        ar.Interpreter(model, target=then)
    ar.Interpreter(dense(3, (2, 3)), target=then)
    ar.Interpreter(dense(1, (1, 2, 3)), target=then)
    ar.Interpreter(model, target=ar.Target("host", tflm="2025-01-07"))
    ar.Interpreter(model, target=ar.Target("cortex-m4", tflm="2025-01-06"))


@pytest.mark.parametrize("operator", ["RELU", "SUB", "LEAKY_RELU"])
def test_ratios_were_double_for_a_winter(operator):
    """From 26 October 2022 to February 2023, and single before and after."""

    def ratios(day):
        return all_before(day, "ratios", operator)[0].before

    days = ("2022-10-25", "2022-12-21", "2023-02-16", "2026-08-20")
    assert [ratios(day) for day in days] == ["single", "double", "single", "single"]


def test_weights_with_a_zero_point_were_taken_for_symmetric():
    b = ar.ModelBuilder()
    x = b.input("x", (1, 16), "int8", scale=0.5)
    w = b.constant("w", np.ones((3, 16), np.int8), scale=0.1, zero_point=3)
    y = b.tensor("y", (1, 3), "int8", scale=0.5)
    b.operator("FULLY_CONNECTED", [x, w, -1], [y], FullyConnectedOptions())
    b.output(y)
    model = b.build("shifted")
    with pytest.raises(ConstraintError, match=r"no zero point.*2023-10-09"):
        ar.Interpreter(model, target=ar.Target("cortex-m4", tflm="2023-10-08"))
    ar.Interpreter(model, target=ar.Target("cortex-m4", "tflm", tflm="2023-10-08"))
    ar.Interpreter(model, target=ar.Target("cortex-m4", tflm="2023-10-09"))
