"""Costs of loops on a Cortex-M7: conversions between types.

Instructions and cycles of one pass, as ``cortex_m7.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m7+fp``. Cycles of floats: a sum or product after three, a
sum of products after five, a division or root after 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "CAST, bool to float32": {"call": (188.7, 199.7), "dimension": (13.5, 15.5), "value": (6, 8)},
    "CAST, bool to int16": {"call": (178.1, 189.1), "dimension": (19.1, 21.1), "value": (4, 4)},
    "CAST, bool to int32": {"call": (187.3, 198.3), "dimension": (14.8, 16.8), "value": (4, 4)},
    "CAST, bool to int8": {"call": (187.7, 199.4), "dimension": (14.4, 16.6), "value": (4, 5)},
    "CAST, float32 to int16": {"call": (187.9, 199.8), "dimension": (13.6, 15.6), "value": (6, 8)},
    "CAST, float32 to int32": {"call": (188.4, 200.3), "dimension": (13.3, 15.3), "value": (5, 8)},
    "CAST, float32 to int8": {"call": (178.2, 190.1), "dimension": (18.8, 20.8), "value": (6, 8)},
    "CAST, int16 to float32": {"call": (181.4, 193), "dimension": (17, 19.2), "value": (6, 8)},
    "CAST, int16 to int32": {"call": (186.7, 198.7), "dimension": (14.3, 16.3), "value": (4, 4)},
    "CAST, int16 to int8": {"call": (181.4, 193.5), "dimension": (17, 19), "value": (4, 4)},
    "CAST, int32 to float32": {"call": (188.6, 200.5), "dimension": (13.5, 15.5), "value": (6, 8)},
    "CAST, int32 to int16": {"call": (188.2, 200.3), "dimension": (13, 15), "value": (4, 4)},
    "CAST, int32 to int8": {"call": (186, 198), "dimension": (14.1, 16.1), "value": (4, 4)},
    "CAST, int32 to uint32": {"call": (176.4, 188.3), "dimension": (19.6, 21.6), "value": (4, 5)},
    "CAST, int8 to float32": {"call": (191.6, 202.4), "dimension": (12.8, 14.8), "value": (6, 8)},
    "CAST, int8 to int16": {"call": (183.8, 194.9), "dimension": (16.6, 18.5), "value": (4, 4)},
    "CAST, int8 to int32": {"call": (186, 197.3), "dimension": (15.8, 17.7), "value": (4, 4)},
    "CAST, uint32 to float32": {"call": (184.8, 196.4), "dimension": (15.4, 17.6), "value": (6, 8)},
    "CAST, uint32 to int16": {"call": (187.6, 199.6), "dimension": (14, 16), "value": (4, 4)},
    "CAST, uint32 to int32": {"call": (179.2, 191), "dimension": (18.3, 20.4), "value": (4, 5)},
    "CAST, uint32 to int8": {"call": (187.6, 199.7), "dimension": (14.3, 16.2), "value": (4, 4)},
    "DEQUANTIZE, int16 to float32": {
        "call": (186.2, 193.8),
        "dimension": (16.6, 18.7),
        "value": (10, 15),
    },
    "DEQUANTIZE, int8 to float32": {
        "call": (180.7, 189.7),
        "dimension": (19.2, 21.2),
        "value": (12, 15),
    },
    "DEQUANTIZE, uint8 to float32": {
        "call": (184.4, 191.3),
        "dimension": (18.9, 20.9),
        "value": (12, 15),
    },
    "QUANTIZE, float32 to int16": {
        "call": (193.8, 208),
        "dimension": (13.4, 15.4),
        "value": (16, 30),
    },
    "QUANTIZE, float32 to int8": {
        "call": (191.3, 202.2),
        "dimension": (13.4, 15.4),
        "value": (18, 32),
    },
    "QUANTIZE, int16 to int16": {
        "call": (157.9, 186.3),
        "dimension": (0, 0),
        "value": (54.9, 35.4),
    },
    "QUANTIZE, int16 to int32": {"call": (141.8, 165.1), "dimension": (0, 0), "value": (49, 31.5)},
    "QUANTIZE, int16 to int8": {"call": (149.5, 177.7), "dimension": (0, 0), "value": (55, 35.5)},
    "QUANTIZE, int32 to int16": {"call": (124.6, 146.1), "dimension": (0, 0), "value": (55, 36.5)},
    "QUANTIZE, int32 to int8": {
        "call": (145.3, 173.1),
        "dimension": (2.9, 1.9),
        "value": (54.8, 36.3),
    },
    "QUANTIZE, int8 to int16": {"call": (132.5, 157.8), "dimension": (1, 0), "value": (55, 35.5)},
    "QUANTIZE, int8 to int32": {"call": (52, 62.8), "dimension": (34.5, 40), "value": (49, 31.5)},
    "QUANTIZE, int8 to int8": {"call": (101, 122.2), "dimension": (11.4, 12), "value": (55, 35.5)},
    "QUANTIZE, int8 to uint8": {"call": (132.3, 156.8), "dimension": (0.5, 0), "value": (50, 32.5)},
    "QUANTIZE, uint8 to int8": {
        "call": (111.8, 136.1),
        "dimension": (7, 6.4),
        "value": (55.1, 35.6),
    },
}
