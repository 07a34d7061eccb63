"""Costs of loops on a Cortex-M55: moves value by value, in nested loops.

Instructions and cycles of one pass, as ``cortex_m55.py`` says, on other random layers. Most of
TFLM's own kernels were built as a release (``NDEBUG``), with the FPU and vectors. Zeros are in
what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "RESIZE_BILINEAR, float32": {
        "call": (233, 286.4),
        "block": (266, 348),
        "plane": (43, 50),
        "line": (64.4, 77.1),
        "value": (85, 106.8),
    },
    "RESIZE_BILINEAR, int8": {
        "call": (251, 316.6),
        "block": (264.4, 347.2),
        "plane": (67, 74),
        "line": (81.4, 85),
        "value": (136.6, 173.2),
    },
    "TRANSPOSE, float32": {
        "call": (195.3, 267.3),
        "block": (86.7, 102.5),
        "plane": (44.9, 51.8),
        "line": (39.6, 46.5),
        "value": (4, 4),
    },
    "TRANSPOSE, int16": {
        "call": (220.9, 300.1),
        "block": (49.1, 56.5),
        "plane": (45.8, 53),
        "line": (40.1, 47.1),
        "value": (4, 4),
    },
}
