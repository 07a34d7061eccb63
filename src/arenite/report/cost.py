"""The cost of an inference as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from arenite.analysis.model_cost import ModelCost, kind_of, why_incomplete
from arenite.libraries.costs import Cost, Line
from arenite.model.text import printable
from arenite.report.explain import operator_lines
from arenite.report.text import Column, number, table, wrapped
from arenite.target import OPTIMIZE

_BAR = 20


# -- text -----------------------------------------------------------------------------


def render_cost(cost: ModelCost, width: int, bar: str = "█") -> Iterator[Text]:
    """A row per operator, the total, how far to trust it."""
    yield from _heading(cost, width)
    yield Text()
    yield from _operators(cost, width, bar)
    if len(cost.missing) < len(cost.operators):
        yield from _accuracy(cost, width, cost.accuracy.instructions)
    if cost.once:
        names = ", ".join(dict.fromkeys(printable(one.view.name) for one in cost.once))
        yield from wrapped(f"{names} runs in the first inference alone: not in the total.", width)
    reason = why_incomplete(cost)
    if reason is not None:
        yield Text()
        yield from wrapped(reason, width, style="yellow")
    for body in cost.bodies:
        least = "" if body.complete else "at least "
        text = f"{number(body.instructions)} instructions, {number(body.cycles)} cycles"
        yield from wrapped(f"One pass of subgraph {body.subgraph} takes {least}{text}.", width)


def render_operator_cost(cost: ModelCost, index: int, width: int, bar: str = "█") -> Iterator[Text]:
    """A row per level of one operator's loops."""
    operator, one = cost.operators[index], cost.costs[index]
    yield from _heading(cost, width)
    yield Text()
    yield from operator_lines(operator, width)
    if one is None:
        yield Text()
        text = f"There is no estimate for {kind_of(operator)}: it was not measured."
        yield from wrapped(text, width, style="yellow")
        return
    yield Text()
    yield from _loops(one, width, bar)
    error = cost.errors[index]
    if error is None:
        yield from _accuracy(cost, width, cost.accuracy.operator)
        return
    yield from _accuracy(cost, width, max(error.worst, cost.accuracy.operator))
    yield from wrapped(
        f"On {error.layers} random layers of its kind instructions were off by {error.median:.1%} "
        f"in the median and by {error.worst:.1%} at worst.",
        width,
    )


def _heading(cost: ModelCost, width: int) -> Iterator[Text]:
    yield Text(printable(cost.file), style="bold")
    clock = "" if cost.clock is None else f"; {cost.clock:g} MHz"
    level = "" if cost.target.optimize != OPTIMIZE else f", -{OPTIMIZE}"
    yield from wrapped(f"{cost.target}{clock}{level}", width)


def _operators(cost: ModelCost, width: int, bar: str) -> list[Text]:
    costs = cost.costs
    instructions = [number(one.instructions) if one is not None else "?" for one in costs]
    cycles = [number(one.cycles) if one is not None else "?" for one in costs]
    times = [
        _time(cost.milliseconds(place)) if one is not None else "?"
        for place, one in enumerate(costs)
    ]
    once = {operator.index for operator in cost.once}
    shares = [cost.share(one) if one is not None else 0.0 for one in costs]
    macs = [number(op.macs) if op.macs is not None else "?" for op in cost.operators]
    known_times = [cost.milliseconds(place) for place in range(len(costs))]
    total = None if cost.clock is None else sum(one for one in known_times if one is not None)
    known = len(costs) - len(cost.missing)
    label = f"total of {known - len(once)}" if cost.missing else "total"
    for column in (instructions, cycles, times):
        column[:] = ["-" if n in once else cell for n, cell in enumerate(column)]
    columns = [
        Column("#", [*(str(op.index) for op in cost.operators), ""], "right"),
        Column("operator", [*(printable(op.view.name) for op in cost.operators), label], shrink=14),
        Column("function", [*(op.function for op in cost.operators), ""], keep=2),
        Column(
            "MACs", [*macs, number(sum(op.macs or 0 for op in cost.operators))], "right", keep=4
        ),
        Column("instructions", [*instructions, number(cost.instructions)], "right", keep=1),
        Column("cycles", [*cycles, number(cost.cycles)], "right"),
        *([] if cost.clock is None else [Column("ms", [*times, _time(total)], "right")]),
        Column("", [*(_bar(share, bar) for share in shares), ""], keep=3, style="green"),
    ]
    lines = table(columns, width)
    lines[-1].stylize("bold")
    return lines


def _loops(one: Cost, width: int, bar: str) -> list[Text]:
    """Functions and below them their loops, the dearest first."""
    rows: list[tuple[str, Sequence[Line]]] = []
    for function, lines in _by_function(one):
        rows.append((function, lines))
        rows += [(f"  {line.loop.step}", [line]) for line in lines]
    rows.append(("total", one.lines))
    instructions = [sum(line.instructions for line in lines) for _, lines in rows]
    cycles = [sum(line.cycles for line in lines) for _, lines in rows]
    single = [text.startswith(" ") for text, _ in rows]
    each = [
        f"{lines[0].instructions / lines[0].loop.times:.4g}" if alone else ""
        for (_, lines), alone in zip(rows, single, strict=True)
    ]
    passes = [
        number(lines[0].loop.times) if alone else ""
        for (_, lines), alone in zip(rows, single, strict=True)
    ]
    bars = [
        _bar(count / max(one.cycles, 1), bar) if alone else ""
        for count, alone in zip(cycles, single, strict=True)
    ]
    columns = [
        Column("one pass of", [text for text, _ in rows], shrink=20),
        Column("passes", passes, "right"),
        Column("each", each, "right", keep=2),
        Column("instructions", [number(round(n)) for n in instructions], "right", keep=1),
        Column("cycles", [number(round(n)) for n in cycles], "right"),
        Column("", bars, keep=3, style="green"),
    ]
    texts = table(columns, width)
    for text, alone in zip(texts[1:], single, strict=True):
        text.stylize("" if alone else "bold")
    return texts


def _by_function(one: Cost) -> list[tuple[str, list[Line]]]:
    groups: dict[str, list[Line]] = {}
    for line in sorted(one.lines, key=lambda line: -line.cycles):
        groups.setdefault(line.loop.function, []).append(line)
    return sorted(groups.items(), key=lambda group: -sum(line.cycles for line in group[1]))


def _accuracy(cost: ModelCost, width: int, instructions: float) -> Iterator[Text]:
    yield Text()
    text = (
        f"An estimate: instructions within {instructions:.0%}, checked against an emulator that "
        f"counts them; cycles within {cost.accuracy.cycles:.0%} by the rule for its pipeline, "
        "without waits for memory."
    )
    yield from wrapped(f"{text} {whole_time(cost)}", width)


def whole_time(cost: ModelCost) -> str:
    """The time of an inference on the device, as ``arenite fit`` says it."""
    span = cost.span
    if cost.clock is None:
        low, high = (number(round(cost.cycles * end)) for end in span[:2])
        takes = f"{low} to {high} cycles with waits"
    else:
        takes = cost.time().amount
    if cost.missing:
        return "How long the whole inference takes is not known."
    words = f"The whole inference takes {takes}: {span.words}, as {span.why}."
    return f"{words} Milliseconds are the middle." if cost.clock is not None else words


def _time(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "-"
    return f"{milliseconds:,.3f}" if milliseconds < 100 else f"{milliseconds:,.1f}"


def _bar(share: float, bar: str) -> str:
    return bar * round(_BAR * share)
