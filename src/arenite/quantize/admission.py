"""Refusals before anything runs: models and data that no scale can be made of."""

from __future__ import annotations

from collections import Counter

import numpy as np

from arenite.analysis.evaluation.samples import Fed, Source
from arenite.analysis.inputs.pixels import bytes_scaled_by
from arenite.analysis.inputs.values import Pixels
from arenite.errors import ModelError, QuantizationError
from arenite.model import Model, TensorType
from arenite.model.types import FLOAT32, INT8, INT16
from arenite.optimize.optimizer import require_sound
from arenite.quantize.plan import has_floats
from arenite.runtime.interpreter import Interpreter

#: Fewer samples say nothing of ranges; below the second number a note says so.
FEWEST, FEW = 2, 32
_INTEGERS = (INT8, INT16, TensorType.UINT8, TensorType.INT4)
#: Whole numbers up to here are bytes of pictures.
_BYTE, _DARK = 255, 32


def require_float(model: Model) -> None:
    """Refuse a model that is quantised already, has unknown dimensions, or is not finite.

    Raises:
        ModelError: It is malformed or one of MNN's.
        QuantizationError: It cannot be quantised.
    """
    if model.format == "mnn":
        raise ModelError("expected a .tflite model, got one of MNN's: nothing writes .mnn files")
    require_sound(model)
    main = model.main
    kinds = Counter(
        str(tensor.type)
        for tensor in main.tensors
        if tensor.type in _INTEGERS and tensor.quantization is not None
        if len(tensor.quantization.scale)
    )
    if kinds:
        counted = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        raise QuantizationError(
            f"{model.source or 'the model'}: expected a float model, got one that is quantised "
            f"already ({counted} tensors with scales); quantise the float model it was made of, "
            "or, where weights alone are integers, what `arenite optimize --lower` makes of it"
        )
    if not any(has_floats(main, op) for op in main.operators):
        raise QuantizationError(
            f"{model.source or 'the model'}: expected operators on float32, got none"
        )
    for tensor in model.inputs:
        unknown = [n for n in (tensor.shape_signature or ())[1:] if n < 0]
        if unknown or min(tensor.shape, default=1) < 1:
            shape = list(tensor.shape_signature or tensor.shape)
            raise QuantizationError(
                f"input {tensor.name!r}: expected a shape without unknown dimensions, got {shape}; "
                "convert the model with a fixed input shape, as TFLM needs it"
            )


def require_finite(model: Model) -> None:
    """Refuse constants that no scale stands for.

    Raises:
        QuantizationError: One is NaN, or an infinity that reaches an output.
    """
    for tensor in model.main.tensors:
        value = tensor.value if tensor.type is FLOAT32 else None
        if value is not None and not np.isfinite(value).all():
            raise QuantizationError(
                f"constant {tensor.name!r}: expected finite numbers, got NaN or infinity (a weight "
                "beyond what float16 holds, 65504, becomes that in a float16 file)"
            )


def require_samples(source: Source) -> None:
    """Refuse data that say nothing of ranges.

    Raises:
        QuantizationError: There are too few.
    """
    if len(source) < FEWEST:
        raise QuantizationError(
            f"expected at least {FEWEST} samples to take ranges from, better 100 to 1,000 that are "
            f"like those of the device, got {len(source)}"
        )


def notes_on(model: Model, source: Source, fed: Fed) -> list[str]:
    """Oddities of samples, of which a model is given ``fed``, in words."""
    notes = []
    if len(source) < FEW:
        notes.append(
            f"{len(source)} samples are few: values beyond what they show are cut off on the device"
        )
    if fed.counts is None and Interpreter(model).is_stateful:
        notes.append(
            "the model remembers, and every sample is one step after a reset: what adds up over "
            "steps is not seen and will be cut off; give sequences, (samples, steps, ...)"
        )
    for index, values in zip(model.main.inputs, fed.inputs, strict=True):
        words = _odd(values, bytes_scaled_by(model, index))
        if words:
            notes.append(f"input {model.main.tensors[index].name!r}: {words}")
    return notes


def _odd(values: np.ndarray, scaler: str) -> str:
    """Oddities of the samples of an input, which an operator may scale from bytes."""
    if values.size and (values == values.flat[0]).all():
        return f"all samples are {values.flat[0]:g}"
    if looks_like_bytes(values) and not scaler:
        return (
            f"all samples are whole numbers from 0 to {int(values.max())}, and no operator of the "
            "model scales them; if it was trained on 0 to 1, divide them by 255, or give them as "
            "uint8, of which --pixel-range makes 0 to 1 (--pixel-range -1 1: -1 to 1)"
        )
    return ""


def require_range(model: Model, fed: Fed, pixels: Pixels) -> None:
    """Refuse samples from -1 to 1 where the model begins by scaling bytes.

    Scales of such values serve nobody who gives the model bytes, and the model is no better than
    chance if it was trained on these. Who names a range means it.

    Raises:
        QuantizationError: Nobody named a range.
    """
    if pixels.range is not None or pixels.raw:
        return
    for index, values in zip(model.main.inputs, fed.inputs, strict=True):
        scaler = bytes_scaled_by(model, index)
        if not scaler or not values.size or values.dtype.kind != "f" or np.abs(values).max() > 1:
            continue
        raise QuantizationError(
            f"input {model.main.tensors[index].name!r}: all samples lie between "
            f"{values.min():.3g} and {values.max():.3g}, and the model begins with a {scaler} as "
            "for bytes from 0 to 255; type --pixel-range 0 255 for pictures and uint8 arrays, "
            "multiply real numbers by 255, or say with --pixel-range 0 1 that they are meant"
        )


def looks_like_bytes(values: np.ndarray) -> bool:
    """Whether real numbers are the bytes of pictures."""
    if values.dtype.kind != "f" or values.size < _BYTE:
        return False
    return bool(
        values.min() >= 0
        and _DARK < values.max() <= _BYTE
        and np.array_equal(values, np.rint(values))
    )
