"""Costs of loops on a Cortex-M4: conversions.

Instructions and cycles of one pass, as ``cortex_m4.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m4+fp``, with the FPU: its instructions take a cycle, a sum
of products three, a division or root 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "CAST, bool to float32": {"call": (190.7, 310.6), "dimension": (13.5, 20.5), "value": (6, 10)},
    "CAST, bool to int16": {"call": (180.1, 289.3), "dimension": (19.1, 31.6), "value": (4, 7)},
    "CAST, bool to int32": {"call": (189.3, 307.8), "dimension": (14.8, 23.1), "value": (4, 7)},
    "CAST, bool to int8": {"call": (189.7, 309.3), "dimension": (14.4, 22.4), "value": (4, 7)},
    "CAST, float32 to int16": {"call": (189.9, 311), "dimension": (13.6, 20.7), "value": (6, 9)},
    "CAST, float32 to int32": {"call": (190.4, 311.9), "dimension": (13.3, 20), "value": (5, 9)},
    "CAST, float32 to int8": {"call": (180.2, 290.7), "dimension": (18.8, 31), "value": (6, 9)},
    "CAST, int16 to float32": {"call": (183.4, 297.9), "dimension": (17, 27.4), "value": (6, 10)},
    "CAST, int16 to int32": {"call": (188.7, 308.5), "dimension": (14.3, 22.1), "value": (4, 7)},
    "CAST, int16 to int8": {"call": (183.4, 297.8), "dimension": (17, 27.6), "value": (4, 7)},
    "CAST, int32 to float32": {"call": (190.6, 311.2), "dimension": (13.5, 20.6), "value": (6, 10)},
    "CAST, int32 to int16": {"call": (190.2, 311.5), "dimension": (13, 19.4), "value": (4, 7)},
    "CAST, int32 to int8": {"call": (188, 307.1), "dimension": (14.1, 21.7), "value": (4, 7)},
    "CAST, int32 to uint32": {"call": (178.4, 286.8), "dimension": (19.6, 32.7), "value": (4, 7)},
    "CAST, int8 to float32": {"call": (193.6, 316.2), "dimension": (12.8, 19), "value": (6, 10)},
    "CAST, int8 to int16": {"call": (185.8, 300.4), "dimension": (16.6, 26.7), "value": (4, 7)},
    "CAST, int8 to int32": {"call": (188.1, 304.9), "dimension": (15.8, 25.3), "value": (4, 7)},
    "CAST, uint32 to float32": {
        "call": (186.8, 303.7),
        "dimension": (15.4, 24.3),
        "value": (6, 10),
    },
    "CAST, uint32 to int16": {"call": (189.6, 310.4), "dimension": (14, 21.4), "value": (4, 7)},
    "CAST, uint32 to int32": {"call": (181.2, 292.4), "dimension": (18.3, 30.2), "value": (4, 7)},
    "CAST, uint32 to int8": {"call": (189.6, 310.2), "dimension": (14.3, 22.1), "value": (4, 7)},
    "DEQUANTIZE, int16 to float32": {
        "call": (212.9, 358.8),
        "dimension": (0, 4.3),
        "value": (108.6, 142.6),
    },
    "DEQUANTIZE, int8 to float32": {
        "call": (237, 367.7),
        "dimension": (0, 0),
        "value": (108.8, 143),
    },
    "DEQUANTIZE, uint8 to float32": {
        "call": (193.7, 222.1),
        "dimension": (3.3, 65.5),
        "value": (108.8, 143),
    },
    "QUANTIZE, float32 to int16": {
        "call": (211.1, 352.7),
        "dimension": (13.4, 20.2),
        "value": (34, 55),
    },
    "QUANTIZE, float32 to int8": {
        "call": (217.3, 349),
        "dimension": (11.2, 19.7),
        "value": (36, 57.1),
    },
    "QUANTIZE, int16 to int16": {
        "call": (162.2, 302.1),
        "dimension": (7.9, 0),
        "value": (45.4, 61.2),
    },
    "QUANTIZE, int16 to int32": {
        "call": (146.3, 256.4),
        "dimension": (0, 0),
        "value": (38.5, 56.1),
    },
    "QUANTIZE, int16 to int8": {"call": (163.6, 287.1), "dimension": (0, 0), "value": (44.5, 62)},
    "QUANTIZE, int32 to int16": {
        "call": (120.6, 212.3),
        "dimension": (0, 0),
        "value": (44.6, 62.6),
    },
    "QUANTIZE, int32 to int8": {"call": (156.1, 271.2), "dimension": (0, 0), "value": (44.3, 61.6)},
    "QUANTIZE, int8 to int16": {"call": (135.4, 236.8), "dimension": (0, 0), "value": (46.5, 60.6)},
    "QUANTIZE, int8 to int32": {
        "call": (1.3, 13.1),
        "dimension": (55.9, 94.1),
        "value": (40.4, 53.9),
    },
    "QUANTIZE, int8 to int8": {"call": (128.8, 238.7), "dimension": (4, 7), "value": (46.3, 63.6)},
    "QUANTIZE, int8 to uint8": {
        "call": (109, 208.4),
        "dimension": (13.7, 22),
        "value": (41.4, 58.9),
    },
    "QUANTIZE, uint8 to int8": {"call": (0, 230.7), "dimension": (65.6, 0), "value": (45.1, 61.5)},
}
