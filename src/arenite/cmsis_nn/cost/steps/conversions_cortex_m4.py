"""Costs of loops on a Cortex-M4: conversions.

Instructions and cycles of one pass, as ``cortex_m4.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m4+fp``, with the FPU: its instructions take a cycle, a sum
of products three, a division or root 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "CAST, bool to float32": {"call": (260.7, 438.6), "dimension": (13.5, 20.5), "value": (6, 10)},
    "CAST, bool to int16": {"call": (250.1, 417.3), "dimension": (19.1, 31.6), "value": (4, 7)},
    "CAST, bool to int32": {"call": (259.3, 435.8), "dimension": (14.8, 23.1), "value": (4, 7)},
    "CAST, bool to int8": {"call": (259.7, 437.3), "dimension": (14.4, 22.4), "value": (4, 7)},
    "CAST, float32 to int16": {"call": (259.9, 439), "dimension": (13.6, 20.7), "value": (6, 9)},
    "CAST, float32 to int32": {"call": (260.4, 439.9), "dimension": (13.3, 20), "value": (5, 9)},
    "CAST, float32 to int8": {"call": (250.2, 418.7), "dimension": (18.8, 31), "value": (6, 9)},
    "CAST, int16 to float32": {"call": (253.4, 425.9), "dimension": (17, 27.4), "value": (6, 10)},
    "CAST, int16 to int32": {"call": (258.7, 436.5), "dimension": (14.3, 22.1), "value": (4, 7)},
    "CAST, int16 to int8": {"call": (253.4, 425.8), "dimension": (17, 27.6), "value": (4, 7)},
    "CAST, int32 to float32": {"call": (260.6, 439.2), "dimension": (13.5, 20.6), "value": (6, 10)},
    "CAST, int32 to int16": {"call": (260.2, 439.5), "dimension": (13, 19.4), "value": (4, 7)},
    "CAST, int32 to int8": {"call": (258, 435.1), "dimension": (14.1, 21.7), "value": (4, 7)},
    "CAST, int32 to uint32": {"call": (248.4, 414.8), "dimension": (19.6, 32.7), "value": (4, 7)},
    "CAST, int8 to float32": {"call": (263.6, 444.2), "dimension": (12.8, 19), "value": (6, 10)},
    "CAST, int8 to int16": {"call": (255.8, 428.4), "dimension": (16.6, 26.7), "value": (4, 7)},
    "CAST, int8 to int32": {"call": (258.1, 432.9), "dimension": (15.8, 25.3), "value": (4, 7)},
    "CAST, uint32 to float32": {
        "call": (256.8, 431.7),
        "dimension": (15.4, 24.3),
        "value": (6, 10),
    },
    "CAST, uint32 to int16": {"call": (259.6, 438.4), "dimension": (14, 21.4), "value": (4, 7)},
    "CAST, uint32 to int32": {"call": (251.2, 420.4), "dimension": (18.3, 30.2), "value": (4, 7)},
    "CAST, uint32 to int8": {"call": (259.6, 438.2), "dimension": (14.3, 22.1), "value": (4, 7)},
    "DEQUANTIZE, int16 to float32": {
        "call": (282.9, 486.8),
        "dimension": (0, 4.3),
        "value": (108.6, 142.6),
    },
    "DEQUANTIZE, int8 to float32": {
        "call": (307, 495.7),
        "dimension": (0, 0),
        "value": (108.8, 143),
    },
    "DEQUANTIZE, uint8 to float32": {
        "call": (263.7, 350.1),
        "dimension": (3.3, 65.5),
        "value": (108.8, 143),
    },
    "QUANTIZE, float32 to int16": {
        "call": (281.1, 480.7),
        "dimension": (13.4, 20.2),
        "value": (34, 55),
    },
    "QUANTIZE, float32 to int8": {
        "call": (287.3, 477),
        "dimension": (11.2, 19.7),
        "value": (36, 57.1),
    },
    "QUANTIZE, int16 to int16": {
        "call": (232.2, 430.1),
        "dimension": (7.9, 0),
        "value": (45.4, 61.2),
    },
    "QUANTIZE, int16 to int32": {
        "call": (216.3, 384.4),
        "dimension": (0, 0),
        "value": (38.5, 56.1),
    },
    "QUANTIZE, int16 to int8": {"call": (233.6, 415.1), "dimension": (0, 0), "value": (44.5, 62)},
    "QUANTIZE, int32 to int16": {
        "call": (190.6, 340.3),
        "dimension": (0, 0),
        "value": (44.6, 62.6),
    },
    "QUANTIZE, int32 to int8": {"call": (226.1, 399.2), "dimension": (0, 0), "value": (44.3, 61.6)},
    "QUANTIZE, int8 to int16": {"call": (205.4, 364.8), "dimension": (0, 0), "value": (46.5, 60.6)},
    "QUANTIZE, int8 to int32": {
        "call": (71.3, 141.1),
        "dimension": (55.9, 94.1),
        "value": (40.4, 53.9),
    },
    "QUANTIZE, int8 to int8": {"call": (128.8, 238.7), "dimension": (4, 7), "value": (46.3, 63.6)},
    "QUANTIZE, int8 to uint8": {
        "call": (109, 208.4),
        "dimension": (13.7, 22),
        "value": (41.4, 58.9),
    },
    "QUANTIZE, uint8 to int8": {
        "call": (26.6, 358.7),
        "dimension": (65.6, 0),
        "value": (45.1, 61.5),
    },
}
