"""Functions that rooms ask of those above them: found by name, loaded when first asked for.

Imports point down (``docs/architecture.md``). Where a room below asks one above all the same, the
row is here, and nowhere else.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: The module that has each function.
_HOOKS = {
    #: What a user's kernel asks of a 32-bit arena, on the emulated core: ``kernels/sizes.py``.
    "asked_on_core": "arenite.firmware.stock.sizes",
    #: What makes a model run that TFLM refuses: ``runtime/graph.py``.
    "remedies": "arenite.analysis.refusal",
    #: A thing as a notebook shows it: ``callable_modules.py``.
    "html": "arenite.report.page.notebook",
}


def call_above(function: str, *arguments: Any) -> Any:
    """Call a function of a room above."""
    return getattr(import_module(_HOOKS[function]), function)(*arguments)
