"""Operands of one operator share no memory, unless it allows exactly that."""

from __future__ import annotations

import numpy as np
import pytest

from arenite.errors import PlanError
from arenite.memory.overlap import check_operands
from arenite.memory.plan import PlannedBuffer
from arenite.model import Model, ModelBuilder


def joined(inputs: list[int], outputs: list[int]) -> Model:
    """One operator over tensors 0 to 3 of 16 bytes and a variable 4."""
    b = ModelBuilder()
    for number in range(4):
        b.tensor(f"t{number}", (16,), "int8")
    b.variable("v", (16,), "int8")
    b.operator("STEP", inputs, outputs, custom_options=b"")
    return b.build()


def buffers(*offsets: int, size: int = 16) -> list[PlannedBuffer]:
    return [
        PlannedBuffer(f"t{number}", "tensor", 0, number, offset, size, 0, 2)
        for number, offset in enumerate(offsets)
    ]


def check(model: Model, planned: list[PlannedBuffer], *in_place: int) -> None:
    check_operands(model, planned, lambda subgraph, operator: in_place)


def test_neighbours_do_not_overlap() -> None:
    check(joined([0, 1], [2]), buffers(0, 32, 16))


def test_inputs_may_share_memory() -> None:
    check(joined([0, 1], [2]), buffers(0, 8, 32))


def test_tensors_of_other_operators_may_share_memory() -> None:
    check(joined([0], [1]), buffers(0, 16, 0, 16))


@pytest.mark.parametrize("offset", [1, 16, 31])
def test_an_output_on_an_input_is_refused(offset: int) -> None:
    with pytest.raises(PlanError, match=r"STEP at \$.subgraphs\[0\].operators\[0\] would write"):
        check(joined([0], [1]), buffers(16, offset))


def test_the_message_names_both_and_their_bytes() -> None:
    with pytest.raises(PlanError) as caught:
        check(joined([0], [1]), buffers(16, 8))
    assert str(caught.value) == (
        "STEP at $.subgraphs[0].operators[0] would write tensor 1 ('t1') at bytes 8 to 24, over "
        "tensor 0 ('t0') at bytes 16 to 32; the offline plan must keep them apart"
    )


def test_an_operator_may_allow_its_output_at_the_very_place_of_an_input() -> None:
    check(joined([0, 1], [2]), buffers(0, 16, 16), 1)
    with pytest.raises(PlanError):
        check(joined([0, 1], [2]), buffers(0, 16, 16), 0)


@pytest.mark.parametrize("offset", [-1, 1])
def test_that_is_not_a_byte_beside(offset: int) -> None:
    with pytest.raises(PlanError):
        check(joined([0], [1]), buffers(16, 16 + offset), 0)


def test_nor_with_another_size() -> None:
    with pytest.raises(PlanError):
        check(joined([0], [1]), [buffers(0)[0], buffers(0, 0, size=8)[1]], 0)


def test_one_input_in_place_does_not_excuse_another() -> None:
    with pytest.raises(PlanError, match="over tensor 1"):
        check(joined([0, 1], [2]), buffers(0, 8, 0), 0)


def test_two_outputs_are_kept_apart() -> None:
    with pytest.raises(PlanError):
        check(joined([0], [1, 2]), buffers(0, 16, 24))


def test_a_variable_is_written_too() -> None:
    with pytest.raises(PlanError):
        check(joined([0, 4], [1]), buffers(0, 16, 64, 64, 8))


def test_all_pairs_of_many_operands_are_seen() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        places = rng.integers(0, 10, 4) * 8
        model = joined([0, 1], [2, 3])
        written, read = places[2:], places[:2]
        clash = abs(written[0] - written[1]) < 16 or (abs(written[:, None] - read) < 16).any()
        try:
            check(model, buffers(*places.tolist()))
        except PlanError:
            assert clash, places
        else:
            assert not clash, places
