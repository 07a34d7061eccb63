"""Costs of loops on a Cortex-M4: activations and other functions of one integer.

Instructions and cycles of one pass, as ``cortex_m4.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m4+fp``, with the FPU: its instructions take a cycle, a sum
of products three, a division or root 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "ABS, int16": {"call": (119, 215.5), "dimension": (6, 11), "value": (22, 32)},
    "ABS, int8": {"call": (117, 212.5), "dimension": (6, 11), "value": (21, 30.5)},
    "ELU, int8": {"call": (194.3, 332.7), "dimension": (11.9, 16.2), "value": (8, 12)},
    "HARD_SWISH, int8": {"call": (192.9, 333.5), "dimension": (26.9, 38.1), "value": (96.8, 115.2)},
    "L2_NORMALIZATION, int8": {"call": (255.3, 408), "row": (400.8, 457.2), "value": (50.2, 70.2)},
    "LEAKY_RELU, int16": {"call": (229.2, 391.6), "dimension": (11, 16.1), "value": (49, 70)},
    "LEAKY_RELU, int8": {"call": (167.1, 293.6), "dimension": (34.5, 53), "value": (51, 72.1)},
    "LOG_SOFTMAX, int8": {"call": (200.7, 338.7), "row": (442.7, 569.6), "value": (304.4, 391.2)},
    "LOGISTIC, int16": {"call": (106, 209.7), "dimension": (11, 14.1), "value": (21.4, 25.4)},
    "LOGISTIC, int8": {"call": (114.4, 199), "dimension": (18.8, 26.5), "value": (363.6, 454.4)},
    "PRELU, int8": {
        "call": (190, 295),
        "dimension": (98.9, 147.1),
        "level": (8, 9),
        "run": (67.5, 101.5),
        "outer pass": (96.9, 145.5),
        "value": (49, 71.2),
    },
    "RELU, int16": {"call": (167.8, 288.8), "dimension": (15, 22.1), "value": (48.4, 71.8)},
    "RELU, int8": {"call": (214.2, 358.2), "dimension": (11, 15.3), "value": (52.4, 75.3)},
    "RELU6, int16": {"call": (206.7, 347.2), "dimension": (11, 16.4), "value": (9.4, 12.4)},
    "RELU6, int8": {"call": (196.2, 332), "dimension": (12.7, 18.4), "value": (12, 15)},
    "RSQRT, int16": {"call": (116.4, 217.7), "dimension": (6.5, 11.3), "value": (466, 551.5)},
    "RSQRT, int8": {"call": (94, 175.5), "dimension": (4, 7), "value": (459.8, 545)},
    "TANH, int16": {"call": (202.6, 327.8), "dimension": (11, 22.6), "value": (21.6, 25.1)},
    "TANH, int8": {"call": (199.3, 339.1), "dimension": (11, 15.8), "value": (370.9, 460.7)},
}
