"""Whether TensorFlow Lite Micro runs a model at all, and why not."""

from __future__ import annotations

from arenite.errors import AreniteError, UnsupportedOperatorError
from arenite.model import Model
from arenite.runtime.allocation import smallest_arena


def refusal(model: Model) -> str | None:
    """What ``AllocateTensors`` refuses, such as hybrid quantisation; None if it does not.

    Operators that are not there are not its business: the resolver names them.
    """
    try:
        smallest_arena(model)
    except UnsupportedOperatorError:
        return None
    except (AreniteError, MemoryError) as error:
        return str(error)
    return None
