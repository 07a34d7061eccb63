"""What builds a folder."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from arenite.firmware import export
from arenite.formats.tflite_write import write
from tests.compiler import compiler
from tests.firmware.models import residual


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_builds_and_runs_the_self_test(tmp_path):
    export(residual(), tmp_path, name="m", target=None)
    command = ["make", "selftest", f"CC={' '.join(compiler())}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "PASS m: 4 inferences, 4 layers each", done.stderr
    assert (tmp_path / "libm.a").exists()


def test_the_readme_has_the_figures_and_a_row_per_layer(tmp_path):
    export(residual(), tmp_path, name="m", target=None)
    text = (tmp_path / "README.md").read_text()
    assert "| RAM: the arena, with all scratch memory | 16 |" in text
    assert "| 3 | RELU 1x6 -> 1x6 | `lookup_1` | 256 | 0 |" in text


def test_the_readme_names_the_model_s_file_without_its_folder(tmp_path):
    file = tmp_path / "residual.tflite"
    file.write_bytes(write(residual()))
    export(file, tmp_path / "m", target=None)
    text = (tmp_path / "m" / "README.md").read_text()
    assert "`residual.tflite`" in text
    assert str(tmp_path) not in text
