"""The arena of firmware is TFLM's, byte for byte, with CMSIS-NN and without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.runtime.backends import Kernels
from tests.cmsis_nn import measured
from tests.cmsis_nn.small_models import MODELS
from tests.shared import shared_model

DIGITS = Path(__file__).resolve().parents[2] / "examples" / "digits" / "digits_int8.tflite"
#: TFLM lets an operator's persistent memory overwrite its temporary memory; Arenite does not.
OVERWRITES = {"dense int8 per unit"}


def cases(table: dict[str, measured.Figures]) -> list[Any]:
    return [
        pytest.param(name, build, figure, id=f"{name} {build[1 if 'cmsis_nn' in build else 0]}")
        for name, figures in table.items()
        for build, figure in zip(measured.BUILDS, figures, strict=True)
    ]


def allocated(model: ar.Model, kernels: Kernels, target: str, arena: int) -> ar.MicroInterpreter:
    micro = ar.MicroInterpreter(
        model, ar.AllOpsResolver(), arena, abi="ilp32", kernels=kernels, target=target
    )
    micro.allocate_tensors()
    return micro


# -- against TFLM ----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "build", "figure"), cases(measured.MODELS))
def test_real_models(name: str, build: measured.Build, figure: measured.Figure) -> None:
    kernels, target = build
    model = ar.load(DIGITS if name == DIGITS.stem else shared_model(name))
    smallest = ar.smallest_arena(model, abi="ilp32", kernels=kernels, target=target)
    use = allocated(model, kernels, target, smallest).allocations()
    assert (use.head, use.tail, smallest) == figure
    assert (use.total, use.peak.smallest_arena) == (use.head + use.tail, smallest)


@pytest.mark.parametrize(("name", "build", "figure"), cases(measured.SMALL))
def test_every_kernel(name: str, build: measured.Build, figure: measured.Figure) -> None:
    head, tail, smallest = figure
    use = allocated(MODELS[name](), *build, 1 << 20).allocations()
    assert (use.head, use.tail) == (head, tail)
    if name in OVERWRITES:
        assert use.peak.smallest_arena > smallest
    else:
        assert use.peak.smallest_arena == smallest


def test_every_small_model_was_measured() -> None:
    assert set(MODELS) == set(measured.SMALL)


# -- the figures of issue 4, from firmware built with GCC ---------------------------------------


@pytest.mark.parametrize(
    ("name", "build", "total", "head", "smallest"),
    [
        ("kws_int8", ("cmsis_nn", "cortex-m4"), 22_820, 16_000, 22_832),
        ("ic_int8", ("cmsis_nn", "cortex-m4"), 54_996, 49_728, 55_008),
        ("kws_int8", ("reference", "cortex-m4"), 22_772, 16_000, 22_784),
        ("ic_int8", ("reference", "cortex-m4"), 54_340, 49_152, 54_352),
        ("ic_int8", ("cmsis_nn", "cortex-m55"), 55_028, 49_728, 55_040),
    ],
)
def test_firmware_on_an_emulated_board(
    name: str, build: measured.Build, total: int, head: int, smallest: int
) -> None:
    kernels, target = build
    interp = ar.Interpreter(shared_model(name), abi="ilp32", kernels=kernels, target=target)
    use = interp.allocations()
    assert (use.total, use.head, use.tail) == (total, head, total - head)
    assert interp.arena.size == smallest


# -- the smallest arena, and what makes it so large ----------------------------------------------


@pytest.mark.parametrize("build", measured.BUILDS, ids=str)
def test_16_bytes_less_than_the_smallest_arena_are_refused(build: measured.Build) -> None:
    kernels, target = build
    model = ar.load(DIGITS)
    smallest = ar.smallest_arena(model, abi="ilp32", kernels=kernels, target=target)
    allocated(model, kernels, target, smallest)
    with pytest.raises(ar.ArenaError) as caught:
        allocated(model, kernels, target, smallest - 16)
    assert caught.value.needed == smallest


def peak(name: str, kernels: Kernels = "cmsis_nn") -> tuple[str, str]:
    result = allocated(MODELS[name](), kernels, "cortex-m4", 1 << 20).allocations().peak
    return result.moment, result.operator


def test_a_prepare_that_needs_more_than_an_inference_is_named() -> None:
    assert peak("matmul int8") == ("planning", "")
    assert peak("lstm int8") == ("prepare", "#0 UNIDIRECTIONAL_SEQUENCE_LSTM")


def test_where_tensors_are_large_the_peak_is_what_an_inference_needs() -> None:
    assert peak("conv float32", "reference") == ("ports", "")


# -- who asked -----------------------------------------------------------------------------------


def test_persistent_buffers_name_their_operator_and_purpose() -> None:
    use = allocated(MODELS["dense int8"](), "cmsis_nn", "cortex-m55", 1 << 20).allocations()
    asked = [(r.operator, r.purpose, r.requested) for r in use.records if r.operator]
    assert asked == [
        ("#0 FULLY_CONNECTED", "TfLiteFullyConnectedParams", 5),
        ("#0 FULLY_CONNECTED", "OpData", 72),
        ("#0 FULLY_CONNECTED", "kernel sums", 40),
    ]


def test_scratch_buffers_name_their_operator_and_purpose() -> None:
    micro = allocated(MODELS["conv int8"](), "cmsis_nn", "cortex-m4", 1 << 20)
    scratch = [(b.name, b.size) for b in micro.plan.buffers if b.kind == "scratch"]
    assert scratch == [("#0 CONV_2D im2col", 112)]


# -- the same bits ---------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["cortex-m0", "cortex-m4", "cortex-m55"])
def test_results_are_those_of_the_reference(target: str) -> None:
    rng = np.random.default_rng(0)
    device = ar.Interpreter(DIGITS, kernels="cmsis_nn", target=target, abi="ilp32")
    reference = ar.Interpreter(DIGITS, kernels="reference")
    tensor = device.model.inputs[0]
    for _ in range(3):
        x = rng.integers(-128, 128, tensor.shape, dtype=np.int8)
        np.testing.assert_array_equal(device(x), reference(x))
