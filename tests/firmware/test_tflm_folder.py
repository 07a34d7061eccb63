"""A folder for a firmware with TFLM."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import arenite as ar
from arenite.firmware import export_tflm
from arenite.firmware.plan.golden import sample
from arenite.kernels.tree import find_tree
from tests.firmware.models import residual

#: TFLM's sources with their third parties, see arenite.kernels.tree.
TFLM = Path(os.environ.get("ARENITE_TFLM", "none"))


@pytest.fixture
def written(tmp_path):
    return export_tflm(residual(), tmp_path, name="m")


def text(written, file):
    return (Path(written.folder) / "src" / file).read_text()


def test_the_model_is_an_aligned_array_that_loads_again(written):
    source = text(written, "m_model.cc")
    assert f"alignas(16) const unsigned char m_model[{written.model_bytes}]" in source
    numbers = source[source.index("= {") + 3 : source.index("};")].replace(",", " ").split()
    again = ar.Interpreter(bytes(map(int, numbers)))
    x = sample(again.model.inputs, 0)
    np.testing.assert_array_equal(again(*x), ar.Interpreter(residual())(*x))


def test_the_resolver_has_each_operator_once(written):
    header = text(written, "m_model.h")
    calls = [line.split(".")[1] for line in header.splitlines() if "(resolver." in line]
    assert calls == ["AddFullyConnected());", "AddAdd());", "AddRelu());"]
    assert "MicroMutableOpResolver<3>" in header


def test_the_arena_is_the_target_s_smallest(written):
    assert written.arena_bytes == ar.Interpreter(residual(), target="cortex-m4").arena.size
    assert f"constexpr size_t kMArenaBytes = {written.arena_bytes};" in text(written, "m_model.h")


def test_golden_outputs_are_the_target_s(written):
    interpreter = ar.Interpreter(residual(), target="cortex-m4")
    rows = [interpreter(*sample(interpreter.model.inputs, number)) for number in range(4)]
    source = text(written, "m_selftest.cc")
    for row in rows:
        assert ", ".join(map(str, row.reshape(-1).tolist())) in source


def test_the_manifest_says_what_it_is_for(written):
    facts = json.loads((Path(written.folder) / "arenite.json").read_text())
    assert (facts["library"], facts["target"], facts["operators"]) == ("tflm", "cortex-m4", 3)
    with pytest.raises(ar.BoardError, match="is for a firmware with TFLM"):
        ar.Board(written.folder)


def test_operators_that_tflm_does_not_have_are_named(tmp_path):
    b = ar.ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    y = b.tensor("y", (1, 4), "float32")
    b.operator("TILE", [x, b.constant("n", np.array([1, 1], np.int32))], [y])
    b.output(y)
    with pytest.raises(ar.UnsupportedOperatorError, match="TFLM has no TILE"):
        export_tflm(b.build(), tmp_path)


@pytest.mark.skipif(not TFLM.is_dir(), reason="ARENITE_TFLM names no sources of TFLM")
@pytest.mark.skipif(not shutil.which("arm-none-eabi-g++"), reason="there is no GCC for Arm")
def test_tflm_s_headers_take_it(written):
    command = ["arm-none-eabi-g++", "-mcpu=cortex-m4", "-mthumb", "-std=c++17", "-Wall", "-Werror"]
    command += ["-DTF_LITE_STATIC_MEMORY", "-fno-rtti", "-fno-exceptions", "-fsyntax-only"]
    for folder in find_tree(TFLM).includes:
        command += ["-isystem", str(folder)]
    files = sorted(map(str, (Path(written.folder) / "src").glob("*.cc")))
    done = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
