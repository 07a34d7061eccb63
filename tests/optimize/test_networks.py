"""Random networks: a seed says everything, TFLM runs them, and their outputs depend on inputs."""

import numpy as np
import pytest

from arenite.formats import tflite
from tests.ops.differential import random_array, run_arenite
from tests.optimize.networks import KINDS, network
from tests.oracle import Oracle


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_a_network_is_its_seed_s(kind, dtype):
    assert tflite.write(network(3, kind, dtype)) == tflite.write(network(3, kind, dtype))
    assert tflite.write(network(3, kind, dtype)) != tflite.write(network(4, kind, dtype))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_tflm_runs_what_arenite_runs(oracle: Oracle, kind, dtype):
    for seed in range(3):
        model = network(seed, kind, dtype)
        rng = np.random.default_rng(seed)
        inputs = [random_array(tensor, rng) for tensor in model.inputs]
        data = tflite.write(model)
        answer = oracle.run(data, [inputs])
        assert answer.status == "ok", answer.log
        (got,) = run_arenite(tflite.read(data), [inputs])
        for mine, its in zip(got, answer.outputs[0], strict=True):
            if mine.dtype == np.int8:
                np.testing.assert_array_equal(mine.reshape(its.shape), its)


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_depend_on_inputs(kind):
    changed = 0
    for seed in range(12):
        model = network(seed, kind, "int8")
        rng = np.random.default_rng(seed)
        steps = [[random_array(tensor, rng) for tensor in model.inputs] for _ in range(2)]
        first, second = run_arenite(model, steps)
        changed += any(not np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert changed >= 6  # some end in a value that no input changes, as real ones may
