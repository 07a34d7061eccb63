"""Costs of loops on a Cortex-M4: activations and other functions of one integer.

Instructions and cycles of one pass, as ``cortex_m4.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m4+fp``, with the FPU: its instructions take a cycle, a sum
of products three, a division or root 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "ABS, int16": {"call": (189, 341.1), "dimension": (5, 8), "value": (22, 32)},
    "ABS, int8": {"call": (192.6, 353.6), "dimension": (2.1, 0), "value": (21, 30.5)},
    "ELU, int8": {"call": (257.5, 438), "dimension": (13.1, 19.8), "value": (8, 12)},
    "HARD_SWISH, int8": {"call": (310.9, 553.5), "dimension": (0, 0), "value": (97.5, 116.3)},
    "L2_NORMALIZATION, int8": {"call": (340.1, 559.4), "row": (402.8, 474.7), "value": (50.6, 67)},
    "LEAKY_RELU, int16": {"call": (323.6, 551), "dimension": (0, 0), "value": (48.4, 67.5)},
    "LEAKY_RELU, int8": {"call": (167.1, 293.6), "dimension": (34.5, 53), "value": (51, 72.1)},
    "LOG_SOFTMAX, int8": {"call": (267.5, 462.4), "row": (437.9, 569.6), "value": (306.1, 386.8)},
    "LOGISTIC, int16": {"call": (190.6, 349.6), "dimension": (7.8, 12.3), "value": (22.8, 27.2)},
    "LOGISTIC, int8": {"call": (114.4, 199), "dimension": (18.8, 26.5), "value": (363.6, 454.4)},
    "PRELU, int8": {
        "call": (0, 0),
        "dimension": (138.7, 444),
        "level": (213.2, 71.3),
        "run": (67.6, 121.7),
        "outer pass": (0, 0),
        "value": (47.9, 66.7),
    },
    "RELU, int16": {"call": (299.1, 507.1), "dimension": (0, 0), "value": (48.5, 67.6)},
    "RELU, int8": {"call": (261.6, 449), "dimension": (11.5, 17.7), "value": (52.6, 71.6)},
    "RELU6, int16": {"call": (281.2, 470.5), "dimension": (9.4, 18.2), "value": (9.7, 12.6)},
    "RELU6, int8": {"call": (265.8, 457), "dimension": (13.3, 21.9), "value": (12, 15)},
    "RSQRT, int16": {"call": (116.4, 217.7), "dimension": (6.5, 11.3), "value": (466, 551.5)},
    "RSQRT, int8": {"call": (0, 0), "dimension": (8.5, 65.6), "value": (462.6, 559.6)},
    "TANH, int16": {"call": (215.9, 409), "dimension": (46.8, 56.6), "value": (23.3, 27.3)},
    "TANH, int8": {"call": (199.3, 339.1), "dimension": (11, 15.8), "value": (370.9, 460.7)},
}
