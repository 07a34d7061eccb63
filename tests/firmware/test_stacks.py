"""How deep the stack of an inference is."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

from arenite.emulator.qemu import is_installed
from arenite.firmware import Board, export
from arenite.firmware.kernels.portable import portable_work
from arenite.firmware.plan.program import program_of
from arenite.firmware.text.source import sources
from tests.firmware.boards import CORES, RISCV
from tests.firmware.models import floats, residual
from tests.firmware.networks import networks_compared
from tests.firmware.riscv import Core, RiscV, built
from tests.firmware.stacks import STACK

PROCESSORS = [one for one in CORES.values() if one != RISCV]


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
    assert 0 < tally.stack <= 240  # the self-test takes 416


def test_the_stack_is_known_on_risc_v_too(tmp_path):
    core = RiscV(program_of(floats(), portable_work, "m"), tmp_path)
    core(np.zeros((1, 8), np.float32))
    assert 0 < core.stack_bytes <= STACK


def test_a_stack_that_is_too_deep_ends_the_run_on_risc_v(tmp_path):
    unicorn = pytest.importorskip("unicorn")
    deep = "volatile char a[70000]; for (int i = 70000; i > 0; --i) a[i - 1] = 1;"
    (tmp_path / "deep.c").write_text(f"void deep(void);\nvoid deep(void) {{ {deep} }}\n")
    core = Core(built(tmp_path))
    with pytest.raises(unicorn.UcError):
        core.call("deep")


def test_names_and_sizes_of_ports_are_in_the_header():
    text = sources(program_of(residual(), portable_work, "m"))["model.h"]
    assert "#define M_INPUT0_BYTES 6\n" in text
