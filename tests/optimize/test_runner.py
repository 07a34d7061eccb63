"""``python -m tests.optimize``."""

from dataclasses import replace

import pytest

from arenite.optimize import optimizer
from arenite.optimize.outcome import Outcome
from tests.optimize.__main__ import main


@pytest.fixture(autouse=True)
def _needs_the_package():
    pytest.importorskip("tflite_micro")


def test_networks_are_equal_after_all_passes(capsys):
    assert main(["--count", "4", "--seed", "7"]) == 0
    printed = capsys.readouterr().out
    assert "{'equal': 4}" in printed
    assert "fold" in printed


def test_a_difference_is_code_1(capsys, monkeypatch):
    def wrong(model, settings):
        operators = []
        for operator in model.main.operators:
            own = hasattr(operator.options, "fused_activation_function")
            clamp = own and operator.name != "CONCATENATION"
            changed = {"fused_activation_function": 2} if clamp else {}
            options = replace(operator.options, **changed) if changed else operator.options
            operators.append(replace(operator, options=options))
        operators = tuple(operators)
        return Outcome(replace(model, subgraphs=(replace(model.main, operators=operators),)))

    monkeypatch.setattr(optimizer, "sequence", lambda only: ("wrong",))
    monkeypatch.setattr(optimizer, "find", lambda name: wrong)
    assert main(["--count", "6", "--seed", "2"]) == 1
    assert "differ" in capsys.readouterr().out
