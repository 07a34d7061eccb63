"""A target's release of ESP-NN and of esp-tflite-micro, as questions and names.

Facts: esp-nn ``include/esp_nn_generic_opt.h``, ``esp_nn_esp32s3.h`` and ``esp_nn_esp32p4.h`` of
every release, which say what a kernel's name stands for on a chip.
"""

from __future__ import annotations

import re

from arenite.target import Target

#: Kernels whose generic C is not the plain one (``ansi``).
_OPTIMIZED = ("conv", "depthwise_conv", "softmax")
#: From which release on a kernel has code of its own on the S3 and the P4, and all others have.
_OWN_SINCE = {"pie": {"softmax": "1.2.1"}, "pie_rv32": {"conv": "1.1.0"}}
_OTHERS_SINCE = {"pie": "1.1.0", "pie_rv32": "1.2.3"}


def number(version: str) -> tuple[int, ...]:
    """A release as numbers that compare: ``1.3.3~1`` is behind ``1.3.3``."""
    return tuple(int(part) for part in re.split(r"[.~]", version))


def since(target: Target, version: str) -> bool:
    """Whether the target's ESP-NN is that release or a later one."""
    return number(target.library_version) >= number(version)


def glue_since(target: Target, version: str) -> bool:
    """Whether the target's esp-tflite-micro is that release or a later one."""
    return number(target.glue_version) >= number(version)


def function(kernel: str, target: Target) -> str:
    """Function behind a kernel's ``esp_nn_..._s8``: ``esp_nn_conv_s8_opt`` for ``"conv"``."""
    name = f"esp_nn_{kernel}_s8"
    kind = target.instructions
    if kind in _OWN_SINCE and since(target, _OWN_SINCE[kind].get(kernel, _OTHERS_SINCE[kind])):
        return f"{name}_{target.processor}"
    return f"{name}_{'opt' if kernel in _OPTIMIZED else 'ansi'}"
