"""A graph's operators as native steps, with Python operators in between."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeGuard

from arenite.memory.arena import ARENA_ALIGNMENT, Bytes
from arenite.memory.budget import Budget
from arenite.model import Model, TensorType
from arenite.model.calls import calls_of
from arenite.native.call import Call
from arenite.native.program import Program
from arenite.native.tensors import ABSENT, AnyTensor, NativeTensor, address_of, twin
from arenite.ops.context import Array
from arenite.runtime.call_budget import CallBudget
from arenite.runtime.controls import Place, control_of, is_control
from arenite.runtime.exclusive import Turn
from arenite.runtime.fusion import SECOND, Pairs
from arenite.runtime.graph import Graph, GraphHost

if TYPE_CHECKING:
    from arenite.runtime.batched_rows import SideBySide


#: The operator that is several kernels, where it is not for Python.
NPU = "ethos-u"


class CompiledGraph:
    """The main subgraph, ``entries`` and all they call: native steps, or Python without kernels.

    Every node has a step; those of the main subgraph come first. ``steps[i]`` is that of the main
    subgraph's node i, or -1 where it runs in Python.
    """

    def __init__(
        self,
        graph: Graph,
        instruction_set: str | None = None,
        *,
        budget: Budget | None = None,
        threads: int = 1,
        entries: Sequence[int] = (),
    ) -> None:
        self._program = program = Program(instruction_set, threads)
        self._graph = graph
        self._host: GraphHost = graph.host
        self._side_by_side: SideBySide | None = None
        self._asked_for_rows = False
        self._pairs = Pairs(graph)
        self._ranges: dict[int, tuple[int, int]] = {}
        self._places: list[tuple[int, int]] = []
        for subgraph in _reachable(graph.model, entries):
            begin = len(self._places)
            self._places += ((subgraph, number) for number in range(len(graph.nodes[subgraph])))
            self._ranges[subgraph] = begin, len(self._places)
        native = []
        for place in self._places:
            native.append(self._add(*place))
            if not native[-1]:
                program.add_python()
        self.steps = [step if native[step] else -1 for step in range(self._ranges[0][1])]
        self._is_native = all(native)
        if budget is not None:
            budget.take(program.packed_bytes, "packed weights and workspace")
        program.finish(main_steps=len(self.steps))
        self._lock = Lock()

    def limit_calls(self, budget: CallBudget | None) -> None:
        """Take calls of subgraphs from a budget, if there is one, from now on."""
        self._program.limit_calls(None if budget is None else budget.left)

    def invoke(self) -> None:
        """Run all nodes, in order.

        A kernel that does not take the data leaves its node to the one in Python, which
        computes what is legal and refuses the rest in words.

        Raises:
            InferenceAborted: An operator has ended the inference.
        """
        self._program.invoke(self._python)

    def invoke_profiled(self) -> None:
        """Run all operators in order, one by one, and so those that they call."""
        graph, before = self._graph, self._graph.runner
        graph.runner = self
        try:
            graph.invoke_subgraph(0)
        finally:
            graph.runner = before

    def invoke_node(self, number: int) -> None:
        """Run one operator of the main subgraph, and all that it calls."""
        self._walk(number, number + 1)

    # -- what operators of the graph call

    def run_subgraph(self, subgraph: int) -> None:
        """Run a subgraph's operators for a node in Python, which a walk may have come to."""
        self._program.walk_anew(*self._ranges[subgraph], self._python)

    def has(self, subgraph: int) -> bool:
        """Whether a subgraph is part of the program."""
        return subgraph in self._ranges

    def run_node(self, subgraph: int, number: int) -> None:
        """Run one operator; one that calls others in Python, which runs these one by one."""
        step = self._ranges[subgraph][0] + number
        if self._program.is_whole(step):
            self._walk(step, step + 1)
        else:
            self._graph.invoke_node(subgraph, number)

    def call(self, turn: Turn, arena: tuple[Array, Array] | None = None) -> Call | None:
        """A whole inference as one C call, where there is nothing to do in Python.

        ``turn``: the arena's.
        ``arena``: the interpreter's memory and a copy of it to run in, see
        :meth:`Program.call`.
        """
        if not self._is_native or not self.steps:
            return None
        main, tensors = self._graph.model.main, self._host.tensors[0]
        inputs, outputs = (
            [tensors[index].data for index in ports] for ports in (main.inputs, main.outputs)
        )
        # A model may name a constant as its output, or no tensor at all.
        if not outputs or not _are_own(inputs) or not _are_own(outputs):
            return None
        if arena is None:
            return self._program.call(inputs, outputs, self._python, turn)
        return self._program.call(
            [twin(array, *arena) for array in inputs],
            [twin(array, *arena) for array in outputs],
            partial(self._python_in, *arena),
            turn,
            arena,
            params=self._params_in(*arena),
        )

    def _params_in(self, own: Array, copy: Array) -> dict[int, Any]:
        """Parameters of steps that have others in a copy of the arena."""
        found = {}
        for step, (subgraph, number) in enumerate(self._places):
            entry = self._graph.nodes[subgraph][number]
            native = entry.registration.native
            if native is None or native.in_copy is None or not self._program.is_kernel(step):
                continue
            self._host.enter_node(subgraph, number)
            params = native.in_copy(entry.node, own, copy)
            if params is not None:
                found[step] = params
        return found

    def side_by_side(self, head: Bytes) -> SideBySide | None:
        """Engine for several samples at once, where that can be; ``head`` is the plan's memory.

        Made when it is first asked for.
        """
        from arenite.runtime.batched_rows import side_by_side  # noqa: PLC0415 - for batches only

        if not self._asked_for_rows:
            self._side_by_side = side_by_side(self._graph, self._program, head)
            self._asked_for_rows = True
        return self._side_by_side

    @property
    def program(self) -> Program:
        """The native steps."""
        return self._program

    @property
    def nbytes(self) -> int:
        """Bytes outside of the arena: packed constants and the kernels' workspace."""
        rows = self._side_by_side
        return self._program.nbytes + (0 if rows is None else rows.nbytes)

    @property
    def workspace_bytes(self) -> int:
        """Bytes of the kernels' workspace, of which every thread needs its own."""
        return self._program.workspace_bytes

    def kernel(self, number: int, subgraph: int = 0) -> str:
        """Set that runs a node: an instruction set, or ``"python"``."""
        if subgraph not in self._ranges:
            return "python"  # nobody calls it
        return self._program.describe(self._ranges[subgraph][0] + number) or "python"

    def _walk(self, begin: int, end: int) -> None:
        status = self._program.start(begin, end)
        if status:
            self._program.go_on(status, self._python)

    def _python(self, step: int) -> None:
        """Run a step in Python."""
        graph, before = self._graph, self._graph.runner
        graph.runner = self
        try:
            graph.invoke_node(*self._places[step])
        finally:
            graph.runner = before

    def _python_in(self, own: Array, copy: Array, step: int) -> None:
        """The same for a thread that works in ``copy``: Python knows the tensors in ``own``."""
        with self._lock:
            before = own.copy()
            own[...] = copy
            try:
                self._python(step)
            finally:
                copy[...] = own
                own[...] = before

    def _add(self, subgraph: int, number: int) -> bool:
        """Add a node's native step, if there is one."""
        entry = self._graph.nodes[subgraph][number]
        node, host = entry.node, self._host
        kernel = entry.registration.kernel_for(node)
        if not kernel:
            return False
        host.enter_node(subgraph, number)
        states = host.native_state()
        if states is None:
            return False
        if states and any(address_of(state) % ARENA_ALIGNMENT for state in states):
            return False  # an arena may begin anywhere
        if is_control(kernel):
            subgraphs = self._graph.model.subgraphs
            place = Place(subgraph, subgraphs, self._tensors, self._ranges.__getitem__, states)
            control = control_of(kernel, node, place)
            if control is not None:
                return self._program.add_control(control.kind, control.flag, *control.parts)
        if kernel == NPU:
            from arenite.runtime.npu_steps import native_steps  # noqa: PLC0415 - few models have one

            found = native_steps(host, node)
            return found is not None and self._program.add_steps(*found)
        tensors, count = self._tensors(subgraph, node.outputs + node.inputs), len(node.outputs)
        outputs, inputs = tensors[:count] or [ABSENT], tensors[count:]
        for state in states:
            inputs.append(NativeTensor(state, TensorType.UINT8, state.shape))
        copies = host.input_copies.get((subgraph, number), ())
        is_native = self._program.add(kernel, node.params, outputs, inputs, copies)
        if is_native and kernel == SECOND:
            self._join(subgraph, number)
        return is_native

    def _join(self, subgraph: int, number: int) -> None:
        """Make a node's step and the one before it one pass, where they are one function."""
        pair = self._pairs.ending_at(subgraph, number)
        if pair is not None:
            output, given = self._tensors(subgraph, (pair.output, pair.given))
            self._program.join(output, given, pair.reads_first)

    def _tensors(self, subgraph: int, indices: Sequence[int]) -> list[AnyTensor]:
        """A subgraph's tensors, as the current node sees those of its own."""
        host = self._host
        tensors, look = host.tensors[subgraph], host.get_eval_tensor
        if host.own_tensors and subgraph == host.subgraph:
            return [look(index) if index >= 0 else ABSENT for index in indices]
        return [tensors[index] if index >= 0 else ABSENT for index in indices]


def _reachable(model: Model, entries: Sequence[int]) -> list[int]:
    """The subgraphs that an inference may come to, the main one first; it may begin at others."""
    found = list(dict.fromkeys((0, *entries)))
    if len(model.subgraphs) == 1:
        return found
    for subgraph in found:  # which grows
        for operator in model.subgraphs[subgraph].operators:
            for called in calls_of(operator):
                if called not in found:
                    found.append(called)
    return found


def _are_own(arrays: list[Array | None]) -> TypeGuard[list[Array]]:
    """Whether all arrays are there, in the interpreter's own memory."""
    return all(a is not None and a.flags.writeable for a in arrays)
