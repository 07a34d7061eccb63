"""PADV2 equals TFLM for every type, rank, padding and value."""

from typing import Any

import numpy as np

from arenite.model import Model
from tests.ops.differential import equals_tflm, refuses, run_arenite
from tests.ops.padding import padding_model, padding_models

test_equals_tflm = equals_tflm(padding_models("PADV2"))


def test_a_tensor_is_padded_with_the_value_of_its_third_input() -> None:
    model = padding_model("PADV2", (2,), [(1, 2)], value=np.int8(9))
    assert run_arenite(model, [[np.array([1, 2], np.int8)]])[0][0].tolist() == [9, 1, 2, 9, 9]


def test_the_value_may_be_computed() -> None:
    model = padding_model("PADV2", (1,), [(1, 0)], "float32", value=np.zeros(1), fed_value=True)
    inputs = [np.array([1], np.float32), np.array([2.5], np.float32)]
    assert run_arenite(model, [inputs])[0][0].tolist() == [2.5, 1.0]


def padded_with(value: np.ndarray, **quantized: Any) -> Model:
    return padding_model("PADV2", (2,), [(1, 1)], value=value, **quantized)


test_what_is_refused = refuses(
    (
        padded_with(np.zeros(1, np.int8), quantized=((0.5, 7), (0.5, 8))),
        "has the output's scale and zero point",
    ),
    (padded_with(np.zeros(2, np.int8)), "one number of the type of input"),
    (padded_with(np.zeros(1, np.int16)), "one number of the type of input"),
)
