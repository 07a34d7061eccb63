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

import numpy as np

from arenite.cores import CORES
from arenite.library_facts import facts_of
from arenite.memory.liveness import ONLINE
from arenite.model import Model
from arenite.model.offline_plan import OFFLINE_METADATA, ORIGIN_METADATA, Origin
from arenite.target import Target

_VERSION = 1


def is_made_for(origin: Origin, target: Target) -> bool:
    """Whether a plan was made for the kernels of a target, or for those of more.

    TFLM's reference kernels are the same on all processors; a library's may depend on the
    instructions that there are, and on the compiler (``vary_with`` of its facts).
    """
    library = facts_of(target.library)
    if origin.overlap == "none":
        return True
    if origin.overlap == "portable":
        return target.instructions not in library.apart_with
    if origin.library != target.library:
        return False
    core = CORES.get(origin.processor)
    if core is None:
        return not library.vary_with
    made_for = {"instructions": core.instructions, "compiler": origin.compiler}
    return all(made_for[field] == getattr(target, field) for field in library.vary_with)


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
