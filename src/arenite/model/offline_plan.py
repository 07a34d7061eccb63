"""Memory plan that a file brings along, as its metadata has it.

A plan is an entry of TFLM's (``OfflineMemoryAllocation``, ``micro_allocation_info.cc``). One whose
outputs reach into inputs is right for the kernels that it was made for; Arenite writes beside it
which these are. ``memory/offline.py`` writes and reads the offsets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from arenite.model.text import printable

#: TFLM's metadata entry.
OFFLINE_METADATA = "OfflineMemoryAllocation"
#: The metadata entry that says what a plan was made for, as JSON.
ORIGIN_METADATA = "arenite.plan"
#: Longer entries are none of ours.
_MOST_BYTES = 1024


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


def origin_in(metadata: Mapping[str, bytes]) -> Origin | None:
    """Origin of a plan; None where it does not say so, or not as Arenite does."""
    data = metadata.get(ORIGIN_METADATA)
    if data is None or OFFLINE_METADATA not in metadata or len(data) > _MOST_BYTES:
        return None
    import json  # noqa: PLC0415 - few models say it

    try:
        said = json.loads(bytes(data))
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not all(isinstance(said.get(f), str) for f in Origin._fields):
        return None
    return Origin(*(said[field] for field in Origin._fields))


def plan_text(metadata: Mapping[str, bytes]) -> str:
    """A sentence on the plan that a file brings; empty if it brings none."""
    if OFFLINE_METADATA not in metadata:
        return ""
    origin = origin_in(metadata)
    return f"the file's own, for {origin or 'kernels that it does not name'}"
