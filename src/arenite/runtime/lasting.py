"""Values that outlast an allocation and belong to no signature alone, as in LiteRT.

Facts: LiteRT ``core/interpreter.cc`` (one map of resources, and one of initialised subgraphs, for
all subgraphs), ``core/subgraph.cc`` (``AllocateTensors`` takes one subgraph's tensors anew),
``kernels/call_once.cc``. In TFLM every CALL_ONCE remembers for itself whether it has run, and
resource variables live as long as their arena.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arenite.errors import ConstraintError
from arenite.memory.arena import Bytes
from arenite.ops import Array
from arenite.ops.registry import traits_of
from arenite.ops.resource_variables import ResourceVariable

if TYPE_CHECKING:
    from arenite.runtime.graph import Graph

_Names = tuple[str | None, str | None]


class Lasting:
    """Values of an interpreter that a new allocation takes over from the one before."""

    def __init__(self) -> None:
        #: State of all CALL_ONCE of a subgraph: one, whichever of them runs first.
        self._calls: dict[int, list[Bytes]] = {}
        self._variables: dict[_Names, Bytes] = {}
        self._tensors: dict[tuple[int, int], Array] = {}
        self._resized: set[int] = set()
        #: Whether an inference may have assigned variables.
        self.has_run = False

    def resize(self, subgraph: int) -> None:
        """This subgraph's tensors begin anew with the next allocation."""
        self._resized.add(subgraph)

    def share_calls(self, graph: Graph, states: dict[tuple[int, int], list[Bytes]]) -> None:
        """Let all operators that run a subgraph once have one state, the former one if any."""
        for key, state in states.items():
            node = graph.entry(key[1], key[0]).node
            if traits_of(node.name).runs_once:
                called = node.options.init_subgraph_index
                states[key] = self._calls.setdefault(called, state)

    def save(self, graph: Graph) -> None:
        """Remember the values of an allocation that is about to end."""
        for one in _variables(graph) if self.has_run else ():
            if one.buffer is not None:
                self._variables[one.container, one.shared_name] = one.buffer
        for number, tensors in enumerate(graph.host.tensors):
            declared = graph.model.subgraphs[number].tensors
            for index, (tensor, now) in enumerate(zip(declared, tensors, strict=True)):
                if now.data is not None and (tensor.is_variable or not tensor.is_constant):
                    self._tensors[number, index] = now.data

    def restore(self, graph: Graph) -> None:
        """Give a new allocation the values of the one before.

        Raises:
            ConstraintError: A resource variable would have another size than its value.
        """
        for one in _variables(graph):
            value = self._variables.get((one.container, one.shared_name))
            if value is None or one.buffer is None:
                continue
            if value.size != one.buffer.size:
                raise ConstraintError(
                    f"resource variable {one.shared_name!r} holds {value.size} bytes, and "
                    f"operators would now assign {one.buffer.size}: variables keep their size; "
                    "resize the input before the first inference, or make a new interpreter"
                )
            one.buffer[...] = value
        for (number, index), data in self._tensors.items():
            now = graph.host.tensors[number][index].data
            if number in self._resized or now is None or not now.flags.writeable:
                continue
            if now.shape == data.shape:
                now[...] = data
        self._tensors.clear()
        self._resized.clear()


def _variables(graph: Graph) -> list[ResourceVariable]:
    found = graph.resource_variables
    return [] if found is None else found.variables
