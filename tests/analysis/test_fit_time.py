"""Times that boards published lie inside the range that ``fit`` says."""

import csv
from importlib.resources import files

import pytest

import arenite as ar
from arenite.analysis.needs import Need
from arenite.boards import find_board
from arenite.cores import CORES, PRODUCTS_PER_CYCLE
from tests.shared import DIGITS, shared_model, shared_wake_word

_LINES = files("arenite.boards").joinpath("data/published.csv").read_text("utf-8").splitlines()
PUBLISHED = list(csv.DictReader(line for line in _LINES if not line.startswith("#")))
#: Cores with the same instructions, whose costs were known first.
ALIKE = {"cortex-m33": "cortex-m4", "cortex-m85": "cortex-m55"}


def name_of(row: dict[str, str]) -> str:
    return f"{row['system']} {row['model']}"


def published(row: dict[str, str]) -> float:
    """Milliseconds that the board took."""
    return float(row["megacycles"]) / float(row["megahertz"]) * 1000


def said(row: dict[str, str], processor: str) -> Need:
    clock = float(row["megahertz"])
    model = shared_model(row["model"])
    return ar.fit(model, target=processor, clock=clock, deadline=published(row)).need("time")


def test_rows_are_of_several_boards_and_models():
    assert len({row["system"] for row in PUBLISHED}) >= 3
    assert {row["model"] for row in PUBLISHED} == {"kws_int8", "vww_int8", "ic_int8", "ad_int8"}


@pytest.mark.parametrize("row", PUBLISHED, ids=name_of)
def test_a_published_time_lies_inside_the_range_of_its_processor(row):
    time = said(row, row["processor"])
    assert time.least <= published(row)
    if CORES[row["processor"]].accuracy is None:
        assert time.verdict == "unknown"  # at least so long, and no end
        return
    assert published(row) <= time.most
    assert time.verdict == "marginal"


@pytest.mark.parametrize(
    "row", [row for row in PUBLISHED if row["processor"] in ALIKE], ids=name_of
)
def test_a_published_time_lies_inside_the_range_of_a_core_with_the_same_instructions(row):
    time = said(row, ALIKE[row["processor"]])
    assert time.least <= published(row) <= time.most


@pytest.mark.parametrize("processor", ["cortex-m4", "cortex-m55"])
def test_the_upper_end_is_the_largest_excess_rounded_up(processor):
    rows = [row for row in PUBLISHED if ALIKE.get(row["processor"], row["processor"]) == processor]
    excess = max(published(row) / said(row, processor).parts["computing"] - 1 for row in rows)
    accuracy = CORES[processor].accuracy
    assert accuracy is not None
    assert excess < accuracy.boards < excess + 0.06


#: Boards whose flash is known, by their systems.
WAITING = {"NUCLEO-L4R5ZI": "nucleo-l4r5zi", "Renesas RA6M4": "ek-ra6m4"}


@pytest.mark.parametrize("row", [row for row in PUBLISHED if row["system"] in WAITING], ids=name_of)
def test_a_board_whose_flash_waits_has_a_narrower_range(row):
    time = ar.fit(shared_model(row["model"]), board=WAITING[row["system"]]).need("time")
    assert time.least <= published(row) <= time.most
    assert time.most / time.least < 1.35


def test_a_range_shrinks_with_the_waits_of_flash():
    """An F401 waits for 2 cycles, an F411 for 3, an L4R5 for 5; slower clocks wait for less."""
    boards = [find_board(name) for name in ("STM32F401RE", "STM32F411RE", "nucleo-l4r5zi")]
    times = [ar.fit(DIGITS, board=board).need("time") for board in boards]
    computing = [time.parts["computing"] for time in times]
    shares = [
        (time.least / took, time.most / took) for time, took in zip(times, computing, strict=True)
    ]
    assert shares == [pytest.approx(pair) for pair in ((1.0, 1.24), (1.05, 1.31), (1.15, 1.45))]
    beginnings = ("up to 24% more", "5% more to 31% more", "15% more to 45% more")
    for time, words in zip(times, beginnings, strict=True):
        assert time.note.startswith(f"an estimate, {words} than computing alone")
    slow = ar.fit(DIGITS, board="nucleo-l4r5zi", clock=16).need("time")
    assert slow.least < slow.parts["computing"]


def test_a_bound_is_the_products_at_the_processor_s_peak_and_no_estimate():
    time = ar.fit(DIGITS, target="cortex-m85", clock=1, ram="8k").need("time")
    macs = 49_280
    assert PRODUCTS_PER_CYCLE["mve"] == 8
    assert (time.amount, time.total) == ("not known", None)
    assert time.least == pytest.approx(macs / 8 / 1000)


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
