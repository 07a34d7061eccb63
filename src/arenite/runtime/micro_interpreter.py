"""TFLM's interpreter: one arena, planned once, then inference after inference.

Facts: TFLM ``micro_interpreter.cc``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arenite.errors import StateError
from arenite.formats import Source, model_of
from arenite.memory.allocator import MicroAllocator
from arenite.memory.arena import Bytes, Memory, SingleArenaBufferAllocator, as_bytes
from arenite.memory.plan import MemoryPlan
from arenite.memory.recording import Allocations
from arenite.model import Model
from arenite.ops import Array, Node, OpResolver, TfLiteTensor
from arenite.runtime.allocation import create_allocator, sized
from arenite.runtime.arena_host import INVOKE
from arenite.runtime.arena_session import Foundation
from arenite.runtime.call_budget import CallBudget
from arenite.runtime.exclusive import Turn, exclusive, exclusive_inference
from arenite.runtime.graph import Profiler
from arenite.runtime.interpreter_config import Engine, Options, Setup, shared_target
from arenite.runtime.io_conversion import fresh, port, tensor_index
from arenite.runtime.lifecycle import Life, Tensors
from arenite.runtime.state import InterpreterState
from arenite.target import Target

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from arenite.runtime.compiled import CompiledGraph


class MicroInterpreter:
    """Runs a model in an arena, as the device does.

    >>> arena = bytearray(24 * 1024)                            # doctest: +SKIP
    >>> micro = MicroInterpreter(model, AllOpsResolver(), arena)  # doctest: +SKIP
    >>> micro.allocate_tensors()                                # doctest: +SKIP
    >>> micro.input(0)[:] = x; micro.invoke(); micro.output(0)  # doctest: +SKIP

    Args:
        model: A model, a file's path, or a file's bytes.
        resolver: Finds the operators.
        arena: A writable buffer, or a size in bytes. Tensors are views of it. Its first
            byte counts as 16-byte aligned, so sizes do not depend on where it is.
        arena_size: Bytes of the buffer that are used, from its first on; by default all.
        target: The firmware that is meant, see :class:`Interpreter`.
        engine: The kernels that compute here, see :class:`Interpreter`.
        planner: Name of the memory planner, ``"greedy"`` as in TFLM; ``"optimal"`` takes the
            least memory there is.
        preserve_all_tensors: Give every tensor memory of its own, so that :meth:`tensor`
            can show all of them after an inference. As in TFLM this takes the linear planner;
            a plan that the model brings along, which that planner refuses, is not looked at.
        resource_variables: How many variables there is room for, as a firmware says in
            ``MicroResourceVariables::Create``; by default one for every name in the model, as
            TFLM's package has it.
        threads, isa: How many threads share one inference, and whose kernels run, see
            :class:`Interpreter`.
        profiler: Told of every operator that runs.
        allocator: An allocator that other interpreters use too, instead of ``arena``. It says
            the target and the planner.

    Raises:
        UnsupportedOperatorError: The resolver lacks operators.
        ArenaError: The arena does not even hold the allocator.
        ValueError: There is no such target, engine or planner; the buffer is below ``arena_size``;
            the allocator is for another, or shares memory that ``preserve_all_tensors`` needs.
    """

    def __init__(
        self,
        model: Model | Source,
        resolver: OpResolver,
        arena: Memory | int | None = None,
        arena_size: int | None = None,
        *,
        target: Target | str | None = None,
        engine: Engine = "reference",
        planner: str = "greedy",
        preserve_all_tensors: bool = False,
        resource_variables: int | None = None,
        threads: int = 1,
        isa: str | None = None,
        profiler: Profiler | None = None,
        allocator: MicroAllocator | None = None,
    ) -> None:
        if (arena is None) == (allocator is None):
            raise ValueError("expected either an arena or an allocator")
        if allocator is not None:
            target, planner = shared_target(allocator, target), allocator.planner
            if preserve_all_tensors and not allocator.preserves_all_tensors:
                raise ValueError(
                    f"preserve_all_tensors: the allocator's planner says it, got {planner!r}: make "
                    "the allocator with planner='linear'"
                )
            preserve_all_tensors = False
        arena = sized(arena, arena_size)
        setup = Setup.of(
            target,
            engine,
            planner,
            preserve_all_tensors=preserve_all_tensors,
            resource_variables=resource_variables,
            threads=threads,
            isa=isa,
        )
        # TFLM's seven steps: model, resolver, allocator, graph, flags, context, init. Here a
        # context exists before the graph, which holds on to it.
        model, resolver = model_of(model), setup.resolver(resolver)
        planned = setup.planned(model)
        allocator = allocator or create_allocator(planned, resolver, arena, setup)
        self._stand_on(model, Foundation(planned, resolver, allocator, setup, profiler))

    def _stand_on(self, model: Model, base: Foundation) -> None:
        self._model, self._base, self._turn = model, base, base.allocator.turn

    @classmethod
    def in_smallest_arena(
        cls,
        model: Model | Source,
        resolver: OpResolver,
        *,
        profiler: Profiler | None = None,
        external_context: Any = None,
        decompression_memory: Sequence[Memory | int] = (),
        **options: Unpack[Options],
    ) -> MicroInterpreter:
        """An interpreter in the smallest arena that works, with its tensors allocated.

        A custom operator may keep memory that it got, so that must be in the final arena: with
        custom operators, all ``init`` and ``prepare`` functions run twice.

        Raises:
            UnsupportedOperatorError, ConstraintError: See :meth:`allocate_tensors`.
        """
        model, setup = model_of(model), Setup.of(**options)
        resolver, unlimited = setup.resolver(resolver), setup.allocator(None)
        base = Foundation(setup.planned(model), resolver, unlimited, setup, profiler)
        base.external_context = external_context
        if decompression_memory:
            base.add_regions(tuple(map(as_bytes, decompression_memory)))
        base.find_size()
        micro = cls.__new__(cls)
        micro._stand_on(model, base)
        micro.allocate_tensors()
        return micro

    # -- the life of an interpreter

    @exclusive
    def allocate_tensors(self) -> None:
        """Prepare every operator, plan the memory, point every tensor into the arena.

        When it fails, the arena is as it was before, and other interpreters that share it
        still work.

        Raises:
            StateError: It was called before.
            ArenaError: The arena is too small; ``needed`` says which size works.
            ConstraintError: An operator cannot run what the model asks of it.
        """
        if not (self._base.life.has_begun and self.state is InterpreterState.PREPARE):
            self._base.context.require("allocate_tensors", InterpreterState.INIT)
        self._base.allocate()

    @exclusive
    def prepare_operator(self, number: int) -> Node:
        """Prepare an operator of the main subgraph, and all before it; see its node.

        :meth:`allocate_tensors` does the rest. Once it has, this only shows the node.

        Raises:
            ArenaError, ConstraintError: As :meth:`allocate_tensors`.
            IndexError: There is no such operator.
        """
        self._base.life.graph.entry(number)
        return self._base.prepare_operator(number)

    @exclusive
    def invoke_operator(self, number: int) -> None:
        """Run one operator of the main subgraph.

        Raises:
            StateError: Tensors are not allocated, or another call works in the arena.
            IndexError: There is no such operator.
        """
        self.invoke_operator_in_turn(number)

    def invoke_operator_in_turn(self, number: int) -> None:
        """Do as :meth:`invoke_operator`, for a caller who has taken the turn."""
        self._base.life.invoke_operator(number)

    def operator_tensors(self, number: int) -> tuple[Tensors, Tensors]:
        """Inputs and outputs of an operator of the main subgraph, without constants.

        They are views of the arena by tensor index. Inputs are what they shall be when all
        operators before it have run, outputs when it has run; later operators may take their
        memory.
        """
        return self._base.life.operator_tensors(number)

    @exclusive_inference
    def invoke(self) -> bool:
        """Run the main subgraph once.

        Returns:
            Whether all operators ran. CIRCULAR_BUFFER ends an inference before, without an
            error, until it has seen as many inputs as it waits for (``kTfLiteAbort``); outputs
            mean nothing then.

        Raises:
            StateError: Tensors are not allocated, or another call works in the arena.
        """
        return self._base.life.invoke()

    def invoke_in_turn(self) -> bool:
        """Do as :meth:`invoke`, for a caller who has taken the turn."""
        return self._base.life.invoke()

    def close(self) -> None:
        """End the threads that share inferences; see :meth:`Interpreter.close`."""
        if self.compiled is not None:
            self.compiled.program.close()

    @exclusive
    def reset(self) -> None:
        """Variable tensors back to their zero points, operators back to their start.

        Raises:
            StateError: Tensors are not allocated, or another call works in the arena.
        """
        self._base.context.require("reset", INVOKE, before="allocate_tensors()")
        self._base.life.reset()

    @property
    def is_stateful(self) -> bool:
        """Whether an inference may depend on those before it: on variables, or operators' state."""
        self._base.context.require("is_stateful", INVOKE, before="allocate_tensors()")
        return self._base.life.graph.is_stateful

    @property
    def life(self) -> Life:
        """Drives the graph; whoever uses it has taken the turn."""
        return self._base.life

    # -- tensors

    def input(self, index: int = 0) -> Array:
        """Input ``index``: a writable view of the arena."""
        return self._port("input", self._model.main.inputs, index)

    def output(self, index: int = 0) -> Array:
        """Output ``index``: a view of the arena, valid until the next inference."""
        return self._port("output", self._model.main.outputs, index)

    def input_tensor(self, index: int = 0) -> TfLiteTensor:
        """Input ``index`` with type, shape, scale, zero point and data (``interpreter.input(0)``).

        Raises:
            IndexError: There is no such input.
            StateError: Tensors are not allocated.
        """
        return self._full("input", self._model.main.inputs, index)

    def output_tensor(self, index: int = 0) -> TfLiteTensor:
        """Output ``index``, likewise."""
        return self._full("output", self._model.main.outputs, index)

    def tensor(self, which: int | str, subgraph: int = 0) -> Array:
        """Any tensor, by index or name: a view of the arena, or the constant.

        Raises:
            StateError: ``preserve_all_tensors`` is off: other tensors took the memory.
            KeyError: There is no such tensor.
        """
        self._base.context.require("tensor", INVOKE, before="allocate_tensors()")
        if not self._base.allocator.preserves_all_tensors:
            raise StateError("tensor() needs an interpreter with preserve_all_tensors=True")
        index = tensor_index(self._model, which, subgraph)
        data = self._base.context.tensors[subgraph][index].data
        assert data is not None
        return fresh(data)

    def set_decompression_memory(self, *regions: Memory | int) -> None:
        """Give TFLM_DECODE memory beside the arena for its outputs, before tensors are allocated.

        Every operator takes it from its start, as on the device: what one has decompressed there
        is gone when the next one runs. Outputs that do not fit are in the arena.

        Args:
            regions: Writable buffers, or sizes in bytes.

        Raises:
            StateError: Tensors are allocated, or there are regions already.
        """
        self._base.context.require("set_decompression_memory", InterpreterState.INIT)
        if self._base.setup.regions:
            raise StateError("decompression memory can be set once")
        self._base.add_regions(tuple(map(as_bytes, regions)))

    def set_micro_external_context(self, payload: Any) -> None:
        """Attach an object that kernels find with ``get_external_context``; once."""
        self._base.context.set_external_context(payload)
        self._base.external_context = payload

    def limit_calls(self, budget: CallBudget | None) -> None:
        """Let inferences end with ``LoopLimitError`` where the budget of calls does; or never."""
        self._base.life.limit_calls(budget)

    # -- facts

    @property
    def model(self) -> Model:
        """The model."""
        return self._model

    @property
    def target(self) -> Target:
        """The firmware whose memory, paths and bits are meant."""
        return self._base.setup.target

    @property
    def engine(self) -> str:
        """Engine: ``"native"`` or ``"reference"``."""
        return "native" if self._base.setup.is_native else "reference"

    @property
    def arena(self) -> SingleArenaBufferAllocator:
        """The arena: ``used``, ``head_used``, ``tail_used``, ``size``."""
        return self._base.allocator.arena

    @property
    def plan(self) -> MemoryPlan:
        """Where every tensor and scratch buffer is, and when it is alive.

        Raises:
            StateError: Tensors are not allocated.
        """
        plan = self._base.context.memory_plan
        if plan is None:
            raise StateError("there is no plan yet: call allocate_tensors() first")
        return plan

    @property
    def profiler(self) -> Profiler | None:
        """Told of every operator that runs; may be set and removed at any time."""
        return self._base.life.graph.profiler

    @profiler.setter
    def profiler(self, profiler: Profiler | None) -> None:
        self._base.life.graph.profiler = profiler

    def allocations(self) -> Allocations:
        """The use of the arena: TFLM's table, and every block in the tail."""
        return self._base.allocator.allocations()

    @property
    def decompression_memory(self) -> tuple[Bytes, ...]:
        """Memory that :meth:`set_decompression_memory` was given."""
        return self._base.setup.regions

    @property
    def compiled(self) -> CompiledGraph | None:
        """The main subgraph's native program, or None where all runs in Python."""
        return self._base.life.compiled

    @property
    def turn(self) -> Turn:
        """Holds a token while nobody works in the arena; see :mod:`arenite.runtime.exclusive`."""
        return self._turn

    @property
    def state(self) -> InterpreterState:
        """The phase of the interpreter's life."""
        return self._base.context.state

    def __repr__(self) -> str:
        arena = self.arena
        return (
            f"<MicroInterpreter {self._model.source or '(built)'}: {self.state.value} phase, "
            f"{arena.used} of {arena.size} bytes used, head {arena.head_used}, "
            f"tail {arena.tail_used}>"
        )

    # -- inside

    def _port(self, kind: str, indices: Sequence[int], index: int) -> Array:
        self._base.context.require(kind, INVOKE, before="allocate_tensors()")
        tensor = self._base.context.tensors[0][port(kind, indices, index)]
        assert tensor.data is not None
        return fresh(tensor.data)

    def _full(self, kind: str, indices: Sequence[int], index: int) -> TfLiteTensor:
        data = self._port(kind, indices, index)
        return replace(self._base.context.full_tensor(0, port(kind, indices, index)), data=data)
