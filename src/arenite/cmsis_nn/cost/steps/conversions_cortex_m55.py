"""Costs of loops on a Cortex-M55: conversions.

Instructions and cycles of one pass, as ``cortex_m55.py`` says, on other random layers. Most of
TFLM's own kernels were built as a release (``NDEBUG``), with the FPU and vectors. Zeros are in
what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "CAST, bool to float32": {"call": (192.7, 266.2), "dimension": (14.4, 19.1), "value": (5, 7)},
    "CAST, bool to int16": {"call": (192, 265), "dimension": (14.4, 19), "value": (3, 4)},
    "CAST, bool to int32": {"call": (190.6, 262.7), "dimension": (15.4, 20.8), "value": (3, 4)},
    "CAST, bool to int8": {"call": (194.6, 271), "dimension": (13.3, 17.2), "value": (3, 4)},
    "CAST, float32 to int16": {"call": (191.6, 262.8), "dimension": (16.1, 22), "value": (5, 7)},
    "CAST, float32 to int32": {"call": (197.6, 274.3), "dimension": (13.3, 17.1), "value": (4, 6)},
    "CAST, float32 to int8": {"call": (190.1, 260.1), "dimension": (17, 23.5), "value": (5, 7)},
    "CAST, int16 to float32": {"call": (192.8, 265), "dimension": (14.6, 19.5), "value": (5, 7)},
    "CAST, int16 to int32": {"call": (196, 270.5), "dimension": (14, 18.4), "value": (3, 4)},
    "CAST, int16 to int8": {"call": (191.9, 263.4), "dimension": (15.8, 21.4), "value": (3, 4)},
    "CAST, int32 to float32": {"call": (192, 264.2), "dimension": (14.6, 19.4), "value": (5, 6)},
    "CAST, int32 to int16": {"call": (194.2, 267.3), "dimension": (14.9, 19.9), "value": (3, 4)},
    "CAST, int32 to int8": {"call": (193, 265.3), "dimension": (14.3, 18.8), "value": (3, 4)},
    "CAST, int8 to float32": {"call": (192.2, 265.3), "dimension": (14.9, 20), "value": (5, 7)},
    "CAST, int8 to int16": {"call": (193, 266.8), "dimension": (14, 18.3), "value": (3, 4)},
    "CAST, int8 to int32": {"call": (191.9, 264.8), "dimension": (14, 18.5), "value": (3, 4)},
    "CAST, uint32 to float32": {"call": (191.7, 263.7), "dimension": (14.8, 19.7), "value": (5, 6)},
    "CAST, uint32 to int16": {"call": (192.8, 264.9), "dimension": (14.4, 19.1), "value": (3, 4)},
    "CAST, uint32 to int32": {"call": (193.2, 266.4), "dimension": (14.1, 18.6), "value": (3, 4)},
    "CAST, uint32 to int8": {"call": (202.7, 282), "dimension": (12, 14.9), "value": (3, 4)},
}
