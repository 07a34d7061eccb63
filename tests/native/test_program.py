"""A program's constants are packed once, by its first run."""

import numpy as np
import pytest

import arenite as ar
from arenite.ops.tflite.fully_connected import FullyConnectedOptions

pytest.importorskip("arenite.native._engine")

native = pytest.importorskip("arenite.native.program")


@pytest.fixture
def model() -> ar.Model:
    b = ar.ModelBuilder()
    x = b.input("x", (1, 4), "int8", scale=0.5)
    weights = b.constant("w", np.arange(8, dtype=np.int8).reshape(2, 4), scale=0.5)
    y = b.tensor("y", (1, 2), "int8", scale=4.0)
    b.operator("FULLY_CONNECTED", [x, weights], [y], FullyConnectedOptions())
    b.output(y)
    return b.build()


@pytest.fixture
def program(model: ar.Model, monkeypatch: pytest.MonkeyPatch) -> native.Program:
    """That of an interpreter, in the best instruction set, where weights are packed."""
    best = native.available_isas()[-1]
    if best == "portable":
        pytest.skip("portable kernels pack nothing")
    monkeypatch.setenv("ARENITE_ISA", best)
    micro = ar.MicroInterpreter(model, ar.AllOpsResolver(), 4096, engine="native")
    micro.allocate_tensors()
    assert micro.compiled is not None
    return micro.compiled.program


def test_nothing_is_packed_before_the_first_run(program: native.Program) -> None:
    assert program._parcels.count == 1
    program.run(0, 1)
    assert program._parcels.count == 0


def test_packing_can_come_before_the_first_run(program: native.Program) -> None:
    program.pack()
    assert program._parcels.count == 0
    assert program.run(0, 1) == 1


def test_memory_for_constants_counts_before_they_are_packed(program: native.Program) -> None:
    before = program.nbytes
    assert before >= program.packed_bytes > 0
    program.pack()
    assert program.nbytes == before


def test_the_threads_of_a_batch_find_constants_packed(model: ar.Model) -> None:
    inputs = np.random.default_rng(0).integers(-128, 128, (64, 4), np.int8)
    expected = ar.Interpreter(model, engine="reference").predict(inputs)
    assert np.array_equal(ar.Interpreter(model).predict(inputs, threads=4), expected)


def test_a_kernel_that_cannot_pack_is_said_and_its_step_is_for_python(
    program: native.Program,
) -> None:
    ffi, parcel = native.ffi, program._parcels.parcels[0]
    kernel = ffi.new("ar_kernel *", parcel.kernel[0])
    fails = ffi.callback("ar_plan_fn", lambda *_: native.lib.AR_UNSUPPORTED)
    kernel.plan, parcel.kernel = fails, kernel
    with pytest.raises(ar.AreniteError, match="1 native kernels cannot pack"):
        program.pack()
    assert program.run(0, 1) == 0
