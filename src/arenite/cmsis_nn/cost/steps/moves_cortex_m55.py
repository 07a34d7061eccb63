"""Costs of loops on a Cortex-M55: kernels that move values.

Instructions and cycles of one pass, as ``cortex_m55.py`` says, on other random layers. Most of
TFLM's own kernels were built as a release (``NDEBUG``), with the FPU and vectors. Zeros are in
what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "BATCH_TO_SPACE_ND, float32": {
        "call": (384.8, 509.4),
        "batch": (25, 45.7),
        "row": (28, 35.3),
        "pixel": (0, 0),
        "copy": (28, 34.6),
    },
    "BATCH_TO_SPACE_ND, int8": {
        "call": (362.6, 484.2),
        "batch": (25, 45.8),
        "row": (40.8, 47.1),
        "pixel": (0, 0),
        "copy": (27.5, 34.3),
    },
    "BROADCAST_TO, float32": {
        "call": (129, 162),
        "whole": (380.7, 489.4),
        "dimension": (273.6, 339.1),
        "visit": (33.5, 39.7),
        "copy": (2.5, 1.6),
    },
    "BROADCAST_TO, int16": {
        "call": (509.7, 646),
        "dimension": (17.4, 21.2),
        "visit": (33.6, 40.4),
        "copy": (10.7, 12.3),
        "whole": (18, 22),
    },
    "BROADCAST_TO, int32": {
        "call": (491.3, 627.7),
        "dimension": (28.5, 33.9),
        "visit": (39.2, 46),
        "copy": (3.1, 2.6),
        "whole": (18, 22),
    },
    "BROADCAST_TO, int8": {
        "call": (512, 648.3),
        "whole": (18, 22),
        "dimension": (24.1, 27),
        "visit": (39.9, 47.4),
        "copy": (7.3, 8.7),
    },
    "CONCATENATION": {"call": (261.2, 323.3), "input": (173.7, 224.5), "row": (16.4, 18.8)},
    "RESIZE_NEAREST_NEIGHBOR, float32": {
        "call": (397, 517.8),
        "row": (46, 60.2),
        "pixel": (28, 39.6),
    },
    "RESIZE_NEAREST_NEIGHBOR, int16": {
        "call": (429.7, 560),
        "row": (46, 60.2),
        "pixel": (28, 39.6),
    },
    "RESIZE_NEAREST_NEIGHBOR, int8": {"call": (432, 569.5), "row": (44, 58.3), "pixel": (27, 38.8)},
}
