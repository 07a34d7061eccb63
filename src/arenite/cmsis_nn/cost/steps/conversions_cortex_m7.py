"""Costs of loops on a Cortex-M7: conversions between types.

Instructions and cycles of one pass, as ``cortex_m7.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m7+fp``. Cycles of floats: a sum or product after three, a
sum of products after five, a division or root after 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "CAST, bool to float32": {"call": (258.7, 281.7), "dimension": (13.5, 15.5), "value": (6, 8)},
    "CAST, bool to int16": {"call": (248.1, 271.1), "dimension": (19.1, 21.1), "value": (4, 4)},
    "CAST, bool to int32": {"call": (257.3, 280.3), "dimension": (14.8, 16.8), "value": (4, 4)},
    "CAST, bool to int8": {"call": (257.7, 281.4), "dimension": (14.4, 16.6), "value": (4, 5)},
    "CAST, float32 to int16": {"call": (257.9, 281.8), "dimension": (13.6, 15.6), "value": (6, 8)},
    "CAST, float32 to int32": {"call": (258.4, 282.3), "dimension": (13.3, 15.3), "value": (5, 8)},
    "CAST, float32 to int8": {"call": (248.2, 272.1), "dimension": (18.8, 20.8), "value": (6, 8)},
    "CAST, int16 to float32": {"call": (251.4, 275), "dimension": (17, 19.2), "value": (6, 8)},
    "CAST, int16 to int32": {"call": (256.7, 280.7), "dimension": (14.3, 16.3), "value": (4, 4)},
    "CAST, int16 to int8": {"call": (251.4, 275.5), "dimension": (17, 19), "value": (4, 4)},
    "CAST, int32 to float32": {"call": (258.6, 282.5), "dimension": (13.5, 15.5), "value": (6, 8)},
    "CAST, int32 to int16": {"call": (258.2, 282.3), "dimension": (13, 15), "value": (4, 4)},
    "CAST, int32 to int8": {"call": (256, 280), "dimension": (14.1, 16.1), "value": (4, 4)},
    "CAST, int32 to uint32": {"call": (246.4, 270.3), "dimension": (19.6, 21.6), "value": (4, 5)},
    "CAST, int8 to float32": {"call": (261.6, 284.4), "dimension": (12.8, 14.8), "value": (6, 8)},
    "CAST, int8 to int16": {"call": (253.8, 276.9), "dimension": (16.6, 18.5), "value": (4, 4)},
    "CAST, int8 to int32": {"call": (256, 279.3), "dimension": (15.8, 17.7), "value": (4, 4)},
    "CAST, uint32 to float32": {"call": (254.8, 278.4), "dimension": (15.4, 17.6), "value": (6, 8)},
    "CAST, uint32 to int16": {"call": (257.6, 281.6), "dimension": (14, 16), "value": (4, 4)},
    "CAST, uint32 to int32": {"call": (249.2, 273), "dimension": (18.3, 20.4), "value": (4, 5)},
    "CAST, uint32 to int8": {"call": (257.6, 281.7), "dimension": (14.3, 16.2), "value": (4, 4)},
    "DEQUANTIZE, int16 to float32": {
        "call": (256.2, 275.8),
        "dimension": (16.6, 18.7),
        "value": (10, 15),
    },
    "DEQUANTIZE, int8 to float32": {
        "call": (250.7, 271.7),
        "dimension": (19.2, 21.2),
        "value": (12, 15),
    },
    "DEQUANTIZE, uint8 to float32": {
        "call": (254.4, 273.3),
        "dimension": (18.9, 20.9),
        "value": (12, 15),
    },
    "QUANTIZE, float32 to int16": {
        "call": (263.8, 290),
        "dimension": (13.4, 15.4),
        "value": (16, 30),
    },
    "QUANTIZE, float32 to int8": {
        "call": (261.3, 284.2),
        "dimension": (13.4, 15.4),
        "value": (18, 32),
    },
    "QUANTIZE, int16 to int16": {
        "call": (227.9, 268.3),
        "dimension": (0, 0),
        "value": (54.9, 35.4),
    },
    "QUANTIZE, int16 to int32": {"call": (211.8, 247.1), "dimension": (0, 0), "value": (49, 31.5)},
    "QUANTIZE, int16 to int8": {"call": (219.5, 259.7), "dimension": (0, 0), "value": (55, 35.5)},
    "QUANTIZE, int32 to int16": {"call": (194.6, 228.1), "dimension": (0, 0), "value": (55, 36.5)},
    "QUANTIZE, int32 to int8": {
        "call": (215.3, 255.1),
        "dimension": (2.9, 1.9),
        "value": (54.8, 36.3),
    },
    "QUANTIZE, int8 to int16": {"call": (202.5, 239.8), "dimension": (1, 0), "value": (55, 35.5)},
    "QUANTIZE, int8 to int32": {"call": (122, 144.8), "dimension": (34.5, 40), "value": (49, 31.5)},
    "QUANTIZE, int8 to int8": {"call": (171, 204.2), "dimension": (11.4, 12), "value": (55, 35.5)},
    "QUANTIZE, int8 to uint8": {"call": (202.3, 238.8), "dimension": (0.5, 0), "value": (50, 32.5)},
    "QUANTIZE, uint8 to int8": {
        "call": (181.8, 218.1),
        "dimension": (7, 6.4),
        "value": (55.1, 35.6),
    },
}
