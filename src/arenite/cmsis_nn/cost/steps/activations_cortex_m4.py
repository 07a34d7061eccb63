"""Costs of loops on a Cortex-M4: activations and other functions of one integer.

Instructions and cycles of one pass, as ``cortex_m4.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m4+fp``, with the FPU: its instructions take a cycle, a sum
of products three, a division or root 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "ABS, int16": {"call": (119, 213.1), "dimension": (5, 8), "value": (22, 32)},
    "ABS, int8": {"call": (122.6, 225.6), "dimension": (2.1, 0), "value": (21, 30.5)},
    "ELU, int8": {"call": (187.5, 310), "dimension": (13.1, 19.8), "value": (8, 12)},
    "HARD_SWISH, int8": {"call": (240.9, 425.5), "dimension": (0, 0), "value": (97.5, 116.3)},
    "L2_NORMALIZATION, int8": {"call": (270.1, 431.4), "row": (402.8, 474.7), "value": (50.6, 67)},
    "LEAKY_RELU, int16": {"call": (253.6, 423), "dimension": (0, 0), "value": (48.4, 67.5)},
    "LEAKY_RELU, int8": {"call": (167.1, 293.6), "dimension": (34.5, 53), "value": (51, 72.1)},
    "LOG_SOFTMAX, int8": {"call": (197.5, 334.4), "row": (437.9, 569.6), "value": (306.1, 386.8)},
    "LOGISTIC, int16": {"call": (120.6, 221.6), "dimension": (7.8, 12.3), "value": (22.8, 27.2)},
    "LOGISTIC, int8": {"call": (114.4, 199), "dimension": (18.8, 26.5), "value": (363.6, 454.4)},
    "PRELU, int8": {
        "call": (0, 0),
        "dimension": (138.7, 444),
        "level": (213.2, 71.3),
        "run": (67.6, 121.7),
        "outer pass": (0, 0),
        "value": (47.9, 66.7),
    },
    "RELU, int16": {"call": (229.1, 379.1), "dimension": (0, 0), "value": (48.5, 67.6)},
    "RELU, int8": {"call": (191.6, 321), "dimension": (11.5, 17.7), "value": (52.6, 71.6)},
    "RELU6, int16": {"call": (211.2, 342.5), "dimension": (9.4, 18.2), "value": (9.7, 12.6)},
    "RELU6, int8": {"call": (195.8, 329), "dimension": (13.3, 21.9), "value": (12, 15)},
    "RSQRT, int16": {"call": (116.4, 217.7), "dimension": (6.5, 11.3), "value": (466, 551.5)},
    "RSQRT, int8": {"call": (0, 0), "dimension": (8.5, 65.6), "value": (462.6, 559.6)},
    "TANH, int16": {"call": (145.9, 281), "dimension": (46.8, 56.6), "value": (23.3, 27.3)},
    "TANH, int8": {"call": (199.3, 339.1), "dimension": (11, 15.8), "value": (370.9, 460.7)},
}
