"""Scripts written for MNN's package, run with it and with ``arenite.mnn`` in its place.

A script says ``import MNN``, and takes a model and the file for its results. What it computes
here must be what it computes there, within 1e-4 of the largest value.
"""

import importlib.util
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import arenite.mnn
from arenite.mnn.session import interpreter, session
from tests.mnn_oracle import MnnOracle
from tests.shared import ROOT

SCRIPTS = Path(__file__).parent / "scripts"
CASES = [
    ("classify", "ic_float32"),
    ("classify", "vww_float32"),
    ("classify", "ad_float32"),
    ("batches", "ic_float32"),
    ("batches", "ad_float32"),
    ("layers", "ic_float32"),
    ("layers", "vww_float32"),
    ("sessions", "ad_float32"),
    ("sessions", "ic_float32"),
]


@pytest.fixture(autouse=True)
def no_caches():
    """Scripts may leave models and sessions in the caches, as they end their process."""
    yield
    interpreter.CACHE.clear()
    session.CACHE.clear()


def with_arenite(script: Path, model: Path, target: Path, monkeypatch) -> dict[str, np.ndarray]:
    monkeypatch.setitem(sys.modules, "MNN", arenite.mnn)
    monkeypatch.setattr(sys, "argv", [str(script), str(model), str(target)])
    runpy.run_path(str(script), run_name="__main__")
    return dict(np.load(target))


def with_mnn(script: Path, model: Path, target: Path) -> dict[str, np.ndarray]:
    command = [sys.executable, str(script), str(model), str(target)]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return dict(np.load(target))


def same(ours: np.ndarray, theirs: np.ndarray) -> bool:
    if theirs.dtype.kind != "f":
        return bool(np.array_equal(ours, theirs))
    largest = np.abs(theirs).max(initial=1e-30)
    return ours.shape == theirs.shape and bool(np.abs(ours - theirs).max() <= 1e-4 * largest)


def shared(model: str) -> Path:
    path = ROOT / "models" / "mnn" / f"{model}.mnn"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    return path


has_mnn = pytest.mark.skipif(importlib.util.find_spec("MNN") is None, reason="MNN is not installed")


@has_mnn
@pytest.mark.parametrize(("script", "model"), CASES)
def test_a_script_gives_the_same_with_both_packages(script, model, tmp_path, monkeypatch):
    gives_the_same(SCRIPTS / f"{script}.py", shared(model), tmp_path, monkeypatch)


@has_mnn
@pytest.mark.parametrize(("model", "size"), [("ic_float32", 32), ("vww_float32", 96)])
def test_a_script_gives_the_same_for_quantised_models(model, size, tmp_path, monkeypatch):
    pytest.importorskip("PIL")
    oracle = MnnOracle()
    path = tmp_path / "quantised.mnn"
    path.write_bytes(oracle.quantize(shared(model).read_bytes(), size))
    oracle.close()
    gives_the_same(SCRIPTS / "classify.py", path, tmp_path, monkeypatch)


def gives_the_same(source, path, tmp_path, monkeypatch):
    ours = with_arenite(source, path, tmp_path / "ours.npz", monkeypatch)
    theirs = with_mnn(source, path, tmp_path / "theirs.npz")
    assert ours.keys() == theirs.keys()
    different = {key: (ours[key], theirs[key]) for key in ours if not same(ours[key], theirs[key])}
    assert different == {}
