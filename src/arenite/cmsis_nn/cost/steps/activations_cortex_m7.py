"""Costs of loops on a Cortex-M7: activations and other functions of one integer.

Instructions and cycles of one pass, as ``cortex_m7.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m7+fp``. Cycles of floats: a sum or product after three, a
sum of products after five, a division or root after 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "ABS, int16": {"call": (119, 143), "dimension": (5, 4), "value": (22, 19)},
    "ABS, int8": {"call": (122.6, 149.8), "dimension": (2.1, 0), "value": (21, 19)},
    "ELU, int8": {"call": (187.5, 196.5), "dimension": (13.1, 15.1), "value": (8, 7)},
    "HARD_SWISH, int8": {"call": (180.6, 210), "dimension": (17.6, 17.5), "value": (118.6, 87.4)},
    "L2_NORMALIZATION, int8": {"call": (262.6, 274.6), "row": (444.5, 336), "value": (59.2, 39.6)},
    "LEAKY_RELU, int16": {"call": (250.5, 269.4), "dimension": (0, 0), "value": (58.5, 39.5)},
    "LEAKY_RELU, int8": {"call": (238.5, 257), "dimension": (0, 0), "value": (60.5, 40.5)},
    "LOG_SOFTMAX, int8": {"call": (201.7, 221.7), "row": (517.2, 401.7), "value": (365, 259.5)},
    "LOGISTIC, int16": {"call": (120.6, 147.2), "dimension": (7.8, 7.9), "value": (22.8, 21.8)},
    "LOGISTIC, int8": {"call": (0, 0), "dimension": (127.6, 130.9), "value": (448.5, 326.1)},
    "PRELU, int8": {
        "call": (0, 0),
        "dimension": (157.7, 173.2),
        "level": (169, 154.9),
        "run": (67.2, 75.1),
        "outer pass": (0, 0),
        "value": (58.6, 40.8),
    },
    "RELU, int16": {"call": (218.2, 237.7), "dimension": (3, 2.5), "value": (58, 38.5)},
    "RELU, int8": {"call": (190.1, 204.2), "dimension": (13.2, 14.6), "value": (61, 40.5)},
    "RELU6, int16": {"call": (211.2, 211.6), "dimension": (9.4, 14.4), "value": (9.7, 7.8)},
    "RELU6, int8": {"call": (195.8, 204.1), "dimension": (13.3, 17.1), "value": (12, 8)},
    "RSQRT, int16": {"call": (116.4, 116.3), "dimension": (6.5, 4.7), "value": (466, 347.5)},
    "RSQRT, int8": {"call": (0, 0), "dimension": (0, 38.8), "value": (526.3, 387.7)},
    "TANH, int16": {"call": (136.4, 160.8), "dimension": (52.2, 45.6), "value": (21.4, 18.8)},
    "TANH, int8": {"call": (0, 56.7), "dimension": (0, 0), "value": (458.2, 332.9)},
}
