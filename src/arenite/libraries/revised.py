"""Operators as an earlier TFLM has them: today's, with what the rows of ``revisions/`` undo.

- ``operator``: there is none.
- ``types``: what it refused then is refused, with the day from which on it is not.
- ``options``: fields that had no effect have the value that they had in effect (``name=number``).
- ``memory``: scratch buffers that there were not, or that lay in the tail (``purpose: none`` or
  ``purpose: persistent``). Results do not depend on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from arenite.libraries.glue import Unaccounted
from arenite.ops import Context, NativeKernel, Node, OpResolver, Registration, builtin
from arenite.ops.constraints import Constraint, NodeView
from arenite.revisions.changes import Change, before
from arenite.revisions.known import Revision, revision_of
from arenite.target import Target

Prepare = Callable[[Context, Node], Any]


class RevisedResolver:
    """Finds what ``resolver`` finds, as it was in the target's revision of TFLM.

    A registration of the user's stays as it is: ``is_own`` says which are Arenite's.
    """

    def __init__(self, resolver: OpResolver, given: OpResolver, target: Target) -> None:
        self._resolver, self._given = resolver, given
        self._revision = revision_of(target.tflm)
        self._builds = ("package", "") if target.abi == "lp64" else ("",)

    def find(self, name: str) -> Registration | None:
        """The registration of a builtin or custom name, or None."""
        found = self._resolver.find(name)
        if found is None or self._given.find(name) != builtin(name):
            return found
        if self._row("operator", name) and not self._revision.has_besides(name):
            return None
        return self._as_then(found, name)

    def _as_then(self, found: Registration, name: str) -> Registration:
        types, options = self._row("types", name), self._row("options", name)
        memory = self._row("memory", name)
        if types is not None:
            refused = _refuses(types, self._revision)
            found = replace(found, constraints=(*found.constraints, refused))
        if (options or memory) and found.prepare is not None:
            found = _prepared(found, _prepare(found.prepare, options, memory))
        return found

    def _row(self, what: str, name: str) -> Change | None:
        """The row that holds; the package's own before those of all builds."""
        rows = (before(self._revision.date, what, name, build) for build in self._builds)
        return next((row for row in rows if row is not None), None)

    def came(self, name: str) -> str:
        """What is said of an operator that the revision lacks; empty if it does not."""
        row = self._row("operator", name)
        if row is None or self._revision.has_besides(name):
            return ""
        return f"{name} came to TFLM on {row.since} ({row.commit}); this is {self._revision.title}"

    def __repr__(self) -> str:
        return f"{self._resolver!r} of {self._revision.title}"


def _prepared(found: Registration, prepare: Prepare) -> Registration:
    """The registration with another ``prepare`` whose parameters its native kernel takes."""
    native = NativeKernel(found.invoke, found.kernel_for, prepare, found.init)
    return replace(found, prepare=prepare, native=native)


def _prepare(today: Prepare, options: Change | None, memory: Change | None) -> Prepare:
    """Today's ``prepare`` with the options and the memory that counted then."""
    fixed = {} if options is None else _options(options.before)
    kinds = {} if memory is None else _kinds(memory.before)

    def prepare(context: Context, node: Node) -> Any:
        meant = node.options
        if fixed:
            node.options = replace(meant, **fixed)
        try:
            return today(_Then(context, kinds) if kinds else context, node)
        finally:
            node.options = meant

    return prepare


@lru_cache(maxsize=64)
def _options(text: str) -> dict[str, int]:
    """``"a=0 b=1"`` as a dictionary."""
    pairs = (part.split("=") for part in text.split())
    return {name: int(value) for name, value in pairs}


@lru_cache(maxsize=64)
def _kinds(text: str) -> dict[str, str]:
    """``"sums: none, row: persistent"`` as a dictionary."""
    pairs = (part.split(":") for part in text.split(","))
    return {purpose.strip(): kind.strip() for purpose, kind in pairs}


class _Then(Unaccounted):
    """A context that takes other scratch memory than is asked for."""

    def __init__(self, host: Context, kinds: dict[str, str]) -> None:
        super().__init__(host)
        self._kinds = kinds
        self.get_tensor = host.get_tensor  # type: ignore[method-assign]
        self.allocate_persistent_buffer = host.allocate_persistent_buffer  # type: ignore[method-assign]
        self.reserve_persistent_buffer = host.reserve_persistent_buffer  # type: ignore[method-assign]

    def request_scratch_buffer_in_arena(self, size: int, purpose: str = "") -> int:
        """A buffer where there was one then; else no handle, as kernels work without."""
        kind = self._kinds.get(purpose)
        if kind is None:
            return self._host.request_scratch_buffer_in_arena(size, purpose)
        if kind == "persistent":
            self._host.reserve_persistent_buffer(size, purpose)
        return -1


def _refuses(row: Change, revision: Revision) -> Constraint:
    """A constraint: an input has none of the types that were refused then."""
    index, *types = row.before.split()

    def takes_the_type(node: NodeView) -> bool:
        number = int(index)
        there = number < len(node.inputs) and node.inputs[number] is not None
        return not there or str(node.input(number).type) not in types

    takes_the_type.__doc__ = (
        f"Input {index} has a type that {revision.title} takes: {' and '.join(types)} came on "
        f"{row.since} ({row.commit})."
    )
    return takes_the_type
