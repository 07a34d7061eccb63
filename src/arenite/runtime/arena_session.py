"""Foundation of an interpreter: an allocator, and the context and the life made on it.

Facts: TFLM ``micro_interpreter.cc``. A life that fails gives back all that it has taken from the
arena, and another one begins there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from arenite.errors import ArenaError
from arenite.memory.allocator import MicroAllocator
from arenite.memory.arena import Bytes
from arenite.memory.two_arenas import TwoArenas
from arenite.model import Model
from arenite.model.gc_pause import paused
from arenite.ops import Node, OpResolver
from arenite.runtime.allocation import dry_run, with_needed
from arenite.runtime.arena_host import MicroInterpreterContext
from arenite.runtime.graph import Graph, Profiler
from arenite.runtime.interpreter_config import Setup
from arenite.runtime.lifecycle import Life

#: So many operators are prepared without looking for garbage.
_MANY = 500


class Foundation:
    """A model's place in an arena.

    ``resolver`` finds the target's operators.

    Attributes:
        context: What gives kernels their memory, of the present life.
        life: Drives the graph.
        external_context: What the user attached, for contexts to come.
    """

    context: MicroInterpreterContext
    life: Life

    def __init__(
        self,
        model: Model,
        resolver: OpResolver,
        allocator: MicroAllocator,
        setup: Setup,
        profiler: Profiler | None,
    ) -> None:
        self.model, self.resolver, self.allocator, self.setup = model, resolver, allocator, setup
        self.external_context: Any = None
        self._checkpoint = allocator.checkpoint()
        self.start(profiler)

    def start(self, profiler: Profiler | None, *, shrinks: bool = False) -> None:
        """Make a context and a life; ``shrinks`` as for the context.

        Raises:
            UnsupportedOperatorError: The resolver lacks operators.
        """
        with paused(self.has_many_operators):
            self.context = MicroInterpreterContext(
                self.allocator, self.model, shrinks=shrinks, regions=self.setup.regions
            )
        self.context.external_context = self.external_context
        variables = self.setup.resource_variables
        graph = Graph(self.model, self.context, profiler=profiler, max_variables=variables)
        graph.resolve(self.resolver)
        setup = self.setup
        self.life = Life(graph, is_native=setup.is_native, threads=setup.threads, isa=setup.isa)

    def add_regions(self, regions: tuple[Bytes, ...]) -> None:
        """Start again with alternate memory for decompressed tensors."""
        self.setup = replace(self.setup, regions=regions)
        self.start(self.life.graph.profiler)

    def find_size(self) -> None:
        """Let an allocator without end get the smallest arena that works.

        What a custom operator got may be kept, so that it must lie in the final arena: that is
        found by a life that is over before this one begins.
        """
        if self.life.graph.is_own:
            self.context.shrinks = True
            return
        unlimited, setup = self.allocator, self.setup
        recorded = dry_run(
            *(self.model, self.resolver, unlimited, self.external_context),
            setup.resource_variables,
            regions=setup.regions,
        )
        size = recorded.peak.smallest_arena
        unlimited.arena.budget.check(size, "the arena")
        self.allocator = setup.allocator(size)
        self.allocator.arena.budget.take(size, "the arena")
        self.start(self.life.graph.profiler)

    def allocate(self) -> None:
        """Prepare, plan, and point all tensors into the arena."""
        is_worth_it = self.has_many_operators and self.life.graph.is_own
        self._remember()
        try:
            with paused(is_worth_it):
                self.life.allocate()
        except BaseException as error:
            self._undo(error)
            raise

    def prepare_operator(self, number: int) -> Node:
        """Prepare an operator of the main subgraph, and all before it."""
        self._remember()
        try:
            return self.life.prepare_operator(number)
        except BaseException as error:
            self._undo(error)
            raise

    def _remember(self) -> None:
        """The arena as it is before a life begins."""
        if not self.life.has_begun:
            self._checkpoint = self.allocator.checkpoint()

    def _undo(self, error: BaseException) -> None:
        """A failure leaves the arena as it was before, and says which size would do."""
        profiler = self.life.graph.profiler
        self.life.free()
        self.allocator.rollback(self._checkpoint)
        self.start(profiler, shrinks=self.context.shrinks)
        if isinstance(error, ArenaError) and not isinstance(self.allocator.arena, TwoArenas):
            twin = self.allocator.unlimited()
            raise with_needed(
                *(error, self.model, self.resolver, twin, self.external_context),
                variables=self.setup.resource_variables,
                regions=self.setup.regions,
            ) from None

    @property
    def has_many_operators(self) -> bool:
        """Whether making and preparing them is worth going without the garbage collector."""
        return sum(len(subgraph.operators) for subgraph in self.model.subgraphs) >= _MANY
