"""Releases that people build firmware with, as data: an SDK's TFLM, kernel library and build.

A file of ``data/`` is an SDK, a table ``[[releases]]`` in it one release: the day of its TFLM, its
kernel library and that one's state, the glue, compiler and optimisation level, struct sizes,
operators, and who says so. What could not be established is left out, with the reason.
"""

from arenite.sdks.find import find, left_out, names, releases, sdks, usual
from arenite.sdks.release import Left, Release, Sdk

__all__ = ["Left", "Release", "Sdk", "find", "left_out", "names", "releases", "sdks", "usual"]
