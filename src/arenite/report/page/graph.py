"""A model's subgraphs: operators from top to bottom, tensors as lines beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arenite.analysis.overview import Overview
from arenite.analysis.statistics import OperatorStatistics
from arenite.model import Model, Operator, Subgraph
from arenite.model.model import tensor_text
from arenite.model.text import printable
from arenite.ops.registry import traits_of
from arenite.report.model import options_text
from arenite.report.page.html import Html, joined, shortened, tag, tip
from arenite.report.page.lanes import INPUTS, OUTPUTS, Row, rows_of
from arenite.report.text import name_text, number

#: Rows of the page, of all subgraphs together, and lanes beside them.
MOST_ROWS, MOST_LANES = 250, 8
_LANE, _HEIGHT = 14, 48


def graph_section(facts: Overview) -> Html:
    """All subgraphs, the main one first, as far as there is room."""
    room = MOST_ROWS
    parts: list[Html] = []
    for index, subgraph in enumerate(facts.model.subgraphs):
        if len(facts.model.subgraphs) > 1:
            title = f"Subgraph {index} {printable(subgraph.name)}".rstrip()
            parts.append(tag("h3", title))
        mine = [one for one in facts.statistics.operators if one.subgraph == index]
        parts.append(_list(facts.model, index, mine, room))
        room = max(room - len(subgraph.operators), 0)
    left_out = max(len(facts.statistics.operators) - MOST_ROWS, 0)
    if left_out:
        words = f"{number(left_out)} more operators are not drawn; arenite info lists them."
        parts.append(tag("p", words, class_="note"))
    return joined(*parts)


def _list(model: Model, index: int, stats: Sequence[OperatorStatistics], room: int) -> Html:
    subgraph = model.subgraphs[index]
    rows = [row for row in rows_of(subgraph) if row.operator < room]
    lines = [line for row in rows for line in (*row.above, *row.passing, *row.below)]
    lanes = min(max((lane for lane, _ in lines), default=0) + 1, MOST_LANES)
    by_index = {one.index: one for one in stats}
    items = [_item(subgraph, index, row, by_index, lanes) for row in rows]
    label = f"Operators of subgraph {index}, in the order in which they run"
    return tag("ol", items, class_="graph", aria_label=label)


def _item(
    subgraph: Subgraph,
    index: int,
    row: Row,
    stats: Mapping[int, OperatorStatistics],
    lanes: int,
) -> Html:
    if row.operator < 0:
        ports = subgraph.inputs if row.operator == INPUTS else subgraph.outputs
        word = "inputs" if row.operator == INPUTS else "outputs"
        rows = {name_text(subgraph.tensors[i].name): _tensor(subgraph, i) for i in ports}
        said = ", ".join(tensor_text(subgraph.tensors[i]) for i in ports)
        head = [tag("b", word), " ", tag("span", said, class_="shape")]
        small = ", ".join(name_text(subgraph.tensors[i].name) for i in ports)
        return _line(_lanes(row, lanes), (head, small), rows, id=None, class_="k-port", tabindex=0)
    operator, one = subgraph.operators[row.operator], stats[row.operator]
    outputs = ", ".join(tensor_text(subgraph.tensors[i]) for i in operator.outputs if i >= 0)
    head = [
        tag("span", str(row.operator), class_="index"),
        tag("b", printable(operator.name)),
        " ",
        tag("span", outputs, class_="shape"),
    ]
    words = [options_text(operator)]
    words += [f"{number(one.parameters)} parameters"] if one.parameters else []
    words += [f"{number(one.macs)} MACs"] if one.macs else []
    kind = traits_of(operator.name).drawn
    tips = dict(_tips(subgraph, operator, row.operator))
    more: dict[str, str | int | None] = {
        "id": f"op-{index}-{row.operator}",
        "class_": f"k-{kind}",
        "tabindex": -1,
    }
    return _line(_lanes(row, lanes), (head, ", ".join(filter(None, words))), tips, **more)


def _tips(subgraph: Subgraph, operator: Operator, place: int) -> Iterator[tuple[str, str]]:
    yield "operator", f"{place} {operator.name}" + (" (custom)" if operator.is_custom else "")
    inputs = [i for i in operator.inputs if i >= 0]
    for count, i in enumerate(inputs[:6]):
        yield f"input {count}", _tensor(subgraph, i)
    if len(inputs) > 6:
        yield "more inputs", str(len(inputs) - 6)
    for count, i in enumerate([i for i in operator.outputs if i >= 0][:4]):
        yield f"output {count}", _tensor(subgraph, i)
    options = options_text(operator)
    if options:
        yield "options", options


def _tensor(subgraph: Subgraph, index: int) -> str:
    tensor = subgraph.tensors[index]
    kind = " constant" if tensor.is_constant else " variable" if tensor.is_variable else ""
    return f"{tensor_text(tensor)}{kind} {shortened(name_text(tensor.name))}"


def _line(
    lanes: Html,
    words: tuple[Sequence[str], str],
    tips: Mapping[str, str],
    **attributes: str | int | None,
) -> Html:
    head, small = words
    said = tag("div", tag("div", head, class_="name"), tag("div", small, class_="dim"))
    return tag("li", lanes, said, data_tip=tip(tips), **attributes)


def _lanes(row: Row, lanes: int) -> Html:
    """The lines beside one row: what passes, what ends at its mark, what goes on from there."""

    def x(lane: int) -> int:
        return _LANE // 2 + _LANE * min(lane, lanes - 1)

    def way(tensor: int, path: str, class_: str | None = None) -> Html:
        return tag("path", d=path, data_tensor=tensor, class_=class_)

    here, middle = x(row.lane), _HEIGHT // 2
    read_again = {lane for lane, _ in row.below} & {lane for lane, _ in row.above}
    parts = [way(i, f"M{x(lane)} 0V{_HEIGHT}", "by") for lane, i in row.passing]
    for lane, i in row.above:
        parts.append(way(i, f"M{x(lane)} 0C{x(lane)} {middle - 8} {here} 8 {here} {middle}"))
        if lane in read_again and x(lane) != here:
            parts.append(way(i, f"M{x(lane)} 0V{_HEIGHT}"))
    for lane, i in row.below:
        if (lane, i) in row.above and x(lane) != here:
            continue  # it passed
        bend = f"C{here} {_HEIGHT - 8} {x(lane)} {middle + 8} {x(lane)} {_HEIGHT}"
        parts.append(way(i, f"M{here} {middle}{bend}"))
    mark = tag("circle", cx=here, cy=middle, r=4 if row.operator in (INPUTS, OUTPUTS) else 5)
    width = _LANE * lanes
    return tag(
        "svg",
        *parts,
        mark,
        width=width,
        height=_HEIGHT,
        viewBox=f"0 0 {width} {_HEIGHT}",
        aria_hidden="true",
    )
