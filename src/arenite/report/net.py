"""The fields of a ``.mnn`` file's Net, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from arenite.model.text import printable


def render_net(facts: Mapping[str, Any]) -> Iterator[Text]:
    """A line per field, with its name in MNN's schema."""
    yield Text()
    yield Text("Net (MNN)", style="bold")
    width = max(map(len, facts))
    for name, value in facts.items():
        shown = ", ".join(value) if isinstance(value, list) else str(value)
        yield Text.assemble((f"  {name:{width}s}  ", "bold"), printable(shown) or "none")
