"""Lifetimes and the offline plan, as TFLM's AllocationInfoBuilder has them."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from arenite.errors import ModelError
from arenite.memory.liveness import ScratchRequest, lifetimes, offline_offsets, tensor_bytes
from arenite.memory.plan import head_buffers, tail_variables
from arenite.model import Model, ModelBuilder, OptionsTable, Subgraph, slot


@dataclass(frozen=True)
class IfOptions(OptionsTable):
    UNION_TYPE: ClassVar[int] = 92

    then_subgraph_index: int = slot(0, "int32")
    else_subgraph_index: int = slot(1, "int32")


@dataclass(frozen=True)
class WhileOptions(OptionsTable):
    UNION_TYPE: ClassVar[int] = 93

    cond_subgraph_index: int = slot(0, "int32")
    body_subgraph_index: int = slot(1, "int32")


@dataclass(frozen=True)
class CallOnceOptions(OptionsTable):
    UNION_TYPE: ClassVar[int] = 103

    init_subgraph_index: int = slot(0, "int32")


def alive(model: Model, *scratch: ScratchRequest) -> list[list[tuple[int, int]]]:
    """(first created, last used) of all tensors of all subgraphs; scratch comes last."""
    found = lifetimes(model, scratch)
    return [
        [(life.first_created, life.last_used) for life in group]
        for group in [*found.tensors, found.scratch]
    ]


def chain(length: int, name: str = "main") -> ModelBuilder:
    """``length`` operators, one after the other, over int8 tensors of 16 elements."""
    b = ModelBuilder(name)
    last = b.input("t0", (16,), "int8")
    for number in range(length):
        after = b.tensor(f"t{number + 1}", (16,), "int8")
        b.operator("RELU", [last], [after])
        last = after
    b.output(last)
    return b


def with_subgraphs(*subgraphs: Subgraph) -> Model:
    return Model(subgraphs)


def test_a_tensor_lives_from_its_operator_to_its_last_reader() -> None:
    assert alive(chain(3).build()) == [[(0, 1), (1, 2), (2, 3), (3, 3)], []]


def test_an_output_lives_to_the_end() -> None:
    b = chain(3)
    b.output(1)
    assert alive(b.build())[0][1] == (1, 3)


def test_an_input_that_nobody_reads_lives_at_the_start() -> None:
    b = chain(1)
    unread = b.input("unread", (1,), "int8")
    assert alive(b.build())[0][unread] == (0, 0)


def test_a_tensor_that_no_operator_touches_never_lives() -> None:
    b = chain(1)
    lost = b.tensor("lost", (1,), "int8")
    model = b.build()
    assert alive(model)[0][lost] == (-1, -1)
    buffer = next(b for b in head_buffers(model, [], None) if b.name == "lost")
    assert (buffer.begin, buffer.end) == (-1, 0)


def test_an_absent_optional_input_is_passed_over() -> None:
    b = ModelBuilder()
    x, y = b.input("x", (1,), "int8"), b.tensor("y", (1,), "int8")
    b.operator("CONV_2D", [x, -1], [y])
    b.output(y)
    assert alive(b.build())[0] == [(0, 1), (1, 1)]


def test_scratch_memory_lives_while_its_operator_runs() -> None:
    scratch = (ScratchRequest(8, 0, 1), ScratchRequest(8, 0, 0))
    assert alive(chain(2).build(), *scratch)[-1] == [(2, 2), (1, 1)]


def test_both_branches_of_if_run_in_scopes_of_their_own() -> None:
    main = ModelBuilder()
    x, y = main.input("x", (1,), "int8"), main.tensor("y", (1,), "int8")
    main.operator("IF", [x], [y], IfOptions(then_subgraph_index=1, else_subgraph_index=2))
    main.output(y)
    model = with_subgraphs(main.subgraph(), chain(1).subgraph(), chain(2).subgraph())
    # 1: IF, 2: then, 3: its operator, 4: else, 5 and 6: its operators
    assert alive(model, ScratchRequest(8, 0, 0), ScratchRequest(8, 2, 1)) == [
        [(0, 6), (1, 6)],
        [(2, 3), (3, 3)],
        [(4, 5), (5, 6), (6, 6)],
        [(1, 6), (6, 6)],
    ]


def test_while_runs_its_condition_and_then_its_body() -> None:
    main = ModelBuilder()
    x, y = main.input("x", (1,), "int8"), main.tensor("y", (1,), "int8")
    main.operator("WHILE", [x], [y], WhileOptions(cond_subgraph_index=2, body_subgraph_index=1))
    main.output(y)
    model = with_subgraphs(main.subgraph(), chain(1).subgraph(), chain(1).subgraph())
    assert alive(model)[1:3] == [[(4, 5), (5, 5)], [(2, 3), (3, 3)]]


def test_call_once_runs_one_subgraph() -> None:
    main = chain(1)
    main.operator("CALL_ONCE", [], [], CallOnceOptions(init_subgraph_index=1))
    model = with_subgraphs(main.subgraph(), chain(1).subgraph())
    assert alive(model)[1] == [(3, 4), (4, 4)]


def test_a_subgraph_that_nobody_calls_never_lives() -> None:
    assert alive(with_subgraphs(chain(1).subgraph(), chain(1).subgraph()))[1] == [
        (-1, -1),
        (-1, -1),
    ]


def test_a_subgraph_that_calls_itself_is_refused() -> None:
    main = chain(1)
    main.operator("CALL_ONCE", [], [], CallOnceOptions(init_subgraph_index=0))
    with pytest.raises(
        ModelError, match=r"subgraph 0 calls itself, by way of \$.subgraphs\[0\].operators\[1\]"
    ):
        lifetimes(main.build())


def test_a_call_of_a_missing_subgraph_is_refused() -> None:
    main = chain(1)
    main.operator("CALL_ONCE", [], [], CallOnceOptions(init_subgraph_index=5))
    with pytest.raises(ModelError, match="expected a subgraph from 0 to 0, got 5"):
        lifetimes(main.build())


def test_very_deep_calls_are_refused() -> None:
    subgraphs = []
    for number in range(2000):
        b = chain(0)
        if number < 1999:
            b.operator("CALL_ONCE", [], [], CallOnceOptions(number + 1))
        subgraphs.append(b.subgraph())
    with pytest.raises(ModelError, match="over 64 deep"):
        lifetimes(with_subgraphs(*subgraphs))


# -- what takes memory, and how much


def test_constants_variables_and_empty_tensors_are_not_in_the_head() -> None:
    b = chain(1)
    b.constant("constant", np.zeros(4, np.int8))
    b.variable("variable", (4,), "int8")
    b.tensor("empty", (0,), "int8")
    model = b.build()
    assert [buffer.name for buffer in head_buffers(model, [], None)] == ["t0", "t1"]
    assert [tensor.name for _, _, tensor in tail_variables(model, None)] == ["variable"]


def test_an_offline_planned_variable_is_in_the_head() -> None:
    b = ModelBuilder()
    b.variable("variable", (4,), "int8")
    model = b.build()
    assert [buffer.name for buffer in head_buffers(model, [], [[32]])] == ["variable"]
    assert not list(tail_variables(model, [[32]]))


def test_tensors_come_by_subgraph_and_index_then_scratch_in_order_of_request() -> None:
    model = with_subgraphs(chain(1).subgraph(), chain(1).subgraph())
    scratch = [ScratchRequest(7, 0, 0, "columns")]
    found = [(b.kind, b.subgraph, b.index) for b in head_buffers(model, scratch, None)]
    assert found == [
        ("tensor", 0, 0),
        ("tensor", 0, 1),
        ("tensor", 1, 0),
        ("tensor", 1, 1),
        ("scratch", 0, 0),
    ]
    assert head_buffers(model, scratch, None)[-1].name == "#0 RELU columns"


@pytest.mark.parametrize(
    ("type_", "size"),
    [("int8", 6), ("int16", 12), ("float32", 24), ("bool", 6), ("int64", 48), ("int4", 6)],
)
def test_int4_takes_a_byte_per_element_in_the_arena(type_: str, size: int) -> None:
    b = ModelBuilder()
    b.tensor("t", (2, 3), type_)
    assert tensor_bytes(b.build().main.tensors[0]) == size


@pytest.mark.parametrize(
    ("type_", "shape", "message"),
    [
        ("string", (1,), "TFLM does not run type string"),
        ("int8", (2, -1), r"unknown shape \[2, -1\]"),
        ("int8", (1 << 16, 1 << 16), "takes 4294967296 bytes, TFLM counts to 2147483647"),
    ],
)
def test_tensors_without_a_size_are_refused(
    type_: str, shape: tuple[int, ...], message: str
) -> None:
    b = ModelBuilder()
    b.tensor("t", shape, type_)
    with pytest.raises(ModelError, match=message):
        tensor_bytes(b.build().main.tensors[0])


def test_an_intermediate_tensor_with_a_size_is_refused() -> None:
    b = chain(0)
    empty, full = b.tensor("empty", (0,), "int8"), b.tensor("full", (1,), "int8")
    b.operator("LSTM", [0], [], intermediates=[empty])
    head_buffers(b.build(), [], None)
    b.operator("LSTM", [0], [], intermediates=[full])
    with pytest.raises(ModelError, match="intermediate tensor 'full' has a size"):
        head_buffers(b.build(), [], None)


# -- the offline plan


def planned(model: Model, *values: int) -> Model:
    data = np.array(values, "<i4").tobytes()
    return replace(model, metadata={"OfflineMemoryAllocation": data})


def test_a_model_without_metadata_is_planned_online() -> None:
    assert offline_offsets(chain(1).build()) is None


def test_offsets_are_read_by_subgraph() -> None:
    model = with_subgraphs(chain(1).subgraph(), chain(0).subgraph())
    assert offline_offsets(planned(model, 1, 0, 3, 0, -1, 48)) == [[0, -1], [48]]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((1, 0, 3, 0, 0, 0), "expected 2 offline offsets, one per tensor, got 3 of 3"),
        ((1, 0, 2, 0), "expected 2 offline offsets, one per tensor, got 1 of 2"),
        ((1,), "expected 2 offline offsets, one per tensor, got 0 of 0"),
        ((), "expected 2 offline offsets"),
        ((1, 0, 2, 0, -2), "offline offset -2 is negative"),
    ],
)
def test_a_malformed_offline_plan_is_refused(values: tuple[int, ...], message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        offline_offsets(planned(chain(1).build(), *values))
    assert caught.value.path == "$.metadata['OfflineMemoryAllocation']"
