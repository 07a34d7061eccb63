"""esp-tflite-micro's kernels, one file per operator, named as in ``arenite.ops``.

Each holds its ``GLUE``, and in ``ONLY_IN`` the releases of esp-tflite-micro that it is for, if
these are few. Operators without a file run TFLM's own kernel on every chip.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import lru_cache

from arenite.libraries.glue import Glue
from arenite.target import Target


@lru_cache(maxsize=1024)
def glue_for(name: str, target: Target) -> Glue | None:
    """The glue of a builtin operator, or None where esp-tflite-micro runs TFLM's kernel."""
    module = f"{__name__}.{name.lower()}"
    if not name.isidentifier() or importlib.util.find_spec(module) is None:
        return None
    found = importlib.import_module(module)
    only_in: tuple[str, ...] = getattr(found, "ONLY_IN", ())
    if only_in and target.glue_version not in only_in:
        return None
    glue: Glue = found.GLUE
    return glue
