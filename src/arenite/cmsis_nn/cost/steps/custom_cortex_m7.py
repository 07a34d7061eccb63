"""Costs of loops on a Cortex-M7: TFLM_DECODE, TFLite_Detection_PostProcess.

Instructions and cycles of one pass, as ``cortex_m7.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m7+fp``. Cycles of floats: a sum or product after three, a
sum of products after five, a division or root after 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "TFLite_Detection_PostProcess, fast": {
        "call": (1538.1, 1682.9),
        "box": (0, 0),
        "candidate": (0, 0),
        "class of a box": (0, 0),
        "detection": (0, 0),
        "pair": (0, 0),
        "round": (0, 0),
        "score": (0, 0),
        "selected": (0, 0),
        "sorting": (142.1, 153.7),
    },
    "TFLM_DECODE": {"call": (51.8, 74.8), "output": (0, 0)},
    "TFLM_DECODE, Huffman, narrow": {
        "call": (135.5, 159.5),
        "32 bits": (0.2, 0),
        "value": (30.2, 25.5),
    },
    "TFLM_DECODE, Huffman, wide": {
        "call": (113.6, 152.5),
        "32 bits": (1.8, 0),
        "value": (29.9, 26),
    },
    "TFLM_DECODE, mask, bytes": {
        "call": (0, 0),
        "channel": (1315.5, 1036.4),
        "value": (7.9, 3.7),
        "value that is kept": (0, 0),
    },
    "TFLM_DECODE, mask, bytes, by channel": {
        "call": (0, 0),
        "channel": (0, 0),
        "value": (0, 0),
        "value that is kept": (36.5, 23.9),
    },
    "TFLM_DECODE, mask, wider values": {
        "call": (121.2, 145.3),
        "channel": (0, 0),
        "value": (14.5, 9.5),
        "value that is kept": (0, 0),
    },
    "TFLM_DECODE, table": {
        "call": (172.9, 189.1),
        "channel": (0, 0),
        "value": (10.9, 10.5),
        "value of 1 bits": (6.2, 6.1),
        "value of 2 bits": (2, 2.8),
        "value of 3 bits": (5, 4.8),
        "value of 4 bits": (0, 0),
        "value of 5 bits": (5.4, 3.4),
        "value of 6 bits": (5.9, 2.9),
        "value of 7 bits": (6.3, 4.2),
    },
    "TFLM_DECODE, table, 2 bits": {
        "call": (525.3, 487.2),
        "16 values": (0, 0),
        "channel": (0, 0),
        "value": (0, 0),
    },
    "TFLM_DECODE, table, 3 bits": {"call": (0, 0), "channel": (182.3, 200.5), "value": (0, 0)},
    "TFLM_DECODE, table, 4 bits": {
        "call": (2352.7, 2042),
        "16 values": (0, 0),
        "channel": (0, 0),
        "value": (0, 0),
    },
    "TFLM_DECODE, table, alternating": {
        "call": (0, 0),
        "channel": (0, 0),
        "value": (47.1, 0),
        "value of 1 bits": (0.8, 49.4),
        "value of 2 bits": (2.8, 48.9),
        "value of 4 bits": (0, 47.8),
    },
}
