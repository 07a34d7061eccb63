"""The reasons for an operator's kernel, as a person reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from arenite.analysis.device import DeviceOperator
from arenite.analysis.explanation import Explanation
from arenite.cores import CORES, INSTRUCTION_NAMES
from arenite.library_facts import facts_of, usual_library
from arenite.model.text import printable
from arenite.report.text import Column, fit, number, table, wrapped

_VALUES = 3
_NAMES = 3  # columns without numbers that have a total
_NARROW = 60  # cells that names of operators and functions need in full
_PRODUCTS = ("SMLAD", "VMLADAVA", "VMUL", "SMLABB", "SMLATT", "SMLAL", "MLA")
_ORDER = (*_PRODUCTS, "SXTB16", "SXTAB16", "ROR", "PKHBT", "PKHTB", "VLDRB", "VSTRB")


@dataclass(frozen=True)
class Marks:
    """The marks of a condition that holds, and of one that does not."""

    holds: str = "✓"
    fails: str = "✗"


UNICODE = Marks()
ASCII = Marks("yes", "no ")


# -- all operators --------------------------------------------------------------------


def render_explanation(what: Explanation, width: int, marks: Marks = UNICODE) -> Iterator[Text]:
    """A row per operator; then every path that was taken, with what decided."""
    yield from heading(what, width)
    yield Text()
    yield from _operators(what, width)
    yield from _not_counted(what, width)
    for group in groups_of(what.operators):
        yield Text()
        yield from _group(what, group, width, marks)


def heading(what: Explanation, width: int) -> Iterator[Text]:
    """The file, the target."""
    yield Text(printable(what.file), style="bold")
    has = INSTRUCTION_NAMES[what.target.instructions]
    yield from wrapped(f"{what.target}; {has}", width)


def operator_lines(operator: DeviceOperator, width: int) -> Iterator[Text]:
    """One operator's number, name and function, in one line or two."""
    index = f"{operator.place}  "
    line = Text.assemble((index, "cyan"), (printable(operator.view.name), "bold"))
    function = Text(f"  {operator.function}")
    if line.cell_len + function.cell_len <= width:
        yield line + function
        return
    yield line
    yield Text(" " * len(index) + operator.function)


def _operators(what: Explanation, width: int) -> list[Text]:
    operators = what.operators
    counts = [what.instructions(operator) for operator in operators]
    totals = sum(counts, Counter[str]())
    names = [name for name, _ in totals.most_common()]
    shown = sorted(names, key=_importance)
    columns = [
        Column("#", [*(op.place for op in operators), ""], "right"),
        Column("operator", [*(printable(op.view.name) for op in operators), "total"], shrink=14),
        Column(
            "function",
            [*(op.function for op in operators), ""],
            shrink=16 if width < _NARROW else 0,
        ),
        Column(
            "MACs",
            [
                *(number(op.macs) if op.macs is not None else "?" for op in operators),
                number(sum(op.macs or 0 for op in operators)),
            ],
            "right",
            keep=1,
        ),
        Column("scratch", [*(_scratch(op) for op in operators), ""], "right", keep=2),
        *(
            Column(
                name,
                [*(number(c[name]) if c[name] else "" for c in counts), number(totals[name])],
                "right",
                keep=3 + place,
            )
            for place, name in enumerate(shown)
        ),
    ]
    lines = table(columns, width)
    if len(fit(columns, width)) <= _NAMES:
        return lines[:-1]
    lines[-1].stylize("bold")
    return lines


def _not_counted(what: Explanation, width: int) -> Iterator[Text]:
    """Kinds of operators whose instructions are not known, if those of others are."""
    counts = [(op, what.instructions(op)) for op in what.operators]
    unknown = {op.view.name for op, count in counts if op.calls_library and not count}
    if unknown and any(count for _, count in counts):
        names = ", ".join(sorted(unknown))
        yield from wrapped(f"Instructions are not counted for {names}.", width, style="dim")


