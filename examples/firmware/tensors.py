"""The tensors that a model's layers write, by their numbers in its file, as C; and an input."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import arenite as ar

held_out = np.load(Path(__file__).parent.parent / "digits" / "held_out.npz")
pixels = held_out["images"][held_out["labels"] == 0][0]

model = ar.load(sys.argv[1])
x = np.zeros(model.inputs[0].shape, np.int8)
scale, zero = model.inputs[0].quantization.scale[0], model.inputs[0].quantization.zero_point[0]
x.flat = np.rint(pixels.ravel() / 255 / scale) + zero
np.save(sys.argv[2], x)
outputs = [str(operator.outputs[0]) for operator in model.main.operators]
print(f"static const int tensor_of_input = {model.main.inputs[0]};")
print(f"static const int tensor_of_layer[] = {{{', '.join(outputs)}}};")
