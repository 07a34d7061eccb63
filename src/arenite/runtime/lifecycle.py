"""The one life of a graph: init, prepare, plan, invoke and reset as often as wanted, free.

Facts: TFLM ``micro_interpreter.cc`` (``AllocateTensors``), ``micro_interpreter_graph.cc``. What
differs between hosts, where memory comes from, is the host's business; the order is here, for
interpreters and for whoever only wants to know what a model needs.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from arenite.errors import InferenceAborted
from arenite.memory.arena import Bytes
from arenite.ops import Array, Node
from arenite.options import refuse
from arenite.runtime.call_budget import CallBudget
from arenite.runtime.graph import Graph
from arenite.runtime.io_conversion import fresh
from arenite.runtime.state import InterpreterState

if TYPE_CHECKING:
    from arenite.runtime.compiled import CompiledGraph


#: Tensors by index in the main subgraph.
Tensors = list[tuple[int, Array]]


class Life:
    """Drives a graph against its host. Every step runs those that come before it."""

    def __init__(
        self,
        graph: Graph,
        *,
        is_native: bool = False,
        threads: int = 1,
        entries: Sequence[int] = (),
        isa: str | None = None,
    ) -> None:
        """``entries``: the subgraphs, besides the main one, that :meth:`invoke_subgraph` runs."""
        self.graph = graph
        self._entries = tuple(entries)
        self.compiled: CompiledGraph | None = None
        self._host = graph.host
        self._is_native = is_native
        self._threads = threads
        self._isa = isa
        self._preparing: Iterator[tuple[int, int]] | None = None
        self._prepared = (-1, -1)
        self._finalizer: weakref.finalize[..., Any] | None = None
        #: What all state held when the life began.
        self.fresh: list[Bytes] = []

    @property
    def has_begun(self) -> bool:
        """Whether ``init`` has run."""
        return self._preparing is not None

    # -- until there is memory

    def begin(self) -> None:
        """``init`` of every operator."""
        if self._preparing is not None:
            return
        graph, host = self.graph, self._host
        if graph.has_free:
            self._finalizer = weakref.finalize(self, graph.free_subgraphs)
        host.set_state(InterpreterState.INIT)
        graph.create_variables()
        host.begin(graph)
        graph.init_subgraphs()
        host.finish_init()
        host.set_state(InterpreterState.PREPARE)
        self._preparing = graph.prepare_one_by_one()

    def prepare_operator(self, number: int, subgraph: int = 0) -> Node:
        """``prepare`` of an operator, and of all before it that are not prepared yet.

        Raises:
            IndexError: There is no such operator.
        """
        node = self.graph.entry(number, subgraph).node
        self.begin()
        assert self._preparing is not None
        while self._prepared < (subgraph, number):
            self._prepared = next(self._preparing)
        return node

    def prepare(self) -> None:
        """``prepare`` of every operator."""
        self.begin()
        assert self._preparing is not None
        for place in self._preparing:
            self._prepared = place

    def plan(self) -> None:
        """Decide where every tensor will be."""
        self.prepare()
        self._host.set_state(InterpreterState.MEMORY_PLANNING)
        self._host.plan(self.graph)

    # -- with memory

    def allocate(self) -> None:
        """Plan, point all tensors to their memory, and start: inferences may follow."""
        self.plan()
        self._host.commit()
        if self._is_native:
            self.compiled = self.compile()
            self.compiled.limit_calls(self.graph.calls)
        self.reset()
        self.fresh = [memory.copy() for memory in self._host.state_memory()]
        self._host.set_state(InterpreterState.INVOKE)

    def compile(self, instruction_set: str | None = None) -> CompiledGraph:
        """The main subgraph as a native program.

        Raises:
            MemoryLimitError: Packed weights and workspace are beyond the budget.
        """
        from arenite.runtime.compiled import CompiledGraph  # noqa: PLC0415 - may be absent

        return CompiledGraph(
            self.graph,
            instruction_set or self._isa,
            budget=self._host.budget,
            threads=self._threads,
            entries=self._entries,
        )

    def limit_calls(self, budget: CallBudget | None) -> None:
        """Let operators call subgraphs as often as a budget allows; None for any number."""
        if budget is not None and not isinstance(budget, CallBudget):
            refuse("budget", "a CallBudget or None", budget)
        self.graph.calls = budget
        if self.compiled is not None:
            self.compiled.limit_calls(budget)

    def invoke(self) -> bool:
        """Run the main subgraph, with its native program where there is one.

        Returns:
            Whether all operators ran: False where one has ended the inference before.

        Raises:
            LoopLimitError: Operators call subgraphs more often than :meth:`limit_calls` allows.
        """
        if self._host.state is not InterpreterState.INVOKE:  # small models notice calls
            self._host.require("invoke", InterpreterState.INVOKE, before="allocate_tensors()")
        try:
            if self.compiled is None:
                self.graph.invoke_subgraph(0)
            elif self.graph.profiler is None:
                self.compiled.invoke()
            else:
                self.compiled.invoke_profiled()
        except InferenceAborted:
            return False
        return True

    def invoke_subgraph(self, subgraph: int) -> bool:
        """Run a subgraph as :meth:`invoke` runs the main one."""
        self._host.require("invoke_subgraph", InterpreterState.INVOKE, before="allocate_tensors()")
        compiled = self.compiled
        try:
            if compiled is None or self.graph.profiler is not None or not compiled.has(subgraph):
                self.graph.invoke_subgraph(subgraph)
            else:
                compiled.run_subgraph(subgraph)
        except InferenceAborted:
            return False
        return True

    def invoke_operator(self, number: int) -> None:
        """Run one operator of the main subgraph.

        Raises:
            IndexError: There is no such operator.
        """
        self._host.require("invoke_operator", InterpreterState.INVOKE, before="allocate_tensors()")
        self.graph.entry(number)
        with suppress(InferenceAborted):
            if self.compiled is None:
                self.graph.invoke_node(0, number)
            else:
                self.compiled.invoke_node(number)

    def operator_tensors(self, number: int) -> tuple[Tensors, Tensors]:
        """Inputs and outputs of an operator of the main subgraph, without constants.

        Inputs are what they shall be when all operators before it have run, outputs when it
        has run; later operators may take their memory.

        Raises:
            IndexError: There is no such operator.
        """
        node = self.graph.entry(number).node
        return self._present(node.inputs), self._present(node.outputs)

    def _present(self, indices: tuple[int, ...]) -> Tensors:
        constants, arrays = self.graph.model.main.tensors, self._host.tensors[0]
        return [
            (index, fresh(data))
            for index in indices
            if index >= 0 and not constants[index].is_constant
            if (data := arrays[index].data) is not None
        ]

    def reset(self) -> None:
        """Operators back to their start, variables back to their zero points."""
        self.graph.reset_subgraphs()
        self._host.reset_variables()

    def start_over(self) -> None:
        """All state as it was when the life began: CALL_ONCE runs again."""
        self.graph.reset_subgraphs()
        for memory, before in zip(self._host.state_memory(), self.fresh, strict=True):
            memory[...] = before

    # -- the end

    def free(self) -> None:
        """``free`` of every operator; after that a new life may begin."""
        if self._finalizer is not None:
            self._finalizer()
        self._preparing, self._prepared, self.compiled = None, (-1, -1), None
