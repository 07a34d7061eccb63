"""The state of CMSIS-NN that a target has, as questions on ``revisions/cmsis_nn.csv``.

And types that TFLM's glue of a day did not hand over to CMSIS-NN (``revisions/tflm.csv``).
"""

from __future__ import annotations

from dataclasses import replace

from arenite.libraries.glue import Glue
from arenite.libraries.path import Path, Scratch, path_to_reference
from arenite.ops.constraints import NodeView
from arenite.revisions.changes import all_before
from arenite.revisions.cmsis_nn import fetched_by, lacks
from arenite.revisions.known import LAST, revision_of
from arenite.target import Target


def is_before(target: Target, change: str) -> bool:
    """Whether the target's CMSIS-NN, or the one that its TFLM fetches, has not that change yet."""
    return lacks(target.cmsis_nn or fetched_by(target.tflm or LAST), change)


def unpacked(view: NodeView, path: Path, target: Target) -> Path | None:
    """The path of int8 with unpacked int4 weights; None where there are functions for these."""
    if not is_before(target, "int4_weights"):
        return None
    weights = Scratch(view.input(1).size, "unpacked weights")
    return replace(path, scratch=(*path.scratch, weights))


def as_then(glue: Glue, name: str, target: Target) -> Glue:
    """The glue of the target's TFLM, which leaves some types to TFLM's own kernel."""
    rows = all_before(revision_of(target.tflm).date, "library", f"cmsis_nn.{name}")
    named = (row.before.split() for row in rows if row.before)
    left = [(side, int(index), kind) for side, index, kind in named]
    if not left:
        return glue

    def decide(view: NodeView, target: Target) -> Path:
        sides = {"input": view.inputs, "output": view.outputs}
        tensors = ((sides[side][index], kind) for side, index, kind in left)
        is_left = any(one is not None and str(one.type) == kind for one, kind in tensors)
        return path_to_reference(name) if is_left else glue.decide(view, target)

    return replace(glue, decide=decide)
