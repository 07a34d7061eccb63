"""A graph's operators as native steps, with Python operators in between."""

from __future__ import annotations

from typing import TypeGuard

from arenite.native.program import Call, NativeTensor, Program, lib
from arenite.ops import Registration, builtin
from arenite.ops.context import Array
from arenite.runtime.graph import Graph, GraphHost, NodeAndRegistration, Profiler


class CompiledSubgraph:
    """The main subgraph: runs of native steps, and Python operators where there is no kernel.

    ``steps[i]`` is node i's step, or -1 where it runs in Python.
    """

    def __init__(self, graph: Graph, instruction_set: str | None = None) -> None:
        self._program = Program(instruction_set)
        self._entries = graph.nodes[0]
        self._subgraph = graph.model.main
        self._host: GraphHost = graph.host
        self.steps = [self._add(number, entry) for number, entry in enumerate(self._entries)]
        self._program.finish()
        self._runs = list(_runs(self.steps))

    def invoke(self) -> None:
        """Run all operators in order."""
        for begin, end, number in self._runs:
            if number < 0:
                self._program.run(begin, end)
            else:
                self._python(number)

    def invoke_profiled(self, profiler: Profiler) -> None:
        """Run all operators in order, one by one."""
        for number, entry in enumerate(self._entries):
            event = profiler.begin_event(entry.node.name)
            try:
                self.invoke_node(number)
            finally:
                profiler.end_event(event)

    def invoke_node(self, number: int) -> None:
        """Run one operator."""
        step = self.steps[number]
        if step < 0:
            self._python(number)
        else:
            self._program.run(step, step + 1)

    def call(self, arena: tuple[Array, Array] | None = None) -> Call | None:
        """The whole subgraph as one C call, where there is nothing to do in Python.

        ``arena``: see :meth:`Program.call`.
        """
        if any(step < 0 for step in self.steps) or not self.steps:
            return None
        self._host.enter_node(0, 0)
        sources, targets = (
            [self._host.get_eval_tensor(index).data for index in ports]
            for ports in (self._subgraph.inputs, self._subgraph.outputs)
        )
        # A model may name a constant as its output, or no tensor at all.
        if not _are_own(sources) or not _are_own(targets):
            return None
        return self._program.call(sources, targets, arena)

    def kernel(self, number: int) -> str:
        """What runs node ``number``: an instruction set, or ``"python"``."""
        step = self.steps[number]
        return "python" if step < 0 else self._program.describe(step)

    def _python(self, number: int) -> None:
        entry = self._entries[number]
        self._host.enter_node(0, number)
        entry.registration.invoke(self._host, entry.node)

    def _add(self, number: int, entry: NodeAndRegistration) -> int:
        if not _is_own(entry.registration):
            return -1
        self._host.enter_node(0, number)
        indices = (*entry.node.outputs, *entry.node.inputs, -1, -1, -1)
        tensors = [self._tensor(index) for index in indices]
        added = self._program.add(entry.node.name, entry.node.params, tensors)
        return len(self._program) - 1 if added else -1

    def _tensor(self, index: int) -> NativeTensor:
        if index < 0:
            return NativeTensor(None, lib.AR_ABSENT, (), False)
        tensor = self._host.get_eval_tensor(index)
        constant = tensor.data is not None and not tensor.data.flags.writeable
        return NativeTensor(tensor.data, int(tensor.type), tensor.shape, constant)


def _is_own(registration: Registration) -> bool:
    """Whether a registration is Arenite's: a user's own one must run as it is."""
    own = builtin(registration.name)
    return own is not None and own.invoke is registration.invoke


def _are_own(arrays: list[Array | None]) -> TypeGuard[list[Array]]:
    """Whether there are arrays, all of them of the interpreter's own memory."""
    return bool(arrays) and all(a is not None and a.flags.writeable for a in arrays)


def _runs(steps: list[int]) -> list[tuple[int, int, int]]:
    """``(begin, end, -1)`` for native steps in a row, ``(0, 0, node)`` for a Python one."""
    runs: list[tuple[int, int, int]] = []
    for number, step in enumerate(steps):
        if step < 0:
            runs.append((0, 0, number))
        elif runs and runs[-1][2] < 0:
            runs[-1] = (runs[-1][0], step + 1, -1)
        else:
            runs.append((step, step + 1, -1))
    return runs
