"""Every tensor is written once, and before it is read."""

import sys
from types import FrameType
from typing import Any

import numpy as np
import pytest

from arenite.errors import ModelError
from arenite.model import Model, ModelBuilder
from arenite.model.consistency import check_order


def graph(*operators: tuple[list[int], list[int]], output: int = 1) -> Model:
    """Custom operators over tensors 0 (the input) to 3, a constant 4 and a variable 5."""
    b = ModelBuilder()
    b.input("x", (2,), "int8")
    for name in ("a", "b", "c"):
        b.tensor(name, (2,), "int8")
    b.constant("k", np.zeros(2, np.int8))
    b.variable("v", (2,), "int8")
    for inputs, outputs in operators:
        b.operator("STEP", inputs, outputs, custom_options=b"")
    b.output(output)
    return b.build()


def test_a_chain_is_in_order() -> None:
    check_order(graph(([0], [1]), ([1, 0], [2]), ([2, -1, 4], [3]), output=3))


def test_a_variable_may_be_read_and_written_in_any_order() -> None:
    check_order(graph(([5, 0], [1, 5]), ([5], [5])))


def test_inputs_and_constants_may_be_outputs() -> None:
    check_order(graph(output=0))
    check_order(graph(output=4))


def test_a_tensor_without_elements_needs_no_writer() -> None:
    b = ModelBuilder()
    x, nothing, y = (b.tensor("t", (size,), "int8") for size in (2, 0, 2))
    b.operator("STEP", [nothing], [x], custom_options=b"")
    b.operator("STEP", [x], [y], custom_options=b"")
    b.output(y)
    check_order(b.build())


@pytest.mark.parametrize(
    ("operators", "output", "message"),
    [
        (
            [([0, 2], [1])],
            1,
            r"STEP reads tensor 2 \('b'\), and nothing writes it - at "
            r"\$.subgraphs\[0\].operators\[0\].inputs\[1\]",
        ),
        ([([2], [1]), ([0], [2])], 1, r"reads tensor 2 \('b'\), and operator 1 writes it later"),
        ([([1], [1])], 1, r"reads tensor 1 \('a'\), and operator 0 writes it later"),
        ([([0], [1]), ([1], [1])], 1, r"writes tensor 1 \('a'\), which is its input as well"),
        (
            [([0], [1]), ([0], [2, 1])],
            1,
            r"STEP writes tensor 1 \('a'\), which has another writer - at "
            r"\$.subgraphs\[0\].operators\[1\].outputs\[1\]",
        ),
        ([([0], [1, 1])], 1, "which has another writer"),
        ([([0], [0])], 0, r"writes tensor 0 \('x'\), which is an input of the graph"),
        (
            [([0], [1])],
            3,
            r"tensor 3 \('c'\) is an output, and nothing writes it - at "
            r"\$.subgraphs\[0\].outputs\[0\]",
        ),
    ],
)
def test_a_graph_out_of_order_is_refused(
    operators: list[tuple[list[int], list[int]]], output: int, message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        check_order(graph(*operators, output=output))


def test_the_work_grows_with_the_operators_not_with_their_square() -> None:
    few, many = (graph(([0], [1]), *[([1], [])] * count) for count in (100, 200))
    assert steps_of(few) * 1.5 < steps_of(many) < steps_of(few) * 2.5


def steps_of(model: Model) -> int:
    """How many instructions of Python check a model."""
    steps = 0

    def count(frame: FrameType, event: str, _: object) -> Any:
        nonlocal steps
        frame.f_trace_opcodes = True
        steps += event == "opcode"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        check_order(model)
    finally:
        sys.settrace(before)
    return steps


def test_a_builtin_operator_has_no_custom_options() -> None:
    from dataclasses import replace

    b = ModelBuilder()
    x, y = b.input("x", (2,), "int8"), b.tensor("y", (2,), "int8")
    b.operator("RELU", [x], [y])
    b.output(y)
    subgraph = b.subgraph()
    odd = replace(subgraph, operators=(replace(subgraph.operators[0], custom_options=b"1"),))
    with pytest.raises(ModelError, match="RELU is a builtin operator and has custom options"):
        check_order(Model((odd,)))


def test_a_variable_without_its_constant_names_the_tool_that_removed_it():
    b = ModelBuilder()
    resource, value = b.tensor("resource", (), "resource"), b.tensor("value", (1,), "float32")
    b.operator("VAR_HANDLE", [], [resource])
    b.operator("ASSIGN_VARIABLE", [resource, value], [])
    with pytest.raises(ModelError, match=r"tflm_model_transforms removes such a constant.*before"):
        check_order(b.build())
