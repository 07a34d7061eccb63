"""Whose numbers a command shows: the device's that was named, or a first line says whose."""

import json

import pytest

from tests.shared import DIGITS

HELD_OUT = DIGITS.parent / "held_out.npz"
NOTE = "No --board or --target was given"
COMMANDS = {
    "run": ("run", DIGITS),
    "bench": ("bench", DIGITS, "--repeat", 1),
    "evaluate": ("evaluate", DIGITS, HELD_OUT, "--limit", 4),
    "fit": ("fit", DIGITS, "--ram", "96k"),
    "memory": ("memory", DIGITS),
    "cost": ("cost", DIGITS),
    "explain": ("explain", DIGITS),
    "optimize": ("optimize", DIGITS, "--only", "clean"),
    "board": ("board", DIGITS, "--runs", 1),
    "export": ("export", DIGITS, "--no-emulate", "-o", "out"),
    "export for TFLM": ("export", DIGITS, "--library", "tflm", "-o", "out"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_first_line_says_whose_numbers_are_shown(arenite, command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    result = arenite(*COMMANDS[command])
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(NOTE)
    assert "`arenite boards` lists" in " ".join(result.stdout.split("\n")[:3])
    assert NOTE not in arenite(*COMMANDS[command], "--target", "m7").stdout
    assert NOTE not in arenite(*COMMANDS[command], "--board", "nano33ble").stdout


def test_a_report_says_it_beside_the_page_s_name(arenite, tmp_path, monkeypatch):
    from tests.report.page.pages import undrawn

    monkeypatch.setattr("arenite.report.page.make.draw", undrawn)
    assert arenite("report", DIGITS, "-o", tmp_path / "page.html").stderr.startswith(
        f"note: {NOTE}"
    )


def test_who_computes_is_said_by_the_side_of_an_evaluation(arenite):
    result = arenite("evaluate", f"{DIGITS}@m4", HELD_OUT, "--limit", 4)
    assert NOTE not in result.stdout


def test_what_is_exported_has_no_interpreter(arenite):
    first = arenite("board", DIGITS, "--runs", 1).stdout.splitlines()[0]
    assert first.startswith(f"{NOTE}: this is firmware for cortex-m4. ")


def test_structs_of_a_tflm_decide_on_its_arena(arenite, tmp_path):
    def arena(abi):
        result = arenite(
            *("export", DIGITS, "--library", "tflm", "-o", tmp_path / abi, "--abi", abi, "--json")
        )
        return json.loads(result.stdout)["arena_bytes"]

    assert arena("ilp32") < arena("lp64")


@pytest.mark.parametrize("command", ["cost", "evaluate"])
def test_a_target_is_described_alike_in_every_command(arenite, command):
    options = ("--target", "m4", "--compiler", "armclang", "--abi", "ilp32_int_enums")
    result = arenite(*COMMANDS[command], *options)
    assert result.exit_code == 0, result.stderr
    if command == "cost":
        assert "Arm Compiler 6, structs of ilp32_int_enums" in result.stdout
