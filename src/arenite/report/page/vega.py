"""Vega, which draws the charts: specifications compiled, and its script to put into a page.

Both come from the package vl-convert-python, which holds Vega and Vega-Lite and fetches nothing.
Vega's own way to evaluate expressions is ``new Function``, which a page's security policy forbids;
its interpreter does without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from arenite.errors import AreniteError

VEGA_LITE = "6.4"
#: What the page's script finds under ``globalThis.vega``; the places are ones inside of vl-convert.
_SNIPPET = """
import {{parse, View}} from "/npm/vega@{vega}/+esm";
import {{expressionInterpreter}} from "/npm/vega-interpreter@2.0.0/+esm";
globalThis.vega = {{View, parse, expr: expressionInterpreter}};
"""

Spec = dict[str, Any]


class ReportError(AreniteError):
    """A page cannot be made: what draws its charts is not installed."""


class Drawer(NamedTuple):
    """Library that a page needs: from a Vega-Lite specification to Vega's, and its script."""

    compiled: Callable[[Mapping[str, Any]], Spec]
    script: Callable[[], str]


def drawer() -> Drawer:
    """Vega.

    Raises:
        ReportError: It is not installed.
    """
    try:
        import vl_convert  # noqa: PLC0415 - an extra
    except ImportError:
        raise ReportError(
            "a report needs vl-convert-python: pip install 'vl-convert-python>=1.9,<2' "
            "(the extra report)"
        ) from None

    def compiled(spec: Mapping[str, Any]) -> Spec:
        found: Spec = vl_convert.vegalite_to_vega(dict(spec), vl_version=VEGA_LITE)
        return found

    return Drawer(compiled, _script)


@lru_cache(maxsize=1)
def _script() -> str:
    import vl_convert  # noqa: PLC0415 - an extra

    snippet = _SNIPPET.format(vega=vl_convert.get_vega_version())
    return str(vl_convert.javascript_bundle(snippet, vl_version=VEGA_LITE))
