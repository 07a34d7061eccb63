"""The pass that plans: heads as predicted, bits as before, nothing written that wins nothing."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.errors import PlanError
from arenite.formats import tflite
from arenite.memory.liveness import offline_offsets
from arenite.model import Model, ModelBuilder, Subgraph
from arenite.model.offline_plan import OFFLINE_METADATA, origin_in
from arenite.ops.shared.add_sub import AddOptions
from arenite.ops.tflite.reshape import ReshapeOptions
from arenite.optimize.outcome import Outcome
from arenite.optimize.passes.plan import plan
from arenite.optimize.planning import Head, worth
from arenite.optimize.settings import Settings
from arenite.optimize.verify import verify
from arenite.target import HOST, Target, find_target
from tests.ops.differential import CASES, random_array
from tests.optimize.networks import network
from tests.oracle import Oracle
from tests.shared import shared_model

M4 = find_target("cortex-m4")
QUANTIZED: dict[str, Any] = {"scale": 0.1, "zero_point": 0}


def chain(*sizes: int, name: str = "RELU") -> Model:
    """Operators one behind the other, on int8 tensors of these sizes (all the same for RELU)."""
    b = ModelBuilder()
    tensors = [b.input("t0", (1, sizes[0]), "int8", **QUANTIZED)]
    for number, size in enumerate(sizes[1:], 1):
        tensors.append(b.tensor(f"t{number}", (1, size), "int8", **QUANTIZED))
        options = ReshapeOptions() if name == "RESHAPE" else None
        b.operator(name, tensors[-2:-1], tensors[-1:], options)
    b.output(tensors[-1])
    return b.build(metadata={"mine": b"kept"})


def offsets(model: Model) -> list[int]:
    found = offline_offsets(model)
    assert found is not None
    return found[0]


def overlapping(model: Model, target: Target | None = None) -> Outcome:
    return plan(model, Settings(target=target, overlap="target"))


def test_outputs_of_one_element_after_the_other_take_their_inputs_place() -> None:
    model = overlapping(chain(1024, 1024, 1024)).model
    assert offsets(model) == [0, 0, 0]
    assert model.metadata["mine"] == b"kept"


def test_without_overlap_nothing_is_won_by_a_chain_and_nothing_is_written() -> None:
    model = chain(64, 64, 64)
    outcome = plan(model, Settings())
    assert outcome.model is model
    (note,) = outcome.declined
    assert "the best plan has a head of 128 bytes, the model's own way gives 128" in note.text


def test_a_lower_head_in_an_arena_that_is_no_smaller_is_not_worth_a_plan() -> None:
    model = chain(64, 64, 64)
    outcome = overlapping(model)
    assert outcome.model is model
    (note,) = outcome.declined
    assert "the best plan has a head of 64 bytes, the model's own way gives 128" in note.text


def test_the_note_says_what_was_won() -> None:
    (note,) = overlapping(chain(1024, 1024, 1024)).changes
    assert note.where == "$"
    assert "head 2048 to 1024 (proved to be the least); outputs over inputs as all" in note.text


def test_views_have_one_place() -> None:
    assert offsets(overlapping(chain(1024, 1024, 1024, name="RESHAPE")).model) == [0, 0, 0]


def test_an_output_of_the_model_is_not_overwritten() -> None:
    model = chain(64, 64, 64, 64)
    seen = replace(model.main, outputs=(1, 3))
    found = offsets(overlapping(replace(model, subgraphs=(seen,))).model)
    assert found[1] == found[0]
    assert found[1] != found[2] == found[3]


def test_neither_is_an_input_that_another_operator_reads() -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 1024), "int8", **QUANTIZED)
    y, z = (b.tensor(name, (1, 1024), "int8", **QUANTIZED) for name in "yz")
    b.operator("RELU", [x], [y])
    b.operator("ADD", [y, x], [z], AddOptions())
    b.output(z)
    found = offsets(overlapping(b.build()).model)
    assert found[0] != found[1]
    assert found[2] in found[:2]


def test_constants_and_variables_are_left_to_tflm() -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 1024), "int8", **QUANTIZED)
    c = b.constant("c", np.ones((1, 1024), np.int8), **QUANTIZED)
    v = b.variable("v", (1, 1024), "int8", **QUANTIZED)
    y, z = (b.tensor(name, (1, 1024), "int8", **QUANTIZED) for name in "yz")
    b.operator("ADD", [x, c], [y], AddOptions())
    b.operator("ADD", [y, v], [z], AddOptions())
    b.output(z)
    assert offsets(overlapping(b.build()).model) == [0, -1, -1, 0, 0]


def test_a_tensor_with_the_number_of_another_subgraphs_variable_is_left_to_tflm() -> None:
    model = chain(64, 64, 64)
    b = ModelBuilder("other")
    x = b.input("x", (1, 8), "int8", **QUANTIZED)
    b.variable("v", (1, 8), "int8", **QUANTIZED)
    b.output(x)
    other: Subgraph = b.subgraph()
    found = offline_offsets(overlapping(replace(model, subgraphs=(model.main, other))).model)
    assert found is None or found[0][1] == -1


def test_offsets_are_multiples_of_16() -> None:
    for seed in range(30):
        found = overlapping(network(seed)).model
        if OFFLINE_METADATA in found.metadata:
            places = np.array(offsets(found))
            assert (places[places >= 0] % 16 == 0).all()


@pytest.mark.parametrize("overlap", ["none", "portable", "target"])
def test_the_file_says_for_which_kernels_it_is(overlap: Any) -> None:
    model = shared_model("vww_int8")
    settings = Settings(target=M4, overlap=overlap, dilate=True)
    origin = origin_in(plan(ar.load(model), settings).model.metadata)
    assert origin is not None
    assert (origin.overlap, origin.processor, origin.library) == (overlap, "cortex-m4", "cmsis_nn")


def test_of_plans_as_low_the_one_for_most_kernels_is_taken() -> None:
    model = ar.load(shared_model("vww_int8"))
    origin = origin_in(plan(model, Settings(target=M4, overlap="target")).model.metadata)
    assert origin is not None
    assert origin.overlap == "none"  # CMSIS-NN's 1x1 convolutions allow nothing


def test_a_plan_for_other_kernels_is_refused_with_the_kernels_it_was_made_for() -> None:
    model = ar.load(shared_model("vww_int8"))
    found = plan(model, Settings(overlap="target")).model
    ar.Interpreter(found)
    with pytest.raises(PlanError, match=r"CONV_2D at .*; the plan was made for the kernels of ho"):
        ar.smallest_arena(found, target="cortex-m4")


# -- figures: the least heads and arenas that were found before, on real models -----------


@pytest.mark.parametrize(
    ("name", "apart", "over", "dilated"),
    [
        ("kws_int8", 22832, 22832, 16384),
        ("vww_int8", 82288, 82288, 63888),
        ("ic_int8", 55008, 39152, 39152),
        ("sww_int8", 16608, 14816, 14432),
        ("person_detect", 82320, 82320, 63920),
    ],
)
def test_arenas_on_a_cortex_m4(name: str, apart: int, over: int, dilated: int) -> None:
    model = ar.load(shared_model(name))
    settings = Settings(target=M4)
    found = [
        worth(plan(model, one).model, M4).arena
        for one in (
            settings,
            replace(settings, overlap="target"),
            replace(settings, overlap="target", dilate=True),
        )
    ]
    assert found == [apart, over, dilated]


@pytest.mark.parametrize(
    ("name", "head"),
    [("kws_int8", 9792), ("vww_int8", 36880), ("ic_int8", 33312), ("vww_float32", 147488)],
)
def test_tflm_runs_the_files_with_the_head_that_was_predicted(
    oracle: Oracle, name: str, head: int
) -> None:
    model = ar.load(shared_model(name))
    found = overlapping(model).model
    rng = np.random.default_rng(2)
    steps = [[random_array(t, rng) for t in model.inputs] for _ in range(max(2, CASES // 5))]
    before, after = (oracle.run(tflite.write(one), steps, 1 << 20) for one in (model, found))
    assert after.status == "ok", after.log
    assert after.allocations["head"] == worth(found, HOST).head == head
    assert after.allocations["tail"] == before.allocations["tail"]
    for a, b in zip(before.outputs, after.outputs, strict=True):
        assert a[0].tobytes() == b[0].tobytes()


# -- random networks ------------------------------------------------------------------------


@pytest.mark.parametrize("overlap", ["none", "portable", "target"])
def test_random_networks_have_the_same_bits_and_the_head_that_was_predicted(
    oracle: Oracle, overlap: Any
) -> None:
    won = 0
    for seed in range(max(25, CASES)):
        model = network(seed)
        found = plan(model, Settings(overlap=overlap, dilate=True)).model
        if found is model:
            continue
        won += 1
        rng = np.random.default_rng(seed)
        steps = [[random_array(t, rng) for t in model.inputs] for _ in range(3)]
        before, after = (oracle.run(tflite.write(one), steps, 1 << 20) for one in (model, found))
        assert after.status == "ok", after.log
        assert after.allocations["head"] == worth(found, HOST).head
        for a, b in zip(before.outputs, after.outputs, strict=True):
            assert [x.tobytes() for x in a] == [x.tobytes() for x in b], f"network {seed}"
    assert won


@pytest.mark.parametrize("target", ["cortex-m3", "cortex-m4", "cortex-m55"])
def test_random_networks_planned_for_a_processor_run_on_every_engine(target: str) -> None:
    for seed in range(max(8, CASES // 2)):
        model = network(seed)
        settings = Settings(target=find_target(target), overlap="target", dilate=True)
        found = plan(model, settings).model
        if found is not model:
            verify(model, found, settings, count=2)
            assert worth(found, find_target(target)) < worth(model, find_target(target))


def test_overlap_never_takes_more_than_none() -> None:
    for seed in range(12):
        model = network(seed)
        heads = [
            worth(plan(model, Settings(overlap=overlap)).model, HOST).head
            for overlap in ("none", "portable", "target")
        ]
        assert heads == sorted(heads, reverse=True)


def test_a_head_without_a_plan_is_the_firmwares() -> None:
    head = Head.of(chain(64, 64), HOST)
    assert [b.size for b in head.buffers] == [64, 64]
    assert head.pairs == ()
    assert [pair[:3] for pair in head.overlapping("target").pairs] == [(1, 0, 0)]
