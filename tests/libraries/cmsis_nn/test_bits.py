"""A target's bits are its firmware's, where CMSIS-NN's results are not TFLM's reference's too."""

from __future__ import annotations

import zlib
from typing import Literal

import numpy as np
import pytest

import arenite as ar
from arenite.model import Model
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.interpreter_config import Engine
from tests.libraries.cmsis_nn.corners import CORNERS, case
from tests.libraries.cmsis_nn.measured import BITS

#: Some corners are such weights, of which a warning tells.
pytestmark = pytest.mark.filterwarnings("ignore:.*have a zero point:arenite.UndefinedWarning")

M4, ONCE = "cortex-m4", ", rounding once"
MEASURED = [(corner, target) for corner, bits in BITS.items() for target in bits]


def meant(target: str) -> ar.Target:
    rounding: Literal["single", "double"] = "single" if target.endswith(ONCE) else "double"
    return ar.Target(target.removesuffix(ONCE), rounding=rounding)


def checksum(model: Model, inputs: list[np.ndarray], target: str, engine: Engine) -> int:
    interp = ar.Interpreter(model, target=meant(target), engine=engine)
    return zlib.crc32(b"".join(np.asarray(interp(x)).tobytes() for x in inputs))


@pytest.mark.parametrize("engine", ["reference", "auto"])
@pytest.mark.parametrize(("corner", "target"), MEASURED)
def test_bits_are_those_of_firmware(corner: str, target: str, engine: Engine) -> None:
    for seed, measured in enumerate(BITS[corner][target]):
        assert checksum(*case(corner, seed), target, engine) == measured, f"seed {seed}"


@pytest.mark.parametrize("target", ["cortex-m0", "cortex-m3"])
@pytest.mark.parametrize("corner", [corner for corner, bits in BITS.items() if M4 in bits])
def test_without_dsp_instructions_bits_are_those_of_cortex_m4(corner: str, target: str) -> None:
    for seed, measured in enumerate(BITS[corner][M4]):
        assert checksum(*case(corner, seed), target, "auto") == measured, f"seed {seed}"


@pytest.mark.parametrize("corner", CORNERS)
def test_the_reference_has_others_in_every_corner(corner: str) -> None:
    measured = next(iter(BITS[corner].values()))
    cases = [case(corner, seed) for seed in range(len(measured))]
    assert [checksum(*one, "host", "reference") for one in cases] != list(measured)


@pytest.mark.parametrize("corner", CORNERS)
def test_every_corner_runs_natively(corner: str) -> None:
    isa = pytest.importorskip("arenite.native.program").isa
    for target in BITS[corner]:
        interp = HeapInterpreter(case(corner, 0)[0], target=meant(target))
        interp.allocate_tensors()
        assert interp.compile(isa()).kernel(0) != "python"


def test_every_corner_was_measured() -> None:
    assert set(CORNERS) == set(BITS)
