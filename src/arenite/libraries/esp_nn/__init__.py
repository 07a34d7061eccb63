"""ESP-NN: Espressif's kernels for ESP32 chips, as esp-tflite-micro calls them.

ADD, MUL, CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, pooling and SOFTMAX of int8 go there; all
other types, int4 weights, dilations and broadcasts run TFLM's reference. There are three sets of
kernels: generic C (ESP32, C3, C6), and assembly for the vectors of the S3 and of the P4.

Memory is that of each release, down to the byte. Results are the reference's: those of generic C
were found equal on random layers of every kind. The assembly cannot be run here, and is not
verified. What ESP-NN does wrong, by release, is in ``faults.py``.

Facts: esp-nn 1.1.0 to 1.2.3 and 1.2.6 (c0876179), esp-tflite-micro 1.3.1 to 1.4.0. ESP-NN's 1.2.4,
1.2.5 and those from 1.3.0 on were not looked at.
"""

from __future__ import annotations

from arenite.library_facts import LibraryFacts

FACTS = LibraryFacts(
    name="esp_nn",
    title="ESP-NN",
    built="TFLM with ESP-NN",
    families=("esp",),
    vary_with=("instructions",),
    apart_with=("pie", "pie_rv32"),
    versions=("1.1.0", "1.1.1", "1.1.2", "1.2.0", "1.2.1", "1.2.2", "1.2.3", "1.2.6"),
    glue_versions=("1.3.1", "1.3.3", "1.3.3~1", "1.3.4", "1.3.5", "1.3.7", "1.3.8", "1.4.0"),
    glue="esp-tflite-micro",
)
