"""Kernels by name and types."""

import pytest

from arenite.libraries.cmsis_nn.cost.loops.kind import bytes_of, kernel_of, loops
from tests.libraries.cmsis_nn.cost.loops.views import view


@pytest.mark.parametrize(
    ("name", "inputs", "outputs", "kernel"),
    [
        ("RELU", ["float32"], ["float32"], "RELU, float32"),
        ("CAST", ["int8"], ["float32"], "CAST, int8 to float32"),
        ("CONV_2D", ["int8", "int4"], ["int8"], "CONV_2D, int4"),
        ("SPLIT", ["int32", "int16"], ["int16"], "SPLIT, int16"),
        ("TRANSPOSE_CONV", ["int32", "int8", "int16"], ["int16"], "TRANSPOSE_CONV, int16"),
        ("VAR_HANDLE", [], ["resource"], "VAR_HANDLE, resource"),
        ("CALL_ONCE", [], [], "CALL_ONCE"),
    ],
)
def test_the_type_that_chooses_the_kernel_is_in_its_name(name, inputs, outputs, kernel):
    ports = [[((2,), kind) for kind in kinds] for kinds in (inputs, outputs)]
    assert kernel_of(view(name, *ports)) == kernel


def test_every_kernel_is_called_once():
    assert [tuple(loop) for loop in loops("K", {"value": 5})] == [
        ("K", "call", 1),
        ("K", "value", 5),
    ]


def test_bytes_are_those_of_one_value():
    assert bytes_of(view("RELU", [((2,), "int16")], [])) == 2
