"""CMSIS-NN, modelled: paths, scratch memory, and int8 convolution instruction by instruction.

CMSIS-NN is Arm's library of kernels for Cortex-M; TFLM calls it where it is built with
``OPTIMIZED_KERNEL_DIR=cmsis_nn``. Memory, paths and results here are those of that build (July
2026). Results are the same as those of TFLM's reference kernels for int8 networks as converters
write them; where they differ, ``operators/`` says how and computes CMSIS-NN's: LSTM, SVDF,
FULLY_CONNECTED, CONV_2D of int16 without a bias and of int4 with vectors, DEPTHWISE_CONV_2D of
int4, SOFTMAX of one int16, TRANSPOSE of two dimensions.

Where CMSIS-NN reads behind a tensor's end it has no results of its own: the reference's are
computed, with a warning (``decisions/undefined.py``).
"""

from __future__ import annotations

from arenite.library_facts import LibraryFacts

FACTS = LibraryFacts(
    name="cmsis_nn",
    title="CMSIS-NN",
    built="TFLM with CMSIS-NN",
    families=("cortex-m",),
    vary_with=("instructions", "compiler"),
    is_dated=True,
)
