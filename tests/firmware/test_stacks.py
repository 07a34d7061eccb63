"""How deep the stack of an inference is."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

from arenite.emulator.machine import Machine
from arenite.emulator.qemu import is_installed
from arenite.errors import BoardError
from arenite.firmware import Board, export
from arenite.firmware.build import build
from arenite.firmware.kernels.portable import portable_work
from arenite.firmware.plan.program import program_of
from arenite.firmware.text.source import sources
from tests.firmware.boards import CORES
from tests.firmware.models import floats, residual
from tests.firmware.networks import networks_compared
from tests.firmware.stacks import STACK

PROCESSORS = list(CORES.values())


@pytest.mark.parametrize("processor", [*PROCESSORS, "cortex-m55"])
def test_no_inference_takes_more_than_the_figures_say(tmp_path, processor):
    if processor == "cortex-m55" and not is_installed():
        pytest.skip("qemu-system-arm is not installed")
    figures = export(residual(), tmp_path / "m", target=processor, emulate=True).figures
    board, rng = Board(tmp_path / "m"), np.random.default_rng(5)
    assert figures.processor == processor
    assert 0 < figures.stack_bytes <= STACK
    for _ in range(4):
        board(rng.integers(-128, 128, (1, 6)).astype(np.int8))
        assert board.stack_bytes <= figures.stack_bytes


def test_the_self_test_s_own_frames_are_not_counted():
    (tally,) = networks_compared("m0", 1, seed=1011)
    assert tally.different == []
    assert 0 < tally.stack <= 320  # the self-test takes 416


def test_the_stack_is_known_on_risc_v_too():
    board = Board(floats(), "esp32c3")
    board(np.zeros((1, 8), np.float32))
    assert 0 < board.stack_bytes <= STACK


@pytest.mark.parametrize("processor", ["cortex-m0", "esp32c3"])
def test_a_stack_that_is_too_deep_ends_the_run(processor, tmp_path):
    deep = "volatile char a[70000]; for (int i = 70000; i > 0; --i) a[i - 1] = 1;"
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "deep.c").write_text(f"void deep(void);\nvoid deep(void) {{ {deep} }}\n")
    machine = Machine(build(tmp_path, tmp_path, processor), processor)
    with pytest.raises(BoardError, match="deep: "):
        machine.call("deep")


def test_names_and_sizes_of_ports_are_in_the_header():
    text = sources(program_of(residual(), portable_work, "m"))["model.h"]
    assert "#define M_INPUT0_BYTES 6\n" in text
