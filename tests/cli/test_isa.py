"""``--isa`` and ``ARENITE_ISA``: whose kernels run, in every command that runs a model."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import arenite as ar
from tests.cli.models import saved
from tests.runtime.models import sums_of_products

pytest.importorskip("arenite.native._engine")

from arenite.native.program import available_isas

BEST = available_isas()[-1]
MODEL = sums_of_products()
SAMPLES = (np.random.default_rng(1).integers(-1000, 1000, (40, 200)) / 777).astype(np.float32)
needs_two = pytest.mark.skipif(BEST == "portable", reason="needs a second instruction set")
COMMANDS = {"run": (), "bench": (), "compare": ("@cortex-m4",), "evaluate": ("data.npz",)}


@pytest.fixture
def sums_file(tmp_path):
    return saved(MODEL, tmp_path / "sums.tflite")


@needs_two
@pytest.mark.parametrize("isa", ["portable", BEST])
def test_run_has_the_bits_of_the_set(arenite, sums_file, tmp_path, isa):
    np.save(tmp_path / "x.npy", SAMPLES[:1])
    files = ("--input", tmp_path / "x.npy", "--output", tmp_path / "y.npz")
    assert arenite("run", sums_file, *files, "--isa", isa).exit_code == 0
    expected = ar.Interpreter(MODEL, isa=isa)(SAMPLES[:1])
    assert np.array_equal(np.load(tmp_path / "y.npz")["y"], expected)


@needs_two
@pytest.mark.parametrize("isa", ["portable", BEST])
def test_bench_says_the_set(arenite, sums_file, isa):
    result = arenite("bench", sums_file, "--isa", isa, "--repeat", 1, "--json")
    assert json.loads(result.stdout)["isa"] == isa


@needs_two
@pytest.mark.parametrize("isa", ["portable", BEST])
def test_compare_has_the_bits_of_the_set(arenite, sums_file, tmp_path, isa):
    np.save(tmp_path / "x.npy", SAMPLES[:1])
    np.savez(tmp_path / "board.npz", y=ar.Interpreter(MODEL, isa="portable")(SAMPLES[:1]))
    dump = (tmp_path / "board.npz", "--input", tmp_path / "x.npy")
    result = arenite("compare", sums_file, *dump, "--isa", isa, "--json")
    (layer,) = json.loads(result.stdout)["layers"]
    assert (layer["error"] == 0) is (isa == "portable")


@needs_two
def test_workers_have_the_bits_of_the_set(arenite, sums_file, tmp_path):
    data = SAMPLES, np.zeros((len(SAMPLES), 64), np.float32)
    np.savez(tmp_path / "data.npz", x=data[0], y=data[1])
    options = ("--task", "regress", "--workers", 2, "--isa", "portable", "--json")
    result = arenite("evaluate", sums_file, tmp_path / "data.npz", *options)
    (engine,) = json.loads(result.stdout)["engines"]
    mse = [
        ar.evaluate(MODEL, data, scoring=ar.Scoring("regress"), isa=isa).mse
        for isa in ("portable", BEST)
    ]
    assert engine["metrics"]["mse"] == mse[0] != mse[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_another_set_is_refused_with_those_that_are_here(arenite, sums_file, command):
    result = arenite(command, sums_file, *COMMANDS[command], "--isa", "sse9")
    assert result.exit_code == 2
    words = " ".join(result.output.replace("│", " ").split())
    assert "expected an instruction set of portable" in words
    assert "got 'sse9'" in words


@pytest.mark.parametrize("arguments", [["--version"], ["info", "model.tflite"], ["run", "m"]])
def test_a_set_of_the_environment_that_is_none_is_wrong_usage(arguments):
    done = process(*arguments, ARENITE_ISA="sse9")
    words = " ".join(done.stderr.decode().replace("│", " ").split())
    assert done.returncode == 2
    assert "Invalid value for ARENITE_ISA: expected an instruction set of portable" in words
    assert "Traceback" not in words


def test_an_empty_variable_is_none():
    assert process("--version", ARENITE_ISA="").returncode == 0


def process(*arguments, **variables):
    """The command with other variables in its environment."""
    command = [sys.executable, "-m", "arenite", *arguments]
    environment = {**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", **variables}
    return subprocess.run(command, capture_output=True, timeout=60, env=environment, check=False)
