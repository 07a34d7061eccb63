"""The arena of firmware is TFLM's, byte for byte, with CMSIS-NN and without."""

from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite import MicroInterpreter, native
from arenite.runtime.interpreter_config import Engine
from tests.libraries.cmsis_nn import measured
from tests.libraries.cmsis_nn.small_models import MODELS
from tests.shared import DIGITS, shared_model

#: TFLM lets an operator's persistent memory overwrite its temporary memory; Arenite does not.
OVERWRITES = {"dense int8 per unit"}


def cases(table: dict[str, measured.Figures]) -> list[Any]:
    return [
        pytest.param(name, target, figure, id=f"{name} {target.processor} {target.library}")
        for name, figures in table.items()
        for target, figure in zip(measured.TARGETS, figures, strict=True)
    ]


def allocated(model: ar.Model, target: ar.Target | str, arena: int = 1 << 20) -> MicroInterpreter:
    micro = MicroInterpreter(model, ar.AllOpsResolver(), arena, target=target)
    micro.allocate_tensors()
    return micro


# -- against TFLM ----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "target", "figure"), cases(measured.MODELS))
def test_real_models(name: str, target: ar.Target, figure: measured.Figure) -> None:
    model = ar.load(DIGITS if name == DIGITS.stem else shared_model(name))
    smallest = ar.smallest_arena(model, target=target)
    use = allocated(model, target, smallest).allocations()
    assert (use.head, use.tail, smallest) == figure
    assert (use.total, use.peak.smallest_arena) == (use.head + use.tail, smallest)


@pytest.mark.parametrize(("name", "target", "figure"), cases(measured.SMALL))
def test_every_kernel(name: str, target: ar.Target, figure: measured.Figure) -> None:
    head, tail, smallest = figure
    use = allocated(MODELS[name](), target).allocations()
    assert (use.head, use.tail) == (head, tail)
    if name in OVERWRITES:
        assert use.peak.smallest_arena > smallest
    else:
        assert use.peak.smallest_arena == smallest


def test_every_small_model_was_measured() -> None:
    assert set(MODELS) == set(measured.SMALL)


# -- the figures of issue 4, from firmware built with GCC ---------------------------------------


@pytest.mark.parametrize(
    ("name", "target", "total", "head", "smallest"),
    [
        ("kws_int8", ar.Target("cortex-m4"), 22_820, 16_000, 22_832),
        ("ic_int8", ar.Target("cortex-m4"), 54_996, 49_728, 55_008),
        ("kws_int8", ar.Target("cortex-m4", "tflm"), 22_772, 16_000, 22_784),
        ("ic_int8", ar.Target("cortex-m4", "tflm"), 54_340, 49_152, 54_352),
        ("ic_int8", ar.Target("cortex-m55"), 55_028, 49_728, 55_040),
    ],
)
def test_firmware_on_an_emulated_board(
    name: str, target: ar.Target, total: int, head: int, smallest: int
) -> None:
    interp = ar.Interpreter(shared_model(name), target=target)
    use = interp.allocations()
    assert (use.total, use.head, use.tail) == (total, head, total - head)
    assert interp.arena.size == smallest


# -- the smallest arena, and what makes it so large ----------------------------------------------


@pytest.mark.parametrize("target", measured.TARGETS, ids=str)
def test_16_bytes_less_than_the_smallest_arena_are_refused(target: ar.Target) -> None:
    model = ar.load(DIGITS)
    smallest = ar.smallest_arena(model, target=target)
    allocated(model, target, smallest)
    with pytest.raises(ar.ArenaError) as caught:
        allocated(model, target, smallest - 16)
    assert caught.value.needed == smallest


@pytest.mark.parametrize(
    ("target", "smallest"),
    [(ar.Target("cortex-m4"), 4944), (ar.Target("cortex-m4", compiler="armclang"), 5008)],
    ids=str,
)
def test_the_compiler_decides_on_the_buffer_of_1x1_convolutions(
    target: ar.Target, smallest: int
) -> None:
    assert ar.smallest_arena(ar.load(DIGITS), target=target) == smallest


def peak(name: str, library: str = "cmsis_nn") -> tuple[str, str]:
    result = allocated(MODELS[name](), ar.Target("cortex-m4", library)).allocations().peak
    return result.moment, result.operator


def test_a_prepare_that_needs_more_than_an_inference_is_named() -> None:
    assert peak("matmul int8") == ("planning", "")
    assert peak("lstm int8") == ("prepare", "#0 UNIDIRECTIONAL_SEQUENCE_LSTM")


def test_where_tensors_are_large_the_peak_is_what_an_inference_needs() -> None:
    assert peak("conv float32", "tflm") == ("ports", "")


# -- who asked -----------------------------------------------------------------------------------


def test_persistent_buffers_name_their_operator_and_purpose() -> None:
    use = allocated(MODELS["dense int8"](), "cortex-m55").allocations()
    asked = [(r.operator, r.purpose, r.requested) for r in use.records if r.operator]
    assert asked == [
        ("#0 FULLY_CONNECTED", "TfLiteFullyConnectedParams", 5),
        ("#0 FULLY_CONNECTED", "OpData", 72),
        ("#0 FULLY_CONNECTED", "kernel sums", 40),
    ]


def test_scratch_buffers_name_their_operator_and_purpose() -> None:
    micro = allocated(MODELS["conv int8"](), "cortex-m4")
    scratch = [(b.name, b.size) for b in micro.plan.buffers if b.kind == "scratch"]
    assert scratch == [("#0 CONV_2D im2col", 112)]


# -- the same bits ---------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["cortex-m0", "cortex-m4", "cortex-m55"])
@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_results_are_those_of_the_reference(target: str, engine: Engine) -> None:
    rng = np.random.default_rng(0)
    device = ar.Interpreter(DIGITS, target=target, engine=engine)
    reference = ar.Interpreter(DIGITS, engine="reference")
    tensor = device.model.inputs[0]
    for _ in range(3):
        x = rng.integers(-128, 128, tensor.shape, dtype=np.int8)
        np.testing.assert_array_equal(device(x), reference(x))


@pytest.mark.skipif(not native.available(), reason="needs the native engine")
@pytest.mark.parametrize("target", [None, "cortex-m4", "cortex-m55"])
@pytest.mark.parametrize("name", ["kws_int8", "ad_int8", "ic_int8", "vww_int8", "sww_int8"])
def test_every_operator_of_a_network_has_its_native_kernel(name: str, target: str | None) -> None:
    micro = MicroInterpreter.in_smallest_arena(
        ar.load(shared_model(name)), ar.AllOpsResolver(), target=target, engine="native"
    )
    assert micro.compiled is not None
    assert min(micro.compiled.steps) >= 0
