"""A model in a terminal: what is said of options, tensors and subgraphs."""

import numpy as np
import pytest

from arenite.model import Model, ModelBuilder, Operator
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.report.model import options_text, render_model


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (None, ""),
        (Conv2DOptions(stride_w=1, stride_h=1), "same"),
        (Conv2DOptions(padding=1, stride_w=2, stride_h=1), "valid, stride 1x2"),
        (
            Conv2DOptions(stride_w=1, stride_h=1, dilation_w_factor=3, dilation_h_factor=2),
            "same, dilation 2x3",
        ),
        (Conv2DOptions(stride_w=1, stride_h=1, fused_activation_function=3), "same, relu6"),
        (SoftmaxOptions(beta=1.0), ""),
        (SoftmaxOptions(beta=0.5), "beta 0.5"),
    ],
)
def test_options_in_few_words(row, text):
    assert options_text(Operator("X", (), (), row)) == text


def lines(model, width=120):
    return [line.plain for line in render_model(model, width)]


def test_equal_inputs_are_counted_and_optional_ones_left_out():
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    b.operator("ADD", [x, x, -1], [b.tensor("y", (1, 4), "float32")])
    row = next(line for line in lines(b.build()) if line.startswith("0  ADD"))
    assert row == "0  ADD       2x float32[1,4]  float32[1,4]           0     0"


def test_scales_per_channel_are_counted():
    b = ModelBuilder()
    b.input("x", (1, 4), "int8", scale=np.full(4, 0.5))
    assert "4 scales" in lines(b.build())[3]


def test_every_subgraph_has_a_table():
    first, second = ModelBuilder("main"), ModelBuilder("body")
    for b in (first, second):
        x = b.input("x", (1, 4), "float32")
        b.operator("RELU", [x], [x])
    text = lines(Model(subgraphs=(first.subgraph(), second.subgraph())))
    assert text.index("Subgraph 0 main") < text.index("Subgraph 1 body")
    assert sum(line.split()[1:2] == ["RELU"] for line in text) == 2


def test_short_metadata_is_shown_as_text_and_other_by_size():
    model = ModelBuilder().build(metadata={"version": b"1.5.0\0\0\0", "blob": bytes(range(256))})
    assert "version      metadata, 1.5.0" in lines(model)
    assert "blob         metadata, 256 bytes" in lines(model)
