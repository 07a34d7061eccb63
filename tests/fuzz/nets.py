"""Ways to change an ``.mnn`` file by what it means."""

import numpy as np

from arenite.formats.flatbuffer import Row
from arenite.mnn.lowering import models
from tests.fuzz.rows import copied, places, write
from tests.fuzz.structure import Change
from tests.fuzz.values import Rng, change, choice


def mutant(root: Row, rng: Rng) -> bytes:
    """An ``.mnn`` file after one to eight changes."""
    root = copied(root)
    for _ in range(int(choice(rng, (1, 1, 1, 2, 2, 3, 5, 8)))):
        choice(rng, CHANGES)(root, rng)
    return write(models.SCHEMA, root)


def any_field(root: Row, rng: Rng) -> None:
    """Any field of the net."""
    change(rng, choice(rng, list(places(models.SCHEMA, root))))


def parameter(root: Row, rng: Rng) -> None:
    """A parameter of an operator."""
    op = choice(rng, root["oplists"] or [{}])
    if op.get("main") is not None:
        below = [p for p in places(models.SCHEMA, op, "Op") if p.row is not op]
        if below:
            change(rng, choice(rng, below))


def net_wiring(root: Row, rng: Rng) -> None:
    """Other tensors for an operator."""
    op = choice(rng, root["oplists"] or [{}])
    side = choice(rng, ("inputIndexes", "inputIndexes", "outputIndexes"))
    old = list(np.asarray(op.get(side) if op.get(side) is not None else ()).tolist())
    count = len(root["tensorName"] or [])
    new = int(rng.integers(-1, count + 2))
    if old and rng.random() < 0.7:
        old[int(rng.integers(len(old)))] = new
    else:
        old.append(new)
    op[side] = np.array(old, np.int32)


def net_operator(root: Row, rng: Rng) -> None:
    """Another operator with the parameters that there are, or as many of another one's."""
    op, other = (choice(rng, root["oplists"] or [{}]) for _ in range(2))
    if rng.random() < 0.5:
        op["type"] = int(choice(rng, tuple(models.OpType)))
    else:
        op.update({key: copied(other.get(key)) for key in ("type", "main")})


def net_dims(root: Row, rng: Rng) -> None:
    """Dimensions of an input or a constant."""
    found = [p for p in places(models.SCHEMA, root) if p.name == "dims"]
    if found:
        change(rng, choice(rng, found))


def net_order(root: Row, rng: Rng) -> None:
    """Operators left out, twice, or at another time."""
    found = [p for p in places(models.SCHEMA, root) if p.name == "oplists"]
    change(rng, choice(rng, found))


CHANGES: tuple[Change, ...] = (
    *(any_field, any_field, parameter, parameter, parameter, parameter, net_wiring),
    *(net_operator, net_dims, net_dims, net_order),
)
