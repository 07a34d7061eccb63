"""What one pass of a loop costs, by processor, function and step: instructions and cycles.

Modules are found by their names: ``X_cortex_m4`` adds rows to those of ``cortex_m4``;
``errors_cortex_m4`` says how far estimates were off, in percent of instructions.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

Steps = dict[str, dict[str, tuple[float, float]]]
#: By kernel: the median and the worst error in percent, and on how many layers.
Errors = dict[str, tuple[float, float, int]]

_FAMILIES = (
    "",
    "activations_",
    "comparisons_",
    "conversions_",
    "custom_",
    "float32_",
    "integers_",
    "moves_",
    "nested_moves_",
    "recurrent_",
    "signal_",
    "windows_",
)
_MODULES = {f"cortex-m{number}": f"cortex_m{number}" for number in (4, 7, 55)}


def _tables(module: str) -> Steps:
    names = (f"{__name__}.{family}{module}" for family in _FAMILIES)
    steps: Steps = {}
    for name in names:
        if find_spec(name) is not None:
            steps |= import_module(name).STEPS
    return steps


def _errors(module: str) -> Errors:
    errors: Errors = import_module(f"{__name__}.errors_{module}").ERRORS
    return errors


STEPS: dict[str, Steps] = {name: _tables(module) for name, module in _MODULES.items()}
ERRORS: dict[str, Errors] = {name: _errors(module) for name, module in _MODULES.items()}
