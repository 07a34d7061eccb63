"""Train the bundled model: ``python examples/digits/train.py``. Needs scikit-learn.

Trains for less than a minute with a fixed seed, quantises, writes ``digits_int8.tflite``, the
float model ``digits_float.tflite``, ``held_out.npz`` and one held-out PNG per digit, and prints the
quantised accuracy.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads would add in another order each time

import data
import network
import numpy as np
import numpy.typing as npt
from evaluate import evaluate
from float_model import float_model
from PIL import Image
from quantise import quantise

from arenite.formats import tflite

Array = npt.NDArray[Any]

SEED = 0
EPOCHS = 120
BATCH = 32
RATE = 0.008


def train(digits: data.Digits, seed: int = SEED) -> list[network.Layer]:
    """Minimise the cross entropy with Adam and a cosine schedule."""
    rng = np.random.default_rng(seed)
    layers = network.build(rng)
    adam = network.Adam(layers)
    images, labels = data.as_floats(digits.images), digits.labels
    batches = len(labels) // BATCH
    for epoch in range(EPOCHS):
        order = rng.permutation(len(labels))
        losses = []
        for number in range(batches):
            part = order[number * BATCH : (number + 1) * BATCH]
            losses.append(network.loss_gradients(layers, shifted(images[part], rng), labels[part]))
            done = (epoch + number / batches) / EPOCHS
            adam.update(RATE * 0.5 * (1 + np.cos(np.pi * done)))
        if epoch % 20 == 19:
            print(f"epoch {epoch + 1:3d}  loss {np.mean(losses):.4f}")
    return layers


def shifted(images: Array, rng: np.random.Generator) -> Array:
    """Each image moved by at most one pixel, most of them not at all."""
    n, h, w, _ = images.shape
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    moves = rng.choice(3, (n, 2), p=[0.15, 0.7, 0.15])
    return np.stack(
        [image[y : y + h, x : x + w] for image, (y, x) in zip(padded, moves, strict=True)]
    )


def float_accuracy(layers: Sequence[network.Layer], digits: data.Digits) -> float:
    logits = network.forward(layers, data.as_floats(digits.images))[-1]
    return float((logits.argmax(1) == digits.labels).mean())


def write_images(held_out: data.Digits) -> None:
    """The first held-out digit of every class, as 8 x 8 grey PNG."""
    data.IMAGES.mkdir(exist_ok=True)
    for digit in range(10):
        first = int(np.flatnonzero(held_out.labels == digit)[0])
        Image.fromarray(held_out.images[first]).save(data.IMAGES / f"{digit}.png")


def main() -> None:
    training, held_out = data.load()
    print(f"{len(training.labels)} digits to train with, {len(held_out.labels)} held out")
    layers = train(training)
    data.FLOAT_MODEL.write_bytes(tflite.write(float_model(layers)))
    model = quantise(layers, data.as_floats(training.images))
    data.MODEL.write_bytes(tflite.write(model))
    np.savez_compressed(data.HELD_OUT, images=held_out.images, labels=held_out.labels)
    write_images(held_out)
    print(f"float accuracy on held-out digits: {float_accuracy(layers, held_out):.2%}")
    print(f"{data.MODEL.name}: {data.MODEL.stat().st_size} bytes")
    print(evaluate())


if __name__ == "__main__":
    main()
