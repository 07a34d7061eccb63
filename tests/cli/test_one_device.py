"""One device has one answer: the same firmware, arena, flash and time in every command."""

import json
from functools import cache

import pytest

import arenite as ar
from arenite.analysis import arena_use, device, explanation, fit_time, model_cost
from arenite.analysis.arena_use import Firmware, needed_by
from arenite.analysis.devices import device_of
from arenite.analysis.fit import fit_all, fit_facts
from arenite.analysis.overview import overview
from arenite.boards import boards
from arenite.errors import AreniteError
from arenite.libraries.library import why_no_costs
from tests.shared import DIGITS, shared_model, shared_wake_word

pytestmark = pytest.mark.filterwarnings("ignore::arenite.errors.UndefinedWarning")
WAKE_WORDS = ("okay_nabu", "vad")
MODELS = (
    *("digits", "kws_int8", "ad_int8", "ic_int8", "person_detect", "micro_speech_quantized"),
    *("hello_world_int8", "hello_world_float", *WAKE_WORDS),
)
BOARDS = boards()


def path_of(name):
    if name == "digits":
        return DIGITS
    return shared_wake_word(name) if name in WAKE_WORDS else shared_model(name)


@pytest.fixture
def prepared_once(monkeypatch):
    """A model is prepared once for each firmware, however many boards run it."""
    operators, peak = cache_by_file(device.device_operators), cache_by_file(arena_use.arena_peak, 2)
    for module in (explanation, fit_time, model_cost):
        monkeypatch.setattr(module, "device_operators", operators)
    monkeypatch.setattr(arena_use, "arena_peak", peak)


def cache_by_file(function, last=1):
    kept = {}

    def call(model, *others):
        key = (model.source, repr(others[last - 1]))
        if key not in kept:
            kept[key] = function(model, *others)
        return kept[key]

    return call


@cache
def loaded(name):
    return ar.load(path_of(name))


def runs_on(model, board):
    """Whether the model runs there at all: not one for another NPU, or an operator that lacks."""
    try:
        return ar.fit(model, board=board)
    except AreniteError:
        return None


@pytest.mark.parametrize("name", MODELS)
def test_all_that_is_said_of_a_board_is_said_by_one_function(name, prepared_once):
    model = loaded(name)
    rows = {one.board.name: one for one in fit_all(model)}
    for board in BOARDS:
        found = runs_on(model, board.name)
        if found is None:
            assert board.name not in rows
            continue
        assert fit_facts(rows[board.name]) == fit_facts(found)
        meant = device_of(board.name, model=model)
        assert (meant.target, meant.clock) == (found.target, found.clock)
        arena = needed_by(model, Firmware("greedy", meant.target)).smallest_arena
        assert found.need("RAM").parts["arena"] == arena
        assert found.need("RAM").limit == board.room().size
        time = found.need("time")
        if not why_no_costs(meant.target):
            cost = ar.cost(model, meant.target, meant.clock, board)
            facts = model_cost.cost_facts(cost)
            said = tuple(facts[key] for key in ("low", "milliseconds", "high"))
            assert said == (time.least, time.total, time.most)


@pytest.mark.parametrize("name", MODELS)
def test_the_middle_lies_in_the_range_and_what_is_not_known_has_no_middle(name, prepared_once):
    for board in BOARDS:
        found = runs_on(loaded(name), board.name)
        for need in () if found is None else found.needs:
            facts = fit_facts(found)["needs"][found.needs.index(need)]
            assert (need.total is None) == (need.amount == "not known") == (facts["total"] is None)
            if need.total is None:
                assert (facts["high"], facts["parts"]) == (None, {})
                continue
            assert need.least <= need.total <= need.most
            assert need.total == pytest.approx(sum(need.parts.values()))


def facts_of(arenite, *arguments):
    result = arenite(*arguments, "--json")
    facts = json.loads(result.stdout) if result.exit_code in (0, 1, 3) else None
    return None if facts is None or facts.get("outcome") == "does not run" else facts


@pytest.mark.parametrize("name", ["digits", "okay_nabu"])
def test_every_command_has_the_same_firmware_arena_and_time(name, arenite, prepared_once, tmp_path):
    path, seen = path_of(name), {}
    for board in {(one.processor, one.clock, one.waits): one for one in BOARDS}.values():
        on = (path, "--board", board.name)
        fit = facts_of(arenite, "fit", *on)
        if fit is None:
            continue
        (ram, *_, time), target = fit["needs"], fit["target"]
        if (cost := facts_of(arenite, "cost", *on)) is not None:
            assert cost["target"] == target
            said = tuple(cost[key] for key in ("low", "milliseconds", "high"))
            assert said == tuple(time[key] for key in ("low", "total", "high"))
        if repr(target) in seen:
            continue
        seen[repr(target)] = board.name
        assert facts_of(arenite, "explain", *on)["target"] == target
        memory = facts_of(arenite, "memory", *on)
        assert (memory["target"], memory["smallest_arena"]) == (target, ram["parts"]["arena"])
        out = tmp_path / board.name
        made = facts_of(arenite, "export", *on, "--library", "tflm", "-o", out)
        assert made["arena_bytes"] >= ram["parts"]["arena"]
    assert len(seen) >= 8


def test_a_wake_word_on_an_esp32s3_is_what_esphome_builds(arenite):
    """Four commands said four sizes of one arena; the release with the largest is not ESPHome's."""
    path = shared_wake_word("okay_nabu")
    on = (path, "--board", "esp32-s3-devkitc")
    fit = facts_of(arenite, "fit", *on)
    assert fit["target"]["library_version"] == "1.1.2"
    (word,) = fit["wake_word"]["models"]
    assert word["smallest_arena"] == fit["needs"][0]["parts"]["arena"] == 25_808
    assert word["tensor_arena_size"] == 25_824
    named = facts_of(arenite, "memory", *on, "--library-version", "1.2.3")
    assert named["smallest_arena"] == word["by_version"]["1.2.3"]


def test_a_page_s_times_are_the_fit_s():
    facts = overview(DIGITS, board="nucleo-f446re")
    time = facts.fit.need("time")
    each = map(facts.cost.milliseconds, range(len(facts.cost.costs)))
    assert sum(each) == pytest.approx(time.total)
    assert time.least <= time.total <= time.most


def test_the_limit_of_ram_is_what_a_program_can_use(arenite):
    """ESP-IDF leaves 341,760 of an S3's bytes, mbed about 208 KB of a Nano 33 BLE's 256."""
    limits = {
        name: facts_of(arenite, "fit", DIGITS, "--board", name)["needs"][0]
        for name in ("esp32-s3-devkitc", "nano33ble", "nrf52840dk")
    }
    assert [one["limit"] for one in limits.values()] == [341_760, 208 * 1024, 256 * 1024]
    assert "memory.ld.in" in limits["esp32-s3-devkitc"]["note"]
    assert "ArduinoCore-mbed" in limits["nano33ble"]["note"]


def test_a_level_that_is_named_counts_in_every_command_of_times(arenite):
    """Arduino's boards have -Os by default; a Nucleo has -O2 unless another level is named."""
    on = (DIGITS, "--board", "nucleo-f446re")
    for command in ("fit", "cost"):
        fast, small = (
            facts_of(arenite, command, *on, *level) for level in ((), ("--optimization", "Os"))
        )
        assert (fast["target"]["optimize"], small["target"]["optimize"]) == ("O2", "Os")
    assert small["low"] > 1.15 * fast["low"]
    assert facts_of(arenite, "fit", DIGITS, "--board", "nano33ble")["target"]["optimize"] == "Os"
