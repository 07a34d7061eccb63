"""An inference takes nothing from the heap: counted by a malloc that counts."""

import json
import os
import platform
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arenite import native
from arenite.formats import tflite
from arenite.model import Model
from tests.compiler import compiler
from tests.runtime.models import conv_model, halves_of_a_sum, memory_of_three
from tests.shared import DIGITS, shared_models

HERE = Path(__file__).parent
BUILT: dict[str, Callable[[], Model]] = {
    "convolutions": conv_model,
    "several_ports": halves_of_a_sum,
    "state": memory_of_three,
}
REAL = {"kws_int8", "vww_int8", "ic_int8", "ad_int8", "ad_float32", "sww_int8"}
Counts = dict[str, Any]

pytestmark = [
    pytest.mark.skipif(not native.available(), reason="the native engine was not built"),
    pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="counts in glibc's malloc"),
    pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="something is preloaded already"),
]


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("models")
    for name, build in BUILT.items():
        (folder / f"{name}.tflite").write_bytes(tflite.write(build()))
    real = [path for path in shared_models() if path.stem in REAL]
    return [DIGITS, *sorted(folder.iterdir()), *real]


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("counter") / "count_allocations.so"
    source = HERE / "count_allocations.c"
    flags = ["-O1", "-shared", "-fPIC", "-fno-builtin", "-o", str(library)]
    subprocess.run([*compiler(), *flags, str(source)], check=True)
    return library


def count(counter: Path, paths: list[Path], **environment: str) -> dict[str, Counts]:
    """Counts by model; without the check that there is something that counts."""
    done = subprocess.run(
        [sys.executable, str(HERE / "count_allocations.py"), *map(str, paths)],
        env={**os.environ, "LD_PRELOAD": str(counter), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    counts: dict[str, Any] = json.loads(done.stdout)
    assert counts.pop("check") > 0
    return {Path(path).stem: of_model for path, of_model in counts.items()}


@pytest.fixture(scope="module")
def heap(counter: Path, paths: list[Path]) -> dict[str, Counts]:
    """What is taken from the heap, where Python has memory of its own for small objects."""
    return count(counter, paths)


@pytest.fixture(scope="module")
def everything(counter: Path, paths: list[Path]) -> dict[str, Counts]:
    """The same, where every object of Python's counts."""
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("Python has memory of its own for all objects")
    return count(counter, paths, PYTHONMALLOC="malloc")


def test_the_c_program_takes_nothing_from_the_heap(heap: dict[str, Counts]) -> None:
    assert {name: of_model["predict many"] for name, of_model in heap.items()} == {
        name: of_model["predict 1"] for name, of_model in heap.items()
    }


def test_an_invoke_takes_nothing_from_the_heap(heap: dict[str, Counts]) -> None:
    assert {name: of_model["many invokes"] for name, of_model in heap.items()} == dict.fromkeys(
        heap, 0
    )


def test_invokes_leave_no_objects_behind(heap: dict[str, Counts]) -> None:
    assert max(of_model["blocks"] for of_model in heap.values()) <= 1


def test_python_makes_as_many_objects_for_ten_operators_as_for_one(
    everything: dict[str, Counts],
) -> None:
    """The call itself takes one or two: numbers and bound methods."""
    taken = {name: of_model["invoke"] for name, of_model in everything.items()}
    assert set(taken.values()) == {taken["state"]}
    assert taken["state"] <= 2
