"""Costs of loops on a Cortex-M4: conversions.

Instructions and cycles of one pass, as ``cortex_m4.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m4+fp``, with the FPU: its instructions take a cycle, a sum
of products three, a division or root 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "CAST, bool to float32": {"call": (187.7, 323.9), "dimension": (15.2, 22.3), "value": (6, 10)},
    "CAST, bool to int16": {"call": (189, 326.7), "dimension": (14.4, 20.7), "value": (4, 7)},
    "CAST, bool to int32": {"call": (185.6, 319.8), "dimension": (16.5, 24.9), "value": (4, 7)},
    "CAST, bool to int8": {"call": (192.5, 334.8), "dimension": (13.3, 18.5), "value": (4, 7)},
    "CAST, float32 to int16": {"call": (181.5, 313.6), "dimension": (17.7, 27), "value": (6, 9)},
    "CAST, float32 to int32": {"call": (192.7, 336.4), "dimension": (13.2, 18.2), "value": (5, 9)},
    "CAST, float32 to int8": {"call": (180.1, 309.7), "dimension": (19, 29.7), "value": (6, 9)},
    "CAST, int16 to float32": {"call": (183, 316.6), "dimension": (15.5, 23.1), "value": (6, 10)},
    "CAST, int16 to int32": {"call": (200.2, 344.5), "dimension": (11, 16.2), "value": (4, 7)},
    "CAST, int16 to int8": {"call": (181.5, 313.5), "dimension": (17.3, 26.6), "value": (4, 7)},
    "CAST, int32 to float32": {"call": (183.9, 317.4), "dimension": (15.9, 23.6), "value": (6, 10)},
    "CAST, int32 to int16": {"call": (185.7, 322), "dimension": (15.7, 23.3), "value": (4, 7)},
    "CAST, int32 to int8": {"call": (183, 316.6), "dimension": (15.4, 22.1), "value": (4, 7)},
    "CAST, int32 to uint32": {"call": (189.5, 328.8), "dimension": (14.2, 20.1), "value": (4, 7)},
    "CAST, int8 to float32": {"call": (186.8, 322.1), "dimension": (16.2, 24.4), "value": (6, 10)},
    "CAST, int8 to int16": {"call": (188.9, 326.5), "dimension": (14.3, 20.5), "value": (4, 7)},
    "CAST, int8 to int32": {"call": (186.7, 322), "dimension": (14.6, 21.4), "value": (4, 7)},
    "CAST, uint32 to float32": {
        "call": (184.1, 317.6),
        "dimension": (15.7, 23.1),
        "value": (6, 10),
    },
    "CAST, uint32 to int16": {"call": (183.1, 316.7), "dimension": (15.1, 22.1), "value": (4, 7)},
    "CAST, uint32 to int32": {"call": (186.4, 322.3), "dimension": (14.6, 21.4), "value": (4, 7)},
    "CAST, uint32 to int8": {"call": (199.8, 343.1), "dimension": (11, 15.9), "value": (4, 7)},
    "DEQUANTIZE, int16 to float32": {
        "call": (183.6, 320.9),
        "dimension": (15.6, 21),
        "value": (109.9, 143),
    },
    "DEQUANTIZE, int8 to float32": {
        "call": (170, 299.6),
        "dimension": (12.9, 20.7),
        "value": (108.3, 142.8),
    },
    "DEQUANTIZE, uint8 to float32": {
        "call": (209.7, 355),
        "dimension": (11, 16.2),
        "value": (108.2, 142.7),
    },
    "QUANTIZE, float32 to int16": {
        "call": (210.9, 357.6),
        "dimension": (13.3, 18.8),
        "value": (34, 55),
    },
    "QUANTIZE, float32 to int8": {
        "call": (208.3, 346.9),
        "dimension": (15.7, 23.5),
        "value": (35.9, 57),
    },
    "QUANTIZE, int16 to int16": {
        "call": (152.6, 269.3),
        "dimension": (4, 7),
        "value": (44.3, 64.7),
    },
    "QUANTIZE, int16 to int32": {
        "call": (103, 192.2),
        "dimension": (11.3, 19.8),
        "value": (38.4, 57.9),
    },
    "QUANTIZE, int16 to int8": {"call": (110.1, 211.8), "dimension": (4, 7), "value": (44.6, 64.1)},
    "QUANTIZE, int32 to int16": {
        "call": (119.9, 223.9),
        "dimension": (4, 7),
        "value": (46.6, 64.6),
    },
    "QUANTIZE, int32 to int8": {"call": (104.5, 200.1), "dimension": (4, 7), "value": (46.6, 64.2)},
    "QUANTIZE, int8 to int16": {
        "call": (107.5, 202.3),
        "dimension": (19.4, 30.1),
        "value": (46.4, 64.3),
    },
    "QUANTIZE, int8 to int32": {
        "call": (102, 187.5),
        "dimension": (15.3, 26.8),
        "value": (38.4, 57.8),
    },
    "QUANTIZE, int8 to int8": {"call": (128.8, 238.7), "dimension": (4, 7), "value": (46.3, 63.6)},
    "QUANTIZE, int8 to uint8": {
        "call": (109, 208.4),
        "dimension": (13.7, 22),
        "value": (41.4, 58.9),
    },
    "QUANTIZE, uint8 to int8": {"call": (143.8, 257.7), "dimension": (4, 7), "value": (46.1, 63.3)},
}
