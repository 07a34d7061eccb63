"""MNN_INT8_TO_FLOAT: int8 become real numbers."""

import numpy as np

from arenite.mnn.operators.int8_to_float import MnnInt8ToFloatOptions
from tests.mnn.operator_models import Fed, outputs_of, single


def real(options: MnnInt8ToFloatOptions, *q: int) -> list[float]:
    """The real numbers of a vector."""
    vector = Fed((len(q),), "int8"), Fed((len(q),))
    (y,) = outputs_of(single("INT8_TO_FLOAT", vector[:1], vector[1], options), np.int8(q))
    return [float(n) for n in y]


def test_the_zero_point_is_taken_off_before_the_factor() -> None:
    assert real(MnnInt8ToFloatOptions((0.5,), 3.0), 3, 5, -128) == [0, 1, -65.5]


def test_every_channel_may_have_its_factor() -> None:
    assert real(MnnInt8ToFloatOptions((0.5, 4.0)), 3, 3) == [1.5, 12]
