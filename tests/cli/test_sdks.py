"""``--sdk`` means the same in all commands, and ``arenite sdks`` lists what it takes."""

import json

import pytest

import arenite as ar
from arenite.sdks import left_out, releases
from tests.shared import DIGITS

COMMANDS = {
    "info": (),
    "run": (),
    "bench": ("--repeat", 1),
    "fit": ("--ram", "96k"),
    "memory": (),
    "cost": (),
    "explain": (),
    "optimize": ("--only", "clean"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_a_release(arenite, command):
    result = arenite(command, DIGITS, "--sdk", "chirale", *COMMANDS[command])
    assert result.exit_code in (0, 3), result.output
    assert "No --board or --target" not in result.stdout
    refused = arenite(command, DIGITS, "--sdk", "nobody", *COMMANDS[command])
    assert refused.exit_code == 2
    assert "expected an SDK of arduino-tflm, chirale" in " ".join(refused.output.split())


def test_one_release_has_one_arena_in_all_commands(arenite):
    used = ar.Interpreter(ar.load(DIGITS), target=ar.Target(sdk="chirale")).arena.used
    found = json.loads(arenite("memory", DIGITS, "--sdk", "chirale", "--json").stdout)
    assert found["total"] == used


@pytest.mark.parametrize("command", ["export", "compare", "board", "check-kernel"])
def test_commands_without_a_tflm_say_why_they_take_none(arenite, command):
    result = arenite(command, DIGITS, "--sdk", "chirale")
    assert result.exit_code == 2
    assert "expected none, got 'chirale'" in " ".join(result.output.split())


def test_they_are_listed_with_their_sources(arenite):
    found = json.loads(arenite("sdks", "--json").stdout)
    assert {row["name"] for row in found["releases"]} == set(releases())
    assert all(row["source"] for row in found["releases"])
    assert {one["name"] for one in found["left_out"]} == {one.name for one in left_out()}
    assert "chirale@2.0.0" in arenite("sdks").stdout
