"""Costs of loops on a Cortex-M4: signal operators.

Instructions and cycles of one pass, as ``cortex_m4.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m4+fp``, with the FPU: its instructions take a cycle, a sum
of products three, a division or root 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "CIRCULAR_BUFFER, int8": {
        "call": (130.3, 240.6),
        "moved byte": (3.9, 6.9),
        "moved word": (3.4, 5.1),
    },
    "SignalDelay, int16": {"call": (90.3, 169.2), "row": (169.6, 264.8), "sample": (3.2, 4.8)},
    "SignalEnergy, int16": {"call": (100, 191.5), "value": (8, 11.5)},
    "SignalFftAutoScale, int16": {"call": (147.3, 279.6), "value": (13, 20.9)},
    "SignalFilterBank, uint32": {
        "call": (363.1, 600.9),
        "channel": (25.2, 39.4),
        "weight": (17.4, 21.4),
    },
    "SignalFilterBankLog, uint32": {"call": (109, 208.5), "value": (52, 75.4)},
    "SignalFilterBankSpectralSubtraction, uint32": {"call": (154.7, 288.8), "value": (42.2, 53.4)},
    "SignalFilterBankSquareRoot, uint64": {"call": (69, 135), "value": (221.4, 284.2)},
    "SignalFramer, int16": {
        "call": (112, 198.4),
        "row": (11, 14.4),
        "frame": (179.5, 283.8),
        "sample": (2.1, 3.1),
    },
    "SignalIrfft, float32": {
        "call": (117.5, 209.4),
        "frame": (71.8, 117.5),
        "value": (10.5, 29.1),
        "stage call": (40, 74.5),
        "sorted value": (6, 9.4),
        "butterfly of 4": (74.8, 102.7),
        "butterfly of 5": (135, 190.5),
        "butterfly of 2": (26.5, 37.4),
        "butterfly of 3": (68.5, 104.5),
    },
    "SignalIrfft, int16": {
        "call": (209, 305.2),
        "frame": (75, 104.1),
        "value": (6.6, 7.7),
        "stage call": (45, 67.4),
        "sorted value": (6, 8.5),
        "butterfly of 4": (186.9, 232.7),
        "butterfly of 3": (113.9, 140.6),
        "butterfly of 5": (304, 371.5),
        "butterfly of 2": (46.9, 56.7),
    },
    "SignalIrfft, int32": {
        "call": (77, 150.3),
        "frame": (87, 117.1),
        "value": (12.1, 14.2),
        "stage call": (57.5, 81.8),
        "sorted value": (6, 9.5),
        "butterfly of 2": (87.8, 104.6),
        "butterfly of 3": (170.2, 205.5),
        "butterfly of 4": (242.4, 302.6),
        "butterfly of 5": (465, 567.5),
    },
    "SignalOverlapAdd, float32": {
        "call": (114, 205.3),
        "frame": (73.4, 113.8),
        "value": (6, 11),
        "moved value": (2.9, 4.3),
    },
    "SignalOverlapAdd, int16": {
        "call": (116.2, 207.9),
        "frame": (61.7, 90.7),
        "value": (12.6, 15.6),
        "moved value": (4.5, 7.5),
    },
    "SignalPCAN, uint32": {"call": (253, 433.3), "value": (54.2, 69.5)},
    "SignalRfft, float32": {
        "call": (98, 182.5),
        "frame": (101, 158.4),
        "value": (6.4, 7.6),
        "stage call": (42.5, 80.5),
        "sorted value": (6, 9.5),
        "butterfly of 4": (72.9, 100.5),
        "butterfly of 3": (66.4, 101.6),
        "butterfly of 5": (135, 190.5),
        "butterfly of 2": (25, 35.9),
    },
    "SignalRfft, int16": {
        "call": (96, 180.5),
        "frame": (243.6, 306.2),
        "value": (6.3, 7.1),
        "stage call": (42.4, 64.5),
        "sorted value": (6, 8.5),
        "butterfly of 4": (191.7, 238.3),
        "butterfly of 5": (304, 371.5),
        "butterfly of 2": (46.2, 55.7),
        "butterfly of 3": (117.2, 144.6),
    },
    "SignalRfft, int32": {
        "call": (153.1, 256.4),
        "frame": (125.7, 174),
        "value": (16.8, 18.8),
        "stage call": (41.5, 60.6),
        "sorted value": (6, 9.5),
        "butterfly of 4": (239.6, 301),
        "butterfly of 2": (88.8, 105.2),
        "butterfly of 3": (164, 198.7),
        "butterfly of 5": (465, 567.5),
    },
    "SignalStacker, int16": {"call": (248.8, 451.2)},
    "SignalWindow, int16": {"call": (155, 275.5), "value": (13, 16.5)},
}
