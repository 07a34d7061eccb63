"""Costs of loops on a Cortex-M7: conversions.

Instructions of one pass were counted in code that Arm GCC 12.2 compiled for the Cortex-M4 with its
FPU (the M7's differs in the order of instructions), as ``cortex_m4.py`` says, on other random
layers; cycles follow the rules of ``cortex_m7.py``, of floats those that Arm documents. Zeros are
in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "CAST, bool to float32": {"call": (187.7, 171.2), "dimension": (15.2, 16.7), "value": (6, 7.5)},
    "CAST, bool to int16": {"call": (189, 172.1), "dimension": (14.4, 16.1), "value": (4, 4.5)},
    "CAST, bool to int32": {"call": (185.6, 169.4), "dimension": (16.5, 17.8), "value": (4, 4.5)},
    "CAST, bool to int8": {"call": (192.5, 174.6), "dimension": (13.3, 15.3), "value": (4, 4.5)},
    "CAST, float32 to int16": {
        "call": (181.5, 166.7),
        "dimension": (17.7, 18.7),
        "value": (6, 7.5),
    },
    "CAST, float32 to int32": {"call": (192.7, 175.1), "dimension": (13.2, 15), "value": (5, 7.5)},
    "CAST, float32 to int8": {"call": (180.1, 166), "dimension": (19, 19.6), "value": (6, 7.5)},
    "CAST, int16 to float32": {"call": (183, 168), "dimension": (15.5, 17), "value": (6, 7.5)},
    "CAST, int16 to int32": {"call": (200.2, 181.1), "dimension": (11, 13.7), "value": (4, 4.5)},
    "CAST, int16 to int8": {"call": (181.5, 166.8), "dimension": (17.3, 18.4), "value": (4, 4.5)},
    "CAST, int32 to float32": {"call": (183.9, 168), "dimension": (15.9, 17.2), "value": (6, 7.5)},
    "CAST, int32 to int16": {"call": (185.7, 170.1), "dimension": (15.7, 17.1), "value": (4, 4.5)},
    "CAST, int32 to int8": {"call": (183, 168), "dimension": (15.4, 16.8), "value": (4, 4.5)},
    "CAST, int32 to uint32": {"call": (189.5, 172.3), "dimension": (14.2, 15.9), "value": (4, 4.5)},
    "CAST, int8 to float32": {"call": (186.8, 170.3), "dimension": (16.2, 17.6), "value": (6, 7.5)},
    "CAST, int8 to int16": {"call": (188.9, 172.1), "dimension": (14.3, 16), "value": (4, 4.5)},
    "CAST, int8 to int32": {"call": (186.7, 170.3), "dimension": (14.6, 16.4), "value": (4, 4.5)},
    "CAST, uint32 to float32": {"call": (184.1, 168), "dimension": (15.7, 17), "value": (6, 7.5)},
    "CAST, uint32 to int16": {"call": (183.1, 168.1), "dimension": (15.1, 16.7), "value": (4, 4.5)},
    "CAST, uint32 to int32": {"call": (186.4, 169.8), "dimension": (14.6, 16.4), "value": (4, 4.5)},
    "CAST, uint32 to int8": {"call": (199.8, 181.4), "dimension": (11, 13.4), "value": (4, 4.5)},
    "DEQUANTIZE, int16 to float32": {
        "call": (183.6, 162.3),
        "dimension": (15.6, 18.2),
        "value": (109.9, 77.4),
    },
    "DEQUANTIZE, int8 to float32": {
        "call": (170, 157.4),
        "dimension": (12.9, 14.8),
        "value": (108.3, 75.6),
    },
    "DEQUANTIZE, uint8 to float32": {
        "call": (209.7, 192.1),
        "dimension": (11, 10.7),
        "value": (108.2, 75.6),
    },
    "QUANTIZE, float32 to int16": {
        "call": (210.9, 185.1),
        "dimension": (13.3, 15.4),
        "value": (34, 24.5),
    },
    "QUANTIZE, float32 to int8": {
        "call": (208.3, 182.1),
        "dimension": (15.7, 18.2),
        "value": (35.9, 25.5),
    },
    "QUANTIZE, int16 to int16": {
        "call": (152.6, 148.5),
        "dimension": (4, 3.5),
        "value": (44.3, 33.8),
    },
    "QUANTIZE, int16 to int32": {
        "call": (103, 99.5),
        "dimension": (11.3, 10.7),
        "value": (38.4, 30.9),
    },
    "QUANTIZE, int16 to int8": {
        "call": (110.1, 108.1),
        "dimension": (4, 3.5),
        "value": (44.6, 35.1),
    },
    "QUANTIZE, int32 to int16": {
        "call": (119.9, 118.2),
        "dimension": (4, 3.5),
        "value": (46.6, 36.6),
    },
    "QUANTIZE, int32 to int8": {
        "call": (104.5, 101.5),
        "dimension": (4, 3.5),
        "value": (46.6, 36.6),
    },
    "QUANTIZE, int8 to int16": {
        "call": (107.5, 105.4),
        "dimension": (19.4, 17.4),
        "value": (46.4, 35.4),
    },
    "QUANTIZE, int8 to int32": {
        "call": (102, 91),
        "dimension": (15.3, 16.4),
        "value": (38.4, 30.9),
    },
    "QUANTIZE, int8 to int8": {
        "call": (128.8, 124.3),
        "dimension": (4, 3.5),
        "value": (46.3, 35.3),
    },
    "QUANTIZE, int8 to uint8": {
        "call": (109, 105.7),
        "dimension": (13.7, 12.2),
        "value": (41.4, 32.4),
    },
    "QUANTIZE, uint8 to int8": {
        "call": (143.8, 137.3),
        "dimension": (4, 3.5),
        "value": (46.1, 35.1),
    },
}
