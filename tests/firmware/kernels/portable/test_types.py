"""What is particular to exported layers of some types."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arenite.firmware import export
from arenite.firmware.kernels.portable import portable_work
from arenite.firmware.plan.program import program_of
from arenite.firmware.text.arithmetic import arithmetic_h
from arenite.firmware.text.source import sources
from arenite.model import ModelBuilder
from arenite.ops.tflite.softmax import SoftmaxOptions
from arenite.runtime.heap_host import HeapInterpreter
from tests.firmware.built import Compiled
from tests.firmware.bulk import exported_of


def gives_what_the_reference_gives(model, *inputs, folder):
    compiled = Compiled(export(model, folder, name="m", target=None), model)
    interpreter = HeapInterpreter(model, engine="reference")
    interpreter.allocate_tensors()
    for index, array in enumerate(inputs):
        interpreter.input(index)[...] = array
    interpreter.invoke()
    np.testing.assert_array_equal(compiled(*inputs)[0], interpreter.output(0))


def dense(weights_type, units=4, depth=6):
    """A FULLY_CONNECTED of int8 whose weights count up."""
    b = ModelBuilder()
    x = b.input("x", (1, depth), "int8", scale=0.5)
    count = units * depth
    if weights_type == "int4":
        packed = np.arange(count // 2, dtype=np.uint8) * 37
        weights = b.constant("w", packed, "int4", shape=(units, depth), scale=0.5)
    else:
        weights = b.input("w", (units, depth), "int8", scale=0.5)
    y = b.tensor("y", (1, units), "int8", scale=2.0)
    b.operator("FULLY_CONNECTED", [x, weights], [y])
    b.output(y)
    return b.build()


def softmax(type_):
    b = ModelBuilder()
    x = b.input("x", (1, 4), type_)
    y = b.tensor("y", (1, 4), type_)
    b.operator("SOFTMAX", [x], [y], SoftmaxOptions(beta=1.0))
    b.output(y)
    return b.build()


def test_weights_of_int4_stay_packed_in_flash(tmp_path):
    model = dense("int4")
    (work,) = program_of(model, portable_work, "m").works
    assert [one.values.nbytes for one in work.constants if one.role == "weights"] == [12]
    x = np.array([[1, -2, 3, -4, 5, -128]], np.int8)
    gives_what_the_reference_gives(model, x, folder=tmp_path)


def test_weights_may_be_fed(tmp_path):
    x = np.array([[1, -2, 3, -4, 5, -128]], np.int8)
    weights = np.arange(24, dtype=np.int8).reshape(4, 6)
    gives_what_the_reference_gives(dense("fed"), x, weights, folder=tmp_path)


def test_one_number_is_added_to_a_row(tmp_path):
    b = ModelBuilder()
    a, one = (b.input(name, shape, "int16", scale=1.0) for name, shape in (("a", (3,)), ("b", ())))
    y = b.tensor("y", (3,), "int16", scale=1.0)
    b.operator("MAXIMUM", [a, one], [y])
    b.output(y)
    inputs = np.array([-5, 0, 5], np.int16), np.array(2, np.int16)
    gives_what_the_reference_gives(b.build(), *inputs, folder=tmp_path)


def test_exponentials_of_floats_need_no_library():
    texts = sources(program_of(softmax("float32"), portable_work, "m"))
    assert not any("math.h" in text for text in texts.values())


def test_the_arithmetic_is_what_kernels_call_and_what_that_calls():
    assert "ar_" not in arithmetic_h("y[i] = x[i];")
    header = arithmetic_h("y[i] = ar_tanh(x[i]);")
    assert "float ar_exp(" in header
    assert "ar_rescale" not in header


def test_floats_are_never_contracted(tmp_path):
    export(softmax("float32"), tmp_path, name="m", target=None)
    (kernels,) = Path(tmp_path).rglob("kernels.c")
    assert "#pragma STDC FP_CONTRACT OFF" in kernels.read_text()


@pytest.mark.parametrize("operator", ["SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM"])
def test_states_need_no_scratch_memory(operator):
    (case,) = exported_of(operator, 3, 1)
    program = case.program()
    assert program.works[0].scratch == ()
    assert len(program.kept) == (1 if operator == "SVDF" else 2)
