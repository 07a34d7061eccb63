"""Vega, which draws the charts: specifications compiled, and its script to put into a page.

Both come from the package vl-convert-python, which holds Vega and Vega-Lite and fetches nothing.
It runs them in V8, which ends the process where it gets no address space; so a child asks it.

Vega's own way to evaluate expressions is ``new Function``, which a page's security policy forbids;
its interpreter does without.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

from arenite.processes.children import EndedError, Service, how_it_ended
from arenite.processes.folders import scratch_folder
from arenite.processes.inside import serve

VEGA_LITE = "6.4"
#: Seconds that a chart may take; all of a page's take about two.
TIMEOUT = 60.0
_PACKAGE = "vl-convert-python"
#: What the page's script finds under ``globalThis.vega``; the places are ones inside of vl-convert.
_SNIPPET = """
import {{parse, View}} from "/npm/vega@{vega}/+esm";
import {{expressionInterpreter}} from "/npm/vega-interpreter@2.0.0/+esm";
globalThis.vega = {{View, parse, expr: expressionInterpreter}};
"""

Spec = dict[str, Any]


class Drawing(NamedTuple):
    """A page's charts.

    Attributes:
        charts: Vega's specifications in the order of Vega-Lite's; None where one is missing.
        script: Vega itself; empty where nothing is drawn.
        missing: Why charts are missing, by their positions.
    """

    charts: list[Spec | None]
    script: str
    missing: Mapping[int, str]


#: From Vega-Lite's specifications to a page's charts.
Draw = Callable[[Sequence[Spec]], Drawing]


def draw(specs: Sequence[Spec]) -> Drawing:
    """Charts by Vega, in a process of its own; nothing is raised, what fails is missing."""
    if find_spec("vl_convert") is None:
        reason = (
            f"{_PACKAGE}, which draws them, is not installed: "
            f"pip install '{_PACKAGE}>=1.9,<2' (the extra report)"
        )
        return _undrawn(len(specs), reason)
    with scratch_folder() as folder:
        service = Service(__name__, folder=folder, quiet=True)
        try:
            return _drawn(service, specs)
        finally:
            service.finish()


def _drawn(service: Service, specs: Sequence[Spec]) -> Drawing:
    script, reason = _answer(service, None)
    if reason:
        return _undrawn(len(specs), reason)
    found = [_answer(service, spec) for spec in specs]
    missing = {number: why for number, (_, why) in enumerate(found) if why}
    charts = [chart for chart, _ in found]
    return Drawing(charts, script if any(charts) else "", missing)


def _undrawn(count: int, reason: str) -> Drawing:
    return Drawing([None] * count, "", dict.fromkeys(range(count), reason))


def _answer(service: Service, question: Spec | None) -> tuple[Any, str]:
    """The child's answer, or why there is none; a child that has ended says so again."""
    start = time.monotonic()
    try:
        return service.ask(question, TIMEOUT), ""
    except EndedError as error:
        ended = how_it_ended(error.code)
        if time.monotonic() - start >= TIMEOUT:
            ended = f"takes over {TIMEOUT:.0f} s"
        return None, f"{_PACKAGE}, which draws them, {ended}{_limit()}"
    except Exception as error:  # the package's own, of any kind
        words = " ".join(str(error).split())
        return None, f"{_PACKAGE}, which draws them, raises {type(error).__name__}: {words}"


def _limit() -> str:
    """The limit of address space that ends V8, where there is one."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return ""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return ""
    return (
        f": `ulimit -v` allows {limit >> 10:,} KiB of address space, and V8 inside of it reserves "
        "more than 64 GiB; make the page without that limit to have them"
    )


# -- in the other process ----------------------------------------------------------------


def _begin() -> Callable[[Spec | None], Spec | str]:
    import vl_convert  # noqa: PLC0415 - an extra

    def answer(spec: Spec | None) -> Spec | str:
        if spec is None:
            snippet = _SNIPPET.format(vega=vl_convert.get_vega_version())
            return str(vl_convert.javascript_bundle(snippet, vl_version=VEGA_LITE))
        found: Spec = vl_convert.vegalite_to_vega(spec, vl_version=VEGA_LITE)
        return found

    return answer


def main(_: list[str]) -> int:
    """Answer until nobody asks."""
    serve(_begin)
    return 0
