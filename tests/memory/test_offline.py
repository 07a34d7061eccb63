"""A plan in a model, and what it says it was made for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arenite.formats import tflite
from arenite.memory.liveness import OFFLINE_METADATA, offline_offsets
from arenite.memory.offline import ORIGIN_METADATA, Origin, origin_of, with_plan, without_plan
from arenite.model import Model, ModelBuilder

M4 = Origin("target", "cortex-m4", "cmsis_nn", "gcc")


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
    assert origin_of(model) == M4


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


def test_a_plan_of_somebody_elses_says_nothing() -> None:
    model = with_plan(relu(), {}, M4)
    rest = {k: v for k, v in model.metadata.items() if k != ORIGIN_METADATA}
    assert origin_of(replace(model, metadata=rest)) is None
    assert origin_of(relu()) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"1",
        b'{"overlap": 3}',
        b"[" * 1000,
        b'{"overlap": "none"}',
        b" " * 5000,
    ],
)
def test_neither_does_an_entry_that_is_not_arenites(data: bytes) -> None:
    model = with_plan(relu(), {}, M4)
    assert origin_of(replace(model, metadata={**model.metadata, ORIGIN_METADATA: data})) is None


def test_it_reads_as_a_sentence_without_control_characters() -> None:
    assert str(M4) == "the kernels of cortex-m4, cmsis_nn, gcc"
    assert str(M4._replace(overlap="none")) == "any kernels"
    assert str(M4._replace(processor="\x1b[2J")).isprintable()
