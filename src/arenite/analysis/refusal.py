"""Whether TensorFlow Lite Micro runs a model at all, and why not."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Iterator

from arenite.errors import (
    AreniteError,
    PlanError,
    PlanWarning,
    RefusedError,
    UnsupportedOperatorError,
)
from arenite.memory.offline import without_plan
from arenite.model import Model
from arenite.optimize.optimizer import run_pass
from arenite.optimize.parts import refusal_of
from arenite.optimize.passes.lower import with_known_shapes
from arenite.optimize.settings import Settings
from arenite.runtime.allocation import smallest_arena
from arenite.target import Target


def refusal(model: Model, target: Target | None = None) -> str | None:
    """Reason why ``AllocateTensors`` refuses, such as hybrid quantisation; None if it does not.

    Operators that are not there are not its business: the resolver names them. A plan that is
    wrong for the kernels of this host is none of ``AllocateTensors`` either: it does not look.
    """
    error = refused_with(model, target)
    return error.message if isinstance(error, RefusedError) else str(error) if error else None


def refused_with(model: Model, target: Target | None = None) -> Exception | None:
    """Error of ``AllocateTensors``, as :func:`refusal` means it; None where there is none."""
    try:
        _allocate(model, target)
    except UnsupportedOperatorError:
        return None
    except (AreniteError, MemoryError) as error:
        return error
    return None


def remedy(model: Model, target: Target | None = None) -> str:
    """The command that makes a model that TFLM runs of one that it does not; empty if none does.

    The rules of ``--lower`` are asked, by lowering the model.
    """
    if refusal_of(model, target) is None:
        return ""
    for options, meant in _commands(target):
        step = run_pass("lower", model, Settings(meant, lower=True))
        if step.changes and refusal_of(step.after, target) is None:
            name = shlex.quote(model.source) if model.source else "MODEL"
            return f"arenite optimize {name} --lower -o out.tflite{options}"
    return ""


def _commands(target: Target | None) -> Iterator[tuple[str, Target | None]]:
    """Options of the command, the fewest first, and the target that they mean."""
    if target is not None and target.tflm:
        version = f" --tflm-version {target.tflm}"
        yield version, Target("host", abi="lp64_public", tflm=target.tflm)
        return
    yield "", None
    if target is not None and target == Target(target.processor):
        yield f" --target {target.processor}", target


def fixed_batch(model: Model, target: Target | None = None) -> str:
    """Advice where the batch that the file leaves open is all that is in the way; or nothing.

    With a batch of 1 a converter knows the shapes that such a file computes; with them alone, and
    no operator written otherwise, the target has to run the model.
    """
    if not any((tensor.shape_signature or (1,))[0] == -1 for tensor in model.inputs):
        return ""
    if refusal_of(model, target) is None or refusal_of(with_known_shapes(model), target):
        return ""
    return "convert it with a batch of 1"


def remedies(model: Model, target: Target | None = None) -> str:
    """Commands for a model that TFLM refuses, in sentences; empty where nothing is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            command, batch = remedy(model, target), fixed_batch(model, target)
        except AreniteError:
            return ""  # a model that is not sound otherwise
    if command and batch:
        return f"`{command}` makes it run, or {batch}."
    if command:
        return f"`{command}` makes it run."
    return f"To make it run, {batch}." if batch else ""


def _allocate(model: Model, target: Target | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PlanWarning)
        try:
            smallest_arena(model, target=target)
        except PlanError:
            smallest_arena(without_plan(model), target=target)
