"""The model whose layers a firmware has: the same outputs from fewer layers, constants and bytes.

The passes are those of :mod:`arenite.optimize`, but for the one that plans TFLM's arena: a firmware
has a plan of its own. So a plan that the file brings is left out. An order of operators that would
take more memory here, where outputs lie over inputs, is not taken.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from arenite.errors import AreniteError, ModelError
from arenite.files import open_regular, read_whole
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import Network, network_of
from arenite.firmware.plan.constant_outputs import with_copied_constants
from arenite.firmware.plan.late_assignments import with_late_assignments
from arenite.firmware.plan.layout import alive_bytes
from arenite.firmware.plan.program import Kernels, constants_of, works_of
from arenite.formats import load, tflite
from arenite.memory.offline import without_plan
from arenite.model import Model
from arenite.model.check import check
from arenite.model.consistency import check_order
from arenite.optimize.outcome import Pass
from arenite.optimize.passes.channels import channels
from arenite.optimize.passes.clean import clean
from arenite.optimize.passes.fold import fold
from arenite.optimize.passes.order import order
from arenite.optimize.settings import Settings

#: Kernels in assembly take so many channels at a time.
_CHANNELS = 8


class Size(NamedTuple):
    """Memory of a model as firmware, with the usual kernels and no limits.

    Attributes:
        layers: How many.
        alive_bytes: Tensors and scratch memory that are needed at once, at most: an arena has no
            fewer bytes, and mostly no more.
        constant_bytes: Constants in flash; equal ones are there once.
    """

    layers: int
    alive_bytes: int
    constant_bytes: int


@dataclass(frozen=True, eq=False)
class Lossless:
    """A model, and what became of it.

    Attributes:
        original: As it came, without a memory plan of its own.
        model: Whose layers the firmware has.
        network: Its layers.
        works: How each is done by the usual kernels.
        is_optimized: Whether passes changed the model.
        sizes: Before and after that; None where only the result can be exported.
    """

    original: Model
    model: Model
    network: Network
    works: tuple[Work, ...]
    is_optimized: bool = False
    sizes: tuple[Size, Size] | None = None


class _Made(NamedTuple):
    model: Model
    network: Network
    works: tuple[Work, ...]
    size: Size


def lossless(model: Model, kernels: Kernels, *, tuned: bool, optimize: bool = True) -> Lossless:
    """A model's layers for kernels; with ``optimize`` those of the smallest model of equal outputs.

    Args:
        model: The model.
        kernels: How layers are done.
        tuned: Whether they are fastest with multiples of :data:`_CHANNELS` channels.
        optimize: Whether passes run.

    Raises:
        UnsupportedOperatorError: Some layers have no exported kernel; names them all.
        ConstraintError: An operator cannot run what the model asks of it.
    """
    original = without_plan(model)
    plain = with_copied_constants(original)
    if not optimize:
        return _lossless(original, _made(plain, kernels))
    found = _candidates(plain, tuned=tuned)
    try:
        before = _made(plain, kernels)
    except AreniteError:  # only the result can be exported, or nothing
        if not found:
            raise
        best = _late(_made(found[0], kernels), kernels)
        return replace(_lossless(original, best), is_optimized=True)
    small = (
        made
        for made in (_made(one, kernels) for one in found)
        if made.size.alive_bytes <= before.size.alive_bytes
    )
    return _lossless(original, _late(next(small, before), kernels), before)


def _lossless(original: Model, made: _Made, before: _Made | None = None) -> Lossless:
    sizes = None if before is None or made is before else (before.size, made.size)
    network, works = made.network, made.works
    return Lossless(original, made.model, network, works, sizes is not None, sizes)


def _late(made: _Made, kernels: Kernels) -> _Made:
    """With assignments of variables where nobody needs what they were."""
    model = with_late_assignments(made.model, made.network, made.works)
    return made if model is made.model else _made(model, kernels)


def _made(model: Model, kernels: Kernels) -> _Made:
    network = network_of(model)
    works = works_of(network, kernels)
    size = Size(
        len(network.layers),
        alive_bytes(network, works),
        sum(constants_of(works)),
    )
    return _Made(model, network, works, size)


def _candidates(model: Model, *, tuned: bool) -> list[Model]:
    """Models of equal outputs that are not this one, what should be smallest first."""
    fewer = partial(channels, multiple=_CHANNELS if tuned else None)
    # Passes know the operators of .tflite files; those of MNN's may hide what they rely on.
    passes: list[Pass] = [fewer] if model.format == "mnn" else [fold, clean, fewer, fold, clean]
    unordered = model
    for one in passes:
        unordered = _after(one, unordered)
    ordered = unordered if model.format == "mnn" else _after(order, unordered)
    found = [one for one in (ordered, unordered) if one is not model]
    return found[:1] if ordered is unordered else found


def _after(run: Pass, model: Model) -> Model:
    """A model after a pass; the model itself where the pass cannot run on it."""
    try:
        result = run(model, Settings()).model
        if result is not model:
            check(result)
            check_order(result)
    except AreniteError:
        return model
    return result


# -- which model it is --------------------------------------------------------------------


def model_facts(made: Lossless) -> dict[str, Any]:
    """Facts in a folder's manifest about its model; see ``docs/cli.md`` for the keys."""
    optimized: dict[str, Any] | None = None
    if made.is_optimized:
        optimized = {"sha256": _written(made.model)}
        if made.sizes is not None:
            before, after = (one._asdict() for one in made.sizes)
            optimized |= {key: [before[key], after[key]] for key in before}
    file = Path(made.original.source).name  # not where it lies here
    return {"file": file, "sha256": _digest(made.original), "optimized": optimized}


def gained(facts: Mapping[str, Any] | None) -> str:
    """A sentence on the gains of the passes; empty without any, or where they are not known."""
    found = (facts or {}).get("optimized")
    if not found:
        return ""
    words = {
        "layers": "layers",
        "alive_bytes": "bytes of RAM alive at once",
        "constant_bytes": "bytes of constants",
    }
    parts = [
        f"{found[key][1]:,} {text}, not {found[key][0]:,}"
        for key, text in words.items()
        if key in found and found[key][0] != found[key][1]
    ]
    return "; ".join(parts)


def _digest(model: Model) -> str:
    """SHA-256 of the file that a model came from; of what would be written where that is gone.

    A file may have been written over since it was loaded: it counts where it says the same.
    """
    written = _written(model)
    try:
        data = _content(model.source) if model.source else b""
        if data and (not written or _written(without_plan(load(data))) == written):
            return hashlib.sha256(data).hexdigest()
    except (AreniteError, OSError):
        pass
    return written


def _content(path: str) -> bytes:
    with open_regular(path, buffering=0) as file:
        return read_whole(file)


def _written(model: Model) -> str:
    """SHA-256 of a model as a ``.tflite`` file; empty where it cannot be one."""
    try:
        return hashlib.sha256(tflite.write(model)).hexdigest()
    except ModelError:
        return ""
