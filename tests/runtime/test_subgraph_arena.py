"""The arena of models with several subgraphs is TFLM's, with offline plans too."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite.errors import ModelError
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder
from arenite.ops.shared.add_sub import AddOptions
from tests.oracle import Oracle, printed_rows, tflm_rows
from tests.runtime.subgraphs import branches, counter, loop

PLENTY = 1 << 20


def same_arena(oracle: Oracle, model: Model) -> None:
    data = tflite.write(model)
    theirs = oracle.run(data, [], PLENTY)
    assert theirs.status == "ok", theirs.log
    ours = ar.Interpreter(data, arena=PLENTY).allocations()
    assert (ours.head, ours.tail) == (theirs.allocations["head"], theirs.allocations["tail"])
    assert tflm_rows(ours) == printed_rows(theirs.log)
    needed = ar.smallest_arena(data)
    assert oracle.run(data, [], needed).status == "ok"
    assert oracle.run(data, [], needed - 16).status == "refused"


@pytest.mark.parametrize("make", [branches, counter, loop])
def test_small_models_take_what_they_take_in_tflm(oracle: Oracle, make: object) -> None:
    same_arena(oracle, make())  # type: ignore[operator]


def planned(*offsets: int) -> Model:
    """IF whose first branch has a variable behind its other tensors, with an offline plan."""
    b = ModelBuilder("then")
    x, y = b.input("x", (1,), "int32"), b.tensor("y", (1,), "int32")
    b.operator("ADD", [x, x], [y], AddOptions())
    b.variable("state", (100,), "int8", scale=1, zero_point=3)
    b.output(y)
    model = branches(b.subgraph())
    words = np.array([1, 0, len(offsets), *offsets], "<i4").tobytes()
    return replace(model, metadata={"OfflineMemoryAllocation": words})


#: Tensors of the three subgraphs: flag, x, y; x, y, state; x, step, sum.
PLANS: dict[str, Sequence[int]] = {
    "nothing is planned": (-1, -1, -1, -1, -1, -1, -1, -1, -1),
    "the variable is planned, and has memory in the tail as well": (
        -1,
        -1,
        -1,
        -1,
        -1,
        256,
        *[-1] * 3,
    ),
    "all is planned": (0, 16, 32, 48, 64, 256, 80, -1, 96),
}


@pytest.mark.parametrize("name", PLANS)
def test_offline_plans_of_several_subgraphs(oracle: Oracle, name: str) -> None:
    same_arena(oracle, planned(*PLANS[name]))


def test_a_variable_for_which_tflm_finds_no_memory_is_refused() -> None:
    """TFLM takes the offset of the first subgraph's tensor 2 for that of the second's."""
    with pytest.raises(ModelError, match="variable 'state' gets no memory"):
        ar.Interpreter(planned(-1, -1, 32, -1, -1, -1, -1, -1, -1))
