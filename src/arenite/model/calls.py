"""Calls of subgraphs, and the check that none leads back to its caller.

Facts: TFLM ``kernels/if.cc``, ``while.cc``, ``call_once.cc`` and ``micro_allocation_info.cc``.
TFLM does not look for recursion: planning its memory overflows the stack.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from arenite.errors import ModelError
from arenite.model.model import Model, Operator

#: Calls may be so deep: TFLM's planner and its inference call themselves for every level.
MAX_DEPTH = 64

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


def check_calls(model: Model) -> None:
    """Check that called subgraphs are there, and that no call leads back to its caller.

    Raises:
        ModelError: Names the operator, and the way back to it.
    """
    names = [op.name for subgraph in model.subgraphs for op in subgraph.operators]
    if _CALLS.keys().isdisjoint(names):
        return
    calls = [list(_calls_in(model, number)) for number in range(len(model.subgraphs))]
    if any(calls):
        _depth(calls, 0, [], {})


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


def _depth(calls: list[list[_Call]], number: int, way: list[_Call], depths: dict[int, int]) -> int:
    """The depth of calls below a subgraph, which was reached on a way of calls."""
    depth = 0
    for call in calls[number]:
        callers = [one.caller for one in (*way, call)]
        if call.called in callers:
            back = [one.place for one in (*way, call)][callers.index(call.called) :]
            raise ModelError(
                f"subgraph {call.called} calls itself, by way of {', '.join(back)}; there is no "
                "recursion in TFLM",
                path=call.place,
            )
        if call.called not in depths and len(way) < MAX_DEPTH:
            depths[call.called] = _depth(calls, call.called, [*way, call], depths)
        depth = max(depth, 1 + depths.get(call.called, 0))
        if len(way) + depth > MAX_DEPTH:
            raise ModelError(f"calls of subgraphs are over {MAX_DEPTH} deep", path=call.place)
    return depth
