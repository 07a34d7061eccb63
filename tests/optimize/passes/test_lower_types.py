"""Lowered types: numbers that a person can check, and notes."""

from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite import peers
from arenite.formats import tflite
from arenite.model import ModelBuilder
from arenite.optimize._ranked import Conv3DOptions
from arenite.optimize.passes.lower import lower
from arenite.optimize.settings import Settings
from arenite.target import Target
from tests.optimize.lowered import KINDS, Net
from tests.optimize.lowered_types import INT64, TYPES

has_litert = pytest.mark.skipif(not peers.is_installed("litert"), reason="no LiteRT")
ON = Settings(lower=True)


def net() -> Net:
    return Net(np.random.default_rng(0))


def computed(model, *inputs):
    """Arenite's results of a model once it is lowered."""
    result = lower(ar.load(tflite.write(model)), ON).model
    return ar.Interpreter(result)(*inputs)


def of_one(name: str, x: np.ndarray, *constants, shape=None, output: str = "", **more):
    b = net()
    given = [b.input("x", x.shape, str(x.dtype))]
    given += [b.constant("c", np.asarray(one)) for one in constants]
    return b.ended(b.op(name, given, shape or x.shape, output or str(x.dtype), **more))


def test_of_equal_values_the_first_comes_first():
    b = net()
    x = b.input("x", (5,), "float32")
    values, places = b.tensor("v", (3,), "float32"), b.tensor("p", (3,), "int32")
    b.operator("TOPK_V2", [x, b.constant("k", np.int32(3))], [values, places])
    found = computed(b.ended(values, places), np.float32([1, 7, 7, 9, 7]))
    assert [one.tolist() for one in found] == [[9, 7, 7], [3, 1, 2]]


LARGE = np.array([[2**31 - 1, -(2**31), 65535], [-65537, 2**24 + 1, -1]], np.int32)


def test_nothing_is_moved_as_well():
    b = net()
    nothing = b.constant("n", np.zeros((0, 2), np.int32))
    y = b.op("TRANSPOSE", [nothing, b.constant("p", np.int32([1, 0]))], (2, 0), "int32")
    model = b.ended(y)
    assert lower(model, ON).model.main.outputs == model.main.outputs


def test_int32_is_moved_by_halves_and_keeps_its_bits():
    model = of_one("GATHER", LARGE, np.array([2, 0], np.int32), shape=(2, 2), axis=1)
    assert computed(model, LARGE).tolist() == LARGE[:, [2, 0]].tolist()
    model = of_one("TRANSPOSE", LARGE, np.array([1, 0], np.int32), shape=(3, 2))
    assert computed(model, LARGE).tolist() == LARGE.T.tolist()


def test_sums_of_int32_wrap():
    model = of_one("SUM", LARGE, np.array([1], np.int32), shape=(2, 1), keep_dims=True)
    wrapped = LARGE.astype(np.int64).sum(1, keepdims=True).astype(np.int32)
    assert computed(model, LARGE).tolist() == wrapped.tolist()


def test_booleans_are_chosen():
    b = net()
    c, x, y = (b.input(n, (4,), "bool") for n in "cxy")
    model = b.ended(b.op("SELECT_V2", [c, x, y], (4,), "bool"))
    given = (np.array(one, bool) for one in ([1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 0]))
    assert computed(model, *given).tolist() == [True, False, True, False]


def test_a_class_of_64_bits_becomes_one_of_32_and_the_report_says_so():
    x = np.float32([[0, 3, 1]])
    model = of_one("ARG_MAX", x, np.int32(1), shape=(1,), output="int64", output_type=INT64)
    outcome = lower(model, ON)
    assert outcome.model.outputs[0].type.name == "INT32"
    assert not outcome.is_exact
    assert outcome.changes[0].text == "is int32 now: TFLM's kernels write no int64"
    assert ar.Interpreter(outcome.model)(x).tolist() == [1]


def test_numbers_that_need_64_bits_stay():
    b = net()
    x = b.input("x", (2,), "int64")
    model = b.ended(b.op("ADD", [x, b.constant("c", np.int64(2**40))], (2,), "int64"))
    assert lower(model, ON).model is model


