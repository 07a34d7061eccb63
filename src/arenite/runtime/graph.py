"""Nodes and registrations of a model, and the order in which they run.

``Graph`` is TFLM's ``MicroInterpreterGraph`` (``micro_interpreter_graph.cc``): it calls
init, prepare, invoke, reset and free of every node, in subgraph and operator order,
against whichever host context it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from arenite import native
from arenite.errors import ModelError, RefusedError
from arenite.formats.tflite import parse_options
from arenite.memory.arena import Bytes
from arenite.memory.budget import Budget
from arenite.model import Model, Operator, OptionsTable, RawOptions
from arenite.model.consistency import check_order
from arenite.model.unread import require_read
from arenite.ops import (
    Array,
    Context,
    EvalTensor,
    Node,
    OpResolver,
    Registration,
    builtin,
    only_mnn_has,
    takes_scratch,
    view_of,
)
from arenite.ops.context import Resized
from arenite.ops.resource_variables import ResourceVariables, count_names
from arenite.options import whole
from arenite.runtime.call_budget import CallBudget
from arenite.runtime.state import InterpreterState

if TYPE_CHECKING:
    from arenite.runtime.kernel_context import KernelContext


class Profiler(Protocol):
    """Told of every operator that runs (TFLM's ``MicroProfilerInterface``)."""

    def begin_event(self, tag: str) -> int:
        """An operator named ``tag`` starts; the result identifies the event."""

    def end_event(self, event: int) -> None:
        """The event is over."""


class GraphHost(Context, Protocol):
    """A context that a graph can live on; :class:`arenite.runtime.lifecycle.Life` drives it."""

    #: Where the current node is.
    subgraph: int
    operator: int
    #: Tensors that a node sees otherwise than all others, by subgraph, operator and index.
    own_tensors: dict[tuple[int, int, int], EvalTensor]
    #: Inputs that a node's output reaches into, and the copies that the node reads, by subgraph
    #: and operator: kernels of the host go through them in an order of their own.
    input_copies: dict[tuple[int, int], list[tuple[Array, Array]]]

    @property
    def shows_all_tensors(self) -> bool:
        """Whether what an operator writes matters to others than those that read its tensor.

        All tensors keep their values, or a plan in the file lays some over each other.
        """

    def state_memory(self) -> list[Bytes]:
        """The bytes of all that is remembered from one inference to the next."""

    def native_state(self) -> list[Bytes] | None:
        """State of the current node for its native kernel; None if that cannot be told."""

    def allocate_temp_buffer(self, size: int, alignment: int) -> Bytes:
        """Bytes above the head, until the end of ``prepare``."""

    def place(self) -> str:
        """The current node: its operator, that one's number, and the name of what it writes."""

    def numbered_operator(self) -> str:
        """The current node's operator with its number."""

    @property
    def budget(self) -> Budget:
        """Memory that may be taken from the machine."""

    @property
    def tensors(self) -> Sequence[Sequence[EvalTensor]]:
        """All tensors, by subgraph."""

    @property
    def state(self) -> InterpreterState:
        """The current phase."""

    def set_state(self, state: InterpreterState) -> None:
        """Enter a phase."""

    def require(self, call: str, *legal: InterpreterState, before: str = "") -> None:
        """Raise ``StateError`` unless the current phase is one of the legal ones."""

    def begin(self, graph: Graph) -> None:
        """A life begins: forget a former one, and take what the graph itself needs."""

    def enter_node(self, subgraph: int, operator: int) -> None:
        """The next calls come from this node."""

    def finish_prepare_node(self) -> None:
        """The current node's ``prepare`` is over: temporary memory can go."""

    def finish_init(self) -> None:
        """All nodes are through with ``init``."""

    def plan(self, graph: Graph) -> None:
        """Decide where every tensor will be."""

    def commit(self) -> None:
        """Point all tensors to their memory."""

    def reset_variables(self) -> None:
        """Fill every variable with its zero point."""


@dataclass(slots=True, eq=False)
class NodeAndRegistration:
    """A node and the functions that run it (``NodeAndRegistration``)."""

    node: Node
    registration: Registration


class Runner(Protocol):
    """Runs subgraphs and nodes: a native program."""

    def run_subgraph(self, subgraph: int) -> None:
        """Run a subgraph's operators."""

    def run_node(self, subgraph: int, number: int) -> None:
        """Run one operator."""


@dataclass(eq=False)
class Graph:
    """All subgraphs' nodes, bound to a host context."""

    model: Model
    host: GraphHost
    nodes: list[list[NodeAndRegistration]] = field(default_factory=list)
    #: Of all nodes, each once.
    registrations: tuple[Registration, ...] = ()
    profiler: Profiler | None = None
    #: Room for variables; None for as many as TFLM's package makes, one for every name.
    max_variables: int | None = None
    #: The variables of this life, or None where there is no room for any.
    resource_variables: ResourceVariables | None = None
    #: Runs what operators call in another way than their kernels in Python.
    runner: Runner | None = None
    #: What operators may call; None where loops may have no end.
    calls: CallBudget | None = None
    #: What found the registrations.
    _resolver: OpResolver | None = None

    @property
    def is_own(self) -> bool:
        """Whether all operators are those that ship with Arenite."""
        found = ((one, builtin(one.name)) for one in self.registrations)
        return all(one is own or one == own for one, own in found)

    @property
    def has_free(self) -> bool:
        """Whether a node's life ends with a function of its own."""
        return any(one.free is not None for one in self.registrations)

    @property
    def is_stateful(self) -> bool:
        """Whether an inference may depend on those before it, once all nodes are prepared.

        So it is with variables and with what operators keep in ``allocate_state``, or forget in
        their ``reset``.
        """
        return bool(self.host.state_memory()) or any(one.reset for one in self.registrations)

    def resolve(self, resolver: OpResolver) -> None:
        """Find every operator's registration.

        Raises:
            ModelError: Operators are out of order, see :func:`check_order`, or data lie where TFLM
                does not read them.
            UnsupportedOperatorError: Lists all operators that the resolver lacks.
            TypeError: It is no resolver.
        """
        if isinstance(resolver, str | bytes) or not hasattr(resolver, "find"):
            kind = type(resolver).__name__
            raise TypeError(f"expected a resolver, such as arenite.AllOpsResolver(), got {kind}")
        require_read(self.model)
        check_order(self.model, native.checks(), takes_scratch)
        missing: dict[str, tuple[Operator, str]] = {}
        found: dict[str, Registration | None] = {}
        self.nodes, self._resolver = [], resolver
        for number, subgraph in enumerate(self.model.subgraphs):
            resolved = []
            for position, operator in enumerate(subgraph.operators):
                name = operator.name
                if name not in found:
                    found[name] = self._find(resolver, name)
                registration = found[name]
                if registration is None:
                    inside = f" of subgraph {number}" if number else ""
                    missing.setdefault(name, (operator, f"operator {position}{inside}"))
                    continue
                resolved.append(NodeAndRegistration(_node(operator, registration), registration))
            self.nodes.append(resolved)
        if missing:
            from arenite.runtime.missing import unsupported  # noqa: PLC0415 - for an error

            error = unsupported(list(missing.values()), resolver)
            self._let_ask(error)
            raise error
        self.registrations = tuple(filter(None, found.values()))

    def _find(self, resolver: OpResolver, name: str) -> Registration | None:
        """An operator's registration; a ``.tflite`` file cannot ask for Arenite's own of MNN's."""
        found = resolver.find(name)
        if self.model.format == "tflite" and only_mnn_has(name) and found == builtin(name):
            return None
        return found

    def create_variables(self) -> None:
        """Begin with room for the model's variables, and none in it."""
        count = count_names(self.model) if self.max_variables is None else self.max_variables
        self.resource_variables = ResourceVariables(count) if count > 0 else None

    # -- what operators see (TFLM's ``MicroGraph``)

    def subgraph_inputs(self, subgraph: int) -> list[EvalTensor]:
        """A subgraph's input tensors."""
        tensors = self.host.tensors[subgraph]
        return [tensors[index] for index in self.model.subgraphs[subgraph].inputs]

    def subgraph_outputs(self, subgraph: int) -> list[EvalTensor]:
        """A subgraph's output tensors."""
        tensors = self.host.tensors[subgraph]
        return [tensors[index] for index in self.model.subgraphs[subgraph].outputs]

    def readers(self, index: int) -> list[tuple[str, tuple[int, ...]]]:
        """Names and outputs of the current subgraph's operators that read a tensor."""
        operators = self.model.subgraphs[self.host.subgraph].operators
        return [(one.name, one.outputs) for one in operators if index in one.inputs]

    def resized(self) -> Resized:
        """Difference of the current subgraph's inputs from the model's shapes."""
        number = self.host.subgraph
        declared, now = self.model.subgraphs[number], self.host.tensors[number]
        pairs = [(declared.tensors[index].shape, now[index].shape) for index in declared.inputs]
        if all(old == new for old, new in pairs):
            return ""
        return "batch" if all(old[1:] == new[1:] for old, new in pairs) else "shape"

    def invoke_subgraph(self, subgraph: int) -> None:
        """Run a subgraph's operators in order; the caller's node is the current one again then."""
        host, profiler, runner = self.host, self.profiler, self.runner
        if self.calls is not None and subgraph:  # nobody calls the main one
            self.calls.take()
        before = host.subgraph, host.operator
        if runner is not None and profiler is None:
            runner.run_subgraph(subgraph)
        else:
            run = self.invoke_node if runner is None else runner.run_node
            for number, entry in enumerate(self.nodes[subgraph]):
                if profiler is None:
                    run(subgraph, number)
                    continue
                event = profiler.begin_event(entry.node.name)
                try:
                    run(subgraph, number)
                finally:
                    profiler.end_event(event)
        host.enter_node(*before)

    # -- the steps of a life

    def init_subgraphs(self) -> None:
        """Call ``init`` of every node."""
        for _, _, entry in self._walk():
            node, registration = entry.node, entry.registration
            # What a former life left behind.
            node.user_data = node.params = None
            if node.host:
                node.host.clear()
            if registration.init is not None:
                options = node.custom_options if node.options is None else node.options
                context = self._context(registration, registration.init)
                node.user_data = registration.init(context, options)
                if context is not self.host:
                    self._checked.finish_allocating("init")

    def prepare_one_by_one(self) -> Iterator[tuple[int, int]]:
        """Check every node's constraints and call its ``prepare``; which one, after each."""
        host = self.host
        for subgraph, number, entry in self._walk():
            try:
                self._prepare(entry)
            except RefusedError as error:
                self._let_ask(error)
                raise
            host.finish_prepare_node()
            yield subgraph, number

    def _prepare(self, entry: NodeAndRegistration) -> None:
        node, registration = entry.node, entry.registration
        if registration.constraints:
            self._check(entry)
        if registration.prepare is not None:
            context = self._context(registration, registration.prepare)
            node.params = registration.prepare(context, node)
            if context is not self.host:
                self._checked.finish_allocating("prepare")

    def _let_ask(self, error: RefusedError) -> None:
        """Let an error find out what makes the model run."""
        from arenite.runtime.refused import let_ask  # noqa: PLC0415 - for an error

        let_ask(error, self.model, self.host.target, self._resolver)

    def entry(self, number: int, subgraph: int = 0) -> NodeAndRegistration:
        """An operator's node and registration.

        Raises:
            IndexError: There is no such operator.
        """
        whole()("operator", number)
        whole()("subgraph", subgraph)
        if not 0 <= subgraph < len(self.nodes):
            raise IndexError(f"expected a subgraph below {len(self.nodes)}, got {subgraph}")
        entries = self.nodes[subgraph]
        if not 0 <= number < len(entries):
            raise IndexError(f"expected an operator below {len(entries)}, got {number}")
        return entries[number]

    def invoke_node(self, subgraph: int, number: int) -> None:
        """Run one operator."""
        entry, host = self.nodes[subgraph][number], self.host
        host.enter_node(subgraph, number)
        if host.input_copies:
            for source, copy in host.input_copies.get((subgraph, number), ()):
                copy[...] = source
        registration = entry.registration
        context = self._context(registration, registration.invoke)
        registration.invoke(context, entry.node)
        if context is not host:
            self._checked.finish_invoke()

    def reset_subgraphs(self) -> None:
        """Call ``reset`` of every node that has one."""
        for entry, reset in self._having("reset"):
            reset(self._context(entry.registration, reset), entry.node.user_data)

    def free_subgraphs(self) -> None:
        """Call ``free`` of every node that has one."""
        for entry, free in self._having("free"):
            free(self._context(entry.registration, free), entry.node.user_data)

    @cached_property
    def _checked(self) -> KernelContext:
        from arenite.runtime.kernel_context import KernelContext  # noqa: PLC0415 - users' operators

        return KernelContext(self.host)

    def _context(self, registration: Registration, function: Callable[..., Any]) -> Context:
        """Context of a function of a registration, which is about to be called."""
        if not registration.checks(function):
            return self.host
        self._checked.begin()
        return self._checked

    def _walk(self) -> Iterator[tuple[int, int, NodeAndRegistration]]:
        enter = self.host.enter_node
        for subgraph, entries in enumerate(self.nodes):
            for number, entry in enumerate(entries):
                enter(subgraph, number)
                yield subgraph, number, entry

    def _having(self, function: str) -> Iterator[tuple[NodeAndRegistration, Any]]:
        """Entries whose registration has a function, each as the current node, and the function."""
        if not any(getattr(one, function) for one in self.registrations):
            return
        for subgraph, entries in enumerate(self.nodes):
            for number, entry in enumerate(entries):
                found = getattr(entry.registration, function)
                if found is not None:
                    self.host.enter_node(subgraph, number)
                    yield entry, found

    def _check(self, entry: NodeAndRegistration) -> None:
        view = view_of(self.host, entry.node)
        for constraint in entry.registration.constraints:
            if not constraint(view):
                from arenite.runtime.refused import refused  # noqa: PLC0415 - for an error

                raise refused(self.host.numbered_operator(), view, constraint)


def _node(operator: Operator, registration: Registration) -> Node:
    row, options = registration.options, operator.options
    is_own = row is not None and isinstance(options, row)
    return Node(
        operator.name,
        operator.inputs,
        operator.outputs,
        operator.intermediates,
        options if is_own else _options(operator, registration),
        operator.custom_options,
    )


def _options(operator: Operator, registration: Registration) -> OptionsTable | RawOptions | None:
    """The options through the registration's row; without a row as the file has them."""
    row, options = registration.options, operator.options
    if row is None:
        if operator.is_custom and not registration.strict:
            return None  # Arenite's own custom operators read custom options, as TFLM's do
        return operator.raw_options if options is None else options
    if operator.raw_options is not None:
        return parse_options(operator.raw_options, row)
    if options is not None and type(options) is not OptionsTable:
        raise ModelError(
            f"{operator.name}: its registration expects {row.__name__}, the model has "
            f"{type(options).__name__}"
        )
    return row()
