"""Plans that a model brings along, and for whose kernels they were made.

A plan is metadata of TFLM's (``OfflineMemoryAllocation``, ``micro_allocation_info.cc``): int32
version, number of subgraphs, number of tensors, then an offset for every tensor of every subgraph,
-1 where the planner decides. TFLM looks at neither of the first two, nor at what lies over each
other. A plan whose outputs reach into inputs is right for the kernels that it was made for. Arenite
writes beside it which these are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from arenite.memory.liveness import OFFLINE_METADATA, ONLINE
from arenite.model import Model
from arenite.model.text import printable

#: The metadata entry that says what a plan was made for, as JSON.
ORIGIN_METADATA = "arenite.plan"
#: Longer entries are none of ours.
_MOST_BYTES = 1024
_VERSION = 1


class Origin(NamedTuple):
    """For which kernels a plan was made.

    Attributes:
        overlap: ``"none"``: outputs lie on no inputs, any kernels will do; ``"portable"``: TFLM's
            and CMSIS-NN's of all builds that were looked at; ``"target"``: those of the rest.
        processor: The target's.
        library: Whose kernels.
        compiler: What built them.
        cmsis_nn: Which CMSIS-NN was looked at.
    """

    overlap: str
    processor: str
    library: str
    compiler: str
    cmsis_nn: str = "2026-07"

    def __str__(self) -> str:
        built = f"{self.processor}, {self.library}, {self.compiler}"
        kernels = {"none": "any kernels", "portable": "TFLM's and CMSIS-NN's kernels of all builds"}
        return printable(f"{kernels.get(self.overlap, 'the kernels of ' + built)}")


def with_plan(model: Model, offsets: Mapping[tuple[int, int], int], origin: Origin) -> Model:
    """The model with a plan: offsets in bytes by subgraph and tensor; TFLM plans all others."""
    values = [_VERSION, len(model.subgraphs), sum(len(s.tensors) for s in model.subgraphs)]
    for number, subgraph in enumerate(model.subgraphs):
        values += [offsets.get((number, index), ONLINE) for index in range(len(subgraph.tensors))]
    metadata = {
        **model.metadata,
        OFFLINE_METADATA: np.array(values, "<i4").tobytes(),
        ORIGIN_METADATA: json.dumps(origin._asdict()).encode(),
    }
    return replace(model, metadata=metadata)


def without_plan(model: Model) -> Model:
    """The model without a plan of its own; itself if it has none."""
    if not {OFFLINE_METADATA, ORIGIN_METADATA} & model.metadata.keys():
        return model
    gone = (OFFLINE_METADATA, ORIGIN_METADATA)
    return replace(model, metadata={k: v for k, v in model.metadata.items() if k not in gone})


def origin_of(model: Model) -> Origin | None:
    """What a model's plan was made for; None where it does not say so, or not as Arenite does."""
    data = model.metadata.get(ORIGIN_METADATA)
    if data is None or OFFLINE_METADATA not in model.metadata or len(data) > _MOST_BYTES:
        return None
    try:
        said = json.loads(bytes(data))
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not all(isinstance(said.get(f), str) for f in Origin._fields):
        return None
    return Origin(*(said[field] for field in Origin._fields))
