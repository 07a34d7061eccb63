"""Inputs of a model on the command line: files, or random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from arenite.analysis.inputs import arrays, media
from arenite.analysis.inputs.pixels import doubts
from arenite.analysis.inputs.values import Input, InputError, Pixels, is_quantized, require_plain
from arenite.model import Model, Tensor
from arenite.model.model import Array

IMAGES = (".png", ".bmp", ".jpg", ".jpeg")


def read_inputs(model: Model, files: Sequence[Path], pixels: Pixels | None = None) -> list[Input]:
    """One array per input of the model, from one file each or from one ``.npz``.

    Raises:
        InputError: A file has no known format or is broken, or their number is wrong.
        ShapeError, DTypeError: A file does not fit its input.
        OSError: A file cannot be read.
    """
    if len(files) == 1 and files[0].suffix.lower() == ".npz":
        return arrays.read_npz(files[0], model)
    if len(files) != len(model.inputs):
        names = ", ".join(repr(tensor.name) for tensor in model.inputs)
        what = "file" if len(model.inputs) == 1 else "files"
        raise InputError(
            f"expected {len(model.inputs)} input {what}, one for each of {names}, got {len(files)}"
        )
    pixels = pixels or Pixels()
    read = [read_input(file, t, pixels) for file, t in zip(files, model.inputs, strict=True)]
    if pixels.range is None and any(file.suffix.lower() in IMAGES for file in files):
        doubted = doubts(pixels, model)
        return [Input(one.array, "; ".join((one.origin, *doubted))) for one in read]
    return read


def read_input(path: Path, tensor: Tensor, pixels: Pixels) -> Input:
    """One array, from a file of any format but ``.npz``: see :func:`read_inputs`."""
    require_plain(tensor)
    suffix = path.suffix.lower()
    if suffix in IMAGES:
        return media.read_image(path, tensor, pixels)
    match suffix:
        case ".npy":
            return arrays.read_npy(path, tensor)
        case ".csv":
            return arrays.read_csv(path, tensor)
        case ".wav":
            return media.read_wav(path, tensor)
    known = ", ".join((".npy", ".npz", ".csv", *IMAGES, ".wav"))
    raise InputError(f"{path}: expected one of the formats {known}, got {suffix or 'no suffix'}")


def random_inputs(model: Model, seed: int) -> list[Input]:
    """Random arrays for every input of the model.

    Integers cover their type's whole range; int32 and int64 without a scale, which are
    mostly indices, are 0 or 1; floats lie in [-1, 1).

    Raises:
        InputError: An input has an element type without a NumPy dtype.
    """
    rng = np.random.default_rng(seed)
    return [Input(_random(rng, tensor), f"random, seed {seed}") for tensor in model.inputs]


def _random(rng: np.random.Generator, tensor: Tensor) -> Array:
    require_plain(tensor)
    dtype = tensor.type.dtype
    if dtype.kind == "f":
        return rng.uniform(-1.0, 1.0, tensor.shape).astype(dtype)
    if dtype.kind == "b" or (dtype.itemsize >= 4 and not is_quantized(tensor)):
        return rng.integers(0, 2, tensor.shape).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, tensor.shape, dtype, endpoint=True)
