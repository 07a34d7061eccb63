"""Results that nobody should ship unseen: how poor is too poor, and what to try.

The limits are from data: MLPerf Tiny's published int8 files have 14.6 to 31.5 dB next to their
float models, and the one of 14.6 dB is a classifier in use. So the task's own measure decides where
there is one: accuracy with labels, else the share of samples with the float model's class.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from arenite.model.model import Array
from arenite.quantize.judge import LayerNoise, lost_most
from arenite.quantize.outcome import Floating, Report

#: Fewer decibels are poor: the noise has a fifth of the signal's size.
LEAST_SQNR = 15.0
#: A classifier is none the poorer for it if so many samples have the float model's class.
LEAST_AGREEMENT = 0.95
#: Accuracy may drop by so much, and by so many standard errors.
_MOST_DROP, _ERRORS = 0.05, 2.0
#: So many layers are named.
_NAMED = 3


def agreement_of(outputs: Sequence[Array], others: Sequence[Array]) -> float | None:
    """The share of samples with one class in both; None where the output is no row of scores."""
    if len(outputs) != 1 or not len(outputs[0]):
        return None
    ours, theirs = (one.reshape(len(one), -1) for one in (outputs[0], others[0]))
    long_axes = sum(n > 1 for n in outputs[0].shape[1:])
    if ours.shape[1] < 2 or long_axes > 1:
        return None
    return float((ours.argmax(axis=1) == theirs.argmax(axis=1)).mean())


def why_poor(report: Report) -> str:
    """Reason to call a result poor, with its layers and what to try; empty if it is not."""
    what = _verdict(report.sqnr, report.agreement, report.scores, report.judged)
    if not what:
        return ""
    kind = report.settings.activations
    return (
        f"the {kind} model is poor: {what}{_layers(report.layers, report.floating)}. Try "
        f"{', '.join(_cures(report))}; --accept takes it as it is"
    )


def _verdict(
    sqnr: float,
    agreement: float | None,
    scores: Mapping[str, tuple[float, float]],
    samples: int,
) -> str:
    if "accuracy" in scores:
        ours, theirs = scores["accuracy"]
        error = math.sqrt(max(ours * (1 - ours), 1 / max(samples, 1)) / max(samples, 1))
        if ours - theirs > max(_MOST_DROP, _ERRORS * error):
            return f"{theirs:.1%} of the samples are right, {ours:.1%} in float"
        return ""
    if sqnr >= LEAST_SQNR or (agreement is not None and agreement >= LEAST_AGREEMENT):
        return ""
    what = f"its outputs have an SQNR of {sqnr:.1f} dB, expected at least {LEAST_SQNR:g}"
    if agreement is not None:
        what += f", and {agreement:.0%} of the samples have the float model's class"
    return what


def _layers(layers: Sequence[LayerNoise], floating: Sequence[Floating]) -> str:
    """The layers where most is lost, in words."""
    kept = {one.position for one in floating}
    lost = lost_most(layers)
    worst = sorted((n for n in lost if n not in kept), key=lambda n: -lost[n])[:_NAMED]
    by_place = {one.position: one for one in layers}
    each = [f"{by_place[n].name} {n} to {by_place[n].sqnr:.1f} dB" for n in worst if lost[n] >= 1]
    return f"; most is lost at {', '.join(each)}" if each else ""


def _cures(report: Report) -> list[str]:
    found = []
    if report.settings.activations == "int8":
        found.append("--activations int16")
    lost = lost_most(report.layers)
    if lost:
        found.append(f"--keep-float {max(lost, key=lambda n: lost[n])}")
    if "round" not in report.settings.passes:
        found.append("--passes ranges,smooth,round,correct")
    if report.samples < 100:
        found.append("more samples (100 to 1,000)")
    return found


def slower_than_float(report: Report) -> str:
    """A word on integers that take longer than floats on the target; empty where they do not."""
    before, after = report.before.cycles, report.after.cycles
    if before is None or after is None or after <= before:
        return ""
    return (
        f"an inference takes {after:,.0f} cycles, {before:,.0f} in float: on this target the "
        "integers save memory alone"
    )
