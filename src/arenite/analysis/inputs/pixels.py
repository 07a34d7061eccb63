"""Real numbers that pixels stand for: the same for all models that are asked beside each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arenite.analysis.inputs.values import InputError, Pixels, is_quantized
from arenite.model import Model, Tensor, TensorType
from arenite.model.model import tensor_text
from arenite.ops import scheme_of
from arenite.runtime.io_conversion import image_shape, pixel_range

#: The largest byte, and the largest number that is no byte's size.
_WHITE, _SMALL = 255.0, 32.0
#: A range that is so many times another one is no matter of rounding.
_OTHER = 2.0


def default_range(tensor: Tensor) -> tuple[float, float]:
    """Real numbers of bytes 0 and 255 where nobody says them.

    All that a quantised input holds, 0 to 255 for bytes without a scale, 0 to 1 for floats.
    """
    if is_quantized(tensor):
        return pixel_range(tensor)
    return (0.0, _WHITE) if tensor.type is TensorType.UINT8 else (0.0, 1.0)


def common_pixels(pixels: Pixels, models: Sequence[Model]) -> Pixels:
    """Pixels with one range for several models, whose inputs would take others by themselves.

    An input of integers says its range, one of floats does not: the first model of integers counts.

    Raises:
        InputError: A model takes bytes as they are, and the range is another one.
    """
    ports = [
        (model, tensor)
        for model in models
        for tensor in model.inputs
        if image_shape(tensor) is not None
    ]
    if pixels.raw or len({default_range(tensor) for _, tensor in ports}) < 2:
        return pixels
    stated = [one for _, one in ports if is_quantized(one) or takes_bytes(one)]
    if not stated:
        return pixels
    found = pixels.range or default_range(stated[0])
    for model, tensor in ports:
        if takes_bytes(tensor) and found != (0.0, _WHITE):
            raise InputError(
                f"{model.source or 'a model'}: input {tensor.name!r} ({tensor_text(tensor)}) takes "
                f"bytes 0 to 255 as they are, the other one's {found[0]:.4g} to {found[1]:.4g}: "
                "both are given the same numbers, so evaluate each of them by itself"
            )
    return Pixels(found)


def settled(pixels: Pixels, model: Model) -> Pixels:
    """Pixels whose range is what a model takes by itself; others made of it are given the same."""
    for tensor in model.inputs:
        if image_shape(tensor) is not None and not takes_bytes(tensor) and not pixels.raw:
            return Pixels(pixels.range or default_range(tensor))
    return pixels


def takes_bytes(tensor: Tensor) -> bool:
    """Whether an input's values are bytes as a picture has them."""
    return tensor.type is TensorType.UINT8 and not is_quantized(tensor)


def pixel_words(pixels: Pixels, tensor: Tensor) -> str:
    """``pixels 0..255 as 0..1``."""
    if pixels.raw:
        return f"bytes as {tensor.type}"
    if takes_bytes(tensor):
        return "pixels 0..255 as they are"
    low, high = pixels.range or default_range(tensor)
    return f"pixels 0..255 as {low:.4g}..{high:.4g}"


def doubts(pixels: Pixels, model: Model) -> list[str]:
    """Reasons to ask whether a range is meant, by input, in words."""
    if pixels.raw:
        return []
    found = []
    for index, tensor in zip(model.main.inputs, model.inputs, strict=True):
        if image_shape(tensor) is None or takes_bytes(tensor):
            continue
        low, high = pixels.range or default_range(tensor)
        scaler = "" if is_quantized(tensor) else bytes_scaled_by(model, index)
        if scaler and (low, high) == (0.0, 1.0):
            found.append(
                f"{model.source or 'the model'} begins with a {scaler} as for bytes from 0 to 255, "
                "and pixels are 0..1 here: type --pixel-range 0 255 if it takes bytes"
            )
        elif is_quantized(tensor) and _is_other((low, high), pixel_range(tensor)):
            own = pixel_range(tensor)
            found.append(
                f"pixels 0..255 are {low:.4g}..{high:.4g} for all, and input {tensor.name!r} of "
                f"{model.source or 'the model'} holds {own[0]:.4g}..{own[1]:.4g}: evaluate that "
                "model by itself if it takes other numbers"
            )
    return found


def _is_other(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Whether two ranges have little to do with each other."""
    width = a[1] - a[0], b[1] - b[0]
    apart = max(abs(a[0] - b[0]), abs(a[1] - b[1]))
    return apart > min(width) / _OTHER or max(width) > _OTHER * min(width)


def bytes_scaled_by(model: Model, index: int) -> str:
    """The operator that makes small numbers of bytes in an input; empty where there is none.

    It is the first that computes: operators that move values, or change their type, go before it.
    """
    main = model.main
    moved = {index}
    for op in main.operators:
        scheme = scheme_of(op.name)
        if moved.isdisjoint(op.inputs):
            continue
        if op.name == "CAST" or (scheme is not None and scheme.scales == "same"):
            moved |= set(op.outputs)
            continue
        if len(op.inputs) != 2 or scheme is None or not scheme.affine:
            continue
        place = next(n for n, one in enumerate(op.inputs) if one in moved)
        constant = main.tensors[op.inputs[1 - place]].value
        if constant is None or not constant.size:
            continue
        size = np.abs(constant)
        scales = {
            "multiplies": 0 < size.max() < 1 / _SMALL,
            "divides": place == 0 and size.min() > _SMALL,
            "adds": size.min() > _SMALL,
            "subtracts": size.min() > _SMALL,
        }
        if scales[scheme.affine]:
            return op.name
    return ""