def test_a_custom_operators_int64_stays():
    b = net()
    x = b.input("x", (2,), "int64")
    y = b.tensor("y", (2,), "int64")
    b.operator("MINE", [b.op("ADD", [x, x], (2,), "int64")], [y], custom_options=b"")
    model = b.ended(y)
    assert lower(model, ON).model is model


def test_a_convolution_of_volumes_is_one_of_their_layers():
    b = net()
    x = b.input("x", (1, 3, 1, 1, 1), "float32")
    w = b.constant("w", np.float32([1, 10]).reshape(2, 1, 1, 1, 1))
    options = {"stride_d": 1, "stride_h": 1, "stride_w": 1, "padding": 1}
    model = b.ended(b.op("CONV_3D", [x, w], (1, 2, 1, 1, 1), row=Conv3DOptions, **options))
    volume = np.float32([1, 2, 3]).reshape(1, 3, 1, 1, 1)
    assert computed(model, volume).reshape(-1).tolist() == [21, 32]


def test_weights_of_several_scales_behind_dequantize_are_read_as_meant():
    """TFLM takes the first scale for all."""
    b = net()
    x = b.input("x", (1, 1), "float32")
    small = b.constant("w", np.int8([[1], [1]]), scale=[0.5, 2.0])
    wide = b.op("DEQUANTIZE", [small], (2, 1))
    model = b.ended(b.op("FULLY_CONNECTED", [x, wide, -1], (1, 2)))
    assert computed(model, np.float32([[1]])).tolist() == [[0.5, 2.0]]


@has_litert
@pytest.mark.filterwarnings("ignore::arenite.errors.UndefinedWarning")
@pytest.mark.parametrize("name", [*KINDS, *TYPES])
def test_packages_since_october_2023_can_have_every_kind(name: str):
    target = Target("host", tflm="2023-10-10")
    kind = {**KINDS, **TYPES}[name]
    result, _ = ar.optimize(
        tflite.write(kind(np.random.default_rng(0))), target, lower=True, verify=0
    )
    assert ar.smallest_arena(result, target=target) > 0


def test_what_nothing_is_written_for_stays_with_the_reason():
    b = ModelBuilder()
    x = b.input("x", (2, 2), "float32")
    y = b.tensor("y", (2, 2), "float32")
    b.operator("REVERSE_SEQUENCE", [x, x], [y])
    b.output(y)
    (note,) = lower(b.build(), ON).declined
    assert note.text == "REVERSE_SEQUENCE stays: TFLM has none"


# -- weights that stay small --------------------------------------------------------------


def hybrid(scales: int = 1):
    """A layer of 32 units on 32 values, with one scale or one for each unit."""
    b = net()
    x = b.input("x", (1, 32), "float32")
    values = b.rng.integers(-127, 128, (32, 32)).astype(np.int8)
    w = b.constant("w", values, scale=np.linspace(0.01, 0.1, scales).tolist())
    return b.ended(b.op("FULLY_CONNECTED", [x, w, -1], (1, 32)))


@pytest.mark.parametrize("scales", [1, 32])
def test_with_compression_integers_stay_in_the_file_and_bits_are_the_same(scales: int):
    model = hybrid(scales)
    wide = lower(model, ON).model
    small = lower(model, replace(ON, compress=True)).model
    assert [one.name for one in wide.main.operators] == ["FULLY_CONNECTED"]
    assert "DEQUANTIZE" in [one.name for one in small.main.operators]
    assert len(tflite.write(small)) < len(tflite.write(wide)) - 2000
    x = np.random.default_rng(1).normal(0, 1, (1, 32)).astype(np.float32)
    assert np.array_equal(ar.Interpreter(small)(x), ar.Interpreter(wide)(x))


def test_weights_become_floats_where_the_arena_has_no_room_for_them():
    model, on = hybrid(), replace(ON, compress=True)
    needed = ar.smallest_arena(lower(model, on).model)
    for ram, expected in ((needed, "DEQUANTIZE"), (needed - 1, "FULLY_CONNECTED")):
        result = lower(model, replace(on, ram=ram)).model
        assert result.main.operators[0].name == expected


