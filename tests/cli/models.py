"""Small models for the tests of reports and of the command line."""

from pathlib import Path

import numpy as np

from arenite.formats.tflite import write
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.softmax import SoftmaxOptions


def classifier(size: int = 8, channels: int = 1, classes: int = 4) -> Model:
    """int8 image [1,size,size,channels] -> two convolutions -> softmax over ``classes``."""
    b = ModelBuilder()
    image = b.input("image", (1, size, size, channels), "int8", scale=1 / 255, zero_point=-128)
    features = convolution(b, image, "features", weights=(3, 3, 3, channels), out=size)
    scores = convolution(b, features, "scores", weights=(classes, size, size, 3), out=1)
    flat = b.tensor("flat", (1, classes), "int8", scale=0.05, zero_point=-1)
    b.operator("RESHAPE", [scores, b.constant("shape", np.array([1, classes], np.int32))], [flat])
    result = b.tensor("probabilities", (1, classes), "int8", scale=1 / 256, zero_point=-128)
    b.operator("SOFTMAX", [flat], [result], SoftmaxOptions(beta=1.0))
    b.output(result)
    return b.build(description="a test")


def convolution(
    b: ModelBuilder, source: int, name: str, *, weights: tuple[int, int, int, int], out: int
) -> int:
    """Add a CONV_2D with an ``out`` x ``out`` output: SAME padding, VALID for 1 x 1."""
    filters = weights[0]
    values = np.random.default_rng(0).integers(-127, 128, weights, np.int8)
    constants = [
        b.constant(f"{name}_weights", values, scale=np.full(filters, 0.01)),
        b.constant(f"{name}_bias", np.zeros(filters, np.int32), scale=np.full(filters, 0.01)),
    ]
    result = b.tensor(name, (1, out, out, filters), "int8", scale=0.05, zero_point=-1)
    options = Conv2DOptions(padding=int(out == 1), stride_w=1, stride_h=1)
    b.operator("CONV_2D", [source, *constants], [result], options)
    return result


def saved(model: Model, path: Path) -> Path:
    """``model`` as a file."""
    path.write_bytes(write(model))
    return path
