"""Moves that are spared, since tensors lie where they would be moved to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arenite.errors import PlanError
from arenite.firmware.export import export
from arenite.firmware.kernels.portable import portable_work
from arenite.firmware.network.kernel import State
from arenite.firmware.network.layers import network_of
from arenite.firmware.plan import places
from arenite.firmware.plan.late_assignments import with_late_assignments
from arenite.firmware.plan.layout import alive_bytes, layout_of
from arenite.firmware.plan.memory_check import replay
from arenite.firmware.plan.program import works_of
from arenite.model import ModelBuilder
from arenite.ops.shared.maximum_minimum import MaximumMinimumOptions
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.tflite.assign_variable import AssignVariableOptions
from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.ops.tflite.read_variable import ReadVariableOptions
from arenite.ops.tflite.split import SplitOptions
from arenite.ops.tflite.strided_slice import StridedSliceOptions
from arenite.ops.tflite.var_handle import VarHandleOptions
from tests.firmware.streams import stream

HOW = {"scale": 1.0, "zero_point": 0}


class Small(ModelBuilder):
    """int8 tensors of rows and channels."""

    def rows(self, rows, channels=4):
        return self.tensor("t", (1, rows, 1, channels), "int8", **HOW)

    def variable(self, name):
        handle = self.tensor(name, (), "resource")
        self.operator("VAR_HANDLE", [], [handle], VarHandleOptions("", name))
        return handle

    def read(self, handle, rows, channels=4):
        y = self.rows(rows, channels)
        self.operator("READ_VARIABLE", [handle], [y], ReadVariableOptions())
        return y

    def assign(self, handle, x):
        self.operator("ASSIGN_VARIABLE", [handle, x], [], AssignVariableOptions())

    def join(self, parts, rows, channels=4, axis=1):
        y = self.rows(rows, channels)
        self.operator("CONCATENATION", parts, [y], ConcatenationOptions(axis=axis))
        return y

    def cut(self, x, first, end, channels=4):
        y = self.rows(end - first, channels)
        ends = [
            self.constant("n", np.array(n, np.int32))
            for n in ([0, first, 0, 0], [1, end, 1, channels], [1, 1, 1, 1])
        ]
        self.operator("STRIDED_SLICE", [x, *ends], [y], StridedSliceOptions(0, 0))
        return y

    def largest(self, x, rows, channels=4):
        y = self.rows(1, channels)
        self.operator("MAX_POOL_2D", [x], [y], Pool2DOptions(1, 1, 1, 1, rows))
        return y

    def maximum(self, a, b, rows=1):
        y = self.rows(rows)
        self.operator("MAXIMUM", [a, b], [y], MaximumMinimumOptions())
        return y


def planned(b, inputs="overwritten"):
    """Layers, what is left to do of each, where everything lies."""
    network = network_of(b.build())
    layout = layout_of(network, works_of(network, portable_work), inputs=inputs)
    replay(network, layout, inputs=inputs)
    return network, layout


def moves(network, layout):
    """The names of layers that are left."""
    named = zip(network.layers, layout.works, strict=True)
    return [one.name for one, work in named if work.routine and one.name != "VAR_HANDLE"]


def window(*, late, channels=4, rows=3):
    """The largest of three rows that are kept and a new one, of which the last three are kept."""
    b = Small()
    x = b.input("x", (1, 1, 1, channels), "int8", **HOW)
    handle = b.variable("v")
    before = b.read(handle, rows, channels)
    whole = b.join([before, x], rows + 1, channels)
    last = b.cut(whole, 1, rows + 1, channels)
    if not late:
        b.assign(handle, last)
    b.output(b.largest(whole, rows + 1, channels))
    if late:
        b.assign(handle, last)
    return b, x, before, whole, last


def test_new_rows_lie_behind_those_that_are_kept():
    b, x, before, whole, last = window(late=True)
    network, layout = planned(b)
    ((_, kept),) = layout.states.items()
    found = layout.tensors
    assert (found[before], found[whole], found[x], found[last]) == (kept, kept, kept + 12, kept + 4)
    assert moves(network, layout) == ["MAX_POOL_2D", "ASSIGN_VARIABLE"]


def test_an_assignment_before_the_window_leaves_it_a_copy():
    network, layout = planned(window(late=False)[0])
    assert moves(network, layout) == ["CONCATENATION", "ASSIGN_VARIABLE", "MAX_POOL_2D"]


def test_rows_that_are_not_at_words_are_moved():
    network, layout = planned(window(late=True, channels=3)[0])
    assert moves(network, layout).count("CONCATENATION") == 1


def test_newest_rows_may_come_first():
    b = Small()
    x = b.input("x", (1, 1, 1, 4), "int8", **HOW)
    handle = b.variable("v")
    whole = b.join([x, b.read(handle, 3)], 4)
    b.output(b.largest(whole, 4))
    b.assign(handle, b.cut(whole, 0, 3))
    network, layout = planned(b)  # upwards, so not within the same memory
    assert "STRIDED_SLICE" in moves(network, layout) or "CONCATENATION" in moves(network, layout)


def test_a_computed_value_lies_in_its_variable():
    b = Small()
    x = b.input("x", (1, 1, 1, 4), "int8", **HOW)
    handle = b.variable("v")
    largest = b.maximum(b.read(handle, 1), x)
    b.assign(handle, largest)
    b.output(b.maximum(largest, x))
    network, layout = planned(b)
    assert moves(network, layout) == ["MAXIMUM", "MAXIMUM"]
    assert layout.tensors[largest] in layout.states.values()


def test_it_does_not_where_what_was_is_read_once_more():
    b = Small()
    x = b.input("x", (1, 1, 1, 4), "int8", **HOW)
    handle = b.variable("v")
    before = b.read(handle, 1)
    largest = b.maximum(before, x)
    b.assign(handle, largest)
    b.output(b.maximum(before, largest))
    network, layout = planned(b)
    assert len(moves(network, layout)) == 3
    assert layout.tensors[before] != layout.tensors[largest]


def test_variables_that_change_places_are_moved_by_way_of_others():
    b = Small()
    handles = [b.variable(name) for name in "ab"]
    first, second = (b.read(handle, 2) for handle in handles)
    b.assign(handles[0], second)
    b.assign(handles[1], first)
    b.output(b.join([first, second], 4))
    network, layout = planned(b)
    assert len(set(layout.states.values())) == 2
    assert layout.tensors[second] == layout.states[State("variable 0", 8)]  # b is read into a
    joined = ["CONCATENATION"]
    assert moves(network, layout) == ["READ_VARIABLE", "READ_VARIABLE", "ASSIGN_VARIABLE", *joined]


def test_an_output_is_not_in_a_variable():
    b = Small()
    x = b.input("x", (1, 1, 1, 4), "int8", **HOW)
    handle = b.variable("v")
    y = b.read(handle, 1)
    b.assign(handle, x)
    b.output(y)
    _, layout = planned(b)
    assert layout.tensors[y] not in layout.states.values()


@pytest.mark.parametrize(("axis", "left"), [(1, []), (3, ["SPLIT", "CONCATENATION"])])
def test_parts_of_the_outermost_axis_are_not_moved(axis, left):
    b = Small()
    x = b.input("x", (1, 2, 1, 8), "int8", **HOW)
    parts = [b.rows(1, 8) if axis == 1 else b.rows(2, 4) for _ in range(2)]
    number = b.constant("n", np.array(axis, np.int32))
    b.operator("SPLIT", [number, x], parts, SplitOptions(2))
    whole = b.join(parts, 2, 8, axis)
    b.output(b.largest(whole, 2, 8))
    network, layout = planned(b)
    assert moves(network, layout) == [*left, "MAX_POOL_2D"]


def test_a_part_that_is_there_twice_is_moved_once():
    b = Small()
    x = b.input("x", (1, 1, 1, 4), "int8", **HOW)
    whole = b.join([x, x], 2)
    b.output(b.largest(whole, 2))
    network, layout = planned(b)
    (joined, _) = layout.works
    assert joined.taken == {0}
    assert moves(network, layout) == ["CONCATENATION", "MAX_POOL_2D"]


def test_constants_are_moved():
    b = Small()
    x = b.input("x", (1, 1, 1, 4), "int8", **HOW)
    more = b.constant("c", np.arange(4, dtype=np.int8).reshape(1, 1, 1, 4), **HOW)
    b.output(b.largest(b.join([x, more], 2), 2))
    _, layout = planned(b)
    assert layout.works[0].taken == {0}
    assert len(layout.works[0].constants) == 1


@pytest.mark.parametrize("inputs", ["overwritten", "apart", "kept"])
@pytest.mark.parametrize("seed", range(12))
def test_no_move_is_spared_for_more_memory(seed, inputs):
    network = network_of(stream(seed))
    works = works_of(network, portable_work)
    try:
        layout = layout_of(network, works, inputs=inputs)
    except ValueError:
        assert inputs == "apart"  # an output is an input's own bytes
        return
    plain = layout_of(network, [replace(work, places=()) for work in works], inputs=inputs)
    assert layout.size <= plain.size


def test_a_limit_of_memory_knows_what_is_spared(tmp_path):
    b = Small()
    x = b.input("x", (1, 1, 1, 1024), "int8", **HOW)
    parts = [b.rows(1, 1024) for _ in range(2)]
    for part in parts:
        b.operator("RELU", [x], [part])
    b.output(b.largest(b.join(parts, 2, 1024), 2, 1024))
    usual = export(b.build(), tmp_path / "usual", target="host", name="m")
    assert usual.arena_bytes == 3072  # and 4,096 while both parts were copied
    limited = export(b.build(), tmp_path / "m", target="host", name="m", ram=3072)
    assert limited.layers == usual.layers


def test_a_block_that_nobody_played_through_is_found(monkeypatch):
    monkeypatch.setattr(places, "plays", lambda *_: True)
    with pytest.raises(PlanError, match=r"has been written over|upwards over themselves"):
        planned(window(late=False)[0])


def test_assignments_go_behind_the_last_reader():
    b, *_ = window(late=False)
    model = b.build()
    network = network_of(model)
    works = works_of(network, portable_work)
    late = with_late_assignments(model, network, works)
    names = [one.name for one in late.main.operators]
    assert names[-2:] == ["MAX_POOL_2D", "ASSIGN_VARIABLE"]
    after = network_of(late)
    assert alive_bytes(after, works_of(after, portable_work)) <= alive_bytes(network, works)


def test_assignments_stay_before_what_reads_them():
    b = Small()
    x = b.input("x", (1, 1, 1, 4), "int8", **HOW)
    handle = b.variable("v")
    before = b.read(handle, 1)
    b.assign(handle, x)
    after = b.read(handle, 1)
    b.output(b.maximum(before, after))
    model = b.build()
    network = network_of(model)
    assert with_late_assignments(model, network, works_of(network, portable_work)) is model
