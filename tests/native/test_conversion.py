"""Numbers on their way into quantised tensors and out of them, in C: NumPy's bits."""

import os
from typing import Any

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.model import Array, ModelBuilder, Tensor
from arenite.native.conversion import Conversion, Ends
from arenite.native.program import ISAS, available_isas
from arenite.runtime.io_conversion import dequantized, pixels, quantized

CASES = int(os.environ.get("ARENITE_CASES", "15"))
F32 = np.finfo(np.float32)
#: Usual ones, and the ends of float32.
SCALES = (1.0, 1 / 255, 0.5847029, 3e-5, 1e-30, F32.tiny, F32.smallest_subnormal, F32.max)

every_isa = pytest.mark.parametrize("isa", available_isas())
every_type = pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
every_float = pytest.mark.parametrize("given", [np.float32, np.float64])


def tensor_of(dtype: str, scale: float, zero_point: int) -> Tensor:
    builder = ModelBuilder()
    x = builder.input("x", (1, 1), dtype, scale=scale, zero_point=zero_point)
    builder.output(x)
    return builder.build().inputs[0]


def ends(tensor: Tensor, given: Any, count: int) -> Ends:
    assert tensor.quantization is not None
    scale, zero_point = tensor.quantization.scale[0], tensor.quantization.zero_point[0]
    return Ends(np.dtype(given), tensor.type.dtype, count, float(scale), int(zero_point))


def in_c(reals: Array, tensor: Tensor, isa: str) -> Array:
    """What the kernel makes of real numbers or bytes."""
    conversion = Conversion.into(ends(tensor, reals.dtype, reals.size), ISAS[isa])
    assert conversion is not None
    y = np.zeros(reals.shape, tensor.type.dtype)
    assert conversion.applied(reals, y)
    return y


def awkward(rng: np.random.Generator, scale: float, given: Any, count: int = 1000) -> Array:
    """Random numbers, halves and their neighbours, and the ends of the type."""
    places = np.concatenate([np.arange(-300, 300), rng.integers(-33000, 33000, count)])
    halves = (places + 0.5) * np.float64(np.float32(scale))
    bits = rng.integers(0, 2**32, count, dtype=np.uint32).view(np.float32)
    ends_of_type = [0.0, -0.0, np.inf, -np.inf, F32.max, F32.min, F32.tiny, F32.smallest_subnormal]
    with np.errstate(over="ignore"):
        near = halves.astype(np.float32)
        up, down = np.nextafter(near, F32.max), np.nextafter(near, F32.min)
        wide = rng.normal(0, 100, count).astype(np.float32) * np.float32(scale)
    numbers = np.concatenate([near, up, down, bits, wide, np.array(ends_of_type, np.float32)])
    numbers = numbers[~np.isnan(numbers)].astype(given)
    more = [halves, np.array([1e300, -1e300])] if given is np.float64 else []
    return np.concatenate([numbers, *more])


@every_isa
@every_type
@every_float
@pytest.mark.parametrize("scale", SCALES)
def test_reals_become_what_numpy_makes_of_them(
    isa: str, dtype: str, given: Any, scale: float
) -> None:
    rng = np.random.default_rng(0)
    info = np.iinfo(dtype)
    for zero_point in (int(info.min), int(rng.integers(info.min, info.max))):
        tensor = tensor_of(dtype, scale, zero_point)
        reals = awkward(rng, scale, given)
        np.testing.assert_array_equal(in_c(reals, tensor, isa), quantized(reals, tensor))


@every_isa
def test_a_number_just_below_a_half_is_rounded_down(isa: str) -> None:
    below = np.nextafter(np.float32(0.5), np.float32(0))
    reals = np.array([below, 0.5, -below, -0.5, 2.5, -2.5], np.float32)
    assert in_c(reals, tensor_of("int8", 1.0, 0), isa).tolist() == [0, 1, 0, -1, 3, -3]


@every_isa
@every_float
def test_nan_is_noticed_wherever_it_is(isa: str, given: Any) -> None:
    tensor = tensor_of("int8", 0.1, 3)
    for count in (1, 16, 33, 100):
        conversion = Conversion.into(ends(tensor, given, count), ISAS[isa])
        assert conversion is not None
        for place in {0, count // 2, count - 1}:
            reals = np.zeros(count, given)
            reals[place] = np.nan
            assert not conversion.applied(reals, np.zeros(count, np.int8))


@every_isa
@pytest.mark.parametrize("count", [0, 1, 15, 64, 67])
def test_nothing_is_written_behind_the_last_value(isa: str, count: int) -> None:
    memory = np.full(count + 64, 77, np.int8)
    conversion = Conversion.into(ends(tensor_of("int8", 1.0, 0), np.float32, count), ISAS[isa])
    assert conversion is not None
    conversion.applied(np.ones(count, np.float32), memory[:count])
    assert (memory[:count] == 1).all()
    assert (memory[count:] == 77).all()


@every_isa
def test_bytes_of_images_are_all_that_int8_holds(isa: str) -> None:
    tensor, every_byte = tensor_of("int8", 1 / 255, -128), np.arange(256, dtype=np.uint8)
    assert in_c(every_byte, tensor, isa).tolist() == list(range(-128, 128))
    np.testing.assert_array_equal(in_c(every_byte, tensor, isa), pixels(every_byte, tensor))


@every_isa
@every_type
@pytest.mark.parametrize("scale", SCALES)
def test_values_become_the_reals_that_numpy_makes_of_them(
    isa: str, dtype: str, scale: float
) -> None:
    info = np.iinfo(dtype)
    values = np.arange(info.min, info.max + 1).astype(dtype)
    tensor = tensor_of(dtype, scale, 5)
    conversion = Conversion.out_of(ends(tensor, np.float32, values.size), ISAS[isa])
    assert conversion is not None
    y = np.zeros(values.size, np.float32)
    assert conversion.applied(values, y)
    np.testing.assert_array_equal(y, dequantized(values, tensor))


@pytest.mark.parametrize(
    ("given", "own", "scale", "zero_point"),
    [
        (np.float32, np.int32, 1.0, 0),
        (np.float16, np.int8, 1.0, 0),
        (np.uint8, np.int16, 1.0, 0),
        (np.float32, np.int8, 1.0, 1 << 40),
        (np.float32, np.int8, 1.0, 1 << 20),
        (np.float32, np.int8, -1.0, 0),
        (np.float32, np.int8, np.inf, 0),
        (np.float32, np.int8, np.nan, 0),
    ],
)
def test_what_c_does_not_take_is_left_to_numpy(
    given: Any, own: Any, scale: float, zero_point: int
) -> None:
    how = Ends(np.dtype(given), np.dtype(own), 8, scale, zero_point)
    assert all(Conversion.into(how, ISAS[isa]) is None for isa in available_isas())


@every_isa
@pytest.mark.parametrize("seed", range(CASES))
def test_random_quantisations(isa: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    dtype = rng.choice(["int8", "uint8", "int16"])
    scale = float(np.float32(np.exp(rng.uniform(-20, 20))))
    tensor = tensor_of(dtype, scale, int(rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max)))
    reals = awkward(rng, scale, rng.choice([np.float32, np.float64]), 10 * CASES)
    np.testing.assert_array_equal(in_c(reals, tensor, isa), quantized(reals, tensor))
