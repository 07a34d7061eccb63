"""Options with explicit positions, which the schema of TensorFlow Lite cannot express.

Models of other formats place their windows and pixels freely; the kernels never knew of SAME,
VALID or half pixels anyway. A row of these carries what ``prepare`` would have computed.
"""

from __future__ import annotations

from dataclasses import dataclass

from arenite.errors import ModelError
from arenite.model import OptionsTable, Slot
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.shared.window import Placement


class Placed(OptionsTable):
    """A row that lives in memory only."""

    @classmethod
    def slots(cls) -> tuple[Slot, ...]:
        """There are none: a file cannot hold the row."""
        raise ModelError(
            f"explicit positions ({cls.__name__}) have no place in a .tflite file; the model was "
            "loaded from another format"
        )


@dataclass(frozen=True)
class PlacedPool2DOptions(Placed, Pool2DOptions):
    """AVERAGE_POOL_2D and MAX_POOL_2D with a window of their own."""

    placement: Placement | None = None
