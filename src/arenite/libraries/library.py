"""Kernel libraries: what each states, and which one a target has.

A library is a folder here, found by the name that a target gives, as operators are found by theirs;
nothing outside of ``libraries/`` names one. Its ``__init__`` says what a target has to know
(:class:`arenite.library_facts.LibraryFacts`), its module ``kernels`` holds the :class:`Library`.
To add one, add a folder with both.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from arenite.libraries.costs import Costs
from arenite.libraries.glue import Glue, registration
from arenite.libraries.path import Path
from arenite.libraries.revised import RevisedResolver
from arenite.libraries.walk import Walk
from arenite.library_facts import facts_of
from arenite.memory.overlap import Order
from arenite.ops import Array, Node, NodeView, OpResolver, Registration, builtin
from arenite.target import Target

#: ``walk(view, params, path, target, x, output)``: input and output are NHWC.
Walker = Callable[[NodeView, Any, Path, Target, Array, Array], Walk]


@dataclass(frozen=True)
class Library:
    """Interface of a kernel library for runtime, optimiser and analysis.

    Attributes:
        glue_for: ``glue_for(name, target)``: decisions, allocations, results and overlap distances
            of an operator that the library replaces; None where TFLM's own kernel runs.
        order_of: ``order_of(node, view, position, path, target)``: in which order a function of the
            library reads an input and writes its output, a second way to overlap distances; None
            for what must be apart.
        costs: ``costs()``: what its kernels cost, loaded when it is asked for.
        walker: ``walker()``: follows one value of an int8 convolution through the library's
            arithmetic, number by number; None where that is not modelled.
        dilates: Whether a dilation of its one tap makes a 1x1 convolution take another path,
            whose output may lie on its input, with the same results: ``dilates(target)``.
        code_sizes: ``code_sizes()``: bytes of flash by core and by line of the resolver, such as
            ``AddConv2D``; those of the interpreter alone are the empty line's. Empty if nobody
            measured them.
    """

    glue_for: Callable[[str, Target], Glue | None]
    order_of: Callable[[Node, NodeView, int, Path, Target], Order | None]
    costs: Callable[[], Costs]
    walker: Callable[[], Walker] | None = None
    dilates: Callable[[Target], bool] = lambda target: False
    code_sizes: Callable[[], Mapping[str, Mapping[str, int]]] = dict


@lru_cache(maxsize=16)
def library_called(name: str) -> Library:
    """A library by its folder's name."""
    found: Library = importlib.import_module(f"arenite.libraries.{name}.kernels").LIBRARY
    return found


def library_of(target: Target) -> Library:
    """The library that a target's firmware links."""
    return library_called(target.library)


class LibraryResolver:
    """Finds what ``resolver`` finds, with a library's kernels in place of Arenite's own.

    A registration that is not Arenite's own stays as it is, whole: with another ``init`` or
    ``prepare`` it is a kernel of the user's, as with another ``invoke``.
    """

    def __init__(self, resolver: OpResolver, target: Target) -> None:
        self.is_whole = getattr(resolver, "is_whole", False)
        self._resolver = resolver
        self._target = target
        self._glue_for = library_of(target).glue_for

    def find(self, name: str) -> Registration | None:
        """The registration of a builtin or custom name, or None."""
        found = self._resolver.find(name)
        glue = self._glue_for(name, self._target)
        if found is None or glue is None or found != builtin(name):
            return found
        return registration(found, glue, self._target)

    def __repr__(self) -> str:
        return repr(self._resolver)


def resolver_for(resolver: OpResolver, target: Target) -> OpResolver:
    """Resolver of a target's operators where ``resolver`` finds those of TFLM."""
    found = resolver
    if not facts_of(target.library).is_reference:
        found = LibraryResolver(resolver, target)
    return RevisedResolver(found, resolver, target) if target.tflm else found


def why_no_costs(target: Target) -> str:
    """The reason why a target has no costs, in a sentence without its stop; empty if some are."""
    known: Sequence[str] = library_of(target).costs().processors
    if target.processor in known:
        return ""
    if not known:
        return f"no costs are known for kernels of {facts_of(target.library).title}"
    return f"costs are known for {', '.join(known)}, not for {target.processor}"
