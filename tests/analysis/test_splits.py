"""Two memories: what stock TFLM can part, what single tensors would give, bytes to the slow one."""

import pytest

import arenite as ar
from arenite.analysis.splits import Ram, Split, split, split_facts, traffic_of
from arenite.memory.plan import PlannedBuffer
from arenite.model import Model, ModelBuilder
from arenite.ops.shared.add_sub import AddOptions
from arenite.target import find_target
from tests.shared import DIGITS, shared_model

M4 = find_target("cortex-m4")


def of_digits(fast: int, slow: int = 1 << 20) -> Split:
    return split(ar.load(DIGITS), M4, "greedy", (Ram("sram", fast), Ram("psram", slow)))


def doubled() -> Model:
    b = ModelBuilder()
    x = b.input("x", (64,), "float32")
    y = b.tensor("y", (64,), "float32")
    b.operator("ADD", [x, x], [y], AddOptions())
    b.output(y)
    return b.build()


def test_traffic_counts_readers_writers_and_who_is_outside() -> None:
    model = doubled()
    x = PlannedBuffer("x", "tensor", 0, 0, 0, 256, 0, 2)
    y = PlannedBuffer("y", "tensor", 0, 1, 0, 256, 1, 2)
    scratch = PlannedBuffer("s", "scratch", 0, 0, 0, 100, 1, 2)
    # Put in and read; written and taken out; written and read.
    assert [traffic_of(model, b) for b in (x, y, scratch)] == [512, 512, 200]


def test_one_arena_in_the_fast_memory_has_no_traffic_to_the_slow_one() -> None:
    found = of_digits(1 << 20)
    assert found.best is not None
    assert found.best.name == "one arena in sram"
    assert (found.best.slow, found.best.traffic) == (0, 0)
    assert found.best.fast == ar.smallest_arena(DIGITS, target="cortex-m4")
    assert {piece.ram for piece in found.pieces} == {"sram"}


def test_with_too_little_for_all_the_head_or_the_tail_is_fast() -> None:
    whole = of_digits(1 << 20).ways
    head, tail = whole[1], whole[2]
    assert head.fast == tail.slow
    assert head.slow == tail.fast
    found = of_digits(max(head.fast, tail.fast))
    assert found.best == min((way for way in found.ways[1:3]), key=lambda way: way.traffic)


def test_where_nothing_fits_nothing_is_the_best() -> None:
    found = of_digits(64, 64)
    assert found.best is None
    assert not any(way.fits for way in found.ways)
    assert split_facts(found)["best"] is None


def test_single_tensors_fill_the_fast_memory_with_the_most_traffic() -> None:
    model = ar.load(shared_model("vww_int8"))
    fast = 40_000
    found = split(model, M4, "greedy", (Ram("a", fast), Ram("b", 1 << 20)))
    single = found.ways[-1]
    assert single.fast <= fast
    assert not single.is_stock
    assert 0 < single.traffic < found.ways[2].traffic
    assert {piece.ram for piece in found.pieces} == {"a", "b"}
    outside = sum(piece.traffic for piece in found.pieces if piece.ram == "b")
    tail = found.ways[1].traffic
    assert single.traffic == outside + tail


def test_what_both_arenas_take_is_not_less_than_one() -> None:
    found = of_digits(1 << 20)
    one, apart = found.ways[0], found.ways[1]
    assert apart.fast + apart.slow >= one.fast
    # The head alone is what planning and preparing need as well.
    assert apart.fast >= 256


@pytest.mark.parametrize("planner", ["greedy", "optimal"])
def test_the_planner_counts(planner: str) -> None:
    model = ar.load(shared_model("vww_int8"))
    found = split(model, M4, planner, (Ram("a", 1 << 20), Ram("b", 1 << 20)))
    assert found.ways[1].fast == {"greedy": 73_728, "optimal": 55_296}[planner]


@pytest.mark.parametrize(
    ("name", "head", "tail"),
    [
        ("kws_int8", 20_464, 6_912),
        ("ic_int8", 49_728, 5_328),
        ("vww_int8", 73_728, 27_072),
        ("hello_world_float", 560, 704),
        ("trained_lstm_int8", 1_488, 2_640),
    ],
)
def test_both_arenas_are_those_that_firmware_accepts(name: str, head: int, tail: int) -> None:
    """TFLM of August 2026 with CMSIS-NN on an emulated Cortex-M55: 16 bytes less are refused."""
    model = ar.load(shared_model(name))
    found = split(model, find_target("cortex-m55"), "greedy", (Ram("a", head), Ram("b", tail)))
    assert found.ways[1][:3] == ("head in a, tail in b", head, tail)
    assert found.ways[1].fits
