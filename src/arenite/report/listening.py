"""Words that a model heard, as a person reads them: times, words and scores."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from arenite.analysis.engines.listening import Listening
from arenite.model.text import printable
from arenite.report.text import Column, duration, number, table, wrapped


def render_listening(heard: Listening, width: int) -> Iterator[Text]:
    """The sound and its windows, a row per word, time."""
    yield Text(printable(heard.file), style="bold")
    yield from wrapped(str(heard.target), width)
    yield Text()
    yield Text.assemble(("in   ", "cyan"), printable(heard.origin))
    if heard.front_end:
        yield Text.assemble(("by   ", "cyan"), printable(heard.front_end))
    yield Text(f"     {number(heard.windows)} windows of {_windows(heard)}", style="dim")
    yield Text()
    if heard.words:
        yield from _words(heard, width)
    else:
        yield Text("     nothing was heard")
    yield Text()
    yield _time(heard)


def _windows(heard: Listening) -> str:
    size, step = (1000 * n / heard.rate for n in (heard.window, heard.step))
    return f"{size:.4g} ms, one every {step:.4g} ms"


def _words(heard: Listening, width: int) -> list[Text]:
    words = heard.words
    columns = [
        Column("", ["   "] * len(words)),
        Column("from", [f"{word.begin:.2f} s" for word in words], "right"),
        Column("to", [f"{word.end:.2f} s" for word in words], "right", keep=2),
        Column("#", [str(word.ranked.index) for word in words], "right", keep=1),
        Column("word", [printable(word.ranked.label) for word in words], shrink=12),
        Column("score", [f"{word.ranked.value:.3f}" for word in words], "right"),
    ]
    return table(columns, width)


def _time(heard: Listening) -> Text:
    speed = heard.duration / heard.seconds if heard.seconds else 0.0
    noun = "inference" if heard.inferences == 1 else "inferences"
    text = (
        f"{duration(heard.seconds)} for {number(heard.inferences)} {noun}, {speed:.0f} times as "
        f"fast as the sound, {heard.engine} engine"
    )
    return Text.assemble(("time  ", "bold"), text)
