"""A user's own kernels in TFLM's interpreter on emulated cores: every layer's outputs, and names.

The first run compiles TFLM's interpreter for each core, which takes minutes.
"""

from dataclasses import replace

import pytest

import arenite as ar
from arenite.cli.kernels import for_model
from arenite.emulator.qemu import is_installed
from arenite.firmware import export_tflm

pytest.importorskip("arenite.native._engine")

from arenite.firmware.stock.board import stock_trial
from arenite.firmware.trial import trial
from tests.kernels.trees import SAMPLES, full_tree, model

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

M55 = "cortex-m55"


@pytest.fixture(scope="module")
def kernels():
    return ar.compile_kernels(SAMPLES / "pointers.cc", tflm=full_tree())


@pytest.mark.skipif(not is_installed(), reason="qemu-system-arm is not installed")
def test_a_core_with_vectors_runs_it_in_tflms_interpreter_and_exported(kernels):
    one = model(kernels, name="LIST")
    found = stock_trial(one, full_tree(), M55, 2)
    assert found.differences == ()
    assert 0 < found.layers[0].instructions < found.instructions
    assert found.arena_bytes == ar.Interpreter(one, target=M55).arena.used
    exported = trial(one, M55, 2)
    assert exported.differences == ()
    assert exported.instructions > 0


@pytest.fixture(scope="module")
def renamed():
    """A model whose operator has another name than the only kernel's function."""
    sized = ar.compile_kernels(
        SAMPLES / "pointers.cc", tflm=full_tree(), names={"SIZED": "Register_SIZED"}
    )
    one = model(sized, name="THEIR_NAME")
    return replace(one, registrations=for_model(sized, one))


def test_an_operator_of_another_name_reaches_tflms_interpreter(renamed):
    found = stock_trial(renamed, full_tree(), "cortex-m4", 2)
    assert found.differences == ()
    assert [layer.name for layer in found.layers] == ["THEIR_NAME"]
    assert found.arena_bytes == ar.Interpreter(renamed, target="cortex-m4").arena.used


def test_it_reaches_a_folder_for_tflm(renamed, tmp_path):
    written = export_tflm(renamed, tmp_path / "m", target=None, name="m")
    header = (tmp_path / "m" / "src" / "m_model.h").read_text()
    assert 'AddCustom("THEIR_NAME", sample::Register_SIZED())' in header
    assert "src/pointers.cc" in written.files
