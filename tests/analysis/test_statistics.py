"""What a model costs, counted by hand for one small operator each."""

from __future__ import annotations

import numpy as np
import pytest

from arenite.analysis.statistics import statistics
from arenite.model import ModelBuilder
from tests.mnn.operator_models import LEGAL, Fed, floats, integers


def with_operator(name, inputs, output, *, options=None, custom=None):
    """A model of one operator: shapes, or (shape, "constant"); None is an absent input."""
    b = ModelBuilder()
    indices = []
    for i, shape in enumerate(inputs):
        if shape is None:
            indices.append(-1)
        elif isinstance(shape[-1], str):
            indices.append(b.constant(f"c{i}", np.zeros(shape[0], np.float32)))
        else:
            indices.append(b.input(f"x{i}", shape, "float32"))
    result = b.tensor("y", output, "float32")
    b.operator(name, indices, [result], options, custom_options=custom)
    b.output(result)
    return b.build()


def constant(*shape):
    return (shape, "constant")


@pytest.mark.parametrize(
    ("name", "inputs", "output", "macs"),
    [
        ("CONV_2D", [(1, 8, 8, 3), constant(4, 3, 3, 3)], (1, 8, 8, 4), 64 * 4 * 27),
        ("CONV_2D", [(1, 8, 8, 4), constant(8, 1, 1, 2)], (1, 8, 8, 8), 64 * 8 * 2),
        ("DEPTHWISE_CONV_2D", [(1, 8, 8, 3), constant(1, 3, 3, 6)], (1, 4, 4, 6), 16 * 6 * 9),
        (
            "TRANSPOSE_CONV",
            [constant(4), constant(5, 2, 2, 3), (1, 4, 4, 3)],
            (1, 8, 8, 5),
            16 * 3 * 4 * 5,
        ),
        ("FULLY_CONNECTED", [(2, 10), constant(7, 10)], (2, 7), 140),
        ("BATCH_MATMUL", [(3, 2, 5), (3, 5, 4)], (3, 2, 4), 3 * 2 * 5 * 4),
        ("SVDF", [(1, 6), constant(8, 6), constant(8, 10)], (1, 4), 8 * 6 + 8 * 10),
        ("ADD", [(1, 4), (1, 4)], (1, 4), 0),
        ("SOFTMAX", [(1, 4)], (1, 4), 0),
    ],
)
def test_multiply_accumulates_per_operator(name, inputs, output, macs):
    stats = statistics(with_operator(name, inputs, output))
    assert (stats.macs, stats.macs_complete) == (macs, True)


@pytest.mark.parametrize(
    ("name", "macs"),
    [
        ("MNN_CONV_INT8", 2 * 3 * 4 * 27),
        ("MNN_TRANSPOSE_CONV", 4 * 5 * 3 * 4 * 4),
        ("MNN_LRN", 0),
    ],
)
def test_operators_of_mnn_files_have_formulas(name, macs):
    assert statistics(LEGAL[name].model()).macs == macs


def test_depthwise_convolutions_of_mnn_files_count_no_depth():
    convolution = LEGAL["MNN_CONV_INT8"].but(
        inputs=(Fed((1, 4, 5, 3), "int8"), integers((1, 3, 3, 3)), floats((3,)), floats((3,))),
        outputs=(Fed((1, 2, 3, 3), "int8"),),
        depthwise=True,
    )
    assert statistics(convolution.model()).macs == 2 * 3 * 3 * 9


def test_an_lstm_multiplies_all_its_matrices_at_every_time_step():
    inputs = [(1, 28, 3)] + [constant(5, 3)] * 4 + [constant(5, 5)] * 4 + [None] * 15
    stats = statistics(with_operator("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, (1, 28, 5)))
    assert stats.macs == 28 * 4 * (5 * 3 + 5 * 5)


@pytest.mark.parametrize("name", ["WHILE", "CONV_3D"])
def test_operators_without_a_formula_leave_the_sum_incomplete(name):
    stats = statistics(with_operator(name, [(1, 4)], (1, 4)))
    assert (stats.operators[0].macs, stats.macs, stats.macs_complete) == (None, 0, False)


def test_a_custom_operator_has_no_formula_even_under_a_builtin_name():
    model = with_operator("CONV_2D", [(1, 8, 8, 3), constant(4, 3, 3, 3)], (1, 8, 8, 4), custom=b"")
    assert statistics(model).operators[0].macs is None


@pytest.mark.parametrize("inputs", [[(1, 8, 8, 3)], [(1, 8, 8, 3), constant(27)], [(1, 4), None]])
def test_an_illegal_convolution_is_counted_as_unknown(inputs):
    assert statistics(with_operator("CONV_2D", inputs, (1, 8, 8, 4))).operators[0].macs is None


def test_parameters_are_trained_constants_and_bytes_are_all_constants():
    b = ModelBuilder()
    x = b.input("x", (1, 4), "int8", scale=0.1)
    weights = b.constant("w", np.zeros((3, 4), np.int8), scale=0.1)
    bias = b.constant("b", np.zeros(3, np.int32), scale=0.01)
    y = b.tensor("y", (1, 3), "int8", scale=0.1)
    b.operator("FULLY_CONNECTED", [x, weights, bias], [y])
    b.operator("RESHAPE", [y, b.constant("shape", np.array([3, 1], np.int32))], [y])
    stats = statistics(b.build())
    assert (stats.parameters, stats.constant_bytes) == (12 + 3, 12 + 12 + 8)
    assert [(s.parameters, s.constant_bytes) for s in stats.operators] == [(15, 24), (0, 8)]


def test_a_constant_that_two_operators_share_counts_once_in_the_sum():
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    one = b.constant("one", np.ones(4, np.float32))
    for _ in range(2):
        b.operator("ADD", [x, one], [b.tensor("y", (1, 4), "float32")])
    stats = statistics(b.build())
    assert [s.parameters for s in stats.operators] == [4, 4]
    assert (stats.parameters, stats.constant_bytes) == (4, 16)


def test_a_model_without_operators_costs_nothing():
    stats = statistics(ModelBuilder().build())
    assert (stats.operators, stats.parameters, stats.macs, stats.macs_complete) == ((), 0, 0, True)
