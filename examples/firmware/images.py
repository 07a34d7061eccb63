"""One digit of each kind that the model was not trained with, as C."""

from __future__ import annotations

from pathlib import Path

import numpy as np

held_out = np.load(Path(__file__).parent.parent / "digits" / "held_out.npz")

print("#include <stdint.h>\n\n#define IMAGES 10")
print("static const struct {\n  int label;\n  uint8_t pixels[64];\n} images[IMAGES] = {")
for label in range(10):
    pixels = held_out["images"][held_out["labels"] == label][0]
    print(f"    {{{label}, {{{', '.join(map(str, pixels.reshape(-1)))}}}}},")
print("};")
