"""SignalEnergy equals TFLM between its indices."""

import numpy as np
import pytest
from flatbuffers import flexbuffers
from hypothesis import given
from hypothesis import strategies as st

from arenite.errors import ConstraintError, UndefinedWarning
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.cast import CastOptions
from arenite.ops.tflite.strided_slice import StridedSliceOptions
from tests.ops.differential import Array, agrees, differential, run_arenite
from tests.ops.signal.models import options_of, signal_model
from tests.oracle import Oracle


def energy(start: int, end: int, size: int, outputs: int) -> Model:
    """The energies of so many complex values."""
    options = {"start_index": start, "end_index": end}
    ports = [((2 * size,), "int16")]
    return signal_model("SignalEnergy", options, [*ports], [((outputs,), "uint32")])


@st.composite
def models(draw: st.DrawFn) -> Model:
    size, outputs = draw(st.integers(1, 70)), draw(st.integers(1, 70))
    start, end = (draw(st.integers(0, min(size, outputs))) for _ in range(2))
    return energy(start, end, size, outputs)


@pytest.mark.filterwarnings("ignore::arenite.UndefinedWarning")
@differential
@given(model=models(), seed=st.integers(0, 2**32 - 1))
def test_equals_tflm(oracle: Oracle, model: Model, seed: int) -> None:
    options = options_of(model)

    def written(outputs: list[Array], _: int) -> list[Array]:
        return [outputs[0][options["start_index"] : options["end_index"]]]

    agrees(oracle, model, seed, invokes=3, defined=written)


def test_squared_magnitudes_and_0_elsewhere() -> None:
    x = np.array([1, 1, 3, 4, -32768, -32768, 9, 9], np.int16)
    with pytest.warns(UndefinedWarning, match="the output is written from 1 to 3 only"):
        got = run_arenite(energy(1, 3, 4, 5), [[x]])
    assert got[0][0].tolist() == [0, 25, 2**31, 0, 0]


@pytest.mark.parametrize(("start", "end"), [(0, 3), (1, 4)])
def test_who_takes_only_what_is_written_is_not_warned(start: int, end: int) -> None:
    b = ModelBuilder()
    x, y = b.input("x", (8,), "int16"), b.tensor("y", (4,), "uint32")
    whole, part = b.tensor("whole", (4,), "int32"), b.tensor("part", (1,), "int32")
    options = {"start_index": start, "end_index": end}
    b.operator("SignalEnergy", [x], [y], custom_options=bytes(flexbuffers.Dumps(options)))
    b.operator("CAST", [y], [whole], CastOptions())
    limits = [
        b.constant(name, np.array([n], np.int32)) for name, n in zip("bes", (1, 2, 1), strict=True)
    ]
    b.operator("STRIDED_SLICE", [whole, *limits], [part], StridedSliceOptions())
    b.output(part)
    assert run_arenite(b.build(), [[np.arange(8, dtype=np.int16)]])[0][0].tolist() == [4 + 9]


def test_equals_numpy() -> None:
    x = np.random.default_rng(0).integers(-999, 999, 80).astype(np.int16)
    got = run_arenite(energy(0, 40, 40, 40), [[x]])[0][0]
    np.testing.assert_allclose(got, np.abs(x[::2] + 1j * x[1::2]) ** 2, rtol=1e-12)


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (0, 5), (3, 9)])
def test_refuses_indices_outside(start: int, end: int) -> None:
    with pytest.raises(ConstraintError, match="expected start_index and end_index from 0"):
        run_arenite(energy(start, end, 4, 6), [])
