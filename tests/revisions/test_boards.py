"""Firmware of old revisions on an emulated core: arenas and results as Arenite says they are.

``boards.json`` has what such firmware gave. Where ``ARENITE_TFLM_DAYS`` names folders of TFLM's
sources, each called as the day that it is of, it is built and asked again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from arenite.formats import tflite
from arenite.runtime.interpreter import Interpreter
from arenite.target import Target

pytest.importorskip("arenite.native._engine")

from tests.revisions.boards import OldBoard
from tests.revisions.measure import FINE, fixed_models
from tests.revisions.measure_boards import FIGURES, target_of
from tests.worker import ROOT

MEASURED = json.loads(FIGURES.read_text(encoding="utf-8"))
FILES = fixed_models()
PAIRS = [(key, name) for key, one in MEASURED.items() for name in one["arenas"] if name in FILES]
TREES = [Path(one) for one in os.environ.get("ARENITE_TFLM_DAYS", "").split(os.pathsep) if one]


def split(key: str) -> tuple[str, str]:
    """``"cortex-m4 2022-01-31"`` -> the core and the day."""
    core, day = key.split()
    return core, day


def test_there_are_ten_pairs_of_five_days():
    assert len({day for _, day in map(split, MEASURED)}) >= 5
    assert len(PAIRS) >= 10


@pytest.mark.filterwarnings("ignore:.*array of two axes")  # of bits, not of arenas
@pytest.mark.parametrize("key", MEASURED)
def test_arenas_are_those_of_the_firmware(key):
    core, day = split(key)
    arenas = MEASURED[key]["arenas"]
    expected = {name: arena for name, arena in arenas.items() if name in FILES}
    target = target_of(day, core)
    found = {name: Interpreter(FILES[name], target=target).arena.used for name in expected}
    assert found == expected


@pytest.mark.parametrize("key", MEASURED)
def test_what_differs_from_the_firmware_is_on_the_page(key):
    core, day = split(key)
    page = (ROOT / "docs" / "revisions.md").read_text(encoding="utf-8")
    counts = MEASURED[key]["operators"]
    total = {kind: sum(one.get(kind, 0) for one in counts.values()) for kind in FINE}
    others = sum(sum(one.values()) for one in counts.values()) - sum(total.values())
    names = sorted(n for n, one in counts.items() if set(one) - set(total))
    cells = [core, day, MEASURED[key]["tflm"], MEASURED[key]["cmsis_nn"]]
    cells += [*map(str, (*total.values(), others)), ", ".join(names) or "-"]
    assert f"| {' | '.join(cells)} |" in page


@pytest.mark.skipif(not TREES, reason="ARENITE_TFLM_DAYS names no folders of TFLM's sources")
@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.name)
def test_a_firmware_of_that_day_gives_the_same(tree):
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    board, target = OldBoard(tree, "cortex-m4"), Target("cortex-m4", tflm=tree.name)
    model = tflite.read(FILES["digits"])
    inputs = [np.zeros(tensor.shape, tensor.type.dtype) for tensor in model.inputs]
    answer, interpreter = board.answer(model, [inputs]), Interpreter(model, target=target)
    assert answer.arena == interpreter.arena.used
    np.testing.assert_array_equal(answer.outputs[0][0], interpreter(*inputs))
