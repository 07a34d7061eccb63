"""What compiled TFLM and CMSIS-NN gave on emulated Arm processors, out of the JSON files beside.

TFLM of August 2026 with CMSIS-NN of July 2026, built by Arm GCC 12.2.

``measured_arenas.json``: head, tail and the smallest arena that works, in steps of 16 bytes; for
each of :data:`TARGETS`. Short enums, no recording, no compression.

``measured_bits.json``: CRC-32 of what firmware computes in the corners of ``corners.py``, for
models of seeds 0 to 11: of the outputs of all inferences of a model, one after the other. Built
for Cortex-M0 and Cortex-M3 the firmware gave the numbers of Cortex-M4. What rounds once was built
with ``TFLITE_SINGLE_ROUNDING`` and ``CMSIS_NN_USE_SINGLE_ROUNDING``. GCC 12 compiles constant
predicates of vectors wrongly, which int4 weights meet: there they were variables.

``measured_overlap.json``: how many bytes below its input an output may begin, on each of
:data:`OVERLAP_PROCESSORS`. Functions compiled with -O3 ran on random layers with the output at
*every* distance below its input; a number is the least from which all results were right. Layers
with more than 124 channels were tried at whole pixels only. On 60 layers of every kind and
processor none was right at less than :mod:`arenite.libraries.cmsis_nn.decisions` states, and all
but max pools and depthwise layers with a multiplier at exactly that. A layer is height, width and
channels in, channels out, height and width of the filter, strides, dilations, padding (0 SAME, 1
VALID), groups or depth multiplier; one of PAD height, width, channels, and what is before and
behind each.
"""

import json
from pathlib import Path
from typing import Any

from arenite.target import Target

Figure = tuple[int, int, int]
Figures = tuple[Figure, ...]
Geometry = tuple[int, ...]

TARGETS = (
    Target("cortex-m4", "tflm"),
    Target("cortex-m0"),
    Target("cortex-m4"),
    Target("cortex-m55"),
)
OVERLAP_PROCESSORS = ("cortex-m3", "cortex-m4", "cortex-m55")


def _read(name: str) -> dict[str, Any]:
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def _arenas(kind: str) -> dict[str, Figures]:
    rows = _read("measured_arenas.json")[kind].items()
    return {name: tuple((head, tail, least) for head, tail, least in row) for name, row in rows}


#: By the name of a real model's file, and of the models of ``small_models.py``.
MODELS = _arenas("models")
SMALL = _arenas("small")
#: By corner, then by target: a checksum per seed.
BITS: dict[str, dict[str, tuple[int, ...]]] = {
    corner: {target: tuple(int(one, 16) for one in row.split()) for target, row in rows.items()}
    for corner, rows in _read("measured_bits.json").items()
}
#: By kind of operator: layers, and bytes on each processor.
LEAST: dict[str, list[tuple[Geometry, tuple[int, ...]]]] = {
    kind: [(tuple(row["layer"]), tuple(row["least"])) for row in rows]
    for kind, rows in _read("measured_overlap.json").items()
}
