"""The self-test of a folder finds what went wrong."""

from __future__ import annotations

import re

import pytest

from arenite.firmware import export
from tests.firmware.built import TESTED, compile_files, run
from tests.firmware.models import floats, residual


@pytest.fixture
def folder(tmp_path):
    export(residual(), tmp_path / "m", name="m", target=None)
    return tmp_path / "m"


def printed(folder):
    files = [folder / name for name in (*TESTED, "test/main.c")]
    compile_files(files, folder / "tested", f"-I{folder / 'src'}")
    return run(folder / "tested")


def test_all_is_well(folder):
    assert printed(folder) == "PASS m: 4 inferences, 4 layers each\n"


def test_a_weight_that_differs_is_found(folder):
    path = folder / "src" / "weights.c"
    text = path.read_text()
    start = text.index("m_weights_1[36] = {") + 20
    found = re.compile(r"-?\d+").search(text, start)
    value = int(found[0])
    path.write_text(f"{text[: found.start()]}{value ^ 1}{text[found.end() :]}")
    assert "constant 4" in printed(folder)


def test_a_kernel_that_differs_is_found_with_its_layer(folder):
    path = folder / "src" / "kernels.c"
    path.write_text(path.read_text().replace("y[i] = table", "y[i] = -table"))
    lines = printed(folder).splitlines()
    assert lines[-1] == "FAIL m"
    assert lines[0] == "FAIL sample 0, RELU 3"
    assert "FAIL sample 0, output 0" in lines


def test_a_plan_that_differs_is_found(folder):
    path = folder / "src" / "model.c"
    text = path.read_text()
    call = re.search(r"m_fully_connected_1\(AT\(const int8_t, (\d+)\)", text)
    path.write_text(text.replace(call[0], call[0].replace(call[1], str(int(call[1]) + 4))))
    assert "FULLY_CONNECTED 0" in printed(folder)


def test_floats_that_are_nearly_right_pass_and_others_are_found(tmp_path):
    export(floats(), tmp_path / "m", name="m", target=None)
    folder = tmp_path / "m"
    path = folder / "src" / "kernels.c"
    text = path.read_text()
    path.write_text(text.replace("y[i] /= sum;", "y[i] = y[i] / sum * 1.000001f;"))
    assert printed(folder).startswith("PASS m")
    path.write_text(text.replace("y[i] /= sum;", "y[i] = y[i] / sum * 1.001f;"))
    assert "FAIL sample 0, SOFTMAX 1" in printed(folder)
