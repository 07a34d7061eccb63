"""Which subgraphs operators call, and that none leads back to its caller."""

import pytest

from arenite.errors import ModelError
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder, OptionsTable, Subgraph
from arenite.model.calls import calls_of, check_calls
from arenite.model.check import check
from arenite.ops.tflite.call_once import CallOnceOptions
from arenite.ops.tflite.if_ import IfOptions
from arenite.ops.tflite.while_ import WhileOptions


def calling(*calls: tuple[str, OptionsTable | None]) -> Subgraph:
    """A subgraph that only calls others."""
    b = ModelBuilder()
    for name, options in calls:
        b.operator(name, [], [], options)
    return b.subgraph()


def once(subgraph: int) -> tuple[str, OptionsTable]:
    return "CALL_ONCE", CallOnceOptions(subgraph)


def test_operators_call_subgraphs_in_the_order_of_their_options() -> None:
    operators = calling(once(4), ("IF", IfOptions(1, 2)), ("WHILE", WhileOptions(3, 5))).operators
    assert [calls_of(operator) for operator in operators] == [(4,), (1, 2), (3, 5)]


def test_a_custom_operator_of_such_a_name_calls_nothing() -> None:
    b = ModelBuilder()
    b.operator("WHILE", [], [], custom_options=b"")
    assert calls_of(b.subgraph().operators[0]) == ()


def test_one_subgraph_may_be_called_from_everywhere() -> None:
    check_calls(Model((calling(once(1), once(2)), calling(once(2)), calling())))


@pytest.mark.parametrize("number", [-1, 2])
def test_a_subgraph_that_is_not_there_is_refused(number: int) -> None:
    with pytest.raises(ModelError, match=f"from 0 to 1, got {number}") as caught:
        check(Model((calling(), calling(once(number)))))
    assert caught.value.path == "$.subgraphs[1].operators[0].builtin_options"


def test_an_operator_without_options_is_refused() -> None:
    with pytest.raises(ModelError, match="expected a subgraph from 0 to 0, got -1"):
        check(Model((calling(("WHILE", None)),)))


@pytest.mark.parametrize(
    "call", [once(1), ("WHILE", WhileOptions(2, 1)), ("IF", IfOptions(2, 1))], ids=lambda c: c[0]
)
def test_a_subgraph_that_calls_itself_is_refused_with_its_place(
    call: tuple[str, OptionsTable],
) -> None:
    model = Model((calling(once(1)), calling(once(2), call), calling()))
    with pytest.raises(ModelError, match="subgraph 1 calls itself") as caught:
        check(model)
    assert caught.value.path == "$.subgraphs[1].operators[1]"


def test_subgraphs_that_call_each_other_are_refused_with_the_way_around() -> None:
    model = Model((calling(once(1)), calling(once(2)), calling(once(1))))
    with pytest.raises(ModelError) as caught:
        check(model)
    way = "$.subgraphs[1].operators[0], $.subgraphs[2].operators[0]"
    assert f"subgraph 1 calls itself, by way of {way};" in str(caught.value)


def test_recursion_in_a_file_is_refused_when_it_is_read() -> None:
    data = bytearray(tflite.write(Model((calling(once(1)), calling()))))
    options = tflite.read(bytes(data)).main.operators[0].raw_options
    assert options is not None
    place = data.index(b"\x01\x00\x00\x00", options.position)
    data[place] = 0
    with pytest.raises(ModelError, match="subgraph 0 calls itself"):
        tflite.read(bytes(data))


def test_recursion_that_no_inference_reaches_is_as_good_as_none() -> None:
    check_calls(Model((calling(), calling(once(1)))))


def test_a_chain_of_many_calls_is_refused_and_many_short_ones_are_not() -> None:
    chain = [calling(once(number + 1)) for number in range(70)]
    with pytest.raises(ModelError, match="over 64 deep"):
        check_calls(Model((*chain, calling())))
    check_calls(Model((calling(*map(once, range(1, 200))), *[calling()] * 199)))
