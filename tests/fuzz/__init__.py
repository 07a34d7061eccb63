"""Broken files, faults from outside, and what must come of them."""

import os

if "ARENITE_SANITIZED_ENGINE" in os.environ:
    # Before anything else loads the engine that is installed.
    from tests.native import sanitizer as sanitizer
