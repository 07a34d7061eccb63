"""TFLM's CMSIS-NN kernels, one file per operator, named as in ``arenite.ops``.

Each holds its ``GLUE``. Operators without a file run TFLM's own kernel on every target.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import lru_cache

from arenite.libraries.glue import Glue


@lru_cache(maxsize=1024)
def glue_for(name: str) -> Glue | None:
    """The glue of a builtin operator, or None where TFLM has no CMSIS-NN kernel."""
    module = f"{__name__}.{name.lower()}"
    if not name.isidentifier() or importlib.util.find_spec(module) is None:
        return None
    glue: Glue = importlib.import_module(module).GLUE
    return glue
