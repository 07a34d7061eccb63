"""``arenite fit`` and ``arenite boards``."""

from __future__ import annotations

import json

import pytest

from arenite.analysis.boards import BOARDS


def test_a_model_that_fits_exits_with_0(arenite, model_file):
    result = arenite("fit", model_file, "--board", "nucleo-l4r5zi", "--deadline", "1s")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "It fits."
    assert "nucleo-l4r5zi (STM32L4R5ZI)" in result.stdout


def test_a_model_that_does_not_fit_exits_with_1_and_says_what_would_help(arenite, model_file):
    result = arenite("fit", model_file, "--ram", "1k")
    assert result.exit_code == 1
    assert "exceeds" in result.stdout
    assert "arenite optimize" in result.stdout


def test_a_time_that_is_not_known_exits_with_1_and_says_so(arenite, model_file):
    result = arenite("fit", model_file, "--board", "pico", "--deadline", "1s")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "Whether it fits is not known: time."


def test_json_has_every_need(arenite, model_file):
    result = arenite("fit", model_file, "--board", "nano33ble", "--ram", "96k", "--json")
    facts = json.loads(result.stdout)
    assert facts["fits"] is True
    assert facts["board"]["chip"] == "nRF52840"
    assert [need["limit"] for need in facts["needs"]] == [98304, 1 << 20, None]
    ram = facts["needs"][0]
    assert ram["total"] == sum(ram["parts"].values()) == ram["limit"] - ram["left"]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--board", "none"),
        ("--ram", "many"),
        ("--ram", "1k", "--target", "z80"),
        ("--deadline", "1"),
    ],
)
def test_wrong_usage_exits_with_2(arenite, model_file, arguments):
    assert arenite("fit", model_file, *arguments).exit_code == 2


def test_boards_are_listed(arenite):
    assert len(arenite("boards").stdout.splitlines()) == len(BOARDS) + 1
    assert len(json.loads(arenite("boards", "--json").stdout)) == len(BOARDS)
