"""PAD equals TFLM for every type, rank and padding."""

import numpy as np

from tests.ops.differential import equals_tflm, refuses, run_arenite
from tests.ops.padding import padding_model, padding_models

test_equals_tflm = equals_tflm(padding_models("PAD"))


def test_int8_is_padded_with_its_zero_point() -> None:
    model = padding_model("PAD", (1, 2), [(1, 0), (0, 1)], quantized=((0.5, 7), (0.5, 7)))
    x = np.array([[1, 2]], np.int8)
    assert run_arenite(model, [[x]])[0][0].tolist() == [[7, 7, 7], [1, 2, 7]]


def test_int16_is_padded_with_zeros_whatever_its_zero_point() -> None:
    model = padding_model("PAD", (1,), [(1, 1)], "int16", quantized=((0.5, 7), (0.5, 7)))
    assert run_arenite(model, [[np.array([5], np.int16)]])[0][0].tolist() == [0, 5, 0]


def test_a_negative_padding_does_not_cut_off_the_front() -> None:
    model = padding_model("PAD", (4,), [(-1, 1)])
    assert run_arenite(model, [[np.array([1, 2, 3, 4], np.int8)]])[0][0].tolist() == [1, 2, 3, 0]


def test_a_scalar_has_nothing_around_it() -> None:
    model = padding_model("PAD", (), [], "float32", paddings=np.zeros((0, 2), np.int32))
    assert run_arenite(model, [[np.float32(7)]])[0][0] == 7


test_what_is_refused = refuses(
    (
        padding_model("PAD", (4,), [(1, 1)], paddings=np.array([[1, 1]], np.int64)),
        r"The paddings \(input 1\) are int32",
    ),
    (padding_model("PAD", (2, 2), [(1, 1)]), "two numbers for each dimension of input 0"),
    (padding_model("PAD", (1,) * 6, [(0, 0)] * 6), "at most 5 dimensions"),
    (padding_model("PAD", (1,), [(-1, -1)]), r"paddings \[\(-1, -1\)\] leave nothing"),
    (padding_model("PAD", (1,), [(1, 1)], "uint8"), "Input 0 is one of"),
)
