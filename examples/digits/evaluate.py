"""Accuracy of the bundled int8 model on the held-out digits.

``python examples/digits/evaluate.py``
"""

from __future__ import annotations

import data

import arenite as ar


def evaluate() -> str:
    """Run every held-out digit through the int8 model; one line with the accuracy."""
    digits = data.load_held_out()
    interp = ar.Interpreter(ar.load(data.MODEL))
    right = 0
    for image, label in zip(digits.images, digits.labels, strict=True):
        right += int(interp(data.as_int8(image)).argmax()) == label
    total = len(digits.labels)
    return f"int8 accuracy on held-out digits: {right / total:.2%} ({right} of {total})"


if __name__ == "__main__":
    print(evaluate())
