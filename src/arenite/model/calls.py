"""Calls of subgraphs, and the check that none leads back to its caller.

Facts: TFLM ``kernels/if.cc``, ``while.cc``, ``call_once.cc`` and ``micro_allocation_info.cc``.
TFLM does not look for recursion: planning its memory overflows the stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from arenite.errors import ModelError
from arenite.model.model import Model, Operator

#: Calls may be so deep: TFLM's planner and its inference call themselves for every level.
MAX_DEPTH = 64
#: Operators and calls of an inference that takes every branch and loop once. TFLM's planner, an
#: export and a report walk through them one by one; a small file may have 2**40.
MAX_SCOPES = 200_000

#: Options of the operators that call subgraphs, in calling order.
_CALLS = {
    "IF": ("then_subgraph_index", "else_subgraph_index"),
    "CALL_ONCE": ("init_subgraph_index",),
    "WHILE": ("cond_subgraph_index", "body_subgraph_index"),
}


def calls_of(operator: Operator) -> tuple[int, ...]:
    """The subgraphs that an operator calls, in order; -1 where its options do not say."""
    names = _CALLS.get(operator.name)
    if names is None or operator.is_custom:  # as of nearly all
        return ()
    return tuple(int(getattr(operator.options, name, -1)) for name in names)


class _Call(NamedTuple):
    """An operator calls a subgraph: the two subgraphs, and the operator's place."""

    caller: int
    called: int
    place: str


class _Walk(NamedTuple):
    """A walk over a subgraph and all that it calls: levels of calls, and scopes."""

    depth: int
    scopes: int


def check_calls(model: Model) -> None:
    """Check that called subgraphs exist, and that no call leads back to its caller.

    An inference begins at the main subgraph or at that of a signature.

    Raises:
        ModelError: Names the operator, and the way back to it.
    """
    _walks(model, _entries(model))


def check_inference(model: Model, entry: int | None = None) -> None:
    """The same, and that an inference's memory can be planned: whatever walks all calls ends.

    Args:
        model: Its calls are counted, not followed one by one.
        entry: The subgraph where an inference begins; by default all that :func:`check_calls`
            looks at.

    Raises:
        ModelError: See :func:`check_calls`; or all branches and loops, each run once, are more
            than ``MAX_SCOPES`` operators and calls.
    """
    walks = _walks(model, _entries(model) if entry is None else [entry])
    most = max(walks, key=lambda number: walks[number].scopes, default=0)
    if walks and walks[most].scopes > MAX_SCOPES:
        raise ModelError(
            f"over {MAX_SCOPES:,} operators and calls of subgraphs would run in one inference that "
            f"takes every branch and loop once; at most {MAX_SCOPES:,} are allowed",
            path=f"$.subgraphs[{most}]",
        )


def _entries(model: Model) -> list[int]:
    signatures = (one.subgraph for one in model.signatures)
    return [0, *(one for one in signatures if 0 <= one < len(model.subgraphs))]


def _walks(model: Model, entries: Iterable[int]) -> dict[int, _Walk]:
    """A walk for every subgraph that is reached from the entries; none where nobody calls."""
    names = [op.name for subgraph in model.subgraphs for op in subgraph.operators]
    if _CALLS.keys().isdisjoint(names):
        return {}
    calls = [list(_calls_in(model, number)) for number in range(len(model.subgraphs))]
    if not any(calls):
        return {}
    sizes = [len(one.operators) for one in model.subgraphs]
    walks: dict[int, _Walk] = {}
    for entry in entries:
        if entry not in walks:
            walks[entry] = _walk(calls, sizes, entry, [], walks)
    return walks


def _calls_in(model: Model, number: int) -> Iterator[_Call]:
    count = len(model.subgraphs)
    for position, operator in enumerate(model.subgraphs[number].operators):
        for called in calls_of(operator):
            place = f"$.subgraphs[{number}].operators[{position}]"
            if not 0 <= called < count:
                raise ModelError(
                    f"{operator.name}: expected a subgraph from 0 to {count - 1}, got {called}",
                    path=f"{place}.builtin_options",
                )
            yield _Call(number, called, place)


def _walk(
    calls: list[list[_Call]],
    sizes: list[int],
    number: int,
    way: list[_Call],
    walks: dict[int, _Walk],
) -> _Walk:
    """The walk over a subgraph, which was reached on a way of calls; each is counted once."""
    depth, scopes = 0, sizes[number]
    for call in calls[number]:
        callers = [one.caller for one in (*way, call)]
        if call.called in callers:
            back = [one.place for one in (*way, call)][callers.index(call.called) :]
            raise ModelError(
                f"subgraph {call.called} calls itself, by way of {', '.join(back)}; there is no "
                "recursion in TFLM",
                path=call.place,
            )
        if call.called not in walks and len(way) < MAX_DEPTH:
            walks[call.called] = _walk(calls, sizes, call.called, [*way, call], walks)
        inner = walks.get(call.called, _Walk(0, 0))
        depth, scopes = max(depth, 1 + inner.depth), scopes + 1 + inner.scopes
        if len(way) + depth > MAX_DEPTH:
            raise ModelError(f"calls of subgraphs are over {MAX_DEPTH} deep", path=call.place)
    return _Walk(depth, scopes)
