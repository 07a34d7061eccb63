"""Costs of loops on a Cortex-M55: TFLM_DECODE, TFLite_Detection_PostProcess.

Instructions and cycles of one pass, as ``cortex_m55.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m55``, with the FPU and vectors. Zeros are in what other steps
cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "TFLite_Detection_PostProcess, fast": {
        "call": (1565.4, 1914.3),
        "box": (0, 0),
        "candidate": (0, 0),
        "class of a box": (0, 0),
        "detection": (0, 0),
        "pair": (0, 0),
        "round": (0, 0),
        "score": (0, 0),
        "selected": (0, 0),
        "sorting": (144.9, 177.7),
    },
    "TFLM_DECODE": {"call": (47.6, 56), "output": (0, 0)},
    "TFLM_DECODE, Huffman, narrow": {
        "call": (136.2, 187.4),
        "32 bits": (0.6, 2.9),
        "value": (30.1, 36.5),
    },
    "TFLM_DECODE, Huffman, wide": {
        "call": (113, 159.8),
        "32 bits": (2.7, 0),
        "value": (29.9, 37.6),
    },
    "TFLM_DECODE, mask, bytes": {
        "call": (0, 0),
        "channel": (1327.1, 1416.7),
        "value": (9.5, 10.1),
        "value that is kept": (0, 0),
    },
    "TFLM_DECODE, mask, bytes, by channel": {
        "call": (0, 0),
        "channel": (0, 0),
        "value": (0, 0),
        "value that is kept": (40.5, 43.1),
    },
    "TFLM_DECODE, mask, wider values": {
        "call": (124.3, 174.6),
        "channel": (0, 0),
        "value": (16.1, 17),
        "value that is kept": (0, 0),
    },
    "TFLM_DECODE, table": {
        "call": (175.8, 237.6),
        "channel": (0, 0),
        "value": (10.9, 12.4),
        "value of 1 bits": (6.2, 6.5),
        "value of 2 bits": (2, 4.3),
        "value of 3 bits": (4.8, 6.2),
        "value of 4 bits": (0, 0),
        "value of 5 bits": (5.7, 6.5),
        "value of 6 bits": (6.1, 6.9),
        "value of 7 bits": (7, 8.3),
    },
    "TFLM_DECODE, table, 2 bits": {
        "call": (656.1, 788),
        "16 values": (0, 0),
        "channel": (0, 0),
        "value": (0, 0),
    },
    "TFLM_DECODE, table, 3 bits": {"call": (0, 0), "channel": (189.5, 250.8), "value": (0, 0)},
    "TFLM_DECODE, table, 4 bits": {
        "call": (5408.6, 5732.7),
        "16 values": (0, 0),
        "channel": (0, 0),
        "value": (0, 0),
    },
    "TFLM_DECODE, table, alternating": {
        "call": (0, 0),
        "channel": (0, 0),
        "value": (46.9, 0),
        "value of 1 bits": (0.7, 59.2),
        "value of 2 bits": (1.2, 54.4),
        "value of 4 bits": (0, 54.5),
    },
}
