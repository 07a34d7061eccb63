"""Costs of loops on a Cortex-M4: signal operators.

Instructions and cycles of one pass, as ``cortex_m4.py`` says, on other random layers. TFLM was
built as by its makefile for ``cortex-m4+fp``, with the FPU: its instructions take a cycle, a sum
of products three, a division or root 14. Zeros are in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "CIRCULAR_BUFFER, int8": {
        "call": (196.4, 357.7),
        "moved byte": (4, 6.9),
        "moved word": (3.1, 4.6),
    },
    "SignalDelay, int16": {"call": (160.9, 292.9), "row": (157.4, 278.2), "sample": (5.8, 8.4)},
    "SignalEnergy, int16": {"call": (167.2, 309.1), "value": (0, 0)},
    "SignalFftAutoScale, int16": {"call": (212.3, 392.2), "value": (13, 20.9)},
    "SignalFilterBank, uint32": {
        "call": (422.7, 729.9),
        "channel": (25.1, 38.9),
        "weight": (17.9, 22.1),
    },
    "SignalFilterBankLog, uint32": {"call": (174.7, 334.7), "value": (48.8, 70.7)},
    "SignalFilterBankSpectralSubtraction, uint32": {"call": (218, 418.1), "value": (43.5, 54.4)},
    "SignalFilterBankSquareRoot, uint64": {"call": (315.5, 509.3), "value": (254, 316.2)},
    "SignalFramer, int16": {
        "call": (198.1, 349.5),
        "row": (16, 31.6),
        "frame": (176.9, 303.6),
        "sample": (1.9, 2.8),
    },
    "SignalIrfft, float32": {
        "call": (174.5, 317.4),
        "frame": (33.8, 64.4),
        "value": (0, 0),
        "stage call": (39.9, 83.1),
        "sorted value": (39, 84),
        "butterfly of 4": (62.2, 87.3),
        "butterfly of 5": (101.6, 155.1),
        "butterfly of 2": (26, 37.1),
        "butterfly of 3": (54.8, 88),
    },
    "SignalIrfft, int16": {
        "call": (161.6, 301),
        "frame": (47.1, 81.4),
        "value": (0, 0),
        "stage call": (33.2, 63.9),
        "sorted value": (42.1, 52.1),
        "butterfly of 4": (169.1, 213.2),
        "butterfly of 3": (101, 127),
        "butterfly of 5": (254.2, 314.1),
        "butterfly of 2": (46.6, 57.1),
    },
    "SignalIrfft, int32": {
        "call": (168.7, 311.5),
        "frame": (29.4, 54.3),
        "value": (0, 0),
        "stage call": (68.7, 103.6),
        "sorted value": (40.4, 54.5),
        "butterfly of 2": (82.8, 98.2),
        "butterfly of 3": (156.7, 192.2),
        "butterfly of 4": (212.7, 266.8),
        "butterfly of 5": (445.9, 543),
    },
    "SignalOverlapAdd, float32": {
        "call": (166, 307.9),
        "frame": (60, 96.5),
        "value": (6.6, 11.5),
        "moved value": (3.4, 5.5),
    },
    "SignalOverlapAdd, int16": {
        "call": (181.7, 329.8),
        "frame": (50.7, 82.9),
        "value": (13.3, 16.6),
        "moved value": (5.4, 9.7),
    },
    "SignalPCAN, uint32": {"call": (312.1, 564.1), "value": (52.6, 67.2)},
    "SignalRfft, float32": {
        "call": (193.3, 355),
        "frame": (27.6, 54.3),
        "value": (0, 0),
        "stage call": (19.8, 58.2),
        "sorted value": (35.1, 46.3),
        "butterfly of 4": (82.3, 111.6),
        "butterfly of 3": (54.9, 89.4),
        "butterfly of 5": (101.9, 157.2),
        "butterfly of 2": (27.9, 39.3),
    },
    "SignalRfft, int16": {
        "call": (185.6, 346.5),
        "frame": (54.8, 89.5),
        "value": (0, 0),
        "stage call": (33.8, 66.5),
        "sorted value": (34.8, 44),
        "butterfly of 4": (186.6, 230.7),
        "butterfly of 5": (273, 333),
        "butterfly of 2": (52.2, 62.9),
        "butterfly of 3": (105.6, 131.1),
    },
    "SignalRfft, int32": {
        "call": (197.3, 365.5),
        "frame": (41.5, 77.3),
        "value": (0, 0),
        "stage call": (48, 77.6),
        "sorted value": (44.9, 57.4),
        "butterfly of 4": (235.4, 296.3),
        "butterfly of 2": (90.7, 107.4),
        "butterfly of 3": (163, 201),
        "butterfly of 5": (424.3, 520),
    },
    "SignalStacker, int16": {"call": (318.8, 579.2)},
    "SignalWindow, int16": {"call": (225.9, 408.4), "value": (13, 17.3)},
}
