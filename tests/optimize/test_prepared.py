"""Nodes whose parameters can be relied on, and kernels that run alone."""

from dataclasses import replace

import numpy as np

from arenite.model import Model, ModelBuilder
from arenite.ops.shared.reduction import ReducerOptions
from arenite.optimize._prepared import PreparedModel
from tests.ops.convolutions import pack_int4


def two_operators() -> Model:
    """A RELU, and behind it an operator that nobody knows."""
    b = ModelBuilder()
    x = b.input("x", (1, 2), "int8", scale=1.0)
    y, z = (b.tensor(name, (1, 2), "int8", scale=1.0) for name in "yz")
    b.operator("RELU", [x], [y])
    b.operator("SOMEBODYS", [y], [z], custom_options=b"")
    b.output(z)
    return b.build()


def test_a_kernel_runs_alone():
    (out,) = PreparedModel(two_operators()).run(0, 0, {0: np.array([[-3, 4]])})
    assert out.tolist() == [[0, 4]]


def test_an_unknown_operator_is_no_node():
    prepared = PreparedModel(two_operators())
    assert prepared.node(0, 0) is not None
    assert prepared.node(0, 1) is None


def test_what_c_leaves_undefined_is_no_node_and_warns_nobody():
    b = ModelBuilder()
    x = b.input("x", (1, 2, 2), "int8")
    axes = b.constant("axes", np.array([1], np.int32))
    y = b.tensor("y", (1, 2), "int8")
    b.operator("MEAN", [x, axes], [y], ReducerOptions())
    b.output(y)
    assert PreparedModel(b.build()).node(0, 0) is None


def test_a_node_of_other_shapes_than_the_file_s_is_none():
    model = two_operators()
    tensors = list(model.main.tensors)
    tensors[1] = replace(tensors[1], shape=(2, 1))
    model = replace(model, subgraphs=(replace(model.main, tensors=tuple(tensors)),))
    assert PreparedModel(model).node(0, 0) is None


def test_constants_have_one_element_each():
    b = ModelBuilder()
    values = np.array([1, -8, 7], np.int8)
    b.constant("w", pack_int4(values), "int4", shape=(3,), scale=1.0)
    b.input("x", (1,), "int8")
    prepared = PreparedModel(b.build())
    assert prepared.constant(0, 0).tolist() == [1, -8, 7]
    assert prepared.constant(0, 1) is None
