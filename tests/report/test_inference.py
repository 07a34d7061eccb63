"""What an inference gave, as facts and as text."""

from __future__ import annotations

import numpy as np
import pytest

from arenite.errors import ShapeError
from arenite.model import Quantization, Tensor, TensorType
from arenite.report.inference import (
    Inference,
    check_labels,
    inference_facts,
    render_inference,
    top,
)
from arenite.target import HOST


def tensor(shape, dtype="INT8", scale=None, zero_point=0, name="y"):
    quantization = None
    if scale is not None:
        quantization = Quantization(np.array([scale], np.float32), np.array([zero_point]))
    return Tensor(name, TensorType[dtype], shape, quantization=quantization)


SCORES = tensor((1, 4), scale=0.5, zero_point=-1)
VALUES = np.array([[3, 7, -1, 7]], np.int8)


def inference(tensor, array, *, labels=(), seconds=(0.002,)):
    return Inference("m.tflite", HOST, "native", (), (), (tensor,), (array,), seconds, labels)


def text(inference, width=80, count=5):
    return [line.plain for line in render_inference(inference, width, count)]


def test_the_largest_values_come_first_and_equal_ones_by_index():
    ranked = top(VALUES, SCORES, (), 3)
    assert [(r.index, r.value, r.raw) for r in ranked] == [(1, 4.0, 7), (3, 4.0, 7), (0, 2.0, 3)]


def test_nan_comes_last():
    values = np.array([np.nan, 1.0, np.inf], np.float32)
    assert [r.index for r in top(values, tensor((3,), "FLOAT32"), (), 3)] == [2, 1, 0]


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (0,), ()])
def test_only_vectors_are_ranked(shape):
    assert top(np.zeros(shape, np.float32), tensor(shape, "FLOAT32"), (), 5) == []


def test_labels_are_one_per_value_of_the_first_output():
    with pytest.raises(ShapeError) as caught:
        check_labels(["a", "b"], [SCORES])
    assert str(caught.value) == (
        "expected 4 labels, one per value of output 'y' (int8[1,4]), got 2"
    )


def test_results_with_labels_as_text():
    assert text(inference(SCORES, VALUES, labels=("a", "b", "c", "d")), count=2) == [
        "m.tflite",
        "host, TFLM's reference kernels, structs of lp64",
        "",
        "out  int8[1,4]  y",
        "     #  label  value  raw",
        "     1  b          4    7  ████████████████████",
        "     3  d          4    7  ████████████████████",
        "",
        "time  2.00 ms, one run, native engine",
    ]


def test_other_outputs_are_summarised():
    square = tensor((2, 2), "FLOAT32")
    lines = text(inference(square, np.array([[1, 2], [3, 6]], np.float32)))
    assert lines[4] == "     min 1  mean 3  max 6"


def test_a_single_value_is_shown():
    lines = text(inference(tensor((1, 1), scale=0.25), np.array([[3]], np.int8)))
    assert lines[4] == "     0.75"


def test_an_empty_output_is_no_error():
    lines = text(inference(tensor((0, 2), "FLOAT32"), np.zeros((0, 2), np.float32)))
    assert lines[4] == "     no values"


def test_repeats_give_median_and_spread():
    lines = text(inference(SCORES, VALUES, seconds=(0.004, 0.001, 0.002)))
    assert lines[-1] == "time  2.00 ms, median of 3 (1.00 ms .. 4.00 ms), native engine"


def test_bars_are_left_out_for_negative_numbers():
    negative = tensor((2,), "FLOAT32")
    lines = text(inference(negative, np.array([-1, -2], np.float32)))
    assert lines[5:7] == ["     0     -1", "     1     -2"]


def test_facts_hold_the_values_and_the_ranking():
    facts = inference_facts(inference(SCORES, VALUES, labels=("a", "b", "c", "d")), 1)
    assert facts["outputs"][0]["values"] == [[3, 7, -1, 7]]
    assert facts["outputs"][0]["top"] == [{"index": 1, "label": "b", "value": 4.0, "raw": 7}]
    assert facts["seconds"] == {"median": 0.002, "min": 0.002, "max": 0.002}