def test_kernels_that_want_constants_get_them():
    model = KINDS["UNIDIRECTIONAL_SEQUENCE_LSTM, hybrid"](np.random.default_rng(0))
    for target in (None, Target("cortex-m4")):
        result = lower(model, Settings(target, lower=True, compress=True)).model
        assert ar.smallest_arena(result, target=target) > 0


def of_two(name: str, x: np.ndarray, y: np.ndarray, *, is_constant: bool):
    b = net()
    kind = str(x.dtype)
    first = b.input("x", x.shape, kind)
    other = b.constant("y", y) if is_constant else b.input("y", y.shape, kind)
    return b.ended(b.op(name, [first, other], x.shape, kind))


@pytest.mark.parametrize("is_constant", [False, True])
def test_a_shift_rounds_down_and_ends_at_the_last_bit(is_constant):
    x = np.int32([5, -5, -1, 2**31 - 1, -(2**31), -(2**31), 7])
    steps = np.int32([1, 1, 30, 31, 31, 99, -1])
    model = of_two("RIGHT_SHIFT", x, steps, is_constant=is_constant)
    given = [x] if is_constant else [x, steps]
    assert computed(model, *given).tolist() == [2, -3, -1, 0, -1, -1, 7]


@pytest.mark.parametrize("kind", ["int8", "int16", "int32"])
def test_bits_that_differ_are_found_up_to_the_sign(kind):
    ends = np.iinfo(kind)
    x = np.array([ends.min, ends.max, -1, 5, 0], kind)
    y = np.array([ends.max, ends.max, 0, 3, ends.min], kind)
    found = computed(of_two("BITWISE_XOR", x, y, is_constant=False), x, y)
    assert found.tolist() == (x ^ y).tolist()


def test_an_exclusive_or_that_repeats_an_input_stays():
    b = net()
    x, y = b.input("x", (2, 3), "int8"), b.input("y", (3,), "int8")
    model = b.ended(b.op("BITWISE_XOR", [x, y], (2, 3), "int8"))
    found = lower(ar.load(tflite.write(model)), ON)
    assert "input 1 is repeated along some axes" in found.declined[0].text


def test_an_angle_has_the_quadrant_of_its_point():
    y, x = np.float32([1, 1, -1, -1, 0, 0, 2]), np.float32([1, -1, -1, 1, 0, -1, 0])
    found = computed(of_two("ATAN2", y, x, is_constant=False), y, x)
    np.testing.assert_allclose(found, np.arctan2(y, x), atol=1e-6)


@pytest.mark.parametrize("is_constant", [False, True])
def test_a_power_has_a_sign_where_the_exponent_is_odd(is_constant):
    x = np.float32([2, -2, -2, 0, 0, -3, 9])
    y = np.float32([2.5, 3, 4, 0, 2, 0, -0.5])
    model = of_two("POW", x, y, is_constant=is_constant)
    given = [x] if is_constant else [x, y]
    np.testing.assert_allclose(computed(model, *given), x**y, rtol=3e-6)


def test_a_power_that_is_no_number_is_none():
    x, y = np.float32([-2]), np.float32([1.5])
    assert np.isnan(computed(of_two("POW", x, y, is_constant=False), x, y)[0])


def test_a_matrix_with_a_scale_per_column_becomes_rows_with_theirs():
    """int16 by int8, as an attention's projections are."""
    b = net()
    x = b.input("x", (2, 3), "int16", scale=0.001)
    values = np.int8([[1, -2], [3, 4], [-5, 6]])
    w = b.constant("w", values, scale=np.float32([0.5, 2]), quantized_dimension=1)
    model = b.ended(b.op("BATCH_MATMUL", [x, w], (2, 2), "int16", scale=0.001))
    result = lower(model, ON).model
    (operator,) = result.main.operators
    assert operator.name == "FULLY_CONNECTED"
    weights = result.main.tensors[operator.inputs[1]]
    assert weights.quantization.quantized_dimension == 0
    given = np.int16([[100, 200, 300], [-7, 0, 9]])
    expected = given @ values.astype(int) * [0.5, 2]
    assert ar.Interpreter(result)(given).tolist() == expected.tolist()
