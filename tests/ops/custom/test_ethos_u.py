"""ethos-u: the arena of models that Vela compiled, and what stands for the NPU in a target."""

import csv
from pathlib import Path

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.refusal import refusal
from arenite.formats import tflite

pytest.importorskip("arenite.native._engine")

from tests.npu import arenas
from tests.npu.vela import KEPT, SHARED_SRAM, SRAM_ONLY, compiled
from tests.ops.differential import CASES
from tests.shared import shared_model

#: Vela's configurations: accelerator, options.
CONFIGURATIONS = {
    "shared": ("ethos-u55-128", (*SHARED_SRAM, "--memory-mode", "Shared_Sram")),
    "sram": ("ethos-u55-128", SRAM_ONLY),
    "u65": ("ethos-u65-256", ()),
    "u85": ("ethos-u85-256", ()),
}
#: The smallest arena that TFLM takes with kernels/ethos_u/ethosu.cc, a driver that does nothing and
#: GCC 12.2, on an emulated Cortex-M55.
ARENAS = {
    "kws_int8": (22656, 16464, 22672, 22544),
    "vww_int8": (74944, 74192, 74960, 74960),
    "ic_int8": (52304, 49616, 65696, 57552),
    "ad_int8": (1232, 1232, 63648, 13840),
    "sww_int8": (9456, 7120, 26768, 12832),
    "person_detect": (74944, 74192, 74960, 74960),
}


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
@pytest.mark.parametrize("name", ARENAS)
def test_the_smallest_arena_is_the_one_measured_on_a_cortex_m55(
    name: str, configuration: str
) -> None:
    file = compiled(shared_model(name), *CONFIGURATIONS[configuration])
    expected = ARENAS[name][list(CONFIGURATIONS).index(configuration)]
    assert ar.smallest_arena(file, target="cortex-m55") == expected


#: All that was measured on a Cortex-M4, by model and configuration.
with arenas.DATA.open() as file:
    MEASURED = {(row["model"], row["configuration"]): row["arena"] for row in csv.DictReader(file)}


def test_sixty_arenas_were_measured() -> None:
    assert tuple(MEASURED) == arenas.CASES
    assert len(MEASURED) == 60
    assert all(MEASURED.values()), "TFLM's smallest arena is the stated one in every row"


@pytest.mark.parametrize(
    ("model", "configuration"),
    [one for one in arenas.CASES if CASES > 50 or one[0] in ("kws_int8", arenas.MIXED)],
)
def test_the_smallest_arena_is_the_one_measured_on_a_cortex_m4(
    model: str, configuration: str
) -> None:
    found = ar.smallest_arena(arenas.case(model, configuration), target="cortex-m4")
    assert str(found) == MEASURED[model, configuration]


@pytest.mark.parametrize("model", [one for one, name in arenas.CASES if name == arenas.SOFTMAX])
def test_a_softmax_on_the_cpu_has_the_original_s_bits(model: str) -> None:
    original, file = ar.load(shared_model(model)), arenas.case(model, arenas.SOFTMAX)
    assert [one.name for one in file.main.operators] == ["ethos-u", "SOFTMAX"]
    one, other = ar.Interpreter(original), ar.Interpreter(file)
    rng = np.random.default_rng(5)
    for _ in range(3):
        x = rng.integers(-128, 128, original.inputs[0].shape).astype(np.int8)
        assert np.array_equal(one(x), other(x))


def test_an_operator_left_on_the_cpu_shares_the_arena() -> None:
    file = compiled(shared_model("keyword_scrambled_8bit"), "ethos-u55-128")
    names = [one.name for one in ar.load(file).main.operators]
    assert (names.count("ethos-u"), names.count("SVDF")) == (6, 7)
    assert ar.smallest_arena(file, target="cortex-m55") == 12352


@pytest.mark.parametrize("path", KEPT.values(), ids=list(KEPT))
def test_two_buffers_hold_the_addresses_and_sizes_of_all_operands(path: Path) -> None:
    model = ar.load(path)
    (operator,) = model.main.operators
    operands = len(operator.inputs) + len(operator.outputs)
    micro = ar.MicroInterpreter.in_smallest_arena(model, ar.AllOpsResolver(), target="cortex-m55")
    scratch = [buffer.size for buffer in micro.plan.buffers if buffer.kind == "scratch"]
    assert scratch == [8 * operands, 4 * operands]


def test_inputs_lie_in_the_memory_to_work_in() -> None:
    model = ar.load(KEPT["ethos-u55-128"])
    micro = ar.MicroInterpreter.in_smallest_arena(model, ar.AllOpsResolver(), target="cortex-m55")
    places = {(b.kind, b.index): b for b in micro.plan.buffers}
    (operator,) = model.main.operators
    work = places["tensor", operator.inputs[2]]
    for index in (operator.inputs[4], operator.outputs[0]):
        inside = places["tensor", index]
        assert work.offset <= inside.offset
        assert inside.offset + inside.size <= work.offset + work.size


def test_tflm_does_not_refuse_such_a_model() -> None:
    assert refusal(ar.load(KEPT["ethos-u65-256"])) is None


def test_a_target_may_name_its_npu() -> None:
    path = KEPT["ethos-u55-128"]
    target = "cortex-m55+ethos-u55-128"
    assert ar.smallest_arena(path, target=target) == ar.smallest_arena(path, target="cortex-m55")


def test_a_file_for_another_npu_than_the_target_s_is_refused() -> None:
    with pytest.raises(
        ar.ConstraintError, match=r"the target's ethos-u55-256, got those for ethos-u55-128"
    ):
        ar.smallest_arena(KEPT["ethos-u55-128"], target="cortex-m55+ethos-u55-256")


def with_options(options: bytes) -> ar.Model:
    """An ``ethos-u`` operator with a stream that is none."""
    b = ar.ModelBuilder()
    x, stream = b.input("x", (8,), "int8"), b.constant("stream", np.zeros(4, np.uint8))
    read, scratch = b.constant("read", np.zeros(4, np.uint8)), b.tensor("scratch", (40,), "uint8")
    y = b.tensor("y", (8,), "int8")
    b.operator("ethos-u", [stream, read, scratch, scratch, x], [y], custom_options=options)
    b.output(y)
    return tflite.read(tflite.write(b.build()))


def test_empty_options_are_refused_as_tflm_does() -> None:
    with pytest.raises(ar.ConstraintError, match="expected custom options, got none"):
        ar.smallest_arena(with_options(b""), target="cortex-m55")


def test_a_stream_without_a_header_has_no_npu() -> None:
    model = with_options(b"\1\4\1")
    assert ar.smallest_arena(model, target="cortex-m55") > 0
    with pytest.raises(ar.ConstraintError, match="begins with COP1, got 4 bytes"):
        ar.smallest_arena(model, target="cortex-m55+ethos-u55-128")


def test_fewer_operands_than_vela_writes_are_refused() -> None:
    b = ar.ModelBuilder()
    x, y = b.input("x", (8,), "int8"), b.tensor("y", (8,), "int8")
    b.operator("ethos-u", [b.constant("s", np.zeros(4, np.uint8)), x], [y], custom_options=b"\1")
    b.output(y)
    with pytest.raises(ar.ConstraintError, match="Inputs begin with a command stream"):
        ar.smallest_arena(b.build())
