"""Costs of loops on a Cortex-M55: activations and other functions of one integer.

Instructions and cycles of one pass, as ``cortex_m55.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m55``, with the FPU and vectors. Zeros are in what other steps
cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "ABS, int16": {"call": (118, 161), "dimension": (3, 3), "value": (22, 27)},
    "ABS, int8": {"call": (121.6, 165), "dimension": (0.1, 0), "value": (21, 25)},
    "ELU, int8": {"call": (190.6, 246.4), "dimension": (13.1, 16.2), "value": (4, 5)},
    "HARD_SWISH, int8": {"call": (249.2, 317.8), "dimension": (0, 0), "value": (96.2, 107.8)},
    "L2_NORMALIZATION, int8": {
        "call": (275.9, 349.8),
        "row": (434.7, 472.7),
        "value": (50.1, 53.5),
    },
    "LEAKY_RELU, int16": {"call": (251.2, 312.8), "dimension": (0, 0), "value": (48.4, 53.9)},
    "LEAKY_RELU, int8": {"call": (217.9, 295.9), "dimension": (0, 0), "value": (50.6, 55.9)},
    "LOG_SOFTMAX, int8": {"call": (195.9, 248.9), "row": (462.7, 511.2), "value": (313.6, 345.7)},
    "LOGISTIC, int16": {"call": (127, 173.1), "dimension": (8.4, 7.6), "value": (24.7, 26.8)},
    "LOGISTIC, int8": {"call": (0, 0), "dimension": (127.5, 152.2), "value": (370.2, 405.1)},
    "PRELU, int8": {
        "call": (0, 0),
        "dimension": (166.1, 334.2),
        "level": (185.1, 62.8),
        "outer pass": (0, 0),
        "run": (65.5, 71.8),
        "value": (48.1, 52.3),
    },
    "RELU, int16": {"call": (229.3, 293), "dimension": (0, 0), "value": (50, 53.5)},
    "RELU, int8": {"call": (192.3, 245.6), "dimension": (10, 12.7), "value": (52.1, 55.6)},
    "RELU6, int16": {"call": (238.2, 276.8), "dimension": (0.5, 9.2), "value": (10.3, 11.5)},
    "RELU6, int8": {"call": (207.6, 258.9), "dimension": (6.6, 12.8), "value": (11, 12)},
    "RSQRT, int8": {"call": (0, 0), "dimension": (0.5, 16.8), "value": (492.4, 539.1)},
    "TANH, int16": {"call": (141.9, 198.7), "dimension": (53.5, 52.8), "value": (22.5, 24.9)},
    "TANH, int8": {"call": (14.3, 62.6), "dimension": (0, 0), "value": (375.5, 410.8)},
}
