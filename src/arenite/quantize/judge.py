"""The distance of a quantised model from the float one, in the bits of the device.

The measure is the signal-to-quantisation-noise ratio: the energy of what the float model computes
by that of the difference, in decibels, over all samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arenite.analysis.evaluation.samples import Fed, Source
from arenite.model import Model
from arenite.model.model import Array
from arenite.quantize.calibration import Run, runs
from arenite.quantize.writing import Written
from arenite.runtime.interpreter import Interpreter
from arenite.runtime.io_conversion import dequantized
from arenite.target import Target

#: What an exact result counts as, in dB.
EXACT = 200.0
#: A gain of less than this, in dB, is none.
LEAST_GAIN = 0.01
#: With fewer samples there is no telling what is chance.
ENOUGH = 8


@dataclass(frozen=True)
class LayerNoise:
    """The nearness of one operator's output.

    Attributes:
        position: The operator's, in the float model.
        name: What it is.
        tensor: The output's name.
        sqnr: In dB, of everything up to here.
    """

    position: int
    name: str
    tensor: str
    sqnr: float


def decibels(signal: float, noise: float) -> float:
    """A ratio of energies; :data:`EXACT` where there is no noise, 0 without a signal."""
    if noise <= 0:
        return EXACT
    return min(EXACT, 10 * math.log10(signal / noise)) if signal > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Judge:
    """The float model's outputs for some samples, next to which others are judged.

    Attributes:
        model: The float model.
        fed: The samples.
        outputs: Its outputs, ``(n, ...)`` each.
        target: Whose bits judge.
    """

    model: Model
    fed: Fed
    outputs: tuple[Array, ...]
    target: Target | None

    @staticmethod
    def of(model: Model, source: Source, target: Target | None) -> Judge:
        """A judge on samples."""
        fed = source.feed(model, None)
        return Judge(model, fed, reals(model, fed, None), target)

    def sqnr(self, model: Model) -> float:
        """The least SQNR of a quantised model's outputs, in dB."""
        return self.verdict(model).sqnr

    def verdict(self, model: Model) -> Verdict:
        """The nearness of a quantised model.

        Outputs that are indices (of ARG_MAX, say) are compared as numbers.
        """
        return self.verdict_of(reals(model, self.fed, self.target))

    def verdict_of(self, found: Sequence[Array]) -> Verdict:
        """The nearness of a quantised model's outputs."""
        pairs = [
            (decibels(*energies(ours, theirs)), ours, theirs)
            for ours, theirs in zip(self.outputs, found, strict=True)
        ]
        sqnr, ours, theirs = min(pairs, key=lambda one: one[0])
        difference = ours.astype(np.float64) - theirs.astype(np.float64)
        noise = (difference**2).reshape(len(difference), -1).sum(axis=1)
        return Verdict(sqnr, noise)


@dataclass(frozen=True, eq=False)
class Verdict:
    """The nearness of a quantised model.

    Attributes:
        sqnr: Of the output that is furthest off, in dB.
        noise: ``(n,)`` energies of that output's differences, sample by sample.
    """

    sqnr: float
    noise: Array

    def is_better_than(self, other: Verdict) -> bool:
        """Whether it is nearer, and not by a few samples alone.

        What is gained per sample has to be more than the standard error of its mean.
        """
        if self.sqnr <= other.sqnr + LEAST_GAIN:
            return False
        gained = other.noise - self.noise
        if len(gained) < ENOUGH:
            return True
        return bool(gained.mean() > gained.std(ddof=1) / math.sqrt(len(gained)))


def energies(signal: Array, other: Array) -> tuple[float, float]:
    """The energy of a signal, and of its difference to another one."""
    a = signal.astype(np.float64)
    difference = a - other.astype(np.float64)
    return float((a * a).sum()), float((difference * difference).sum())


def reals(model: Model, fed: Fed, target: Target | None) -> tuple[Array, ...]:
    """All outputs of a model as real numbers, ``(n, ...)`` each."""
    interpreter = Interpreter(model, target=target)
    if not interpreter.is_stateful:
        found = interpreter.predict(fed.inputs, quantize=True)
        several = found if isinstance(found, tuple) else (found,)
    else:
        several = _in_turn(interpreter, fed)
    return tuple(
        dequantized(one, tensor) if one.dtype.kind in "iu" and tensor.quantization else one
        for one, tensor in zip(several, model.outputs, strict=True)
    )


def _in_turn(interpreter: Interpreter, fed: Fed) -> tuple[Array, ...]:
    """Outputs of a model with state, sequence by sequence."""
    count = len(interpreter.model.outputs)
    found: list[list[Array]] = [[] for _ in range(count)]
    for _ in runs(interpreter, fed):
        for port, rows in enumerate(found):
            rows.append(interpreter.output(port).copy())
    return tuple(np.stack(rows) for rows in found)


def pairs_of(
    judge: Judge, made: Written, tensors: Sequence[int], look: Callable[[int, Array, Array], None]
) -> None:
    """Show tensors of the float model beside those of the quantised one, sample by sample.

    ``look`` gets a tensor's index and its real values in both.
    """
    fed = judge.fed
    ours = Run.of(judge.model).interpreter
    theirs = Interpreter(made.model, preserve_all_tensors=True, target=judge.target)
    both = zip(runs(ours, fed), runs(theirs, fed), strict=True)
    facts = made.model.main.tensors
    for _ in both:
        for index in tensors:
            home = made.tensors[index]
            values = theirs.tensor(home)
            real = dequantized(values, facts[home]) if facts[home].quantization else values
            look(index, ours.tensor(index), real)


def layer_noise(judge: Judge, made: Written) -> tuple[LayerNoise, ...]:
    """The SQNR of every operator's output, in the order in which they run."""
    model = judge.model
    layers = layers_of(model, made)
    sums: dict[int, tuple[float, float]] = {index: (0.0, 0.0) for _, index in layers}

    def look(index: int, ours: Array, theirs: Array) -> None:
        signal, noise = energies(ours, theirs)
        sums[index] = sums[index][0] + signal, sums[index][1] + noise

    pairs_of(judge, made, list(sums), look)
    return tuple(
        LayerNoise(
            position,
            model.main.operators[position].name,
            model.main.tensors[index].name,
            decibels(*sums[index]),
        )
        for position, index in layers
    )


def layers_of(model: Model, made: Written) -> list[tuple[int, int]]:
    """Operators by position with their first output, where that is a float."""
    main = model.main
    return [
        (position, op.outputs[0])
        for position, op in enumerate(main.operators)
        if op.outputs
        and op.outputs[0] in made.tensors
        and main.tensors[op.outputs[0]].type.dtype == np.float32
    ]


def lost_most(layers: Sequence[LayerNoise]) -> Mapping[int, float]:
    """The dB lost at an operator: what it is below the worst before it."""
    lost: dict[int, float] = {}
    worst = layers[0].sqnr if layers else EXACT  # the input's own steps count for nobody
    for one in layers:
        lost[one.position] = max(0.0, worst - one.sqnr)
        worst = min(worst, one.sqnr)
    return lost
