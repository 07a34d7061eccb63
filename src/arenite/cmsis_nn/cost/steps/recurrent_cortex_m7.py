"""Costs of loops on a Cortex-M7: recurrent layers of float32 and int16.

Instructions and cycles of one pass, as ``cortex_m7.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m7+fp``. Cycles of floats: a sum or product after three, a
sum of products after five, a division or root after 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "SVDF, float32": {
        "call": (411.1, 445),
        "batch": (54.7, 35.1),
        "filter": (29.8, 20.4),
        "product": (6, 5),
        "state": (10, 13.7),
        "unit": (23.6, 18),
    },
    "UNIDIRECTIONAL_SEQUENCE_LSTM, float32": {
        "call": (894.1, 1025.4),
        "product": (5, 5.1),
        "row": (85.1, 0),
        "step": (3508.2, 3169.7),
        "value": (592.4, 719.6),
        "value that is clipped": (15.4, 16.1),
    },
    "UNIDIRECTIONAL_SEQUENCE_LSTM, int16": {
        "call": (1432.4, 1532.1),
        "2 units": (97.4, 68.9),
        "2 units, 4 columns": (20.8, 15.8),
        "2 units, column": (6.4, 5.7),
        "last unit": (33.7, 36.5),
        "last unit, 4 columns": (21.2, 14.4),
        "last unit, column": (3.1, 1.4),
        "product": (117, 126.3),
        "row": (49, 39.1),
        "step": (0, 0),
        "value": (29.6, 48.9),
    },
}
