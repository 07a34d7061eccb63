"""Costs of loops on a Cortex-M55: conversions between types.

Instructions and cycles of one pass, as ``cortex_m55.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m55``, with the FPU and vectors. Zeros are in what other steps
cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "CAST, bool to float32": {"call": (262.2, 331.5), "dimension": (13.4, 16.6), "value": (5, 7)},
    "CAST, bool to int16": {"call": (255.1, 319.3), "dimension": (17, 23), "value": (3, 3)},
    "CAST, bool to int32": {"call": (261.3, 330.2), "dimension": (14.2, 18), "value": (3, 3)},
    "CAST, bool to int8": {"call": (260.7, 331.2), "dimension": (13.8, 17.1), "value": (3, 3)},
    "CAST, float32 to int16": {"call": (265, 334.9), "dimension": (13.4, 16.7), "value": (5, 7)},
    "CAST, float32 to int32": {"call": (264.4, 334.6), "dimension": (13.1, 16.3), "value": (4, 5)},
    "CAST, float32 to int8": {"call": (257.9, 322.5), "dimension": (16.8, 22.7), "value": (5, 7)},
    "CAST, int16 to float32": {"call": (260.9, 327.5), "dimension": (15.5, 20.5), "value": (5, 7)},
    "CAST, int16 to int32": {"call": (264.1, 333.6), "dimension": (13.9, 17.5), "value": (3, 3)},
    "CAST, int16 to int8": {"call": (260.9, 328.1), "dimension": (15.6, 20.3), "value": (3, 3)},
    "CAST, int32 to float32": {"call": (263.7, 333.6), "dimension": (13.4, 16.7), "value": (5, 5)},
    "CAST, int32 to int16": {"call": (265.2, 335.6), "dimension": (13, 16), "value": (3, 3)},
    "CAST, int32 to int8": {"call": (263.8, 333), "dimension": (13.7, 17.2), "value": (3, 3)},
    "CAST, int32 to uint32": {"call": (255.6, 319.5), "dimension": (17.4, 23.6), "value": (3, 3)},
    "CAST, int8 to float32": {"call": (264.2, 334.9), "dimension": (12.8, 15.7), "value": (5, 7)},
    "CAST, int8 to int16": {"call": (259.3, 327.1), "dimension": (15.2, 19.5), "value": (3, 3)},
    "CAST, int8 to int32": {"call": (261.1, 330.5), "dimension": (14.6, 18.6), "value": (3, 3)},
    "CAST, uint32 to float32": {"call": (261.4, 329.9), "dimension": (14.5, 18.4), "value": (5, 5)},
    "CAST, uint32 to int16": {"call": (264.8, 334.7), "dimension": (13.6, 17), "value": (3, 3)},
    "CAST, uint32 to int32": {"call": (257.8, 323.8), "dimension": (16.4, 21.7), "value": (3, 3)},
    "CAST, uint32 to int8": {"call": (265, 335.3), "dimension": (13.7, 17.1), "value": (3, 3)},
    "DEQUANTIZE, int16 to float32": {
        "call": (260.3, 325.2),
        "dimension": (15.3, 20.2),
        "value": (8, 12),
    },
    "DEQUANTIZE, int8 to float32": {
        "call": (258.8, 321.6),
        "dimension": (17.1, 23.2),
        "value": (8, 12),
    },
    "DEQUANTIZE, uint8 to float32": {
        "call": (261.4, 324.5),
        "dimension": (16.9, 22.9),
        "value": (8, 12),
    },
    "QUANTIZE, float32 to int16": {
        "call": (265.9, 335.9),
        "dimension": (13.3, 16.5),
        "value": (14, 30),
    },
    "QUANTIZE, float32 to int8": {
        "call": (264.9, 333),
        "dimension": (13.3, 16.5),
        "value": (14, 30),
    },
    "QUANTIZE, int16 to int16": {
        "call": (238.7, 313.2),
        "dimension": (3.9, 0),
        "value": (45.9, 50.3),
    },
    "QUANTIZE, int16 to int32": {"call": (208.6, 266.1), "dimension": (0, 0), "value": (39, 44.5)},
    "QUANTIZE, int16 to int8": {"call": (230.9, 298), "dimension": (0, 0), "value": (45, 50.5)},
    "QUANTIZE, int32 to int16": {"call": (180.3, 228.2), "dimension": (0, 0), "value": (45, 50.6)},
    "QUANTIZE, int32 to int8": {"call": (221.5, 282.4), "dimension": (0, 0), "value": (44.7, 50.1)},
    "QUANTIZE, int8 to int16": {"call": (196.5, 249.4), "dimension": (0, 0), "value": (47, 50.5)},
    "QUANTIZE, int8 to int32": {
        "call": (50.6, 53.4),
        "dimension": (61.1, 82.2),
        "value": (40.9, 44.4),
    },
    "QUANTIZE, int8 to int8": {
        "call": (93.9, 183.2),
        "dimension": (24.7, 20.7),
        "value": (46.6, 50.6),
    },
    "QUANTIZE, int8 to uint8": {"call": (177.6, 245.6), "dimension": (0, 0), "value": (41.3, 45.4)},
    "QUANTIZE, uint8 to int8": {
        "call": (21.4, 214.8),
        "dimension": (64.2, 8.4),
        "value": (45.6, 50.7),
    },
}
