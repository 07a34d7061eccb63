"""``emulate_float=True``: firmware that is built with ``TFLITE_EMULATE_FLOAT``.

The numbers are those of TFLM's ``quantization_util.cc``, compiled with that definition.
"""

from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.model import Model, ModelBuilder
from arenite.numeric import fixedpoint as fp
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.ops.tflite.softmax import SoftmaxOptions

EMULATED, USUAL = ar.Target("cortex-m0", emulate_float=True), ar.Target("cortex-m0")
#: Two scales whose product has an exact half behind the 31 bits of a multiplier.
HALF = 0.6348933577537537, 1 + 2**-8


def dense(units: int = 1) -> Model:
    """A layer with one scale for all units, or one each."""
    b = ModelBuilder()
    x = b.input("x", (1, 1), "int8", scale=HALF[0])
    scale = HALF[1] if units == 1 else [HALF[1]] * units
    w = b.constant("w", np.ones((units, 1), np.int8), scale=scale)
    y = b.tensor("y", (1, units), "int8", scale=1.0)
    b.operator("FULLY_CONNECTED", [x, w], [y], FullyConnectedOptions())
    b.output(y)
    return b.build()


def softmax(beta: float, scale: float) -> Model:
    b = ModelBuilder()
    x = b.input("x", (1, 2), "int8", scale=scale)
    y = b.tensor("y", (1, 2), "int8", scale=1 / 256, zero_point=-128)
    b.operator("SOFTMAX", [x], [y], SoftmaxOptions(beta))
    b.output(y)
    return b.build()


def params(model: Model, target: ar.Target) -> Any:
    """What the first operator prepares."""
    micro = ar.MicroInterpreter(model, ar.AllOpsResolver(), 1 << 16, target=target)
    return micro.prepare_operator(0).params


@pytest.mark.parametrize(
    ("real", "emulated", "usual"),
    [
        (0.035, (1202590843, -4), (1202590843, -4)),
        (1 + 2**-31, (1073741824, 1), (1073741825, 1)),
        (1 + 3 * 2**-31, (1073741825, 1), (1073741826, 1)),
    ],
)
def test_exact_halves_are_rounded_towards_zero(
    real: float, emulated: tuple[int, int], usual: tuple[int, int]
) -> None:
    assert fp.quantize_multiplier_integer(real) == emulated
    assert fp.quantize_multiplier(real) == usual
    multipliers, shifts = fp.quantize_multipliers([real, real], integer=True)
    assert list(zip(multipliers.tolist(), shifts.tolist(), strict=True)) == [emulated] * 2


@pytest.mark.parametrize("units", [1, 3])
def test_a_layers_multipliers_are_those_of_the_build(units: int) -> None:
    assert params(dense(units), USUAL).multiplier.tolist() == [1368748976] * units
    assert params(dense(units), EMULATED).multiplier.tolist() == [1368748975] * units


@pytest.mark.parametrize(
    ("beta", "scale", "emulated", "usual", "shift"),
    [(1.0, 0.1, 1717986944, 1717986944, 23), (1.3, 0.3, 1675037248, 1675037251, 25)],
)
def test_the_multiplier_of_softmax_is_a_product_of_31_bits_each(
    beta: float, scale: float, emulated: int, usual: int, shift: int
) -> None:
    model = softmax(beta, scale)
    for target, multiplier in ((EMULATED, emulated), (USUAL, usual)):
        found = params(model, target)
        assert (found.input_multiplier, found.input_left_shift) == (multiplier, shift)


def test_both_engines_compute_with_them() -> None:
    x = np.arange(-128, 128, dtype=np.int8).reshape(-1, 1, 1)
    outputs = [
        ar.Interpreter(dense(3), target=EMULATED, engine=engine).predict(x)
        for engine in ("reference", "auto")
    ]
    assert np.array_equal(*outputs)


def test_a_target_says_that_floats_are_emulated() -> None:
    assert str(EMULATED).endswith("floats emulated")
    assert "emulated" not in str(USUAL)
    assert EMULATED != USUAL
