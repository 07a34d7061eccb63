"""Costs of loops on a Cortex-M55: signal operators.

Instructions and cycles of one pass, as ``cortex_m55.py`` says, on other random layers. Most of
TFLM's own kernels were built as a release (``NDEBUG``), with the FPU and vectors. Zeros are in
what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "CIRCULAR_BUFFER, int8": {
        "call": (124.4, 178.8),
        "moved byte": (4, 6),
        "moved word": (3.7, 4.6),
    },
    "SignalDelay, int16": {"call": (94, 128.5), "row": (168.5, 211.4), "sample": (3.5, 5)},
    "SignalEnergy, int16": {"call": (108, 155), "value": (7, 8)},
    "SignalFftAutoScale, int16": {"call": (157.1, 231.5), "value": (14, 15)},
    "SignalFilterBank, uint32": {
        "call": (370.7, 483.3),
        "channel": (28.2, 34.7),
        "weight": (16.6, 18.7),
    },
    "SignalFilterBankLog, uint32": {"call": (111, 161), "value": (55, 66.9)},
    "SignalFilterBankSpectralSubtraction, uint32": {"call": (157.2, 225.2), "value": (42.5, 44.6)},
    "SignalFilterBankSquareRoot, uint64": {"call": (150.8, 207.8), "value": (123.6, 135)},
    "SignalFramer, int16": {
        "call": (95.2, 135.2),
        "row": (9, 10.2),
        "frame": (187.8, 232.7),
        "sample": (2.4, 3.4),
    },
    "SignalIrfft, float32": {
        "call": (119.9, 165.2),
        "frame": (87.6, 111.1),
        "value": (8.5, 20.8),
        "stage call": (43.1, 67.8),
        "sorted value": (5, 5),
        "butterfly of 4": (75.8, 80.4),
        "butterfly of 5": (129, 130),
        "butterfly of 2": (25.1, 31.3),
        "butterfly of 3": (67.2, 90.4),
    },
    "SignalIrfft, int16": {
        "call": (203.9, 248.7),
        "frame": (79, 86.1),
        "value": (6.5, 6.1),
        "stage call": (45.6, 53.8),
        "sorted value": (5, 5),
        "butterfly of 4": (188.6, 205),
        "butterfly of 3": (116.3, 122.6),
        "butterfly of 5": (307, 326),
        "butterfly of 2": (45.6, 45.7),
    },
    "SignalIrfft, int32": {
        "call": (77, 107.2),
        "frame": (97, 102.1),
        "value": (14.9, 18),
        "stage call": (59.2, 68.3),
        "sorted value": (5, 5),
        "butterfly of 2": (97.8, 113),
        "butterfly of 3": (189.3, 215.2),
        "butterfly of 4": (265.4, 303.5),
        "butterfly of 5": (517, 609),
    },
    "SignalOverlapAdd, float32": {
        "call": (113.1, 197.4),
        "frame": (77.9, 90.5),
        "value": (5, 7),
        "moved value": (2.8, 3.4),
    },
    "SignalOverlapAdd, int16": {
        "call": (135.4, 178.2),
        "frame": (50.9, 71.6),
        "value": (12.3, 11.3),
        "moved value": (6.9, 9.8),
    },
    "SignalPCAN, uint32": {"call": (257, 347.9), "value": (54.4, 61.5)},
    "SignalRfft, float32": {
        "call": (99, 142.1),
        "frame": (100.8, 127.7),
        "value": (5.3, 5.4),
        "stage call": (48.5, 73.9),
        "sorted value": (5, 5),
        "butterfly of 4": (73.7, 78.5),
        "butterfly of 3": (64.4, 87.3),
        "butterfly of 5": (129, 130),
        "butterfly of 2": (24, 30),
    },
    "SignalRfft, int16": {
        "call": (97, 136),
        "frame": (233.5, 258.9),
        "value": (7, 6.5),
        "stage call": (42.8, 50.6),
        "sorted value": (5, 5),
        "butterfly of 4": (192.4, 210),
        "butterfly of 5": (307, 326),
        "butterfly of 2": (45.7, 45.7),
        "butterfly of 3": (118.4, 125),
    },
    "SignalRfft, int32": {
        "call": (102.3, 157.9),
        "frame": (231.4, 242.2),
        "value": (16.4, 20),
        "stage call": (38.4, 44.9),
        "sorted value": (5, 5),
        "butterfly of 4": (277.6, 317.4),
        "butterfly of 2": (103.8, 118.9),
        "butterfly of 3": (196.5, 223.6),
        "butterfly of 5": (517, 609),
    },
    "SignalStacker, int16": {"call": (317.7, 424.1), "value": (0, 0), "output": (2.4, 3.2)},
    "SignalWindow, int16": {"call": (161, 219), "value": (13, 14)},
}
