"""What ``import arenite`` and a first inference load, and what waits until it is needed."""

import json
import subprocess
import sys

import pytest

import arenite as ar
from arenite.formats import tflite
from tests.runtime.models import conv_model

LATER = (
    "arenite.cli",
    "arenite.libraries.cmsis_nn",
    "arenite.firmware",
    "arenite.mnn.lowering.models",
    "arenite.mnn",
    "arenite.ops.remedies",
    "arenite.report",
    "arenite.revisions",
    "arenite.runtime.kernel_context",
    "arenite.runtime.missing",
    "arenite.runtime.predict",
    "flatbuffers",
    "rich",
    "typer",
)
RUN = """
import json, sys
import arenite as ar
interp = ar.Interpreter(sys.argv[1])
interp(interp.input())
print(json.dumps(sorted(sys.modules)))
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    path = tmp_path_factory.mktemp("model") / "conv.tflite"
    path.write_bytes(tflite.write(conv_model()))
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(path)], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("name", LATER)
def test_an_inference_does_not_load(name: str, loaded: set[str]) -> None:
    assert name not in loaded


def test_an_inference_loads_the_operators_of_its_model_only(loaded: set[str]) -> None:
    operators = {name for name in loaded if name.startswith("arenite.ops.tflite.")}
    assert operators == {"arenite.ops.tflite.conv_2d"}


def test_importing_loads_errors_alone() -> None:
    script = "import sys, arenite; print(*(m for m in sys.modules if m.startswith('arenite.')))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["arenite.errors"]


@pytest.mark.parametrize("name", ["memory", "optimize", "runtime", "target"])
def test_rooms_are_there_when_they_are_asked_for(name: str) -> None:
    script = f"import arenite; print(arenite.{name}.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"arenite.{name}\n"


@pytest.mark.parametrize("name", ar.__all__)
def test_public_names_are_there_and_stay_the_same(name: str) -> None:
    assert getattr(ar, name) is getattr(ar, name)
    assert name in dir(ar)


def test_a_name_that_is_not_there_is_said() -> None:
    with pytest.raises(AttributeError, match="module 'arenite' has no attribute 'lode'"):
        ar.lode  # noqa: B018
