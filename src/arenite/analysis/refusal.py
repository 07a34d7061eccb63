"""Whether TensorFlow Lite Micro runs a model at all, and why not."""

from __future__ import annotations

import warnings

from arenite.errors import AreniteError, PlanError, PlanWarning, UnsupportedOperatorError
from arenite.memory.offline import without_plan
from arenite.model import Model
from arenite.optimize.optimizer import run_pass
from arenite.optimize.parts import refusal_of
from arenite.optimize.settings import Settings
from arenite.runtime.allocation import smallest_arena
from arenite.target import Target


def refusal(model: Model, target: Target | None = None) -> str | None:
    """Reason why ``AllocateTensors`` refuses, such as hybrid quantisation; None if it does not.

    Operators that are not there are not its business: the resolver names them. A plan that is
    wrong for the kernels of this host is none of ``AllocateTensors`` either: it does not look.
    """
    try:
        _allocate(model, target)
    except UnsupportedOperatorError:
        return None
    except (AreniteError, MemoryError) as error:
        return str(error)
    return None


def remedy(model: Model, target: Target | None = None) -> str:
    """The command that makes a model that TFLM runs of one that it does not; empty if none does."""
    if refusal_of(model, target) is None:
        return ""
    step = run_pass("lower", model, Settings(target, lower=True))
    if refusal_of(step.after, target) is not None:
        return ""
    version = f" --tflm-version {target.tflm}" if target is not None and target.tflm else ""
    return f"arenite optimize {model.source or 'MODEL'} -o OUT.tflite --lower{version}"


def _allocate(model: Model, target: Target | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PlanWarning)
        try:
            smallest_arena(model, target=target)
        except PlanError:
            smallest_arena(without_plan(model), target=target)
