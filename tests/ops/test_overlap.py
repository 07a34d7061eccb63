"""Outputs that begin below their own input: safe from the stated distance on, and from there only.

Every distance is tried in TFLM's own package, with random layers: those that a registration allows
give the same bits, one below the least does not, for some layers of each kind.
"""

import numpy as np
import pytest

from arenite.formats import tflite
from arenite.memory.liveness import tensor_bytes
from arenite.model import Model
from arenite.ops.overlap import Clearance, both
from arenite.runtime.distances import SafeDistance, safe_distances
from tests.ops.differential import CASES as COUNT
from tests.ops.overlapping import CASES, inputs_of, planned
from tests.oracle import Answer, Oracle

ARENA = 1 << 17


def stated(model: Model) -> SafeDistance | None:
    """What the first input's registration says."""
    first = model.main.operators[0].inputs[0]
    return next((one for one in safe_distances(model) if one.input_tensor == first), None)


def sizes(model: Model) -> tuple[int, int]:
    """Bytes of the output and of elements."""
    y = model.outputs[0]
    size = tensor_bytes(y)
    return size, max(size // y.size, tensor_bytes(model.inputs[0]) // model.inputs[0].size)


def same(one: Answer, other: Answer) -> bool:
    assert (one.status, other.status) == ("ok", "ok"), other.log
    pairs = zip(one.outputs, other.outputs, strict=True)
    return all(a[0].tobytes() == b[0].tobytes() for a, b in pairs)


@pytest.mark.parametrize("name", CASES)
def test_all_distances_from_the_least_are_safe_and_one_below_is_not(
    oracle: Oracle, name: str
) -> None:
    rng = np.random.default_rng(5)
    broken = could_break = 0
    for _ in range(max(12, 2 * COUNT)):
        model = CASES[name](rng)
        steps = [inputs_of(model, rng) for _ in range(2)]
        right = oracle.run(tflite.write(model), steps, ARENA)
        size, element = sizes(model)
        allowed, found = stated(model), stated(model)
        least = size if found is None else found.distance
        for distance in range(0, size, element):
            if allowed is None or not Clearance(*allowed[4:]).allows(distance):
                continue
            answer = oracle.run(tflite.write(planned(model, distance)), steps, ARENA)
            assert same(right, answer), f"{distance} bytes, stated {allowed} for\n{model}"
        if least >= element and name != "reshape":
            could_break += 1
            below = planned(model, (least - element) // element * element)
            broken += not same(right, oracle.run(tflite.write(below), steps, ARENA))
    assert broken or not could_break, f"{could_break} distances are larger than they need be"
    tight = name not in ("reshape", "add", "add_float", "mul", "maximum")
    assert not tight or could_break or name in IN_PLACE


#: Kinds that never need a distance.
IN_PLACE = ("relu", "logistic", "softmax", "quantize")


def test_two_kernels_allow_what_both_do() -> None:
    assert both(Clearance(3), Clearance(7)) == Clearance(7)
    assert both(Clearance(3), Clearance(32, 16)) == Clearance(32, 16)
    assert both(Clearance(40), Clearance(32, 16)) == Clearance(48, 16)
    assert both(Clearance(0, 0), Clearance(0)) == Clearance(0, 0)
    assert both(Clearance(0, 0), Clearance(1)) is None
    assert both(Clearance(8, 4), Clearance(2, 6)) == Clearance(8, 12)
    assert both(Clearance(1, 4), Clearance(0, 2)) is None
    assert both(None, Clearance(0)) is None


@pytest.mark.parametrize(
    ("clearance", "safe"),
    [
        (Clearance(2), [2, 3, 4, 5, 6, 7]),
        (Clearance(2, 3), [2, 5]),
        (Clearance(0, 0), [0]),
    ],
)
def test_a_clearance_allows_steps_from_its_least(clearance: Clearance, safe: list[int]) -> None:
    assert [n for n in range(8) if clearance.allows(n)] == safe
