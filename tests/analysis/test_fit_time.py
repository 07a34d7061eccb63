"""Times that boards published lie inside the range that ``fit`` says."""

import csv
from dataclasses import replace
from importlib.resources import files

import pytest

import arenite as ar
from arenite.analysis.devices import device_of
from arenite.analysis.needs import Need
from arenite.analysis.time_range import with_stalls
from arenite.boards import find_board
from arenite.cores import PRODUCTS_PER_CYCLE
from tests.shared import DIGITS, shared_model, shared_wake_word

_LINES = files("arenite.boards").joinpath("data/published.csv").read_text("utf-8").splitlines()
PUBLISHED = list(csv.DictReader(line for line in _LINES if not line.startswith("#")))


def name_of(row: dict[str, str]) -> str:
    return f"{row['board']} {row['model']}"


def published(row: dict[str, str]) -> float:
    """Milliseconds that the board took."""
    return float(row["megacycles"]) / float(row["megahertz"]) * 1000


def said_of_the_board(row: dict[str, str]) -> Need:
    return ar.fit(shared_model(row["model"]), board=row["board"]).need("time")


def said_of_the_core(row: dict[str, str]) -> Need:
    """Without a board: by the core alone, built as the row says."""
    target = ar.Target(row["processor"], optimize=row["built"])
    clock = float(row["megahertz"])
    return ar.fit(shared_model(row["model"]), target=target, clock=clock, ram=0).need("time")


def test_rows_are_of_several_boards_and_models():
    assert len({row["board"] for row in PUBLISHED}) >= 5
    assert {"kws_int8", "vww_int8", "ic_int8", "ad_int8"} <= {row["model"] for row in PUBLISHED}


@pytest.mark.parametrize("row", PUBLISHED, ids=name_of)
def test_a_published_time_lies_inside_the_range_of_its_board(row):
    time = said_of_the_board(row)
    assert time.least <= published(row) <= time.most
    assert time.most / time.least < 1.5


@pytest.mark.parametrize("row", PUBLISHED, ids=name_of)
def test_a_published_time_lies_inside_the_range_of_its_processor(row):
    time = said_of_the_core(row)
    assert time.least <= published(row) * (1 + 1e-9)
    assert published(row) <= time.most


@pytest.mark.parametrize("row", PUBLISHED, ids=name_of)
def test_what_memory_adds_is_near_to_what_was_published(row):
    """Terms of a chip meet all of its rows; ic_int8 on the RA6M4 ran on an older CMSIS-NN."""
    board = find_board(row["board"])
    cost = ar.cost(shared_model(row["model"]), device_of(board).target, board.clock, board)
    near = 0.26 if (row["board"], row["model"]) == ("ek-ra6m4", "ic_int8") else 0.08
    assert with_stalls(cost.work, board.stalls) / 1e6 == pytest.approx(
        float(row["megacycles"]), rel=near
    )


@pytest.mark.parametrize("left_out", sorted({row["board"] for row in PUBLISHED} - {"ek-ra8d1"}))
def test_without_its_own_terms_a_board_has_those_of_its_core(left_out):
    """The range of its core holds its rows as well; that range was set with them, too."""
    bare = replace(find_board(left_out), stalls=None)
    for row in (one for one in PUBLISHED if one["board"] == left_out):
        time = ar.fit(shared_model(row["model"]), board=bare).need("time")
        assert time.least <= published(row) <= time.most


def test_waits_of_flash_are_in_proportion_and_of_the_board_s_clock():
    """An F401 waits for 2 cycles, an F411 for 3, an L4R5 for 5; slower clocks wait for less."""
    boards = [find_board(name) for name in ("STM32F401RE", "STM32F411RE", "nucleo-l4r5zi")]
    times = [ar.fit(DIGITS, board=board).need("time") for board in boards]
    shares = [time.parts["waits for memory"] / time.parts["computing"] for time in times]
    assert shares == sorted(shares)
    assert [board.stalls.instruction for board in boards] == [0.108, 0.162, 0.27]
    slow = ar.fit(DIGITS, board="nucleo-l4r5zi", clock=16).need("time")
    assert slow.least < slow.parts["computing"]


def test_weights_of_a_serial_flash_cost_more_than_the_sums_that_they_are_in():
    """ad_int8 reads 264 KB of weights once: 33 of 49 ms on an ESP32."""
    parts = ar.fit(shared_model("ad_int8"), board="esp32-devkitc").need("time").parts
    assert parts["waits for memory"] > 1.5 * parts["computing"]


def test_kernels_that_a_level_was_not_measured_with_widen_the_range():
    model = shared_model("hello_world_float")
    small, fast = (
        ar.cost(model, ar.Target("cortex-m4", optimize=level), 64) for level in ("Os", "O2")
    )
    assert small.cycles == pytest.approx(fast.cycles, rel=0.01)
    assert small.span.high > 1.3 * fast.span.high
    assert "what -Os adds to some kernels was not measured" in small.time().note


def test_a_bound_is_the_products_at_the_processor_s_peak_and_no_estimate():
    time = ar.fit(DIGITS, target="cortex-m3", clock=1, ram="8k").need("time")
    macs = 49_280
    assert PRODUCTS_PER_CYCLE["plain"] == 1
    assert (time.amount, time.total) == ("not known", None)
    assert time.least == pytest.approx(macs / 1000)


@pytest.mark.parametrize("name", ["okay_nabu", "hey_jarvis", "alexa", "hey_mycroft", "vad"])
def test_what_runs_once_is_outside_of_an_inference(name):
    """microWakeWord's models begin with CALL_ONCE, whose subgraph gives variables their values."""
    model = ar.load(shared_wake_word(name))
    assert "CALL_ONCE" in [operator.name for operator in model.main.operators]
    time = ar.fit(model, target="cortex-m4", clock=100, deadline="20ms").need("time")
    assert time.is_known
    assert time.verdict in ("fits", "marginal", "exceeds")
    cost = ar.cost(model, "cortex-m4")
    once = [
        estimate
        for operator, estimate in zip(cost.operators, cost.costs, strict=True)
        if operator.view.name == "CALL_ONCE" or operator.subgraph
    ]
    assert sum(one.cycles for one in once if one is not None) == 0
    assert time.parts["computing"] == pytest.approx(cost.cycles / 100e3)
