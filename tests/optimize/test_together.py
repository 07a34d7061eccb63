"""All passes together, compression and lowering among them, on random models and settings."""

import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arenite as ar
from arenite.formats import tflite
from arenite.memory.offline import without_plan
from arenite.model import Model, ModelBuilder, Tensor
from arenite.model.model import constant_bytes
from arenite.ops.tflite.if_ import IfOptions
from arenite.optimize import samples
from arenite.optimize.optimizer import optimize
from arenite.optimize.verify import first_difference
from arenite.runtime.heap_host import HeapInterpreter
from arenite.target import Target
from tests.optimize.lowered import KINDS
from tests.optimize.lowered_population import POPULATION
from tests.optimize.lowered_types import TYPES
from tests.optimize.networks import network
from tests.oracle import Oracle

LOWERED = [
    *KINDS.values(),
    *TYPES.values(),
    *(kind for _, kinds in POPULATION.values() for kind in kinds),
]
#: Of each, by default.
FEW = 4 * int(os.environ.get("ARENITE_CASES", "5"))
SEEDS = st.integers(0, 10**6)


@st.composite
def options(draw: st.DrawFn) -> dict:
    """Settings of all passes; limits of compression that leave room, or none."""
    target = draw(st.sampled_from([None, "cortex-m4", "cortex-m55"]))
    limits = draw(st.sampled_from(["", "ram", "beside", "cycles" if target else "ram"]))
    size = draw(st.integers(1000, 200_000))
    names = {"ram": "ram", "beside": "decompression_memory", "cycles": "cycles"}
    return {
        "target": target and Target(target),
        "overlap": draw(st.sampled_from(["none", "portable", "target"])),
        "dilate": draw(st.booleans()),
        "strip": draw(st.booleans()),
        "compress": True,
        "decoder_code": draw(st.sampled_from([0, 500])),
        "seconds": 0.2,
        "verify": 0,
        **({names[limits]: size * (100 if limits == "cycles" else 1)} if limits else {}),
    }


def of_few_values(model: Model, rng: np.random.Generator) -> Model:
    """Some weights have few values, some are zero for the most part, some stay."""

    def changed(tensor: Tensor) -> Tensor:
        value = tensor.value
        if value is None or tensor.is_variable or value.dtype != np.int8 or value.size < 64:
            return tensor
        pick = rng.integers(0, 3)
        if pick == 0:
            return tensor
        made = rng.choice(rng.integers(-128, 128, 5), value.shape)
        made = made if pick == 1 else value * (rng.random(value.shape) < 0.1)
        return replace(tensor, data=constant_bytes(made.astype(np.int8)))

    graphs = (replace(g, tensors=tuple(map(changed, g.tensors))) for g in model.subgraphs)
    return replace(model, subgraphs=tuple(graphs))


def in_arenite(model: Model, steps: list, target: Target | None) -> list[list[np.ndarray]]:
    interpreter = HeapInterpreter(model, target=target)
    interpreter.allocate_tensors()
    found = []
    for step in steps:
        for index, values in enumerate(step):
            interpreter.input(index)[...] = values
        interpreter.invoke()
        found.append([interpreter.output(n).copy() for n in range(len(model.outputs))])
    return found


def assert_right(oracle: Oracle, before: Model, result: Model, target: Target | None) -> None:
    """Outputs keep their bits, here and in TFLM's package."""
    steps = [step for step in samples.sequence(before, 2) if step is not None]
    bare = without_plan(result)
    mine = [in_arenite(model, steps, target) for model in (before, result)]
    its = [oracle.run(tflite.write(model), steps) for model in (before, bare)]
    assert [one.status for one in its] == ["ok", "ok"], its[1].log
    for expected, got in (mine, [one.outputs for one in its]):
        for a, b in zip(expected, got, strict=True):
            for x, y in zip(a, b, strict=True):
                assert first_difference(x, y) is None


def choosing(first: Model, second: Model) -> Model:
    """One of two networks, as a condition says."""
    b = ModelBuilder()
    inputs = [b.input("c", (), "bool")]
    for one in first.inputs:
        q = one.quantization
        scale = {} if q is None else {"scale": q.scale, "zero_point": q.zero_point}
        inputs.append(b.input(one.name, one.shape, str(one.type), **scale))
    for number, one in enumerate(first.outputs):
        b.output(b.tensor(f"y{number}", one.shape, str(one.type)))
    outputs = list(range(len(inputs), len(inputs) + len(first.outputs)))
    b.operator("IF", inputs, outputs, IfOptions(1, 2))
    return b.build("choosing", subgraphs=[first.main, second.main])


@settings(deadline=None, max_examples=FEW)
@given(seed=SEEDS, given=options())
def test_networks_keep_their_bits(oracle: Oracle, seed: int, given: dict):
    model = of_few_values(network(seed), np.random.default_rng(seed))
    result, _ = optimize(model, **given)
    assert_right(oracle, model, result, given["target"])


@settings(deadline=None, max_examples=FEW)
@given(seed=SEEDS, given=options())
def test_networks_in_subgraphs_keep_their_bits(oracle: Oracle, seed: int, given: dict):
    rng = np.random.default_rng(seed)
    first, second = (of_few_values(network(seed, "plain", "int8"), rng) for _ in "ab")
    model = choosing(first, second)
    result, _ = optimize(model, **given)
    assert_right(oracle, model, result, given["target"])


@pytest.mark.filterwarnings("ignore::arenite.errors.UndefinedWarning")
@settings(deadline=None, max_examples=FEW)
@given(seed=SEEDS, number=st.integers(0, len(LOWERED) - 1), given=options())
def test_what_is_lowered_keeps_its_bits_in_the_passes_behind(
    oracle: Oracle, seed: int, number: int, given: dict
):
    model = ar.load(tflite.write(LOWERED[number](np.random.default_rng(seed))))
    result, report = optimize(model, lower=True, **given)
    assert report.lowered is not model
    assert_right(oracle, report.lowered, result, given["target"])
