"""SignalFilterBankLog equals TFLM on numbers of all sizes."""

import numpy as np
import pytest
from hypothesis import strategies as st

from arenite.errors import ConstraintError
from arenite.model import Model
from arenite.ops.signal.signal_filter_bank_log import bulges
from tests.ops.differential import Array, agrees, equals_tflm, run_arenite
from tests.ops.signal.models import signal_model
from tests.oracle import Oracle


def logarithm(bits: int, scale: int, size: int) -> Model:
    """A model that takes so many logarithms."""
    options = {"input_correction_bits": bits, "output_scale": scale}
    ports = [((size,), "uint32")], [((size,), "int16")]
    return signal_model("SignalFilterBankLog", options, [*ports[0]], ports[1])


def numbers(seed: int, size: int) -> Array:
    """Numbers of every number of bits."""
    rng = np.random.default_rng(seed)
    return (rng.integers(0, 2**32, size) >> rng.integers(0, 32, size)).astype(np.uint32)


@st.composite
def models(draw: st.DrawFn) -> Model:
    scale = st.integers(0, 3000) | st.integers(-(2**31), 2**31 - 1)
    return logarithm(draw(st.integers(0, 31)), draw(scale), draw(st.integers(1, 70)))


test_equals_tflm = equals_tflm(
    models(), inputs=lambda model, seed: [numbers(seed, model.inputs[0].size)]
)


def test_equals_tflm_in_every_segment(oracle: Oracle) -> None:
    x = (np.arange(2**16) << 8) + np.arange(2**16) % 251
    agrees(oracle, logarithm(0, 1600, 2**16), 0, inputs=[x.astype(np.uint32)])


def test_is_the_logarithm() -> None:
    x = np.array([0, 1, 2, 1000, 2**31], np.uint32)
    got = run_arenite(logarithm(0, 1000, 5), [[x]])[0][0]
    assert got.tolist() == [0, 0, 693, 6908, 21488]
    shifted = run_arenite(logarithm(1, 1000, 5), [[x]])[0][0]
    assert shifted.tolist() == [0, 693, 1386, 7601, 0]


def test_is_near_the_real_logarithm() -> None:
    x = np.maximum(numbers(1, 500), 2)
    got = run_arenite(logarithm(0, 1024, 500), [[x]])[0][0]
    # The table is hardly interpolated: TFLM shifts by 16 bits where segments have 9.
    np.testing.assert_allclose(got, 1024 * np.log(x), atol=3)


def test_the_table_is_symmetric_in_no_way_and_ends_with_0() -> None:
    table = bulges()
    assert (len(table), table[0], table[1], table.max(), table[-1]) == (129, 0, 224, 5641, 0)


def test_refuses_shifts_that_are_not_defined() -> None:
    with pytest.raises(ConstraintError, match="expected input_correction_bits from 0 to 31"):
        run_arenite(logarithm(32, 1, 1), [])
