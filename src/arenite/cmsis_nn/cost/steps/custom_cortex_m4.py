"""Costs of loops on a Cortex-M4: TFLM_DECODE, TFLite_Detection_PostProcess.

Instructions and cycles of one pass, as ``cortex_m4.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m4+fp``, with the FPU: its instructions take a cycle, a sum
of products three, a division or root 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "TFLite_Detection_PostProcess, fast": {
        "call": (2063.5, 3238.5),
        "box": (5040, 6101.3),
        "candidate": (0, 0),
        "class of a box": (0, 0),
        "detection": (92.6, 106.1),
        "pair": (712.4, 968),
        "round": (0, 0),
        "score": (0, 0),
        "selected": (0, 0),
        "sorting": (153.8, 218.2),
    },
    "TFLM_DECODE": {"call": (48.8, 132.5), "output": (0, 0)},
    "TFLM_DECODE, Huffman, narrow": {
        "call": (138.1, 217),
        "32 bits": (0.5, 0),
        "value": (30.1, 45.8),
    },
    "TFLM_DECODE, Huffman, wide": {
        "call": (114.8, 225.1),
        "32 bits": (1.8, 0),
        "value": (29.9, 44.5),
    },
    "TFLM_DECODE, mask, bytes": {
        "call": (0, 0),
        "channel": (1354.2, 947.2),
        "value": (10.4, 15.2),
        "value that is kept": (0, 0),
    },
    "TFLM_DECODE, mask, bytes, by channel": {
        "call": (0, 0),
        "channel": (0, 0),
        "value": (0, 0),
        "value that is kept": (43, 54.2),
    },
    "TFLM_DECODE, mask, wider values": {
        "call": (123, 0),
        "channel": (0, 189.7),
        "value": (17.1, 21.7),
        "value that is kept": (0, 0),
    },
    "TFLM_DECODE, table": {
        "call": (175.3, 272),
        "channel": (0, 0),
        "value": (11.9, 16.5),
        "value of 1 bits": (5.2, 9.7),
        "value of 2 bits": (1, 3),
        "value of 3 bits": (4, 8.1),
        "value of 4 bits": (0, 0),
        "value of 5 bits": (4.4, 6.2),
        "value of 6 bits": (5.1, 7),
        "value of 7 bits": (5.4, 7.3),
    },
    "TFLM_DECODE, table, 2 bits": {
        "call": (567.6, 873.1),
        "16 values": (0, 0),
        "channel": (0, 0),
        "value": (0, 0),
    },
    "TFLM_DECODE, table, 3 bits": {"call": (0, 0), "channel": (187.3, 299), "value": (0, 0)},
    "TFLM_DECODE, table, 4 bits": {
        "call": (2388.9, 3429.7),
        "16 values": (0, 0),
        "channel": (0, 0),
        "value": (0, 0),
    },
    "TFLM_DECODE, table, alternating": {
        "call": (0, 0),
        "channel": (0, 0),
        "value": (46.3, 71.5),
        "value of 1 bits": (2.1, 2.9),
        "value of 2 bits": (5.3, 10.5),
        "value of 4 bits": (0, 0),
    },
}
