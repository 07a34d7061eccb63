"""A model whose memory plan was made for other kernels than those that it runs with."""

from __future__ import annotations

import warnings

import pytest

import arenite as ar
from arenite.memory.offline import with_plan
from arenite.model import Model, ModelBuilder
from arenite.model.offline_plan import Origin

TEXT = "made for the kernels of cortex-m4, cmsis_nn, gcc, and is used for host"


def model(overlap: str = "target") -> Model:
    b = ModelBuilder()
    x, y = b.input("x", (1, 64), "float32"), b.tensor("y", (1, 64), "float32")
    b.operator("RELU", [x], [y])
    b.output(y)
    return with_plan(
        b.build(), {(0, 0): 0, (0, 1): 0}, Origin(overlap, "cortex-m4", "cmsis_nn", "gcc")
    )


def test_interpreters_warn_where_bits_are_the_same() -> None:
    with pytest.warns(ar.PlanWarning, match=TEXT):
        ar.Interpreter(model())


@pytest.mark.parametrize(("overlap", "target"), [("target", "cortex-m7"), ("portable", None)])
def test_kernels_that_it_was_made_for_are_no_reason_to_warn(overlap: str, target: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ar.Interpreter(model(overlap), target=target)
