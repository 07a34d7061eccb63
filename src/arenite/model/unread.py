"""Data of a file that LiteRT reads and TFLM does not: bytes behind the FlatBuffer.

``Buffer.offset`` and ``Operator.large_custom_options_offset`` are LiteRT's alone
(``interpreter_builder.cc``). TFLM takes such a tensor for one without data
(``micro_allocator.cc``, ``GetFlatbufferTensorBuffer``): it computes with what the arena holds.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.errors import ModelError
from arenite.model.model import Model
from arenite.model.text import printable

_MOST = 3


def require_read(model: Model) -> None:
    """Check that TFLM reads all of a model's data.

    Raises:
        ModelError: Some lie behind the FlatBuffer; says which, and what moves them inside.
    """
    if not model.behind:
        return
    names = ", ".join(map(printable, model.behind[:_MOST]))
    more = len(model.behind) - _MOST
    others = f" and {more} more" if more > 0 else ""
    source = printable(model.source or "IN.tflite")
    raise ModelError(
        f"TFLM does not read {names}{others}: their bytes lie behind the FlatBuffer "
        "(Buffer.offset, large_custom_options_offset), where LiteRT alone looks. "
        f"`arenite optimize {source} -o OUT.tflite` moves them inside"
    )


def moved_inside(model: Model) -> Model:
    """The model as a file that is written of it: all data are in the FlatBuffer."""
    return replace(model, behind=()) if model.behind else model
