"""Sizes and clocks on the command line."""

import json

import pytest
import typer

from arenite.cli.quantity import read_bytes, read_megahertz


@pytest.mark.parametrize(
    ("text", "size"),
    [
        *(("0", 0), ("98304", 98304), ("98304B", 98304), ("96k", 98304), ("96K", 98304)),
        *(("96KB", 98304), ("96 KiB", 98304), ("0.5M", 524288), ("1mb", 1048576), (".5k", 512)),
    ],
)
def test_a_size(text, size):
    assert read_bytes(text) == size


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        *(("168", 168.0), ("168MHz", 168.0), ("168 mhz", 168.0), ("1.2GHz", 1200.0)),
        *(("32768Hz", 0.032768), ("80M", 80.0), ("500kHz", 0.5)),
    ],
)
def test_a_clock(text, clock):
    assert read_megahertz(text) == pytest.approx(clock)


@pytest.mark.parametrize("text", ["", "k", "-1", "1e5", "nan", "inf", "96q", "0.3", "1.2.3", "٣k"])
def test_what_is_no_size(text):
    with pytest.raises(typer.BadParameter, match="expected a "):
        read_bytes(text)


@pytest.mark.parametrize("text", ["", "fast", "-168", "0", "1e9", "nan", "101GHz", "168 KB"])
def test_what_is_no_clock(text):
    with pytest.raises(typer.BadParameter, match="expected a clock "):
        read_megahertz(text)


def test_options_take_them(arenite, model_file):
    facts = json.loads(arenite("memory", model_file, "--arena", "96k", "--json").stdout)
    assert facts["arena"] == 98304
    facts = json.loads(arenite("cost", model_file, "--clock", "168MHz", "--json").stdout)
    assert facts["clock_mhz"] == 168


@pytest.mark.parametrize(
    ("command", "option", "value"), [("memory", "--arena", "96q"), ("cost", "--clock", "fast")]
)
def test_nonsense_is_wrong_usage(arenite, model_file, command, option, value):
    result = arenite(command, model_file, option, value)
    assert result.exit_code == 2
    assert f"got '{value}'" in result.stderr
