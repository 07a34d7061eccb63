"""Whether a model fits, as GitHub shows it: annotations of a workflow, and a table for its summary.

Facts: GitHub's workflow commands (``::error title=...::message``), in which ``%``, ends of lines
and, in properties, ``:`` and ``,`` are escaped.
"""

from __future__ import annotations

from collections.abc import Iterator

from arenite.analysis.fit import Fit
from arenite.analysis.needs import Need, amount
from arenite.errors import RefusedError
from arenite.model.text import printable

_LEVELS = {"fits": "notice", "does not fit": "error", "not known": "warning", "marginal": "warning"}


def annotation(fit: Fit) -> str:
    """One line that GitHub shows beside the file: the outcome, and every need with a limit."""
    needs = [one for one in fit.needs if one.limit is not None]
    words = "; ".join(f"{one.name} {one.amount} of {_limit(one)}: {one.verdict}" for one in needs)
    where = f" on {fit.board.name}" if fit.board else f" on {fit.target.processor}"
    text = f"{printable(fit.file)}{where}: {fit.outcome}. {words}"
    properties = f"file={_property(fit.file)},title={_property(f'arenite fit: {fit.outcome}')}"
    return f"::{_LEVELS[fit.outcome]} {properties}::{_data(text)}"


def refused_annotation(file: str, error: RefusedError) -> str:
    """One line that GitHub shows beside a file that TFLM refuses."""
    words = f"{error.verdict} {error.remedy}".rstrip()
    properties = f"file={_property(file)},title={_property('arenite fit: does not run')}"
    return f"::error {properties}::{_data(f'{printable(file)}: does not run. {words}')}"


def summary(fit: Fit) -> Iterator[str]:
    """A table in Markdown."""
    board = f"{fit.board.name} ({fit.board.chip}), " if fit.board else ""
    yield f"### {_cell(fit.file)}: {fit.outcome}"
    yield ""
    yield _cell(f"{board}{fit.target}")
    yield ""
    yield "| | needs | limit | left | |"
    yield "|---|--:|--:|--:|---|"
    for one in fit.needs:
        left = "" if one.left is None else amount(one.left, one.unit)
        yield f"| {one.name} | {one.amount} | {_limit(one)} | {left} | {one.verdict} |"
    yield ""


def _limit(need: Need) -> str:
    return "" if need.limit is None else amount(need.limit, need.unit)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _cell(text: str) -> str:
    """A name in Markdown: nothing in it is markup."""
    return "".join(f"\\{one}" if one in "\\`*_{}[]<>()#+!|~" else one for one in printable(text))
