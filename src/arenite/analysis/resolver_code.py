"""The C++ lines with which a firmware registers a model's operators.

Facts: TFLM ``micro/micro_mutable_op_resolver.h``, whose method names follow the
operators' names with a few exceptions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from arenite.model import Model, Operator
from arenite.ops import builtin, only_mnn_has
from arenite.ops.tflm_names import add_method


@dataclass(frozen=True)
class Resolver:
    """A ``MicroMutableOpResolver`` for one model.

    Attributes:
        operators: How many operators it holds: its template argument.
        lines: The C++ lines.
        missing: Operators of the model that TFLM does not have, those of ``.mnn`` files among
            them.
    """

    operators: int
    lines: tuple[str, ...]
    missing: tuple[str, ...]


def resolver(model: Model, own: Mapping[str, str] | None = None) -> Resolver:
    """The resolver that a firmware needs to run ``model``, each operator once.

    ``own``: a C++ pointer to the registration of each operator that has another one than TFLM's.
    """
    operators: dict[tuple[bool, str], Operator] = {}
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            operators.setdefault((operator.is_custom, operator.name), operator)
    calls = [_call(operator, (own or {}).get(operator.name)) for operator in operators.values()]
    known = [call for call in calls if call is not None]
    missing = tuple(
        operator.name
        for operator, call in zip(operators.values(), calls, strict=True)
        if call is None
    )
    return Resolver(
        operators=len(known),
        lines=(
            f"static tflite::MicroMutableOpResolver<{max(len(known), 1)}> resolver;",
            *(f"resolver.{call};" for call in known),
        ),
        missing=missing,
    )


def _call(operator: Operator, own: str | None = None) -> str | None:
    if not operator.is_custom:
        method = add_method(operator.name)
        return f"{method}({'' if own is None else f'*{own}'})" if method else None
    if own is not None:
        return f"AddCustom({_c_string(operator.name)}, {own})"
    if operator.name in _CUSTOM_METHODS:
        return f"{_CUSTOM_METHODS[operator.name]}()"
    if operator.name.startswith("Signal") and builtin(operator.name) is not None:
        return f"Add{operator.name.removeprefix('Signal')}()"
    if only_mnn_has(operator.name):
        return None
    function = re.sub(r"\W", "_", operator.name, flags=re.ASCII)
    return f"AddCustom({_c_string(operator.name)}, Register_{function}())"


def _c_string(text: str) -> str:
    """A C string literal; bytes that are not printable ASCII become octal escapes."""
    data = text.encode("utf-8", "surrogateescape")
    body = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in data
    )
    return f'"{body}"'


#: Methods for custom operators; those of the signal library are ``AddX`` for ``SignalX``.
_CUSTOM_METHODS = {
    "CIRCULAR_BUFFER": "AddCircularBuffer",
    "TFLM_DECODE": "AddDecode",
    "TFLite_Detection_PostProcess": "AddDetectionPostprocess",
    "ethos-u": "AddEthosU",
}
