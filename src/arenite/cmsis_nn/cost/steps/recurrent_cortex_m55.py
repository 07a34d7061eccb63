"""Costs of loops on a Cortex-M55: recurrent layers of float32 and int16.

Instructions and cycles of one pass, as ``cortex_m55.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m55``, with the FPU and vectors. Zeros are in what other steps
cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "SVDF, float32": {
        "call": (413.3, 491.2),
        "batch": (55.4, 57.5),
        "filter": (27.8, 34.8),
        "product": (4, 5),
        "state": (8, 10.8),
        "unit": (21.6, 26),
    },
    "UNIDIRECTIONAL_SEQUENCE_LSTM, float32": {
        "call": (901.7, 1069.3),
        "product": (4, 5.8),
        "row": (121.7, 62.8),
        "step": (3619.2, 4469.2),
        "value": (623.9, 784.1),
        "value that is clipped": (15.8, 16.4),
    },
    "UNIDIRECTIONAL_SEQUENCE_LSTM, int16": {
        "call": (1128.4, 1331.7),
        "4 units": (177.2, 198.9),
        "4 units, 8 columns": (22.5, 28.4),
        "last unit": (46.2, 54.3),
        "last unit, 8 columns": (11.1, 13.6),
        "product": (128.4, 113.1),
        "row": (22.8, 28.7),
        "step": (325.8, 440.4),
        "value": (8.1, 18.5),
    },
}
