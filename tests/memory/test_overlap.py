"""Operands of one operator share no memory, unless it reads what it overwrites before."""

import numpy as np
import pytest

from arenite.errors import PlanError
from arenite.memory.overlap import Order, Sharing, check_operands
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


def check(
    model: Model, planned: list[PlannedBuffer], orders: dict[int, Order] | None = None
) -> tuple[Sharing, ...]:
    """``orders``: those of the inputs' positions."""
    return check_operands(model, planned, lambda _s, _n, position: (orders or {}).get(position))


def steps(*pairs: tuple[int, int]) -> Order:
    """Steps that read from a byte on, when so many are written."""
    read, written = zip(*pairs, strict=True)
    return Order([(np.array(read, np.int64), np.array(written, np.int64))])


#: Byte after byte.
ASCENDING = steps(*((n, n) for n in range(16)))
EXACT = Order(unit=0)


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


def test_an_output_may_lie_at_the_very_place_of_an_input_that_is_copied() -> None:
    check(joined([0, 1], [2]), buffers(0, 16, 16), {1: EXACT})
    with pytest.raises(PlanError, match="the offline plan must keep them apart"):
        check(joined([0, 1], [2]), buffers(0, 16, 16), {0: EXACT})


@pytest.mark.parametrize("offset", [-1, 1])
def test_that_is_not_a_byte_beside(offset: int) -> None:
    with pytest.raises(PlanError, match="both must begin at the same byte, or be apart"):
        check(joined([0], [1]), buffers(16, 16 + offset), {0: EXACT})


@pytest.mark.parametrize("above", [0, 1, 7, 15])
def test_an_input_that_is_read_in_time_may_begin_anywhere_above(above: int) -> None:
    found = check(joined([0], [1]), buffers(above, 0), {0: ASCENDING})
    assert found == (Sharing(0, 0, output=1, input=0, distance=above),)


def test_nothing_is_shared_by_neighbours() -> None:
    assert check(joined([0], [1]), buffers(16, 0), {0: ASCENDING}) == ()


def test_an_input_never_begins_below_the_output_that_reaches_into_it() -> None:
    with pytest.raises(PlanError, match="at least 0 bytes above the output, got -1"):
        check(joined([0], [1]), buffers(16, 17), {0: ASCENDING})


def test_what_is_written_ahead_of_reading_is_the_least_distance() -> None:
    order = steps((0, 3), (4, 9), (8, 12))
    assert order.distance() == 5
    check(joined([0], [1]), buffers(5, 0), {0: order})
    with pytest.raises(PlanError, match="at least 5 bytes above the output, got 4"):
        check(joined([0], [1]), buffers(4, 0), {0: order})


def test_blocks_of_channels_want_multiples() -> None:
    order = steps((0, 3))._replace(unit=4)
    check(joined([0], [1]), buffers(8, 0), {0: order})
    for distance in (3, 5, 0):
        with pytest.raises(PlanError, match="at least 3 bytes, a multiple of 4, above"):
            check(joined([0], [1]), buffers(distance, 0), {0: order})


def test_an_input_at_two_positions_is_read_in_two_orders() -> None:
    orders = {0: ASCENDING, 1: steps((0, 2))}
    check(joined([0, 0], [1]), buffers(2, 0), orders)
    with pytest.raises(PlanError, match="at least 2 bytes above the output, got 1"):
        check(joined([0, 0], [1]), buffers(1, 0), orders)


def test_the_message_ends_with_a_hint() -> None:
    with pytest.raises(PlanError, match=r"apart; made for another firmware$"):
        check_operands(
            joined([0], [1]), buffers(0, 0), lambda *_: None, "; made for another firmware"
        )


def test_one_input_in_time_does_not_excuse_another() -> None:
    with pytest.raises(PlanError, match="over tensor 1"):
        check(joined([0, 1], [2]), buffers(0, 8, 0), {0: ASCENDING})


def test_an_input_in_time_does_not_excuse_a_variable_on_it() -> None:
    with pytest.raises(PlanError, match="would write tensor 4"):
        check(joined([0, 4], [1]), buffers(0, 0, 64, 64, 8), {0: ASCENDING})


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
