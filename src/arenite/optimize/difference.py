"""The distance of a lowered model from the original, which LiteRT runs and TFLM does not.

Both run in LiteRT, with the same kernels: where only operators with equal bits were written anew,
outputs have to be equal bit by bit. What a firmware computes is measured beside that: the lowered
model in Arenite's kernels next to the original in LiteRT.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from arenite import peers
from arenite.errors import LoopLimitError, ModelError, OptimizationError
from arenite.formats import content_of
from arenite.model import Model
from arenite.model.model import Array
from arenite.optimize import samples
from arenite.optimize.lowerings import ROWS
from arenite.optimize.parts import options_of
from arenite.optimize.settings import Settings
from arenite.optimize.stub_operators import resolver_for
from arenite.optimize.verify import first_difference, outputs_apart
from arenite.peers import Answer, Step

#: A result whose error has more than this share of the outputs' energy is thrown away.
_MOST_NOISE = 0.1
#: Without a delegate: what it computes does not depend on the machine then.
_LITERT = "litert-builtin"


@dataclass(frozen=True)
class Distance:
    """One output of two models: the largest difference, and the largest value of the original."""

    name: str
    difference: float
    largest: float


@dataclass(frozen=True)
class Difference:
    """A lowered model measured against the original.

    Attributes:
        inferences: How many inputs both models got.
        is_exact: Whether all that was written anew keeps its bits; LiteRT has shown it then.
        outputs: The lowered model in Arenite's kernels next to the original in LiteRT.
        skipped: Why nothing was measured; empty where it was.
    """

    inferences: int
    is_exact: bool
    outputs: tuple[Distance, ...] = ()
    skipped: str = ""


def measure(
    original: Model, lowered: Model, settings: Settings, count: int, *, is_exact: bool
) -> Difference:
    """Run both on the inputs of a verification.

    Raises:
        OptimizationError: Bits differ that should not, LiteRT refuses the lowered model, or it is
            another function altogether.
    """
    steps = samples.sequence(original, count, settings.ranges)
    reason = _why_not(lowered)
    if reason:
        return Difference(0, is_exact, skipped=reason)
    fed = [_as_fed(step, lowered) for step in steps]
    try:
        here = list(outputs_apart(lowered, settings, fed))
    except LoopLimitError:
        return Difference(0, is_exact, skipped="its loops are too long")
    taken = iter(here)
    steps = [step for step in steps if step is None or next(taken) is not None]
    ours = [one for one in here if one is not None]
    try:
        given = _with_options(original) if original.content is None else original
        files = [content_of(model) for model in (given, lowered)]
    except ModelError as error:
        return Difference(0, is_exact, skipped=str(error))
    theirs, again = _in_litert(files, steps, lowered)
    if theirs.reason:
        return Difference(0, is_exact, skipped=f"LiteRT: {theirs.reason}")
    if again.reason:
        raise OptimizationError(f"LiteRT runs the original, but not the result: {again.reason}")
    if is_exact:
        _require_equal(theirs.outputs, again.outputs)
    names = [tensor.name for tensor in original.outputs]
    sides = [
        ([step[number] for step in theirs.outputs], [step[number] for step in ours])
        for number in range(len(names))
    ]
    for name, (expected, got) in zip(names, sides, strict=True):
        _require_near(name, expected, got)
    outputs = tuple(_distance(n, *side) for n, side in zip(names, sides, strict=True))
    return Difference(len(ours), is_exact, outputs)


def _in_litert(files: list[bytes], steps: Sequence[Step], lowered: Model) -> list[Answer]:
    """Its answers for both, in one process where both take the same inputs."""
    count, fed = len(lowered.outputs), [_as_fed(step, lowered) for step in steps]
    if all(
        x.dtype == y.dtype
        for a, b in zip(steps, fed, strict=True)
        for x, y in zip(a or (), b or (), strict=True)
    ):
        return peers.ask(_LITERT, files, steps, count)
    return [
        peers.ask(_LITERT, [file], one, count)[0]
        for file, one in zip(files, (steps, fed), strict=True)
    ]


def _as_fed(step: Step, lowered: Model) -> Step:
    """Inputs in the types that the lowered model takes."""
    if step is None:
        return None
    return [x.astype(one.type.dtype) for x, one in zip(step, lowered.inputs, strict=True)]


def _why_not(lowered: Model) -> str:
    if not peers.is_installed(_LITERT):
        return "LiteRT, which runs the original, is not installed (pip install ai-edge-litert)"
    _, unknown = resolver_for(lowered)
    return f"nobody knows {', '.join(unknown)} here" if unknown else ""


def _with_options(model: Model) -> Model:
    """Add the options of operators that Arenite does not have, which could not be written."""
    subgraphs = []
    for subgraph in model.subgraphs:
        operators = (
            replace(one, options=options_of(one, ROWS[one.name])) if one.name in ROWS else one
            for one in subgraph.operators
        )
        subgraphs.append(replace(subgraph, operators=tuple(operators)))
    return replace(model, subgraphs=tuple(subgraphs))


def _require_equal(expected: Sequence[Sequence[Array]], got: Sequence[Sequence[Array]]) -> None:
    for number, (a, b) in enumerate(zip(expected, got, strict=True)):
        for output, (x, y) in enumerate(zip(a, b, strict=True)):
            place = first_difference(x, y.astype(x.dtype))
            if place is not None:
                values = x.reshape(-1)[place], y.reshape(-1)[place]
                raise OptimizationError(
                    f"in LiteRT, inference {number}, output {output}: expected {values[0]} at "
                    f"element {place}, got {values[1]}"
                )


def _require_near(name: str, expected: Sequence[Array], got: Sequence[Array]) -> None:
    a, b = _joined(expected), _joined(got)
    same = np.isfinite(a) & np.isfinite(b)
    with np.errstate(over="ignore"):
        signal, noise = (float(np.sum(x[same] ** 2)) for x in (a, a - np.where(same, b, a)))
    lost = int(np.sum(np.isfinite(a) != np.isfinite(b)))
    if lost or noise > _MOST_NOISE * signal:
        raise OptimizationError(
            f"output {name!r}: expected what LiteRT computes of the original, got an error of "
            f"{noise / signal if signal else math.inf:.0%} of its energy, {lost} values that are "
            "finite on one side alone"
        )


def _distance(name: str, expected: Sequence[Array], got: Sequence[Array]) -> Distance:
    a, b = _joined(expected), _joined(got)
    same = np.isfinite(a) & np.isfinite(b)
    far = np.abs(np.where(same, a, 0) - np.where(same, b, 0))
    return Distance(
        name, float(far.max(initial=0)), float(np.abs(np.where(same, a, 0)).max(initial=0))
    )


def _joined(arrays: Sequence[Array]) -> Array:
    return np.concatenate([one.reshape(-1).astype(np.float64) for one in arrays] or [np.zeros(0)])
