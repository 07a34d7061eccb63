"""The setup of a model: for which firmware, what computes here, which planner.

What interpreters and the functions that only plan are asked for is one :class:`Setup`, made once
and passed along.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict, get_args

from arenite import native
from arenite.errors import AreniteError
from arenite.library_facts import facts_of
from arenite.memory.allocator import MicroAllocator
from arenite.memory.arena import Bytes, Memory
from arenite.memory.offline import without_plan
from arenite.memory.planners import planner_for
from arenite.model import Model
from arenite.ops import OpResolver
from arenite.options import instance, optional, takes, text, whole
from arenite.runtime.threads import checked_threads
from arenite.target import Target, find_target

#: ``"reference"`` computes with NumPy, ``"native"`` with compiled kernels where there are some,
#: ``"auto"`` natively if the engine was built. The results are the same.
Engine = Literal["auto", "native", "reference"]
_ENGINES = get_args(Engine)


class Options(TypedDict, total=False):
    """Arguments of :meth:`Setup.of` by name, as interpreters take them."""

    target: Target | str | None
    engine: Engine
    planner: str
    preserve_all_tensors: bool
    resource_variables: int | None
    threads: int
    isa: str | None


@dataclass(frozen=True)
class Setup:
    """The firmware that a model is set up as, the engine that computes it, the planner's name."""

    target: Target
    engine: Engine
    planner: str
    #: Room for variables, None for one of every name.
    resource_variables: int | None = None
    #: That share one inference of the native engine.
    threads: int = 1
    #: Whose kernels the native engine runs; None for the best of this CPU.
    isa: str | None = None
    #: Every tensor has memory of its own.
    preserves_all_tensors: bool = False
    #: Alternate memory for decompressed tensors.
    regions: tuple[Bytes, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    @takes(engine=text, planner=text, isa=optional(text), resource_variables=optional(whole()))
    def of(
        cls,
        target: Target | str | None = None,
        engine: Engine = "reference",
        planner: str = "greedy",
        *,
        preserve_all_tensors: bool = False,
        resource_variables: int | None = None,
        threads: int = 1,
        isa: str | None = None,
    ) -> Setup:
        """A setup as people ask for it.

        Raises:
            TypeError: ``threads`` is no integer.
            ValueError: There is no such target, engine or instruction set, ``threads`` is not
                from 1 to 1024, or room for fewer than no variables is asked for.
            AreniteError: The native engine, or an instruction set of it, is asked for and it was
                not built, or the reference is asked for too.
        """
        if resource_variables is not None and resource_variables < 0:
            raise ValueError(f"resource_variables: expected 0 or more, got {resource_variables}")
        planner = planner_for(planner, preserve_all_tensors=preserve_all_tensors)
        if engine not in _ENGINES:
            raise ValueError(f"expected an engine of auto, native, reference, got {engine!r}")
        if engine == "native" and not native.available():
            raise AreniteError(f"engine='native': {native.absence()}; use 'auto' or 'reference'")
        count = checked_threads(threads)
        if isa is not None:
            _check_isa(isa, engine)
        options = resource_variables, count, isa, preserve_all_tensors
        return cls(find_target(target), engine, planner, *options)

    @property
    def is_native(self) -> bool:
        """Whether compiled kernels run."""
        return self.engine != "reference" and native.available()

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of an interpreter set up like this: target, engine, threads and ``isa``."""
        names = ("target", "engine", "threads", "isa")
        return {name: getattr(self, name) for name in names}

    def planned(self, model: Model) -> Model:
        """The model whose memory is planned: without its own plan where all tensors are preserved.

        TFLM's linear planner refuses such plans, which let tensors share memory.
        """
        return without_plan(model) if self.preserves_all_tensors else model

    def resolver(self, resolver: OpResolver) -> OpResolver:
        """Resolver of the target's operators, where ``resolver`` finds those of TFLM."""
        if facts_of(self.target.library).is_reference and not self.target.tflm:
            return resolver
        from arenite.libraries.library import resolver_for  # noqa: PLC0415 - few need it

        return resolver_for(resolver, self.target)

    def allocator(self, arena: Memory | int | None) -> MicroAllocator:
        """An allocator on an arena; None is one without memory and end.

        Raises:
            ArenaError: The arena does not even hold the allocator.
        """
        return MicroAllocator.create(arena, planner=self.planner, target=self.target)


def _check_isa(isa: str, engine: Engine) -> None:
    """Refuse an instruction set whose kernels would not run."""
    if engine == "reference":
        raise AreniteError(f"isa={isa!r}: expected engine 'native' or 'auto', got 'reference'")
    if not native.available():
        raise AreniteError(f"isa={isa!r}: {native.absence()}")
    from arenite.native.program import checked_isa  # noqa: PLC0415 - may be absent

    checked_isa(isa)


def shared_target(allocator: MicroAllocator, target: Target | str | None) -> Target:
    """The target of an allocator that is given, and of everybody who shares it.

    Raises:
        ValueError: Another one is asked for.
    """
    instance(MicroAllocator, expected="a MicroAllocator")("allocator", allocator)
    if target is not None and find_target(target) != allocator.target:
        raise ValueError(
            f"expected the allocator's target ({allocator.target}), got {find_target(target)}"
        )
    return allocator.target
