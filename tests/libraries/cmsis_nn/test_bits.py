"""A target's bits are its firmware's, where CMSIS-NN's results are not TFLM's reference's too."""

import zlib
from typing import Literal

import numpy as np
import pytest

import arenite as ar
from arenite.model import Model
from arenite.ops.kernel_util import Activation
from arenite.ops.tflite.transpose_conv import TransposeConvOptions
from arenite.runtime.heap_host import HeapInterpreter
from arenite.runtime.interpreter_config import Engine
from tests.libraries.cmsis_nn.corners import CORNERS, case
from tests.libraries.cmsis_nn.measured import BITS
from tests.ops.lstm import lstm

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


def transposed(activation: int) -> Model:
    """A pixel whose product is far above what RELU6 lets through."""
    b = ar.ModelBuilder()
    shape = b.constant("shape", np.array([1, 1, 1, 1], np.int32))
    w = b.constant("w", np.full((1, 1, 1, 1), 100, np.int8), scale=0.1)
    x = b.input("x", (1, 1, 1, 1), "int8", scale=1.0)
    y = b.tensor("y", (1, 1, 1, 1), "int8", scale=1.0)
    b.operator("TRANSPOSE_CONV", [shape, w, x], [y], TransposeConvOptions(0, 1, 1, activation))
    b.output(y)
    return b.build()


def test_a_transposed_convolution_of_integers_has_no_activation() -> None:
    x = np.full((1, 1, 1, 1), 5, np.int8)
    assert ar.Interpreter(transposed(Activation.RELU6))(x) == 6
    assert ar.Interpreter(transposed(Activation.RELU6), target=M4)(x) == 50


def test_a_clip_of_less_than_a_step_of_the_cell_does_not_clip() -> None:
    """TFLM's reference clips to 0 then."""

    def outputs(clip: float, target: str) -> list[int]:
        model = lstm("int8", np.random.default_rng(0), cell_scale=2.0**-3, cell_clip=clip)
        x = np.random.default_rng(1).integers(-128, 128, model.inputs[0].shape, np.int8)
        found: list[int] = ar.Interpreter(model, target=target)(x).reshape(-1).tolist()
        return found

    assert outputs(0.1, M4) == outputs(0.0, M4)
    assert outputs(0.1, "host") != outputs(0.0, "host")
