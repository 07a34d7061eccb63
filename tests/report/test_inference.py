"""What an inference gave, as text."""

import numpy as np

from arenite.report.inference import render_inference
from tests.analysis.outcomes import SCORES, VALUES, inference, tensor


def text(inference, width=80, count=5):
    return [line.plain for line in render_inference(inference, width, count)]


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
