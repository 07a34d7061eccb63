"""An evaluation, as a person reads it."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence

from rich.text import Text

from arenite.analysis.evaluation.result import ClassScore, Evaluation, LeftOut, Resumed, Score
from arenite.model.text import printable
from arenite.report.text import Column, duration, number, table, wrapped

#: So many classes have a confusion matrix and a row each; of more, the worst are named.
_MOST_CLASSES, _WORST = 12, 10
#: So many samples that are left out are named.
_MOST_LEFT_OUT = 10
#: Names over a matrix are cut to so many characters.
_NAME = 8
_PERCENT = ("accuracy", "top-")


def render_evaluation(found: Evaluation, width: int) -> Iterator[Text]:
    """Metrics of every engine side by side, then classes, confusions and what to know."""
    title = f"{number(found.samples)} samples of {printable(found.data)}"
    if found.inferences != found.samples:
        title += f", {number(found.inferences)} inferences"
    yield from wrapped(title, width, style="bold")
    if found.pixels:
        yield from wrapped(found.pixels, width)
    yield Text()
    yield from _metrics(found.scores, width)
    yield Text()
    yield from wrapped(_speed(found), width)
    if len(found.scores) > 1:
        yield Text()
        yield from _differences(found, width)
    if found.confusion is not None:
        yield Text()
        yield from _classes(found.score, found.classes, width)
    yield from _notes(found, width)
    yield from _left_out(found.left_out, width)
    if found.resumed is not None:
        yield Text()
        yield from _resumed(found.resumed, width)


def _metrics(scores: Sequence[Score], width: int) -> list[Text]:
    names = list(dict.fromkeys(name for one in scores for name in one.metrics))
    rows = [(name, [_shown(name, one.metrics.get(name)) for one in scores]) for name in names]
    if all(one.latency is not None for one in scores):
        rows.append(("one call", [_latency(one) for one in scores]))
    columns = [Column("", [name for name, _ in rows], style="cyan")]
    for place, one in enumerate(scores):
        cells = [cells[place] for _, cells in rows]
        columns.append(Column(printable(one.label), cells, "right", shrink=24))
    return table(columns, width)


def _shown(name: str, value: float | None) -> str:
    if value is None:
        return ""
    if math.isnan(value):
        return "unknown"
    if any(part in name for part in _PERCENT):
        return f"{value:.2%}"
    return f"{value:.5f}" if name == "auc" else f"{value:.5g}"


def _latency(one: Score) -> str:
    assert one.latency is not None
    return f"{duration(one.latency.median)}, p90 {duration(one.latency.p90)}"


def _speed(found: Evaluation) -> str:
    """Samples in a second, and what is in it."""
    if math.isnan(found.per_second):
        return "All samples were evaluated before."
    who = "1 engine" if len(found.scores) == 1 else f"{len(found.scores)} engines"
    if found.score.latency is None:
        who += f" in {len(found.scale.workers)} workers, their start included"
    return f"Read and computed by {who}: {number(round(found.per_second))} samples/s."


def _differences(found: Evaluation, width: int) -> Iterator[Text]:
    other, different, unequal = found.scores[1], found.different(), found.unequal()
    of = f"of {number(found.samples)} samples"
    if found.score.predicted is None:
        yield from wrapped(f"{number(unequal)} {of} differ.", width)
        return
    text = f"{number(len(different))} {of} are of another class with {printable(other.label)}"
    if len(different):
        more = ", ..." if len(different) > _WORST else ""
        text += f" ({', '.join(map(str, different[:_WORST]))}{more})"
    yield from wrapped(f"{text}; {number(unequal)} have any score that differs.", width)


def _classes(score: Score, names: Sequence[str], width: int) -> Iterator[Text]:
    if len(names) <= _MOST_CLASSES:
        lines = _matrix(score, names)
        if max(line.cell_len for line in lines) <= width:
            yield from lines
            return
    worst = sorted(score.classes, key=_badness)[:_WORST]
    yield Text(f"The {len(worst)} classes that are found least, of {len(names)}:", style="bold")
    yield from table(_class_columns(worst), width)
    yield Text()
    yield from _worst_confusions(score, names, width)


def _badness(one: ClassScore) -> float:
    return math.inf if math.isnan(one.recall) else one.recall


def _class_columns(classes: Sequence[ClassScore]) -> list[Column]:
    return [
        Column("class", [printable(one.name) for one in classes], shrink=12),
        Column("samples", [number(one.samples) for one in classes], "right"),
        Column("found", [_share(one.recall) for one in classes], "right"),
        Column("right", [_share(one.precision) for one in classes], "right"),
        Column("auc", [_auc(one.auc) for one in classes], "right", keep=1),
    ]


def _share(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.1%}"


def _auc(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.5f}"


def _matrix(score: Score, names: Sequence[str]) -> list[Text]:
    """A row per right class; what lies on the diagonal is right."""
    assert score.confusion is not None
    rows = score.confusion.tolist()
    short = [_cut(name) for name in names]
    head = Column("right \\ said", [printable(name) for name in names], shrink=12)
    said = [
        Column(name, [str(row[place]) if row[place] else "." for row in rows], "right")
        for place, name in enumerate(short)
    ]
    lines = table([head, *said, *_class_columns(score.classes)[2:]], 1 << 16)
    lines[0].stylize("bold")
    return lines


def _cut(name: str) -> str:
    shown = printable(name)
    return shown if len(shown) <= _NAME else shown[: _NAME - 1] + "…"


def _worst_confusions(score: Score, names: Sequence[str], width: int) -> Iterator[Text]:
    assert score.confusion is not None
    pairs = [
        (count, right, said)
        for right, row in enumerate(score.confusion.tolist())
        for said, count in enumerate(row)
        if count and right != said
    ]
    if not pairs:
        yield Text("No class is taken for another.", style="bold")
        return
    worst = sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2]))[:_WORST]
    yield Text(f"The most frequent confusions, of {number(len(pairs))} that occur:", style="bold")
    columns = [
        Column("right", [printable(names[right]) for _, right, _ in worst], shrink=12),
        Column("said", [printable(names[said]) for _, _, said in worst], shrink=12),
        Column("samples", [number(count) for count, _, _ in worst], "right"),
    ]
    yield from table(columns, width)


def _notes(found: Evaluation, width: int) -> Iterator[Text]:
    said = (*found.notes, *(note for one in found.scores for note in one.notes))
    notes = list(dict.fromkeys(said))
    if found.ignored:
        notes.append(f"{found.ignored} files of other kinds lie between them, which were not read")
    if found.scale.pools:
        lost, again = number(found.scale.pools), number(found.scale.again)
        notes.append(
            f"Workers were lost ({lost} times) and replaced; {again} chunks were done again"
        )
    if found.better_order:
        yield Text()
        yield from _order(found, width)
    if notes:
        yield Text()
    for note in notes:
        yield from wrapped(f"{note}.", width, style="yellow")


def _order(found: Evaluation, width: int) -> Iterator[Text]:
    """Another order of the classes, and what to type for it."""
    yield from wrapped(
        f"Another order of the classes fits much better: {found.better_accuracy:.2%} instead of "
        f"{found.accuracy:.2%}. If it is the order of the outputs, add:",
        width,
        style="bold yellow",
    )
    names = [printable(name) for name in found.better_order]
    if any("," in name for name in names):
        yield from wrapped(f"--labels FILE, with a line for each of {'; '.join(names)}", width)
        return
    yield Text(f"  --labels {shlex.quote(','.join(names))}")


def _left_out(samples: Sequence[LeftOut], width: int) -> Iterator[Text]:
    if not samples:
        return
    yield Text()
    what = "1 sample was" if len(samples) == 1 else f"{number(len(samples))} samples were"
    text = f"{what} left out, which could not be read or computed:"
    yield from wrapped(text, width, style="bold yellow")
    for one in samples[:_MOST_LEFT_OUT]:
        said = one.reason if one.name in one.reason else f"{one.name}: {one.reason}"
        yield from wrapped(f"  {printable(f'{one.index}: {said}')}", width)
    if len(samples) > _MOST_LEFT_OUT:
        yield from wrapped(
            f"  ... and {number(len(samples) - _MOST_LEFT_OUT)} more, see --json", width
        )


def _resumed(resumed: Resumed, width: int) -> Iterator[Text]:
    file = printable(resumed.file)
    if resumed.cut:
        yield from wrapped(
            f"{number(resumed.cut)} bytes of an unfinished chunk were cut off.", width
        )
    yield from wrapped(
        f"{number(resumed.samples)} samples were taken from {file}, which is complete now: a "
        "further run prints these scores at once.",
        width,
    )
