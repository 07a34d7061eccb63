"""Size of a model without TFLM, as a person reads it."""

from __future__ import annotations

from arenite.analysis.fit import Fit, outcome_of
from arenite.firmware.size import FirmwareSize

_VERDICTS = {
    "fits": "it fits",
    "does not fit": "it does not fit",
    "not known": "whether it fits is not known",
    "marginal": "marginal",
}


def size_words(size: FirmwareSize, fit: Fit) -> str:
    """RAM, flash and time of an export in a sentence, and its own verdict."""
    if size.reason:
        return f"without TFLM: arenite export cannot write it: {size.reason.rstrip('.')}."
    needs = size.needs(fit)
    words = []
    for one in needs:
        parts = ", ".join(f"{name} {value:,.0f}" for name, value in one.parts.items())
        more = "; ".join(text for text in (parts if len(one.parts) > 1 else "", one.note) if text)
        if one.name == "time" and size.cycles is not None:
            more = f"{size.cycles / 1e6:,.3g} M cycles of computing; {more}"
        words.append(f"{one.name} {one.amount}" + (f" ({more})" if more else ""))
    verdict = f". An export has its own verdict: {_judged(size, fit)}" if fit.is_limited else ""
    return f"without TFLM, as arenite export writes it: {'; '.join(words)}{verdict}."


def _judged(size: FirmwareSize, fit: Fit) -> str:
    needs = size.needs(fit)
    outcome = outcome_of(needs)
    kind = {"does not fit": "exceeds", "not known": "unknown", "marginal": "marginal"}.get(outcome)
    names = " and ".join(one.name for one in needs if one.verdict == kind)
    return _VERDICTS[outcome] + (f": {names}" if names else "")


def needs_of(size: FirmwareSize, fit: Fit) -> dict[str, str]:
    """RAM, flash and, where it is known, time, named as a fit's needs are."""
    found = {one.name: one.amount for one in size.needs(fit)}
    if fit.clock is None and size.cycles is not None:
        found["time"] = f"{size.cycles / 1e6:,.3g} M cycles of computing"
    return found
