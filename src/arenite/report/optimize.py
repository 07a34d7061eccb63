"""Wins of an optimisation, as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from arenite.analysis.optimization import Figures, Optimization
from arenite.model.text import printable
from arenite.optimize.outcome import Note
from arenite.report.memory_map import ASCII, UNICODE, draw_map
from arenite.report.text import Column, duration, number, table, wrapped

#: Notes of each kind that are shown without ``--verbose``.
_FEW = 3


def render_optimization(
    found: Optimization, width: int, *, verbose: bool = False
) -> Iterator[Text]:
    """A row per pass, what was changed and declined, how it was verified."""
    yield Text(printable(found.file or "(built)"), style="bold")
    yield from wrapped(f"{found.target}, overlap {found.overlap}", width)
    yield Text()
    yield from _passes(found, width, timed=verbose)
    for one in found.passes:
        if one.changes:
            yield Text()
            yield Text(one.name, style="bold")
            yield from _notes(one.changes, width, verbose=verbose)
    if found.declined:
        yield Text()
        yield Text("Declined", style="bold")
        yield from _notes(found.declined, width, verbose=verbose)
    yield Text()
    for other in found.elsewhere:
        yield from wrapped(f"But {other}.", width, style="yellow")
    yield from _difference(found, width)
    yield from _verification(found, width)


def render_maps(found: Optimization, width: int, *, ascii_only: bool = False) -> Iterator[Text]:
    """The plans of the head before and after."""
    glyphs = ASCII if ascii_only else UNICODE
    for title, one in (("before", found.original), ("after", found.result)):
        yield Text()
        yield Text(f"Head {title}: {number(one.head)} bytes", style="bold")
        yield from draw_map(one.buffers, width, glyphs=glyphs)


def _passes(found: Optimization, width: int, *, timed: bool) -> list[Text]:
    """Figures of the model after every pass that changed it; passes that did not have one line."""
    rows: list[tuple[str, Figures, str]] = [("original", found.original, "")]
    rows += [(one.name, one.after, duration(one.seconds)) for one in found.passes if one.is_change]
    result = found.result

    def column(heading: str, name: str, keep: int = 0) -> Column:
        # Of a model that does not run there is neither.
        has = [one.arena or name not in ("arena", "head") for _, one, _ in rows]
        values = [
            getattr(one, name) if known else None
            for (_, one, _), known in zip(rows, has, strict=True)
        ]
        cells = ["-" if value is None else number(value) for value in values]
        return Column(heading, [*cells, _saved(values[0], getattr(result, name))], "right", keep)

    columns = [
        Column("pass", [*(name for name, _, _ in rows), "saved"]),
        column("arena", "arena"),
        column("head", "head", 1),
        column("flash", "flash"),
        column("MACs", "macs", 2),
        column("cycles", "cycles", 3),
        column("operators", "operators", 4),
    ]
    if timed:
        columns.append(Column("time", [*(seconds for _, _, seconds in rows), ""], "right", 5))
    idle = [one.name for one in found.passes if not one.is_change]
    lines = table(columns, width)
    if idle:
        lines += wrapped(f"nothing to do: {', '.join(dict.fromkeys(idle))}", width, style="dim")
    return lines


def _saved(before: int | None, after: int | None) -> str:
    if before is None or after is None:
        return "-"
    return f"{(before - after) / before:.0%}" if before else "0%"


def _notes(notes: Sequence[Note], width: int, *, verbose: bool) -> Iterator[Text]:
    shown = notes if verbose else notes[:_FEW]
    for note in shown:
        yield from wrapped(f"  {printable(note.where)}: {printable(note.text)}", width, indent=4)
    rest = len(notes) - len(shown)
    if rest:
        yield Text(f"  and {rest} more, see --verbose", style="dim")


def _difference(found: Optimization, width: int) -> Iterator[Text]:
    """The distance of what was lowered from the original in LiteRT."""
    far = found.difference
    if far is None:
        return
    if far.skipped:
        yield from wrapped(f"Not compared with the original: {far.skipped}.", width, style="yellow")
        return
    far_by = "; ".join(
        f"{printable(one.name)} by {one.difference:.2g} of {one.largest:.3g} at most"
        for one in far.outputs
    )
    same = "equal bits in LiteRT" if far.is_exact else "not the same bits"
    yield from wrapped(
        f"Lowered: {same}. Outputs here differ from the original's in LiteRT, on {far.inferences} "
        f"inputs, extreme and random: {far_by}.",
        width,
        style="green" if far.is_exact else "yellow",
    )


def _verification(found: Optimization, width: int) -> Iterator[Text]:
    made = found.verification
    if made is None:
        text = "Not verified." if found.is_change else "The model is as it was."
        yield from wrapped(text, width, style="yellow" if found.is_change else "")
        return
    if made.unfinished:
        yield from wrapped(f"Not verified: {made.unfinished}.", width, style="yellow")
        return
    inner = f" and {made.tensors} tensors inside" if made.tensors else ""
    since = "equal bits of all passes behind lower" if found.difference else "equal bits"
    yield from wrapped(
        f"Verified: {since} on {made.inferences} inputs, extreme and random, for all outputs"
        f"{inner}, in {', '.join(made.ways)}.",
        width,
        style="green",
    )
    for reason in made.skipped:
        yield from wrapped(f"not in {printable(reason)}", width, style="yellow")
    if made.stand_ins:
        names = ", ".join(map(printable, made.stand_ins))
        yield from wrapped(f"something else computed in the place of {names}", width)
