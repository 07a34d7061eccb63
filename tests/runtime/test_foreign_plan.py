"""A model whose memory plan was made for other kernels than those that it runs with."""

import warnings

import numpy as np
import pytest

import arenite as ar
from arenite.memory.offline import with_plan, without_plan
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


# -- tensors that are all preserved, which no plan may lay over each other


@pytest.mark.parametrize("arena", [None, 1 << 14])
@pytest.mark.parametrize("planner", ["greedy", "linear", "optimal"])
def test_preserving_all_tensors_leaves_a_plan_out(planner: str, arena: int | None) -> None:
    planned = model()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        interp = ar.Interpreter(planned, planner=planner, preserve_all_tensors=True, arena=arena)
    interp(np.full((1, 64), -1, np.float32))
    assert (interp.tensor("x") == -1).all()
    assert (interp.tensor("y") == 0).all()
    assert interp.model is planned


def test_so_do_copies_and_the_smallest_arena() -> None:
    kept = {"preserve_all_tensors": True}
    interp = ar.Interpreter(model(), **kept)
    twin = interp.copy()
    twin(np.full((1, 64), -1, np.float32))
    assert (twin.tensor("x") == -1).all()
    bare = ar.smallest_arena(without_plan(model()), **kept)
    assert ar.smallest_arena(model(), **kept) == interp.arena.size == bare


def test_the_linear_planner_alone_refuses_a_plan_as_in_tflm() -> None:
    with pytest.raises(ar.PlanError, match="takes no offline offsets, buffer 0 has 0"):
        ar.Interpreter(model(), planner="linear")
