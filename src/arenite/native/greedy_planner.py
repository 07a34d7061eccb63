"""Places for buffers, computed in C as :mod:`arenite.memory.greedy` defines them."""

from __future__ import annotations

from arenite.native.engine import extension, lib

if not lib.ar_add_greedy_planner():
    raise ImportError("the native engine has no way to read buffers")
#: ``greedy_places(buffers)``: offsets of a tuple of buffers, and the size of the memory in bytes;
#: None for what C does not take, see ``csrc/python/greedy_planner.c``.
greedy_places = extension.greedy_places
