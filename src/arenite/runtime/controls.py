"""Operators that run others, as controls of a native program: who is copied where, and when.

What their kernels in Python say (``ops/tflite/if_.py`` and so on), as data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from arenite.memory.arena import Bytes
from arenite.model import Subgraph
from arenite.native.steps import CALL_ONCE, IF, NOTHING, WHILE, Part
from arenite.native.tensors import AnyTensor, bytes_of_memory
from arenite.ops import Node
from arenite.ops.shared.control_flow import HAS_RUN

Pairs = list[tuple[AnyTensor, AnyTensor]]


class Control(NamedTuple):
    """Arguments of :meth:`arenite.native.program.Program.add_control`."""

    kind: int
    flag: AnyTensor
    parts: tuple[Part, ...] = ()


class Place(NamedTuple):
    """Surroundings of a node: tensors and steps of all subgraphs, and its state.

    ``tensors(subgraph, indices)`` and ``steps(subgraph)``, which are ``[begin, end)``.
    """

    subgraph: int
    subgraphs: Sequence[Subgraph]
    tensors: Callable[[int, Sequence[int]], list[AnyTensor]]
    steps: Callable[[int], tuple[int, int]]
    state: Sequence[Bytes]

    def inputs(self, subgraph: int) -> list[AnyTensor]:
        """A subgraph's inputs."""
        return self.tensors(subgraph, self.subgraphs[subgraph].inputs)

    def outputs(self, subgraph: int) -> list[AnyTensor]:
        """A subgraph's outputs."""
        return self.tensors(subgraph, self.subgraphs[subgraph].outputs)


def is_control(name: str) -> bool:
    """Whether a kernel of that name is a control, where it is not for Python."""
    return name in _CONTROLS


def control_of(name: str, node: Node, place: Place) -> Control | None:
    """An operator as a control; None for one that only Python can run."""
    return _CONTROLS[name](node, place)


def _if(node: Node, place: Place) -> Control | None:
    flag, *given = place.tensors(place.subgraph, node.inputs)
    taken = place.tensors(place.subgraph, node.outputs)
    parts = []
    for called in (node.options.then_subgraph_index, node.options.else_subgraph_index):
        before, after = _paired(given, place.inputs(called)), _paired(place.outputs(called), taken)
        if before is None or after is None:
            return None
        parts.append(Part(*place.steps(called), before, after))
    return Control(IF, flag, tuple(parts))


def _while(node: Node, place: Place) -> Control | None:
    condition, body = node.options.cond_subgraph_index, node.options.body_subgraph_index
    given, values = (place.tensors(place.subgraph, side) for side in (node.inputs, node.outputs))
    asked = place.inputs(condition)
    pairs = (
        _paired(given, asked),
        _paired(given, values),
        _paired(values, place.inputs(body)),
        _paired(place.outputs(body), values),
        _paired(values, asked),
    )
    start, keep, enter, leave, ask = pairs
    if start is None or keep is None or enter is None or leave is None or ask is None:
        return None
    flag = place.outputs(condition)[0]
    parts = (
        Part(*place.steps(condition), [*start, *keep]),
        Part(*place.steps(body), enter, [*leave, *ask]),
    )
    return Control(WHILE, flag, parts)


def _call_once(node: Node, place: Place) -> Control:
    has_run = place.state[0][HAS_RUN : HAS_RUN + 1]
    flag = bytes_of_memory(has_run)
    return Control(CALL_ONCE, flag, (Part(*place.steps(node.options.init_subgraph_index)),))


def _var_handle(node: Node, place: Place) -> Control:
    return Control(NOTHING, place.tensors(place.subgraph, node.outputs)[0])


def _paired(sources: list[AnyTensor], targets: list[AnyTensor]) -> Pairs | None:
    """Every source with its target; None where their numbers differ."""
    return list(zip(sources, targets, strict=True)) if len(sources) == len(targets) else None


_CONTROLS: dict[str, Callable[[Node, Place], Control | None]] = {
    "IF": _if,
    "WHILE": _while,
    "CALL_ONCE": _call_once,
    "VAR_HANDLE": _var_handle,
}
