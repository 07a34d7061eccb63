"""A plan in a model, and for whose kernels it is."""

import pytest

from arenite.formats import tflite
from arenite.memory.liveness import offline_offsets
from arenite.memory.offline import is_made_for, with_plan, without_plan
from arenite.model import Model, ModelBuilder
from arenite.model.offline_plan import OFFLINE_METADATA, Origin, origin_in
from arenite.target import find_target

M4 = Origin("target", "cortex-m4", "cmsis_nn", "gcc")
TARGETS = ("host", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m55")


def relu() -> Model:
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    y = b.tensor("y", (1, 4), "float32")
    b.operator("RELU", [x], [y])
    b.output(y)
    return b.build(metadata={"mine": b"kept"})


def test_a_plan_has_an_offset_for_every_tensor() -> None:
    model = tflite.read(tflite.write(with_plan(relu(), {(0, 1): 32}, M4)))
    assert offline_offsets(model) == [[-1, 32]]
    assert origin_in(model.metadata) == M4


def test_it_begins_with_version_subgraphs_and_tensors() -> None:
    model = with_plan(relu(), {(0, 0): 16}, M4)
    words = [1, 1, 2, 16, -1]
    assert model.metadata[OFFLINE_METADATA] == b"".join(
        word.to_bytes(4, "little", signed=True) for word in words
    )


def test_without_one_the_rest_of_the_metadata_stays() -> None:
    model = relu()
    assert without_plan(model) is model
    assert without_plan(with_plan(model, {}, M4)).metadata == {"mine": b"kept"}


@pytest.mark.parametrize(
    ("origin", "targets"),
    [
        (M4._replace(overlap="none"), set(TARGETS)),
        (M4._replace(overlap="portable"), set(TARGETS)),
        (M4, {"cortex-m4", "cortex-m7"}),
        (M4._replace(compiler="armclang"), set()),
        (M4._replace(library="tflm"), {"host"}),
        (M4._replace(processor="cortex-m99"), set()),
    ],
)
def test_a_plan_is_for_processors_with_the_same_kernels(origin: Origin, targets: set[str]) -> None:
    assert {name for name in TARGETS if is_made_for(origin, find_target(name))} == targets
