"""Real models survive read -> write -> read, and what was written runs as the original does."""

from pathlib import Path

import numpy as np
import pytest

from arenite.errors import ModelError
from arenite.formats import load, tflite
from arenite.model import Array, Model
from tests.litert_oracle import litert
from tests.ops.differential import random_array
from tests.oracle import Oracle
from tests.same import assert_same
from tests.shared import shared_models
from tests.steps import Step

real_models = pytest.mark.parametrize("path", shared_models(), ids=lambda path: path.stem)


def inputs_of(model: Model, count: int) -> list[list[Array]]:
    rng = np.random.default_rng(1)
    return [[random_array(tensor, rng) for tensor in model.inputs] for _ in range(count)]


@real_models
def test_read_write_read_is_the_same(path: Path) -> None:
    model = load(path)
    data = tflite.write(model)
    back = tflite.read(data)
    assert_same(back, model)
    assert tflite.write(back) == data


@real_models
def test_a_cut_off_file_is_refused(path: Path) -> None:
    data = path.read_bytes()
    rng = np.random.default_rng(2)
    for size in [0, 7, 8, len(data) - 1, *rng.integers(8, len(data), 20).tolist()]:
        # Behind the last byte that something refers to there may be padding.
        try:
            model = load(data[:size])
        except ModelError:
            continue
        assert len(data) - size < 16
        assert_same(model, load(data))


@real_models
def test_tflm_runs_what_was_written_as_it_runs_the_original(oracle: Oracle, path: Path) -> None:
    model = load(path)
    steps: list[Step] = [*inputs_of(model, 2)]
    before = oracle.run(path.read_bytes(), steps)
    after = oracle.run(tflite.write(model), steps)
    assert after.status == before.status
    if before.status == "ok":
        assert after.allocations == before.allocations
    for one, other in zip(before.outputs, after.outputs, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


@real_models
def test_litert_runs_what_was_written_as_it_runs_the_original(path: Path) -> None:
    pytest.importorskip("ai_edge_litert")
    model = load(path)
    before, after = litert([path.read_bytes(), tflite.write(model)], inputs_of(model, 2))
    if before is None:
        pytest.skip("LiteRT does not run the original either")
    assert after is not None
    for one, other in zip(before, after, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)
