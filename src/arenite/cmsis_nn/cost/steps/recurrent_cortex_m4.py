"""Costs of loops on a Cortex-M4: recurrent layers of float32 and int16.

Instructions and cycles of one pass, as ``cortex_m4.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m4+fp``, with the FPU: its instructions take a cycle, a sum
of products three, a division or root 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "SVDF, float32": {
        "call": (357.3, 598.6),
        "batch": (149.3, 251.5),
        "filter": (23.2, 23.9),
        "product": (6.1, 12.2),
        "state": (10, 17.5),
        "unit": (40.7, 62.9),
    },
    "UNIDIRECTIONAL_SEQUENCE_LSTM, float32": {
        "call": (909.5, 1500.3),
        "product": (5.2, 11.2),
        "row": (98.5, 0),
        "step": (3503.3, 5632.1),
        "value": (690.2, 1170.9),
        "value that is clipped": (20.4, 25.8),
    },
    "UNIDIRECTIONAL_SEQUENCE_LSTM, int16": {
        "call": (1424.1, 2371.1),
        "2 units": (101.9, 134.2),
        "2 units, 4 columns": (20.8, 25.9),
        "2 units, column": (6.3, 9.6),
        "last unit": (37, 63.2),
        "last unit, 4 columns": (20.6, 25),
        "last unit, column": (3, 5.4),
        "product": (115.3, 181.7),
        "row": (49, 68.9),
        "step": (0, 0),
        "value": (28.2, 34.5),
    },
}
