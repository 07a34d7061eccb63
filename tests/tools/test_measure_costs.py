"""``tools/measure_costs.py``: instructions find their loops, and errors are those of other layers.

With ``ARENITE_TFLM`` and GCC for Arm one operator is measured as a person would.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy", reason="SciPy, of the group dev, solves for the costs")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import measure_costs  # noqa: E402
from cost_fit import Pass, Sample, errors, fit, shares  # noqa: E402
from cost_layers import LAYERS, chain, layers  # noqa: E402

TREE = os.environ.get("ARENITE_TFLM", "")
CALL, ROW, VALUE = ("f", "call"), ("f", "row"), ("f", "value")
SYMBOLS = {0: "f", 2: "f", 4: "f", 6: "f", 8: "glue"}


def layer(rng: np.random.Generator, dearer: float = 0) -> Sample:
    """``f`` has an instruction per call, two per value, and one for a half of the values."""
    rows, size = int(rng.integers(1, 9)), int(rng.integers(1, 50))
    values = rows * size
    times = {0: 1, 2: values, 4: values, 6: values // 2 + round(dearer * values), 8: 1}
    loops = {CALL: 1, ROW: rows, VALUE: values, ("TFLM", "F"): 1}
    return Sample("F, int8", loops, times, {at: 2.0 * n for at, n in times.items()})


def test_what_runs_as_often_as_a_loop_is_the_loop_s_and_the_rest_is_shared_out():
    rng = np.random.default_rng(0)
    costs = fit([layer(rng) for _ in range(200)], SYMBOLS)
    assert costs[VALUE].instructions == pytest.approx(2.5, abs=0.02)
    assert costs[VALUE].cycles == pytest.approx(5, abs=0.04)
    assert costs[CALL].instructions == pytest.approx(1, abs=0.6)


def test_glue_that_ran_three_times_in_every_layer_is_three_of_its_operator_s():
    loops, other = {("TFLM", "F"): 1}, {("TFLM", "G"): 1}
    counts = [
        Sample("F, int8", loops, {8: 3}, {8: 4.0}),
        Sample("G, int8", other, {8: 2}, {8: 3.0}),
    ]
    costs = fit(counts, SYMBOLS)
    assert costs["TFLM", "F"] == pytest.approx((3, 4))
    assert costs["TFLM", "G"] == pytest.approx((2, 3))


def test_least_squares_give_nothing_a_cost_below_nothing():
    rng = np.random.default_rng(2)
    table = rng.integers(1, 99, (200, 4)).astype(float)
    costs = np.array([3.0, 0.0, 11.5, 0.25])
    assert shares(table, table @ costs, np.ones(200)) == pytest.approx(costs, abs=1e-6)
    without = shares(table, table @ np.array([3.0, -1.0, 11.5, 0.25]), np.ones(200))
    assert (without >= 0).all()
    assert without[1] == 0


def test_errors_are_of_the_layers_that_are_given():
    rng = np.random.default_rng(3)
    costs = fit([layer(rng) for _ in range(100)], SYMBOLS)
    ((kernel, (median, worst, count)),) = errors([layer(rng, 0.5) for _ in range(7)], costs).items()
    assert (kernel, count) == ("F, int8", 7)
    assert median == pytest.approx(100 * (1 - 2.5 / 3), abs=3)
    assert worst >= median


def test_errors_of_cycles_are_not_those_of_instructions():
    sample = Sample("F, int8", {CALL: 2}, {0: 10}, {0: 40.0})
    costs = {CALL: Pass(5, 10)}
    assert errors([sample], costs) == {"F, int8": (0, 0, 1)}
    assert errors([sample], costs, "cycles") == {"F, int8": (50, 50, 1)}


def test_fresh_layers_say_whether_old_rows_or_new_ones_are_better(capsys):
    fresh = [Sample("F, int8", {CALL: 1}, {0: 10}, {0: 10.0})]
    measure_costs.compare({CALL: Pass(10, 10)}, {CALL: Pass(8, 20)}, fresh)
    said = capsys.readouterr().out
    assert "f, call: 8 -> 10 (+25.0 %), 20 -> 10 (-50.0 %)\n" in said
    row = "F, int8, instructions, 1 fresh layers: off by 20.0 / 20.0 %, now 0.0 / 0.0 %; "
    assert row + "all of them +25.0 %\n" in said


def test_a_firmware_has_every_operator_of_its_models_once():
    models = [chain(2), *layers("ADD", 2), *layers("RESHAPE", 1)]
    assert measure_costs.resolver_lines(models) == ["resolver.AddAdd();", "resolver.AddReshape();"]


def test_of_some_operators_only_loops_are_written_that_no_other_one_has():
    own = measure_costs.own_loops(["CONCATENATION"], "cortex-m4", 5)
    assert own
    assert {function for function, _ in own} & {"memcpy", "memset"} == set()
    every = measure_costs.own_loops([*LAYERS], "cortex-m4", 5)
    assert own | {measure_costs.OPERATOR} < every


def test_the_other_measuring_tool_has_all_that_it_imports():
    import measure_code

    assert measure_code.TABLE.exists()


@pytest.mark.skipif(
    not TREE or not shutil.which("arm-none-eabi-gcc"),
    reason="ARENITE_TFLM names no folder of TFLM's sources, or there is no GCC for Arm",
)
def test_one_operator_is_measured():
    command = ("tools/measure_costs.py", "--tflm", TREE, "--target", "cortex-m4", "--compare")
    said = subprocess.run(
        [sys.executable, *command, "--operators", "RESHAPE", "--count", "30"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.search(r"RESHAPE, int8: (\S+) % in the median, \S+ % at worst, 10 layers", said)
    assert found, said
    assert float(found[1]) < 10
    assert "TFLM, operator: 34 -> " in said
