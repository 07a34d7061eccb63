"""Value by value, and nested loops where inputs broadcast."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.analysis.device import device_operators
from arenite.libraries.cmsis_nn.cost.loops.elementwise import (
    KERNELS,
    Level,
    broadcast,
    joined_levels,
)
from arenite.model import ModelBuilder
from arenite.target import find_target
from tests.libraries.cmsis_nn.cost.loops.views import passes, view
from tests.ops.binary import broadcast_shapes


def times(name, *shapes, kind="float32"):
    out = np.broadcast_shapes(*shapes)
    ports = [(shape, kind) for shape in shapes]
    return passes(KERNELS[name](view(name, ports, [(out, kind)])))


def test_one_pass_per_value():
    assert times("RELU", (2, 3)) == {"call": 1, "dimension": 2, "value": 6}


@pytest.mark.parametrize(
    ("taken", "made", "step"),
    [
        (("uint8", 0.5, 131), ("int8", 0.5, 3), "value whose highest bit changes"),
        (("int8", 0.5, -9), ("uint8", 0.5, 119), "value whose highest bit changes"),
        (("int8", 0.5, -9), ("uint8", 0.5, 118), "value"),
        (("uint8", 0.5, 131), ("int8", 0.25, 3), "value"),
        (("int8", 0.5, 131), ("int8", 0.5, 3), "value"),
    ],
)
def test_bytes_of_the_same_scale_differ_by_their_highest_bit(taken, made, step):
    b = ModelBuilder()
    tensors = [
        make(name, (2, 3), kind, scale=scale, zero_point=zero)
        for make, name, (kind, scale, zero) in ((b.input, "x", taken), (b.tensor, "y", made))
    ]
    b.operator("QUANTIZE", tensors[:1], tensors[1:], None)
    b.output(tensors[1])
    (operator,) = device_operators(b.build(), find_target("cortex-m4"))
    kernel = f"QUANTIZE, {taken[0]} to {made[0]}"
    assert passes(operator.loops, kernel) == {"call": 1, "dimension": 2, step: 6}


def test_equal_shapes_are_flat():
    assert times("ADD", (2, 3), (2, 3)) == {"call": 1, "dimension": 2, "value": 6}


def test_a_channel_s_value_is_added_row_by_row():
    assert times("ADD", (2, 5, 3), (3,)) == {
        "call": 1,
        "dimension": 3,
        "level": 2,
        "run": 10,
        "outer pass": 1,
        "value": 30,
    }


def test_one_value_for_all_is_one_run():
    found = times("MUL", (2, 5, 3), (1,))
    assert (found["run"], found["value, operand 1 is one"]) == (1, 30)


def test_broadcasting_kernels_have_a_name_of_their_own():
    loops = KERNELS["ADD"](view("ADD", [((4, 3), "int8"), ((3,), "int8")], [((4, 3), "int8")]))
    assert {loop.function for loop in loops} == {"ADD, int8, broadcast"}


def test_dimensions_join_if_all_operands_go_on():
    levels = joined_levels(((2, 3, 4), (1, 1, 4)), (2, 3, 4))
    assert levels == [Level(4, (False, False)), Level(6, (False, True))]


@given(shapes=broadcast_shapes())
def test_levels_visit_every_value_once(shapes):
    output = np.broadcast_shapes(*shapes)
    sizes = [level.size for level in joined_levels(shapes, output)]
    assert np.prod(sizes, initial=1) == np.prod(output, initial=1)


@given(shapes=broadcast_shapes(), name=st.sampled_from(["K"]))
def test_values_of_all_runs_are_the_output_s(shapes, name):
    output = np.broadcast_shapes(*shapes)
    found = passes(broadcast(name, shapes, output))
    assert sum(n for step, n in found.items() if step.startswith("value")) == np.prod(output)


def test_slopes_broadcast_in_prelu():
    ports = [((1, 2, 2, 3), "int8"), ((1, 1, 3), "int8")]
    found = passes(KERNELS["PRELU"](view("PRELU", ports, [((1, 2, 2, 3), "int8")])))
    assert (found["run"], found["value"]) == (4, 12)


def test_sums_of_many_have_a_pass_per_summand():
    assert times("ADD_N", (4,), (4,), (4,))["summand"] == 12


def test_select_broadcasts_three_operands():
    ports = [((4, 1), "bool"), ((1, 3), "int8"), ((4, 3), "int8")]
    found = KERNELS["SELECT_V2"](view("SELECT_V2", ports, [((4, 3), "int8")]))
    assert {loop.function for loop in found} == {"SELECT_V2, int8, broadcast"}
    assert passes(found)["run"] == 4
