"""Comments in assembly: what a function does and is called with, what every block goes through."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

#: By a label's name, without the numbers and letters that tell blocks of one function apart.
BLOCKS = {
    "channels": "the next channels",
    "columns": "the next columns",
    "done": "the average, rounded",
    "filled": "sums of the filters that are left over",
    "filters": "the next filters",
    "inputs": "the next inputs times their weights",
    "next": "the next four filters, or the last four again",
    "pairs": "the next pair of outputs",
    "piece": "the next piece",
    "pixels": "the next pixels",
    "positions": "the next positions",
    "quads": "the next four filters: sums that begin with their biases",
    "rows": "the next row",
    "segments": "the next part of the inputs",
    "steps": "the next step of a transform",
    "taps": "the next taps of the window",
    "tiles": "the next tile",
    "values": "the next values",
    "widen": "int8 to halfwords, in scratch memory",
    "words": "the next words",
}
_LABEL = re.compile(r"\.L(?P<label>\w+):")
_NUMBERED = re.compile(r"_(?:\d+|[a-z]{1,2})$")


def commented(text: str, name: str, about: str, parameters: Sequence[str]) -> str:
    """A function's text with a line in front of it and of each of its blocks."""
    words = [f"r{n} {one.rsplit(' ', 1)[-1].lstrip('*')}" for n, one in enumerate(parameters[:4])]
    head = f"@ {name}: {about}" if about else f"@ {name}"
    lines = [f"{head}; {', '.join(words)}", *_lines(text, name)]
    return "\n".join(lines) + "\n"


def _lines(text: str, name: str) -> Iterator[str]:
    for line in text.removesuffix("\n").split("\n"):
        if (label := _LABEL.fullmatch(line)) and (what := _block(label["label"], name)):
            yield f"@ {what}"
        yield line


def _block(label: str, name: str) -> str | None:
    stem = label.removeprefix(f"{name}_")
    return BLOCKS.get(stem) or BLOCKS.get(_NUMBERED.sub("", stem))