def _importance(name: str) -> tuple[int, str]:
    """Products first, then requantisation, then what widens and moves."""
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)


def _scratch(operator: DeviceOperator) -> str:
    total = sum(request.size for request in operator.scratch)
    return number(total) if total else ""


# -- paths ----------------------------------------------------------------------------


def groups_of(operators: Sequence[DeviceOperator]) -> list[list[DeviceOperator]]:
    """Operators of one kind whose paths were decided in the same way."""
    groups: dict[Any, list[DeviceOperator]] = {}
    for operator in operators:
        path = operator.path
        asked = () if path is None else path.conditions
        stems = tuple((_stem(condition.sentence), condition.holds) for condition in asked)
        key = (operator.view.name, None if path is None else path.function, stems)
        groups.setdefault(key, []).append(operator)
    return list(groups.values())


def _group(
    what: Explanation, group: Sequence[DeviceOperator], width: int, marks: Marks
) -> Iterator[Text]:
    first = group[0]
    title = f"{first.view.name} {places_text(group)}: {first.function}"
    yield from wrapped(title, width, indent=4, style="bold")
    yield from why(what, group, width, marks)


def places_text(group: Sequence[DeviceOperator]) -> str:
    """Numbers of operators, behind those of other subgraphs than the main one theirs."""
    return ", ".join(
        _runs([one.index for one in group if one.subgraph == number])
        + (f" of subgraph {number}" if number else "")
        for number in dict.fromkeys(operator.subgraph for operator in group)
    )


def _runs(indices: Sequence[int]) -> str:
    """``0, 2, 4 to 9``."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return ", ".join(
        f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )


def why(
    what: Explanation, group: Sequence[DeviceOperator], width: int, marks: Marks
) -> Iterator[Text]:
    """Questions, with the answers of all operators of a group, and the calls."""
    path = group[0].path
    library = facts_of(what.target.library)
    if path is None and group[0].in_tflm and library.is_reference:
        usual = usual_library(CORES[what.target.processor].family)
        lacks = "" if usual.is_reference else f": {usual.title} is not linked"
        yield from wrapped(f"  TFLM's own kernel{lacks}.", width)
        return
    if path is None:
        name, is_there = group[0].view.name, group[0].in_tflm
        lacks = f"{library.title} kernel for {name}" if is_there else f"operator {name}"
        yield from wrapped(f"  TFLM has no {lacks}.", width)
        return
    if not path.is_library and not path.conditions:
        first = next(tensor for tensor in group[0].view.inputs if tensor is not None)
        yield from wrapped(f"  TFLM hands no {first.type} to {library.title} here.", width)
    asked_for = ""
    for place, condition in enumerate(path.conditions):
        if condition.function != asked_for:
            asked_for = condition.function
            yield from wrapped(f"  {asked_for} if", width)
        sentences = [op.path.conditions[place].sentence for op in group if op.path is not None]
        mark = marks.holds if condition.holds else marks.fails
        lines = wrapped(f"    {mark} {_merged(sentences)}", width, indent=5 + len(mark))
        lines[0].stylize("green" if condition.holds else "red", 4, 4 + len(mark))
        yield from lines
    if path.is_library and not path.conditions and len(path.calls) == 1:
        yield from wrapped(f"  the only one for {group[0].view.input(0).type}", width)
    elif len(path.calls) > 1 or not path.is_library:
        yield from wrapped("  calls " + " > ".join(path.calls), width, indent=8, style="dim")


def _stem(sentence: str) -> str:
    return sentence.partition(":")[0]


def _merged(sentences: Sequence[str]) -> str:
    """One sentence with the values of all: ``the filter is 1 x 1: 3 x 3, 5 x 5``."""
    stem, colon, _ = sentences[0].partition(":")
    values = list(dict.fromkeys(s.partition(":")[2].strip() for s in sentences))
    more = ", ..." if len(values) > _VALUES else ""
    return stem + colon + (" " + ", ".join(values[:_VALUES]) + more if colon else "")
