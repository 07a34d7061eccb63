"""TFLM's own kernels as a library: it replaces none of them, and every processor may have it.

All that is true of these kernels (what they allocate, compute and how near outputs may lie) stands
in :mod:`arenite.ops`, since they are what other libraries are compared with.
"""

from __future__ import annotations

from arenite.library_facts import LibraryFacts

FACTS = LibraryFacts(
    name="tflm",
    title="TFLM's reference kernels",
    built="TFLM's reference kernels",
)
