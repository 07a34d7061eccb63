"""Costs of loops on a Cortex-M7: signal operators.

Instructions of one pass were counted in code that Arm GCC 12.2 compiled for the Cortex-M4 with its
FPU (the M7's differs in the order of instructions), as ``cortex_m4.py`` says, on other random
layers; cycles follow the rules of ``cortex_m7.py``, of floats those that Arm documents. Zeros are
in what other steps cost.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "CIRCULAR_BUFFER, int8": {
        "call": (130.3, 129.5),
        "moved byte": (3.9, 4.5),
        "moved word": (3.4, 4),
    },
    "SignalDelay, int16": {"call": (90.3, 88), "row": (169.6, 134.2), "sample": (3.2, 4.6)},
    "SignalEnergy, int16": {"call": (100, 101.5), "value": (8, 7.5)},
    "SignalFftAutoScale, int16": {"call": (147.3, 151.4), "value": (13, 11.5)},
    "SignalFilterBank, uint32": {
        "call": (363.1, 341.3),
        "channel": (25.2, 21.8),
        "weight": (17.4, 14.7),
    },
    "SignalFilterBankLog, uint32": {"call": (109, 111), "value": (52, 46)},
    "SignalFilterBankSpectralSubtraction, uint32": {"call": (154.7, 151.2), "value": (42.2, 30.6)},
    "SignalFilterBankSquareRoot, uint64": {"call": (69, 61.5), "value": (221.4, 142.8)},
    "SignalFramer, int16": {
        "call": (112, 118.8),
        "row": (11, 6.6),
        "frame": (179.5, 144),
        "sample": (2.1, 3.1),
    },
    "SignalIrfft, float32": {
        "call": (117.5, 112.4),
        "frame": (71.8, 59.2),
        "value": (10.5, 23.9),
        "stage call": (40, 38.2),
        "sorted value": (6, 4.3),
        "butterfly of 4": (74.8, 64.3),
        "butterfly of 5": (135, 100),
        "butterfly of 2": (26.5, 30.3),
        "butterfly of 3": (68.5, 84.9),
    },
    "SignalIrfft, int16": {
        "call": (209, 178.8),
        "frame": (75, 55),
        "value": (6.6, 4.8),
        "stage call": (45, 33.9),
        "sorted value": (6, 5.4),
        "butterfly of 4": (186.9, 162.9),
        "butterfly of 3": (113.9, 105.4),
        "butterfly of 5": (304, 264.5),
        "butterfly of 2": (46.9, 44),
    },
    "SignalIrfft, int32": {
        "call": (77, 77.6),
        "frame": (87, 69),
        "value": (12.1, 9.4),
        "stage call": (57.5, 44.5),
        "sorted value": (6, 4.4),
        "butterfly of 2": (87.8, 68.1),
        "butterfly of 3": (170.2, 138.9),
        "butterfly of 4": (242.4, 200.7),
        "butterfly of 5": (465, 388.5),
    },
    "SignalOverlapAdd, float32": {
        "call": (114, 112.3),
        "frame": (73.4, 61.9),
        "value": (6, 8.5),
        "moved value": (2.9, 3.4),
    },
    "SignalOverlapAdd, int16": {
        "call": (116.2, 115),
        "frame": (61.7, 49.3),
        "value": (12.6, 8.1),
        "moved value": (4.5, 4.7),
    },
    "SignalPCAN, uint32": {"call": (253, 233.6), "value": (54.2, 41.2)},
    "SignalRfft, float32": {
        "call": (98, 95.3),
        "frame": (101, 92.9),
        "value": (6.4, 6.3),
        "stage call": (42.5, 39),
        "sorted value": (6, 4.4),
        "butterfly of 4": (72.9, 64.4),
        "butterfly of 3": (66.4, 84.3),
        "butterfly of 5": (135, 100),
        "butterfly of 2": (25, 29.3),
    },
    "SignalRfft, int16": {
        "call": (96, 93.5),
        "frame": (243.6, 196.6),
        "value": (6.3, 3.7),
        "stage call": (42.4, 32.5),
        "sorted value": (6, 5.4),
        "butterfly of 4": (191.7, 167.5),
        "butterfly of 5": (304, 264.5),
        "butterfly of 2": (46.2, 43.1),
        "butterfly of 3": (117.2, 108.3),
    },
    "SignalRfft, int32": {
        "call": (153.1, 153),
        "frame": (125.7, 84.3),
        "value": (16.8, 13),
        "stage call": (41.5, 31.4),
        "sorted value": (6, 4.4),
        "butterfly of 4": (239.6, 198.5),
        "butterfly of 2": (88.8, 69.2),
        "butterfly of 3": (164, 134.3),
        "butterfly of 5": (465, 388.5),
    },
    "SignalStacker, int16": {"call": (374.2, 332.3), "value": (0, 0), "output": (1.1, 1.5)},
    "SignalWindow, int16": {"call": (155, 153), "value": (13, 10.5)},
}
