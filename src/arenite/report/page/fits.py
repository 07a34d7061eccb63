"""Top of a report's page: whether the model fits, and what it takes without TFLM."""

from __future__ import annotations

from collections.abc import Iterator

from arenite.analysis.fit import Fit
from arenite.firmware.size import FirmwareSize
from arenite.report.firmware_size import needs_of, size_words
from arenite.report.fit import amount_or, details, verdict
from arenite.report.page.html import Html, folded, joined, table, tag
from arenite.report.page.terminal import paragraphs

_ENDLESS = 10_000


def fits(fit: Fit | None, exported: FirmwareSize | None, cycles: str = "") -> Html:
    """The verdict, needs next to limits and to an export's, what they are made of.

    Args:
        fit: What the model needs; nothing is said without it.
        exported: What it takes without TFLM.
        cycles: What stands for the time, where there is no clock.
    """
    if fit is None:
        return Html()
    banner = tag("div", joined(*_verdict(fit)), class_="verdict")
    return joined(banner, *_needs(fit, exported, cycles))


def _verdict(fit: Fit) -> Iterator[Html]:
    if fit.is_limited:
        yield paragraphs(verdict(fit, _ENDLESS))
        return
    command = tag("code", "arenite report MODEL --board NAME")
    yield tag("p", "What it needs; ", command, " says whether it fits a board.")


def _needs(fit: Fit, exported: FirmwareSize | None, cycles: str) -> Iterator[Html]:
    amounts = [need.amount for need in fit.needs]
    if fit.clock is None and cycles:
        amounts[-1] = cycles
    headings, columns = ["", "TFLM needs"], [amounts]
    if fit.is_limited:
        headings += ["limit", "left", ""]
        columns += [
            [amount_or(one.limit, one.unit) for one in fit.needs],
            [amount_or(one.left, one.unit) for one in fit.needs],
            [one.verdict for one in fit.needs],
        ]
    if exported is not None and not exported.reason:
        found = needs_of(exported, fit)
        headings.append("arenite export")
        columns.append([found.get(need.name, "") for need in fit.needs])
    rows = zip([one.name for one in fit.needs], *columns, strict=True)
    yield table("What it needs", headings, list(rows))
    words = [*details(fit), *([size_words(exported, fit)] if exported else [])]
    yield folded("What that is made of", [tag("p", one) for one in words])
