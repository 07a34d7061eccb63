"""What is compared on: random inputs, or samples of a user's data."""

import numpy as np
import pytest

import arenite as ar
from tests.shared import DIGITS


def test_random_inputs_are_called_so():
    assert ar.compare(DIGITS, "@cortex-m4", runs=1).fed == "random inputs"


def test_samples_are_read_as_evaluate_reads_them(tmp_path):
    file = tmp_path / "samples.npz"
    np.savez(file, x=np.random.default_rng(0).random((5, 8, 8, 1)).astype(np.float32))
    found = ar.compare(DIGITS, "@cortex-m4", data=file, runs=3)
    assert found.equal
    assert found.runs == 3
    assert found.fed.startswith("3 samples of")


def test_real_numbers_are_quantised_with_the_inputs_scale():
    x = np.ones((1, 8, 8, 1), np.float32)
    (one,) = ar.compare(DIGITS, "@cortex-m4", data=(x, None)).layers[-1:]
    model = ar.load(DIGITS)
    direct = ar.compare(model, "@cortex-m4", [np.full((1, 8, 8, 1), 127, np.int8)])
    assert one.sqnr == direct.layers[-1].sqnr == np.inf


def test_inputs_and_data_are_one_too_many():
    x = np.zeros((1, 8, 8, 1), np.int8)
    with pytest.raises(ValueError, match="got both"):
        ar.compare(DIGITS, "@cortex-m4", [x], data=(x, None))


def test_no_samples_are_refused():
    with pytest.raises(ValueError, match="expected samples"):
        ar.compare(DIGITS, "@cortex-m4", data=(np.zeros((0, 8, 8, 1), np.int8), None))


@pytest.mark.parametrize("runs", [0, -1, 10_001, 2**31])
def test_runs_that_no_memory_holds_are_refused(runs):
    with pytest.raises(ValueError, match="expected runs from 1 to 10,000"):
        ar.compare(DIGITS, "@cortex-m4", runs=runs)
