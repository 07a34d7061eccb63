"""The commands on models whose operators call subgraphs."""

import json

import pytest

from tests.cli.models import saved
from tests.runtime.subgraphs import branches, counter
from tests.runtime.wake_word import wake_word


@pytest.fixture
def branching(tmp_path):
    return saved(branches(), tmp_path / "branches.tflite")


def test_info_lists_every_subgraph(arenite, branching):
    facts = json.loads(arenite("info", branching, "--json").stdout)
    names = [[op["name"] for op in one["operators"]] for one in facts["subgraphs"]]
    assert names == [["IF"], ["ADD"], ["ADD"]]
    assert "AddIf" in arenite("info", branching).stdout


def test_memory_shows_tensors_of_all_subgraphs(arenite, branching):
    facts = json.loads(arenite("memory", branching, "--json").stdout)
    assert {buffer["subgraph"] for buffer in facts["buffers"]} == {0, 1, 2}
    assert arenite("memory", branching).exit_code == 0


def test_explain_numbers_operators_of_other_subgraphs_behind_theirs(arenite, branching):
    facts = json.loads(arenite("explain", branching, "--json").stdout)
    places = [(op["subgraph"], op["index"], op["name"]) for op in facts["operators"]]
    assert places == [(0, 0, "IF"), (1, 0, "ADD"), (2, 0, "ADD")]
    text = arenite("explain", branching).stdout
    assert "ADD 0 of subgraph 1, 0 of subgraph 2: TFLM's own kernel" in text
    assert any(line.startswith("1.0  ADD") for line in text.splitlines())


def test_one_operator_is_one_of_the_main_subgraph(arenite, branching):
    assert arenite("explain", branching, "--op", "0").exit_code == 0
    assert arenite("explain", branching, "--op", "1").exit_code != 0


def test_cost_says_that_called_subgraphs_are_not_in_it(arenite, branching):
    text = " ".join(arenite("cost", branching).stdout.split())
    assert "Nor are the subgraphs that they call: how often is known at run time." in text
    operators = json.loads(arenite("cost", branching, "--json").stdout)["operators"]
    assert [operator["name"] for operator in operators] == ["IF"]


def test_run_runs_variables_and_what_calls_once(arenite, tmp_path):
    path = saved(counter(10), tmp_path / "counter.tflite")
    result = arenite("run", path, "--json")
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("command", ["info", "memory", "explain", "cost", "run"])
def test_every_command_takes_a_streaming_model(arenite, command, tmp_path):
    result = arenite(command, saved(wake_word(), tmp_path / "wake_word.tflite"))
    assert result.exit_code == 0, result.output
