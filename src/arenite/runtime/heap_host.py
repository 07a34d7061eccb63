"""Run a model on the heap, as full TensorFlow Lite does: no arena, resizable inputs.

The kernels are the same as in the arena; only their host differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from arenite.errors import ShapeError, StateError
from arenite.formats import Source, model_of
from arenite.memory.budget import Budget
from arenite.model import Model
from arenite.model.calls import check_inference
from arenite.native.turn import new_turn
from arenite.ops import Array, Declared, EvalTensor, Node, OpResolver, resolver_of
from arenite.options import several, takes, whole
from arenite.runtime.call_budget import CallBudget
from arenite.runtime.exclusive import Turn, exclusive, exclusive_inference
from arenite.runtime.graph import Graph, Profiler
from arenite.runtime.host import HostContext
from arenite.runtime.interpreter_config import Engine, Setup
from arenite.runtime.io_conversion import fresh, port
from arenite.runtime.lasting import Lasting
from arenite.runtime.lifecycle import Life, Tensors
from arenite.runtime.state import InterpreterState
from arenite.target import HOST, Target

if TYPE_CHECKING:
    from arenite.runtime.compiled import CompiledGraph


class HeapContext(HostContext):
    """A kernel's host that takes every buffer from the heap."""

    def __init__(self, model: Model, target: Target = HOST, lasting: Lasting | None = None) -> None:
        super().__init__(model, target)
        self._lasting = lasting
        self._scratch: list[npt.NDArray[np.uint8]] = []
        self.budget = Budget()

    # -- the callbacks that kernels use

    def resize_tensor(
        self, index: int, shape: tuple[int, ...], declared: Declared = "kept"
    ) -> None:
        """Give a tensor its shape; its memory comes after all nodes are prepared.

        Raises:
            ConstraintError: An earlier node relies on another shape of the tensor.
        """
        self.require("resize_tensor", InterpreterState.PREPARE)
        self._check_index(index)
        self.settle(index, tuple(shape))

    def allocate_persistent_buffer(self, size: int, purpose: str = "") -> npt.NDArray[np.uint8]:
        """Zeroed bytes from the heap."""
        self.require("allocate_persistent_buffer", InterpreterState.INIT, InterpreterState.PREPARE)
        return self._zeros(size, "persistent memory")

    def reserve_persistent_buffer(self, size: int, purpose: str = "") -> None:
        """Nothing is taken."""
        self.require("reserve_persistent_buffer", InterpreterState.INIT, InterpreterState.PREPARE)

    def allocate_state(self, size: int, purpose: str = "") -> npt.NDArray[np.uint8]:
        """Zeroed bytes that :meth:`state_buffers` finds again."""
        buffer = self.allocate_persistent_buffer(size, purpose)
        self.keep_state(buffer)
        return buffer

    def request_scratch_buffer_in_arena(self, size: int, purpose: str = "") -> int:
        """A scratch buffer of this node's own."""
        self.require("request_scratch_buffer_in_arena", InterpreterState.PREPARE)
        self._scratch.append(self._zeros(size, "scratch memory"))
        return len(self._scratch) - 1

    def get_scratch_buffer(self, handle: int) -> npt.NDArray[np.uint8]:
        """The memory behind a scratch handle."""
        self.require("get_scratch_buffer", InterpreterState.INVOKE)
        if not 0 <= handle < len(self._scratch):
            self.report_error(f"expected one of {len(self._scratch)} scratch handles, got {handle}")
        return self._scratch[handle]

    def allocate_temp_buffer(self, size: int, alignment: int) -> npt.NDArray[np.uint8]:
        """Bytes from the heap."""
        self.require("allocate_temp_buffer", InterpreterState.PREPARE)
        return self._zeros(size, "temporary memory")

    # -- what the graph uses

    def begin(self, graph: Graph) -> None:
        """Forget a former preparation."""
        super().begin(graph)
        self._scratch = []
        self.budget = Budget()

    def plan(self, graph: Graph) -> None:
        """Every tensor gets memory of its own; a subgraph that runs once has one state."""
        if self._lasting is not None:
            self._lasting.share_calls(graph, self._states)

    def reset_variables(self) -> None:
        """Fill variables with their zero points; not resources that outlast allocations."""
        if self._lasting is None:
            super().reset_variables()
        else:
            self.reset_variable_tensors()

    def commit(self) -> None:
        """Give every tensor without data its memory.

        Raises:
            MemoryLimitError: All together are more than the limit; none has changed then.
        """
        self.budget.take(sum(map(_nbytes, self._without_data())), "the tensors")
        for current in self._without_data():
            is_packed = current.type.dtype.itemsize * 8 != current.type.bits
            shape = current.type.nbytes(prod(current.shape)) if is_packed else current.shape
            current.data = np.zeros(shape, current.type.dtype)

    @property
    def shows_all_tensors(self) -> bool:
        """Always: every tensor has memory of its own."""
        return True

    def _without_data(self) -> Iterator[EvalTensor]:
        for number, subgraph in enumerate(self.model.subgraphs):
            pairs = zip(subgraph.tensors, self.tensors[number], strict=True)
            for index, (tensor, current) in enumerate(pairs):
                needs = tensor.is_variable or not tensor.is_constant
                if needs and (number, index) not in self.placed:
                    yield current

    def _zeros(self, size: int, what: str) -> npt.NDArray[np.uint8]:
        if size < 0:
            self.report_error(f"expected a buffer size of 0 or more, got {size}")
        self.budget.take(size, f"{self.place()}: {what}")
        return np.zeros(size, np.uint8)


