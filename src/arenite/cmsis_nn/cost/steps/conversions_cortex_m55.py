"""Costs of loops on a Cortex-M55: conversions between types.

Instructions and cycles of one pass, as ``cortex_m55.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m55``, with the FPU and vectors. Zeros are in what other steps
cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "CAST, bool to float32": {"call": (192.2, 249.5), "dimension": (13.4, 16.6), "value": (5, 7)},
    "CAST, bool to int16": {"call": (185.1, 237.3), "dimension": (17, 23), "value": (3, 3)},
    "CAST, bool to int32": {"call": (191.3, 248.2), "dimension": (14.2, 18), "value": (3, 3)},
    "CAST, bool to int8": {"call": (190.7, 249.2), "dimension": (13.8, 17.1), "value": (3, 3)},
    "CAST, float32 to int16": {"call": (195, 252.9), "dimension": (13.4, 16.7), "value": (5, 7)},
    "CAST, float32 to int32": {"call": (194.4, 252.6), "dimension": (13.1, 16.3), "value": (4, 5)},
    "CAST, float32 to int8": {"call": (187.9, 240.5), "dimension": (16.8, 22.7), "value": (5, 7)},
    "CAST, int16 to float32": {"call": (190.9, 245.5), "dimension": (15.5, 20.5), "value": (5, 7)},
    "CAST, int16 to int32": {"call": (194.1, 251.6), "dimension": (13.9, 17.5), "value": (3, 3)},
    "CAST, int16 to int8": {"call": (190.9, 246.1), "dimension": (15.6, 20.3), "value": (3, 3)},
    "CAST, int32 to float32": {"call": (193.7, 251.6), "dimension": (13.4, 16.7), "value": (5, 5)},
    "CAST, int32 to int16": {"call": (195.2, 253.6), "dimension": (13, 16), "value": (3, 3)},
    "CAST, int32 to int8": {"call": (193.8, 251), "dimension": (13.7, 17.2), "value": (3, 3)},
    "CAST, int32 to uint32": {"call": (185.6, 237.5), "dimension": (17.4, 23.6), "value": (3, 3)},
    "CAST, int8 to float32": {"call": (194.2, 252.9), "dimension": (12.8, 15.7), "value": (5, 7)},
    "CAST, int8 to int16": {"call": (189.3, 245.1), "dimension": (15.2, 19.5), "value": (3, 3)},
    "CAST, int8 to int32": {"call": (191.1, 248.5), "dimension": (14.6, 18.6), "value": (3, 3)},
    "CAST, uint32 to float32": {"call": (191.4, 247.9), "dimension": (14.5, 18.4), "value": (5, 5)},
    "CAST, uint32 to int16": {"call": (194.8, 252.7), "dimension": (13.6, 17), "value": (3, 3)},
    "CAST, uint32 to int32": {"call": (187.8, 241.8), "dimension": (16.4, 21.7), "value": (3, 3)},
    "CAST, uint32 to int8": {"call": (195, 253.3), "dimension": (13.7, 17.1), "value": (3, 3)},
    "DEQUANTIZE, int16 to float32": {
        "call": (190.3, 243.2),
        "dimension": (15.3, 20.2),
        "value": (8, 12),
    },
    "DEQUANTIZE, int8 to float32": {
        "call": (188.8, 239.6),
        "dimension": (17.1, 23.2),
        "value": (8, 12),
    },
    "DEQUANTIZE, uint8 to float32": {
        "call": (191.4, 242.5),
        "dimension": (16.9, 22.9),
        "value": (8, 12),
    },
    "QUANTIZE, float32 to int16": {
        "call": (195.9, 253.9),
        "dimension": (13.3, 16.5),
        "value": (14, 30),
    },
    "QUANTIZE, float32 to int8": {
        "call": (194.9, 251),
        "dimension": (13.3, 16.5),
        "value": (14, 30),
    },
    "QUANTIZE, int16 to int16": {
        "call": (168.7, 231.2),
        "dimension": (3.9, 0),
        "value": (45.9, 50.3),
    },
    "QUANTIZE, int16 to int32": {"call": (138.6, 184.1), "dimension": (0, 0), "value": (39, 44.5)},
    "QUANTIZE, int16 to int8": {"call": (160.9, 216), "dimension": (0, 0), "value": (45, 50.5)},
    "QUANTIZE, int32 to int16": {"call": (110.3, 146.2), "dimension": (0, 0), "value": (45, 50.6)},
    "QUANTIZE, int32 to int8": {"call": (151.5, 200.4), "dimension": (0, 0), "value": (44.7, 50.1)},
    "QUANTIZE, int8 to int16": {"call": (126.5, 167.4), "dimension": (0, 0), "value": (47, 50.5)},
    "QUANTIZE, int8 to int32": {"call": (0, 0), "dimension": (61.1, 82.2), "value": (40.9, 44.4)},
    "QUANTIZE, int8 to int8": {
        "call": (23.9, 101.2),
        "dimension": (24.7, 20.7),
        "value": (46.6, 50.6),
    },
    "QUANTIZE, int8 to uint8": {"call": (107.6, 163.6), "dimension": (0, 0), "value": (41.3, 45.4)},
    "QUANTIZE, uint8 to int8": {
        "call": (0, 132.8),
        "dimension": (64.2, 8.4),
        "value": (45.6, 50.7),
    },
}
