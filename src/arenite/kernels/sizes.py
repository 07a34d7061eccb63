"""A kernel's requests of another target's arena, never guessed from this host's structs.

A target of 32 bits has other sizes of pointers, and so of structs. The emulated core says them
(``firmware.stock.sizes``, see :mod:`arenite.hooks`); what it said is kept.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, cast

from arenite.errors import BoardError
from arenite.files import read_file, save
from arenite.formats.tflite_write import write
from arenite.hooks import call_above
from arenite.kernels import cache
from arenite.kernels.build import Origin
from arenite.memory.abi import Abi
from arenite.model import Model, Subgraph
from arenite.ops import Context, EvalTensor
from arenite.target import Target

PERSISTENT, SCRATCH = "persistent", "scratch"


def is_this_hosts(abi: Abi) -> bool:
    """Whether structs have the sizes that they have here."""
    return abi.pointer == ctypes.sizeof(ctypes.c_void_p)


class Where(NamedTuple):
    """An operator: its model, subgraph and number; the subgraph's tensors with current shapes."""

    model: Model
    subgraph: int
    operator: int
    shapes: Sequence[EvalTensor]


def where_of(context: Context) -> Where:
    """The operator whose turn it is."""
    host = cast(Any, context).host  # strict kernels get a KernelContext
    return Where(host.model, host.subgraph, host.operator, host.tensors[host.subgraph])


def asked_for(where: Where, path: Path, origin: Origin, target: Target) -> list[tuple[str, int]]:
    """Requests of one operator's kernel on a target, in order: kinds and bytes.

    Args:
        where: The operator.
        path: The library of its kernel.
        origin: Where that is from.
        target: The firmware.

    Raises:
        BoardError: That cannot be found out: there is no emulator, or it does not run there.
    """
    alone = _alone(where)
    written = write(alone)
    key = cache.key_of("sizes", origin.request.key, path, target.processor, written.hex())
    kept = cache.cache_folder() / f"{key}.json"
    if kept.is_file():
        return [(str(kind), int(size)) for kind, size in json.loads(read_file(kept))]
    if not target.processor:
        raise BoardError(f"{target}: expected a processor, whose core is emulated")
    found: list[tuple[str, int]] = call_above("asked_on_core", alone, origin, target.processor)
    save(kept, json.dumps(found).encode())
    return found


def _alone(where: Where) -> Model:
    """A model of one operator, with its tensors only."""
    subgraph, shapes = where.model.subgraphs[where.subgraph], where.shapes
    operator = subgraph.operators[where.operator]
    used = [*operator.inputs, *operator.outputs, *operator.intermediates]
    numbers = {old: new for new, old in enumerate(dict.fromkeys(i for i in used if i >= 0))}
    tensors = tuple(
        replace(subgraph.tensors[old], shape=shapes[old].shape)
        if subgraph.tensors[old].data is None
        else subgraph.tensors[old]
        for old in numbers
    )

    def renumbered(indices: Sequence[int]) -> tuple[int, ...]:
        return tuple(numbers.get(index, -1) for index in indices)

    moved = replace(
        operator,
        inputs=renumbered(operator.inputs),
        outputs=renumbered(operator.outputs),
        intermediates=renumbered(operator.intermediates),
    )
    inputs = tuple(
        index
        for index in dict.fromkeys(moved.inputs)
        if index >= 0 and tensors[index].data is None and not tensors[index].is_variable
    )
    outputs = tuple(index for index in moved.outputs if index >= 0)
    return Model((Subgraph(tensors, (moved,), inputs, outputs),))