def _nbytes(tensor: EvalTensor) -> int:
    # Python's integers: a product of dimensions may be beyond 64 bits.
    return prod(tensor.shape) * tensor.type.dtype.itemsize


class HeapInterpreter:
    """Runs a model on the heap; inputs can be resized.

    ``target``, ``engine``, ``threads`` and ``isa`` are those of :class:`MicroInterpreter`: whose
    bits are meant, and what computes them. With ``keeps_resources`` resource variables belong to
    the interpreter, as LiteRT's do: no signature, reset or allocation gives them other values.

    >>> interp = HeapInterpreter(model)                     # doctest: +SKIP
    >>> interp.resize_input(0, (4, 28, 28, 1))              # doctest: +SKIP
    >>> interp.allocate_tensors()                           # doctest: +SKIP
    """

    def __init__(
        self,
        model: Model | Source,
        resolver: OpResolver | None = None,
        *,
        target: Target | str | None = None,
        engine: Engine = "reference",
        threads: int = 1,
        isa: str | None = None,
        profiler: Profiler | None = None,
        keeps_resources: bool = False,
    ) -> None:
        self._setup = setup = Setup.of(target, engine, threads=threads, isa=isa)
        self._model = model = model_of(model)
        self._lasting = Lasting() if keeps_resources else None
        self._context = HeapContext(model, setup.target, self._lasting)
        graph = Graph(model, self._context, profiler=profiler)
        graph.resolve(setup.resolver(resolver_of(model) if resolver is None else resolver))
        entries = [one.subgraph for one in model.signatures]
        self._life = Life(
            graph,
            is_native=setup.is_native,
            threads=setup.threads,
            entries=entries,
            isa=setup.isa,
        )
        #: Subgraphs where an inference may begin: their calls are checked.
        self._entries = {0, *entries}
        self._turn: Turn = new_turn()

    @exclusive
    @takes(shape=several(whole(most=2**31 - 1), "a tuple of dimensions"))
    def resize_input(self, index: int, shape: tuple[int, ...], subgraph: int = 0) -> None:
        """Change the shape of a subgraph's input; call :meth:`allocate_tensors` afterwards.

        Raises:
            IndexError: There is no such subgraph or input.
            ShapeError: A dimension is negative, or the rank changes.
        """
        subgraph = self._subgraph(subgraph)
        asked = self._model.subgraphs[subgraph]
        number = port("input", asked.inputs, index)
        tensor = asked.tensors[number]
        if len(shape) != len(tensor.shape) or min(shape, default=0) < 0:
            raise ShapeError(
                f"input {index} ({tensor.name!r}): expected {len(tensor.shape)} dimensions of 0 or "
                f"more, got {tuple(shape)}"
            )
        self._free()
        if self._lasting is not None:
            self._lasting.resize(subgraph)
        self._context.set_shape(subgraph, number, tuple(shape))

    @exclusive
    def allocate_tensors(self) -> None:
        """Prepare every operator for the current input shapes and allocate all tensors.

        Raises:
            ConstraintError: An operator cannot run with them, or ``keeps_resources`` and a
                variable would change its size.
        """
        self._free()
        self._life.allocate()
        if self._lasting is None:
            return
        try:
            self._lasting.restore(self._life.graph)
        except BaseException:
            self._life.free()
            self._context.set_state(InterpreterState.INIT)
            raise

    def _note_inference(self) -> None:
        if self._lasting is not None:
            self._lasting.has_run = True

    def _free(self) -> None:
        if self._lasting is not None and self._context.state is InterpreterState.INVOKE:
            self._lasting.save(self._life.graph)
        self._life.free()
        self._context.set_state(InterpreterState.INIT)

    @exclusive
    def prepare_operator(self, number: int) -> Node:
        """Prepare an operator of the main subgraph, and all before it; see its node.

        :meth:`allocate_tensors` begins anew.

        Raises:
            IndexError: There is no such operator.
        """
        self._life.graph.entry(number)
        try:
            return self._life.prepare_operator(number)
        except BaseException:
            self._life.free()
            raise

    @exclusive
    def invoke_operator(self, number: int) -> None:
        """Run one operator of the main subgraph.

        Raises:
            StateError: Tensors are not allocated, or another call is at work.
            IndexError: There is no such operator.
        """
        self._note_inference()
        self._life.invoke_operator(number)

    def operator_tensors(self, number: int) -> tuple[Tensors, Tensors]:
        """Inputs and outputs of an operator of the main subgraph, without constants."""
        return self._life.operator_tensors(number)

    def set_micro_external_context(self, payload: Any) -> None:
        """Attach an object that kernels find with ``get_external_context``; once."""
        self._context.set_external_context(payload)

    def eval_tensor(self, index: int, subgraph: int = 0) -> EvalTensor:
        """A tensor as kernels see it: type, shape and memory.

        Raises:
            IndexError: There is no such subgraph or tensor.
        """
        tensors = self._context.tensors[self._subgraph(subgraph)]
        return tensors[port("tensor", range(len(tensors)), index)]

    def compile(self, instruction_set: str | None = None) -> CompiledGraph:
        """The main subgraph as a native program over this interpreter's tensors.

        Args:
            instruction_set: One that this CPU has; by default the interpreter's.

        Raises:
            StateError: Tensors are not allocated.
        """
        self._context.require("compile", InterpreterState.INVOKE, before="allocate_tensors()")
        return self._life.compile(instruction_set)

    def input(self, index: int = 0) -> Array:
        """Input ``index`` as a writable array."""
        return self._array(port("input", self._model.main.inputs, index))

    def output(self, index: int = 0) -> Array:
        """Output ``index`` as an array."""
        return self._array(port("output", self._model.main.outputs, index))

    def limit_calls(self, budget: CallBudget | None) -> None:
        """See :meth:`MicroInterpreter.limit_calls`."""
        self._life.limit_calls(budget)

    @exclusive_inference
    def invoke(self) -> bool:
        """Run the main subgraph; see :meth:`MicroInterpreter.invoke`."""
        self._note_inference()
        return self._life.invoke()

    @exclusive
    def invoke_subgraph(self, subgraph: int) -> bool:
        """Run a subgraph's operators on what its inputs hold, whether another one calls it or not.

        Raises:
            IndexError: There is no such subgraph.
            ModelError: See :func:`arenite.model.calls.check_inference`.
            StateError: Tensors are not allocated.
        """
        entry = self._subgraph(subgraph)
        if entry not in self._entries:
            check_inference(self._model, entry)
            self._entries.add(entry)
        self._note_inference()
        return self._life.invoke_subgraph(entry)

    @exclusive
    def reset(self) -> None:
        """Variables back to their zero points, but for kept resources; operators to their start.

        Raises:
            StateError: Tensors are not allocated.
        """
        self._context.require("reset", InterpreterState.INVOKE, before="allocate_tensors()")
        self._life.reset()

    @property
    def model(self) -> Model:
        """The model."""
        return self._model

    @property
    def target(self) -> Target:
        """The firmware whose bits are meant."""
        return self._setup.target

    @property
    def engine(self) -> str:
        """Engine: ``"native"`` or ``"reference"``."""
        return "native" if self._setup.is_native else "reference"

    def __repr__(self) -> str:
        shapes = ", ".join(
            f"{tensor.name!r} {list(self._context.tensors[0][index].shape)}"
            for tensor, index in zip(self._model.inputs, self._model.main.inputs, strict=True)
        )
        source, state = self._model.source or "(built)", self._context.state.value
        return f"<HeapInterpreter {source}: {state} phase, inputs {shapes}>"

    def _subgraph(self, number: int) -> int:
        return port("subgraph", range(len(self._model.subgraphs)), number)

    def _array(self, index: int) -> Array:
        data = self._context.tensors[0][index].data
        if data is None or self._context.state is not InterpreterState.INVOKE:
            raise StateError("call allocate_tensors() first")
        return fresh(data)
