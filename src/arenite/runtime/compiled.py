"""A graph's operators as native steps, with Python operators in between."""

from __future__ import annotations

from functools import partial
from threading import Lock
from typing import TypeGuard

from arenite.memory.budget import Budget
from arenite.native.program import ABSENT, Call, NativeTensor, Program, address_of
from arenite.ops.context import Array
from arenite.runtime.graph import Graph, GraphHost, NodeAndRegistration, Profiler
from arenite.runtime.turn import Turn


class CompiledSubgraph:
    """The main subgraph: runs of native steps, and Python operators where there is no kernel.

    ``steps[i]`` is node i's step, or -1 where it runs in Python.
    """

    def __init__(
        self, graph: Graph, instruction_set: str | None = None, *, budget: Budget | None = None
    ) -> None:
        self._program = Program(instruction_set)
        self._graph = graph
        self._entries = graph.nodes[0]
        self._subgraph = graph.model.main
        self._host: GraphHost = graph.host
        self.steps = [self._add(number, entry) for number, entry in enumerate(self._entries)]
        if budget is not None:
            budget.take(self._program.packed_bytes, "packed weights and workspace")
        self._program.finish()
        self._ends = _ends(self.steps)
        self._lock = Lock()

    def invoke(self, first: int = 0) -> None:
        """Run node ``first`` and all behind it, in order.

        A kernel that does not take the data leaves its node to the one in Python, which
        computes what is legal and refuses the rest in words.
        """
        number = first
        while number < len(self.steps):
            begin, end = self.steps[number], self._ends[number]
            if begin >= 0:
                number += self._program.run(begin, begin + end - number) - begin
            if number < end or begin < 0:
                self._python(number)
                number += 1

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
        if step < 0 or self._program.run(step, step + 1) == step:
            self._python(number)

    def call(self, turn: Turn, arena: tuple[Array, Array] | None = None) -> Call | None:
        """The whole subgraph as one C call, where there is nothing to do in Python.

        ``turn``: the arena's.
        ``arena``: the interpreter's memory and a copy of it to run in, see
        :meth:`Program.call`.
        """
        if any(step < 0 for step in self.steps) or not self.steps:
            return None
        self._host.enter_node(0, 0)
        inputs, outputs = (
            [self._host.get_eval_tensor(index).data for index in ports]
            for ports in (self._subgraph.inputs, self._subgraph.outputs)
        )
        # A model may name a constant as its output, or no tensor at all.
        if not _are_own(inputs) or not _are_own(outputs):
            return None
        if arena is None:
            return self._program.call(inputs, outputs, self._resume, turn)
        return self._program.call(
            [_twin(array, *arena) for array in inputs],
            [_twin(array, *arena) for array in outputs],
            partial(self._resume_in, *arena),
            turn,
            arena,
        )

    @property
    def program(self) -> Program:
        """The native steps."""
        return self._program

    @property
    def nbytes(self) -> int:
        """Bytes outside of the arena: packed constants and the kernels' workspace."""
        return self._program.nbytes

    @property
    def workspace_bytes(self) -> int:
        """Bytes of the kernels' workspace, of which every thread needs its own."""
        return self._program.workspace_bytes

    def kernel(self, number: int) -> str:
        """What runs node ``number``: an instruction set, or ``"python"``."""
        step = self.steps[number]
        return "python" if step < 0 else self._program.describe(step)

    def _resume(self, step: int) -> None:
        """Run a step in Python and all behind it."""
        number = self.steps.index(step)
        self._python(number)
        self.invoke(number + 1)

    def _resume_in(self, own: Array, copy: Array, step: int) -> None:
        """The same for a thread that works in ``copy``: Python knows the tensors in ``own``."""
        with self._lock:
            before = own.copy()
            own[...] = copy
            try:
                self._resume(step)
                copy[...] = own
            finally:
                own[...] = before

    def _python(self, number: int) -> None:
        self._graph.invoke_node(0, number)

    def _add(self, number: int, entry: NodeAndRegistration) -> int:
        kernel = entry.registration.kernel_for(entry.node)
        if not kernel:
            return -1
        self._host.enter_node(0, number)
        outputs, inputs = (
            [ABSENT if index < 0 else self._tensor(index) for index in indices]
            for indices in (entry.node.outputs, entry.node.inputs)
        )
        added = self._program.add(kernel, entry.node.params, outputs, inputs)
        return len(self._program) - 1 if added else -1

    def _tensor(self, index: int) -> NativeTensor:
        tensor = self._host.get_eval_tensor(index)
        constant = tensor.data is not None and not tensor.data.flags.writeable
        return NativeTensor(tensor.data, int(tensor.type), tensor.shape, constant)


def _are_own(arrays: list[Array | None]) -> TypeGuard[list[Array]]:
    """Whether there are arrays, all of them of the interpreter's own memory."""
    return bool(arrays) and all(a is not None and a.flags.writeable for a in arrays)


def _twin(array: Array, own: Array, copy: Array) -> Array:
    """The same place in a copy of the memory that an array lies in."""
    start = address_of(array) - address_of(own)
    return copy[start : start + array.nbytes].view(array.dtype).reshape(array.shape)


def _ends(steps: list[int]) -> list[int]:
    """For every node the first one behind it that runs in Python."""
    ends: list[int] = []
    end = len(steps)
    for number in reversed(range(len(steps))):
        end = number if steps[number] < 0 else end
        ends.append(end)
    return ends[::-1]
