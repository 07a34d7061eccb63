"""Costs of loops on a Cortex-M7: signal operators.

Instructions and cycles of one pass, as ``cortex_m7.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m7+fp``. Cycles of floats: a sum or product after three, a
sum of products after five, a division or root after 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "CIRCULAR_BUFFER, int8": {
        "call": (126.4, 151.9),
        "moved byte": (4, 4.9),
        "moved word": (3.1, 3.8),
    },
    "SignalDelay, int16": {"call": (91.4, 116.2), "row": (154.3, 157.3), "sample": (5.7, 5.9)},
    "SignalEnergy, int16": {"call": (100, 101.5), "value": (8, 7.5)},
    "SignalFftAutoScale, int16": {"call": (143.3, 176.6), "value": (13, 13)},
    "SignalFilterBank, uint32": {
        "call": (352.7, 397.6),
        "channel": (25.1, 22.3),
        "weight": (17.9, 15.3),
    },
    "SignalFilterBankLog, uint32": {"call": (104.4, 136.7), "value": (47.6, 46.2)},
    "SignalFilterBankSpectralSubtraction, uint32": {"call": (148, 185.5), "value": (43.5, 34.2)},
    "SignalFilterBankSquareRoot, uint64": {"call": (241.8, 235.6), "value": (252.1, 170.2)},
    "SignalFramer, int16": {
        "call": (130, 158.8),
        "row": (14.6, 13.9),
        "frame": (174.9, 172.9),
        "sample": (2, 2.9),
    },
    "SignalIrfft, float32": {
        "call": (104.2, 131.6),
        "frame": (37.9, 45.9),
        "value": (0, 0),
        "stage call": (38.1, 49),
        "sorted value": (39.3, 59.5),
        "butterfly of 4": (62.5, 49.6),
        "butterfly of 5": (100.8, 73.7),
        "butterfly of 2": (26.2, 29.7),
        "butterfly of 3": (54.8, 72.6),
    },
    "SignalIrfft, int16": {
        "call": (91.7, 122.7),
        "frame": (49.2, 47.8),
        "value": (0, 0),
        "stage call": (33.6, 38.5),
        "sorted value": (41.4, 27),
        "butterfly of 4": (165.7, 146.1),
        "butterfly of 3": (102.1, 95.5),
        "butterfly of 5": (249.6, 200),
        "butterfly of 2": (46.6, 38.9),
    },
    "SignalIrfft, int32": {
        "call": (98.8, 129),
        "frame": (27.1, 26.8),
        "value": (0, 0),
        "stage call": (70.2, 64.4),
        "sorted value": (39.9, 29.4),
        "butterfly of 2": (78.8, 64.2),
        "butterfly of 3": (159.7, 138.3),
        "butterfly of 4": (210.5, 177.4),
        "butterfly of 5": (430.8, 331.9),
    },
    "SignalOverlapAdd, float32": {
        "call": (96, 125.3),
        "frame": (60, 58.8),
        "value": (6.6, 9.7),
        "moved value": (3.4, 3.9),
    },
    "SignalOverlapAdd, int16": {
        "call": (111.7, 139.2),
        "frame": (50.7, 50),
        "value": (13.3, 10.4),
        "moved value": (5.4, 6.6),
    },
    "SignalPCAN, uint32": {"call": (242.1, 282.9), "value": (52.6, 43.9)},
    "SignalRfft, float32": {
        "call": (123.1, 154.7),
        "frame": (28.9, 31.1),
        "value": (0, 0),
        "stage call": (22.9, 47.3),
        "sorted value": (34.5, 23),
        "butterfly of 4": (78.2, 51.9),
        "butterfly of 3": (54.5, 72.3),
        "butterfly of 5": (100.5, 73.9),
        "butterfly of 2": (27.7, 30.3),
    },
    "SignalRfft, int16": {
        "call": (115.5, 149.8),
        "frame": (59.6, 58.8),
        "value": (0, 0),
        "stage call": (34.1, 36.9),
        "sorted value": (34.8, 24.1),
        "butterfly of 4": (182.8, 156.6),
        "butterfly of 5": (267.9, 208.3),
        "butterfly of 2": (52.1, 41.8),
        "butterfly of 3": (106.5, 97.5),
    },
    "SignalRfft, int32": {
        "call": (127, 161.1),
        "frame": (44.4, 54.8),
        "value": (0, 0),
        "stage call": (48.8, 48.2),
        "sorted value": (44.6, 30.4),
        "butterfly of 4": (233.2, 195.3),
        "butterfly of 2": (86.8, 69.7),
        "butterfly of 3": (166.2, 144.1),
        "butterfly of 5": (409, 317.5),
    },
    "SignalStacker, int16": {"call": (246.6, 289.8)},
    "SignalWindow, int16": {"call": (155.9, 188.8), "value": (13, 12.4)},
}
