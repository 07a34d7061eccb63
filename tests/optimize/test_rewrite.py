"""A subgraph while it is changed."""

from dataclasses import replace

import numpy as np
import pytest

from arenite.model import Model, Quantization, SignatureDef
from arenite.model.offline_plan import OFFLINE_METADATA
from arenite.optimize.rewrite import Edit, edited, same_quantization, why_fixed
from tests.optimize.layers import Layers
from tests.runtime.models import memory_of_three


def fork() -> Model:
    """``x`` is added to itself; the sum (``t2``) is read by two operators, one of them twice."""
    net = Layers(0)
    x = net.input(1, 4)
    y = net.add(x, x)
    net.output(net.add(y, y))
    net.output(net.relu(y))
    return net.build()


def test_readers_and_writers_are_known():
    edit = Edit(fork(), 0)
    assert [edit.readers(index) for index in range(4)] == [[0], [1, 2], [], []]
    assert [edit.writer(index) for index in range(4)] == [None, 0, 1, 2]


def test_they_follow_changes():
    edit = Edit(fork(), 0)
    edit.redirect(1, 0)
    assert edit.readers(1) == []
    assert edit.readers(0) == [0, 1, 2]
    edit.put(0, None)
    assert edit.writer(1) is None
    assert [position for position, _ in edit] == [1, 2]
    assert edit.place(2) == "$.subgraphs[0].operators[2]"


def test_an_only_reader_reads_once_and_what_it_reads_is_inner():
    model = fork()
    assert Edit(model, 0).only_reader(1) is None
    fewer = replace(model.main, operators=model.main.operators[::2])
    assert Edit(replace(model, subgraphs=(fewer,)), 0).only_reader(1) == 1
    twice = replace(model.main, operators=model.main.operators[:2])
    assert Edit(replace(model, subgraphs=(twice,)), 0).only_reader(1) is None


@pytest.mark.parametrize(("index", "inner"), [(0, False), (1, True), (2, False)])
def test_inputs_and_outputs_are_not_inner(index, inner):
    assert Edit(fork(), 0).is_inner(index) is inner


def test_what_signatures_name_is_not_inner():
    signature = SignatureDef("serve", {}, {"sum": 1})
    assert not Edit(replace(fork(), signatures=(signature,)), 0).is_inner(1)


def test_variables_are_not_inner():
    model = memory_of_three()
    number = next(i for i, tensor in enumerate(model.main.tensors) if tensor.is_variable)
    assert not Edit(model, 0).is_inner(number)


def test_a_model_without_changes_is_itself():
    model = fork()
    edit = Edit(model, 0)
    assert edited(model, [edit]) is model
    edit.put(2, None)
    assert len(edited(model, [edit]).main.operators) == 2


def test_constants_are_added_behind():
    model = fork()
    edit = Edit(model, 0)
    index = edit.add_constant("c", np.array([1, 2], np.int8), model.main.tensors[0])
    assert index == len(model.main.tensors)
    value = edit.tensors[index].value
    assert value is not None
    assert value.tolist() == [1, 2]


def test_a_memory_plan_fixes_operators():
    model = fork()
    assert why_fixed(model) == ""
    assert OFFLINE_METADATA in why_fixed(replace(model, metadata={OFFLINE_METADATA: b""}))


def test_what_a_converter_saw_is_no_part_of_a_quantisation():
    scale, zero = np.float32([0.5]), np.array([3])
    a, b = Quantization(scale, zero), Quantization(scale, zero, min=np.float32([0]))
    assert same_quantization(a, b)
    assert not same_quantization(a, Quantization(scale, zero + 1))
    assert not same_quantization(a, None)
    assert same_quantization(None, None)
