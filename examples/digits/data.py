"""The digits: scikit-learn's ``load_digits``, 1797 handwritten 8 x 8 images.

An image is grey uint8, 0 to 255, white on black, as a PNG holds it; the network sees
``grey / 255``. Every fifth digit of a seeded shuffle (360 of 1797) is held out: neither
training nor the choice of quantisation ranges ever sees it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

HERE = Path(__file__).resolve().parent
MODEL = HERE / "digits_int8.tflite"
FLOAT_MODEL = HERE / "digits_float.tflite"
HELD_OUT = HERE / "held_out.npz"
IMAGES = HERE / "images"
SPLIT_SEED = 8


class Digits(NamedTuple):
    """``images`` uint8 ``(n, 8, 8)`` and ``labels`` int64 ``(n,)``."""

    images: Array
    labels: Array


def load() -> tuple[Digits, Digits]:
    """Training and held-out digits; needs scikit-learn."""
    from sklearn.datasets import load_digits  # noqa: PLC0415 - needed for training only

    digits = load_digits()
    images = np.round(digits.images * (255 / 16)).astype(np.uint8)
    order = np.random.default_rng(SPLIT_SEED).permutation(len(images))
    held_out = np.arange(len(order)) % 5 == 0
    return tuple(
        Digits(images[part], digits.target[part].astype(np.int64))
        for part in (order[~held_out], order[held_out])
    )


def load_held_out() -> Digits:
    """The held-out digits from the file in this folder; needs NumPy only."""
    with np.load(HELD_OUT) as file:
        return Digits(file["images"], file["labels"])


def as_floats(images: Array) -> Array:
    """Grey uint8 images ``(n, 8, 8)`` to NHWC float32 from 0 to 1."""
    return (images.astype(np.float32) / 255)[..., None]


def as_int8(image: Array) -> Array:
    """A grey uint8 image ``(8, 8)`` as the model's input: NHWC int8, ``grey - 128``."""
    return (image ^ 0x80).view(np.int8).reshape(1, 8, 8, 1)
