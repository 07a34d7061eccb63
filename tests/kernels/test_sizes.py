"""What a kernel takes of a 32-bit arena is what TFLM's interpreter is asked for on the core.

The first run compiles TFLM's interpreter and zig's C library for a Cortex-M4, which takes minutes.
"""

from dataclasses import replace

import numpy as np
import pytest

import arenite as ar

pytest.importorskip("arenite.native._engine")

from arenite.firmware.stock.board import stock_trial
from tests.kernels.trees import SAMPLES, full_tree

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

#: Kernels of pointers.cc, and the op data that a Cortex-M4 takes for each: what init asks for,
#: and what prepare does.
OP_DATA = {
    "POINTERS": [32, 36],
    "MIXED": [36, 16],
    "LIST": [60, 16],
    "SIZED": [24, 16],
    "WIDE": [112, 20],
}


@pytest.fixture(scope="module")
def kernels():
    return ar.compile_kernels(SAMPLES / "pointers.cc", tflm=full_tree())


def model(kernels, name):
    b = ar.ModelBuilder()
    x = b.input("x", (1, 32), "int8", scale=0.5)
    y = b.tensor("y", (1, 32), "int8", scale=0.5)
    b.operator(name, [x], [y], custom_options=b"")
    b.output(y)
    return replace(b.build(), registrations=dict(kernels))


@pytest.mark.parametrize("name", OP_DATA)
def test_its_arena_is_the_boards(kernels, name):
    one = model(kernels, name)
    here = ar.Interpreter(one, target="cortex-m4")
    trial = stock_trial(one, full_tree(), "cortex-m4", 2)
    assert trial.differences == ()
    assert here.arena.used == trial.arena_bytes
    op_data = [r.requested for r in here.allocations().records if "op data" in r.purpose]
    assert op_data == OP_DATA[name]


def test_it_computes_here_as_well(kernels):
    values = np.arange(32, dtype=np.int8)[None]
    run = ar.Interpreter(model(kernels, "LIST"), target="cortex-m4")
    np.testing.assert_array_equal(run(values), values)
