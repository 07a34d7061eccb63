"""Kernel libraries as a target names them: what each is called, and which processors it is for.

A library is a folder of ``arenite/libraries``, found by its name as operators are: no table lists
them. What is said here is all that a :class:`arenite.Target` needs; the rest of a library, see
:mod:`arenite.libraries.library`, is loaded when a model is prepared for it.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from dataclasses import dataclass
from functools import lru_cache

from arenite.cores import Family, Instructions

_FOLDER = "arenite.libraries"
#: TFLM's own kernels, which every target may have.
REFERENCE = "tflm"


@dataclass(frozen=True)
class LibraryFacts:
    """A library by name; every folder of ``arenite/libraries`` has one as its ``FACTS``.

    Attributes:
        name: Its folder's.
        title: As sentences call it.
        built: TFLM with it, in a line that describes a target.
        families: Of processors that it is for, and the usual choice on; see
            :class:`arenite.cores.Core`. Empty for one that is for all.
        vary_with: Fields of a target that decide on its loops: a memory plan with outputs over
            inputs is right for targets that agree in them.
        apart_with: Processors' instructions for whose kernels nothing is known of outputs over
            inputs: no plan for "all builds" is right there.
        versions: Its releases that are known, oldest first; the last one is the default. Empty
            where memory, paths and results are those of one state, which its room names.
        glue_versions: Releases of the package that brings TFLM and calls it; as above.
        glue: That package's name.
        is_dated: Whether its state may be told by a release or a day (``Target.cmsis_nn``).
    """

    name: str
    title: str
    built: str
    families: tuple[Family, ...] = ()
    vary_with: tuple[str, ...] = ()
    apart_with: tuple[Instructions, ...] = ()
    versions: tuple[str, ...] = ()
    glue_versions: tuple[str, ...] = ()
    glue: str = ""
    is_dated: bool = False

    @property
    def is_reference(self) -> bool:
        """Whether it is TFLM's own kernels: what a firmware links without any library."""
        return self.name == REFERENCE


@lru_cache(maxsize=1)
def library_names() -> tuple[str, ...]:
    """All there are, TFLM's own first."""
    spec = importlib.util.find_spec(_FOLDER)
    places = None if spec is None else spec.submodule_search_locations
    names = (found.name for found in pkgutil.iter_modules(places) if found.ispkg)
    return tuple(sorted(names, key=lambda name: (name != REFERENCE, name)))


@lru_cache(maxsize=16)
def facts_of(name: str) -> LibraryFacts:
    """The facts of one of :func:`library_names`."""
    found: LibraryFacts = importlib.import_module(f"{_FOLDER}.{name}").FACTS
    return found


def usual_library(family: Family) -> LibraryFacts:
    """Library of firmware for such processors as a rule: TFLM's own kernels if none is for them."""
    if family != "host":
        for name in library_names():
            if family in facts_of(name).families:
                return facts_of(name)
    return facts_of(REFERENCE)
