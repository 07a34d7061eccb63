"""What ``import arenite`` and a first inference load, and what waits until it is needed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from arenite.formats import tflite
from tests.runtime.models import conv_model

LATER = (
    "arenite.cli",
    "arenite.cmsis_nn",
    "arenite.firmware",
    "arenite.formats.mnn",
    "arenite.mnn",
    "arenite.report",
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
