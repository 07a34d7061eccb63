"""``arenite fit`` and ``arenite boards``."""

import json

import numpy as np
import pytest

from arenite.boards import boards
from arenite.model import ModelBuilder
from tests.cli.models import saved
from tests.optimize.lowered import KINDS


def test_a_model_that_fits_exits_with_0(arenite, model_file):
    result = arenite("fit", model_file, "--board", "nucleo-l4r5zi", "--deadline", "1s")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "It fits: the arena into SRAM1+SRAM2+SRAM3."
    assert "nucleo-l4r5zi (STM32L4R5ZI)" in result.stdout


def test_a_model_that_does_not_fit_exits_with_1_and_says_what_would_help(arenite, model_file):
    result = arenite("fit", model_file, "--ram", "1k")
    assert result.exit_code == 1
    assert "exceeds" in result.stdout
    assert "arenite optimize" in result.stdout


def test_a_time_that_is_not_known_exits_with_3_and_says_so(arenite, model_file):
    result = arenite("fit", model_file, "--target", "m3", "--clock", 64, "--deadline", "1s")
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1] == "Whether it fits is not known: time."


def test_without_a_board_all_are_listed(arenite, model_file):
    result = arenite("fit", model_file, "--json")
    assert result.exit_code == 0
    assert {one["board"]["name"] for one in json.loads(result.stdout)} == {
        board.name for board in boards()
    }
    assert "nano33ble" in arenite("fit", model_file).stdout


def test_each_board_of_the_table_has_one_line(arenite, model_file):
    lines = arenite("fit", model_file, "--deadline", "1us").stdout.splitlines()
    rows = lines[lines.index(next(line for line in lines if line.startswith("board "))) + 1 :]
    assert [row.split()[0] for row in rows] == [board.name for board in boards()]


def test_without_a_device_it_says_whose_numbers_these_are(arenite, model_file):
    first = arenite("fit", model_file, "--ram", "96k").stdout.splitlines()[0]
    assert first.startswith("No --board or --target was given")


def test_a_limit_within_the_margin_exits_with_3(arenite, model_file):
    found = arenite("fit", model_file, "--board", "nano33ble", "--json").stdout
    ms = json.loads(found)["needs"][2]["parts"]["computing"]
    result = arenite("fit", model_file, "--board", "nano33ble", "--deadline", ms, "--margin", "1%")
    assert result.exit_code == 3
    assert "Marginal" in result.stdout


def test_a_board_of_the_users_own_is_read_from_a_file(arenite, model_file, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'name = "mine"\nprocessor = "cortex-m4"\nclock = "48MHz"\nflash = "512k"\n'
        '[[banks]]\nname = "SRAM"\nsize = "8k"\n'
    )
    result = arenite("fit", model_file, "--board", file)
    assert result.exit_code == 0
    assert "mine (mine); cortex-m4" in result.stdout


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
        ("--clock", "64"),
        ("--board", "none"),
        ("--ram", "many"),
        ("--ram", "1k", "--target", "z80"),
        ("--deadline", "1", "--target", "m4"),
        ("--ram", "1k", "--margin", "much"),
        ("--board", "pico", "--bank", "none"),
    ],
)
def test_wrong_usage_exits_with_2(arenite, model_file, arguments):
    assert arenite("fit", model_file, *arguments).exit_code == 2


def test_boards_are_listed(arenite):
    assert len(arenite("boards").stdout.splitlines()) == len(boards()) + 1
    assert len(json.loads(arenite("boards", "--json").stdout)) == len(boards())


def test_for_github_there_is_an_annotation_and_a_table_in_the_summary(
    arenite, model_file, monkeypatch, tmp_path
):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    result = arenite("fit", model_file, "--ram", "96k", "--format", "github")
    assert result.exit_code == 0
    assert result.stdout.startswith("::notice ")
    assert "| RAM |" in (tmp_path / "summary.md").read_text()


@pytest.mark.parametrize("arguments", [("--board", "none"), ("--none",)])
def test_errors_are_json_where_results_would_be(arenite, model_file, arguments):
    result = arenite("fit", model_file, *arguments, "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["exit_code"] == 2


def test_a_missing_file_is_an_error_in_json(arenite):
    result = arenite("fit", "none.tflite", "--json")
    assert json.loads(result.stdout)["error"]["kind"] == "FileNotFoundError"
    assert json.loads(result.stdout)["exit_code"] == result.exit_code == 2  # 1 is a verdict


def test_what_an_export_takes_stands_beside_tflm_s_figures(arenite, model_file):
    options = ("--board", "nano33ble", "--export")
    result = arenite("fit", model_file, *options)
    assert result.exit_code == 0, result.stderr
    facts = json.loads(arenite("fit", model_file, *options, "--json").stdout)["export"]
    text = " ".join(result.stdout.split())
    assert f"without TFLM, as arenite export writes it: RAM {facts['arena_bytes']:,} bytes" in text
    assert f"flash {facts['flash_bytes']:,} bytes" in text
    low, high = facts["needs"][2]["low"], facts["needs"][2]["high"]
    assert f"time {low:.3g} to {high:.3g} ms" in text
    assert "export" not in json.loads(arenite("fit", model_file, *options[:2], "--json").stdout)


@pytest.mark.parametrize("options", [(), ("--board", "nano33ble"), ("--ram", "96k")])
def test_a_model_that_tflm_does_not_run_is_a_verdict(arenite, tmp_path, options):
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "uint8"), b.tensor("y", (1, 4), "float32")
    b.operator("CONV_3D", [x], [y])
    b.output(y)
    path = saved(b.build(), tmp_path / "m.tflite")
    result = arenite("fit", path, *options)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[2:] == [
        "It does not run.",
        "TFLM has no CONV_3D (operator 0).",
    ]
    facts = json.loads(arenite("fit", path, *options, "--json").stdout)
    assert (facts["outcome"], facts["remedy"]) == ("does not run", "")
    assert arenite("fit", path, "--format", "github", *options).stdout.startswith("::error file=")


def test_the_verdict_on_a_model_that_can_be_lowered_says_how(arenite, tmp_path):
    path = saved(KINDS["SIGN"](np.random.default_rng(0)), tmp_path / "m.tflite")
    facts = json.loads(arenite("fit", path, "--json", "--board", "nano33ble").stdout)
    assert facts["remedy"] == f"`arenite optimize {path} --lower -o out.tflite` makes it run."
    arenite("optimize", path, "--lower", "-o", tmp_path / "out.tflite")
    assert arenite("fit", tmp_path / "out.tflite", "--board", "nano33ble").exit_code == 0
