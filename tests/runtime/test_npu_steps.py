"""An NPU's commands in C: the reference's bits, on random programs and on what Vela compiled."""

from __future__ import annotations

import numpy as np
import pytest

from arenite.npu.operations import Program as Commands
from arenite.npu.reference import run
from tests.npu.random_programs import WORK, Memory, memory_of, random_program
from tests.ops.differential import CASES

pytest.importorskip("arenite.native._engine")

from arenite.native.program import Program, available_isas
from arenite.runtime.npu_steps import steps_of
from tests.native.parts import divided_into


def run_native(
    commands: Commands, memory: Memory, isa: str, outputs: list[tuple[int, int]], threads: int = 1
) -> bool:
    """Run a program in C, all of whose memory is an input; False where it is for Python."""
    steps = steps_of(commands, memory, [(0, WORK)], outputs)
    if steps is None:
        return False
    program = Program(isa, threads)
    assert program.add_steps(*steps), "there is a kernel for every operation"
    with divided_into(3):
        program.finish()
    assert program.run(0, 1) == 1
    program.close()
    return True


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("isa", available_isas())
def test_random_programs_have_the_reference_s_bits(isa: str, count: int) -> None:
    ran = 0
    for seed in range(8 * CASES):
        rng = np.random.default_rng([count, seed])
        shared = bool(rng.integers(2))
        commands = random_program(rng, count, shared=shared)
        one = memory_of(rng, shared=shared)
        other = {region: memory.copy() for region, memory in one.items()}
        other[0].flags.writeable = False
        if shared:
            other[2] = other[1]
        begin = int(rng.integers(WORK // 2))
        outputs = [(begin, begin + WORK // 2)]
        ran += run_native(commands, one, isa, outputs, 1 + seed % 2)
        run(commands, other)
        if steps_of(commands, one, [(0, WORK)], outputs) is not None:
            (span,) = outputs
            assert np.array_equal(one[1][slice(*span)], other[1][slice(*span)]), seed
    assert ran > 3 * CASES
