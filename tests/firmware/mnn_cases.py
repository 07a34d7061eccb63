"""Random layers of the operators that only ``.mnn`` files have, as the reference answers them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from arenite.mnn.arithmetic.functions import BINARY, COMPARISONS, UNARY, binary_takes, unary_takes
from arenite.mnn.operators.binary import MnnBinaryOptions
from arenite.mnn.operators.binary_int8 import MnnBinaryInt8Options
from arenite.mnn.operators.cumulate import MnnCumulateOptions
from arenite.mnn.operators.reduce import REDUCTIONS, MnnReduceOptions
from arenite.mnn.operators.top_k import MnnTopKOptions
from arenite.mnn.operators.unary import MnnUnaryOptions
from arenite.model import Model, Tensor
from tests.mnn.operator_models import LEGAL, Fed, Q, Single, X

_TYPES = ("float32", "int32")
_WHOLE = replace(X, type="int32")


def variants(name: str) -> list[Single]:
    """Legal layers of an operator: of all functions and types that it has."""
    return _VARIANTS.get(name, lambda: [LEGAL[name]])()


def _unary() -> list[Single]:
    one = LEGAL["MNN_UNARY"]
    found = [one.but(options=MnnUnaryOptions(kind)) for kind in UNARY]
    found += [one.but(options=MnnUnaryOptions(kind, -1.5, 0.8)) for kind in ("CLIP", "ELU")]
    whole = one.but(inputs=(_WHOLE,), outputs=(_WHOLE,))
    kinds = [kind for kind in UNARY if unary_takes(kind, is_float=False)]
    return found + [whole.but(options=MnnUnaryOptions(kind)) for kind in kinds]


def _binary() -> list[Single]:
    found = []
    for number, kind in enumerate(BINARY):
        for x in (X, _WHOLE):
            if not binary_takes(kind, is_float=x is X):
                continue
            y = _WHOLE if kind in COMPARISONS else x
            options = MnnBinaryOptions(kind, relu=number % 3 == 0)
            found.append(LEGAL["MNN_BINARY"].but(inputs=(x, x), outputs=(y,), options=options))
    return found


def _binary_int8() -> list[Single]:
    one, kinds = LEGAL["MNN_BINARY_INT8"], [k for k in BINARY if binary_takes(k, is_float=True)]
    small = (Q, replace(Q, shape=(5, 1)))
    return [one.but(inputs=small, options=MnnBinaryInt8Options(kind)) for kind in kinds]


def _reduce() -> list[Single]:
    one, shapes = LEGAL["MNN_REDUCE"], {(1,): (1, 5, 3), (0, 2, 3): (4,), (): X.shape}
    return [
        one.but(
            inputs=(Fed(X.shape, type_),),
            outputs=(Fed(shape, type_),),
            options=MnnReduceOptions(kind, axes),
        )
        for kind in REDUCTIONS
        for axes, shape in shapes.items()
        for type_ in _TYPES
    ]


def _top_k() -> list[Single]:
    y = (1, 3, 5, 3)
    return [
        LEGAL["MNN_TOP_K"].but(
            inputs=(Fed(X.shape, type_),),
            outputs=(Fed(y, type_), Fed(y, "int32")),
            options=MnnTopKOptions(3, 1, largest),
        )
        for type_ in _TYPES
        for largest in (True, False)
    ]


def _cumulate() -> list[Single]:
    return [
        LEGAL["MNN_CUMULATE"].but(
            inputs=(Fed(X.shape, type_),),
            outputs=(Fed(X.shape, type_),),
            options=MnnCumulateOptions(kind, 2, reverse, exclusive),
        )
        for type_ in _TYPES
        for kind in ("SUM", "PROD")
        for reverse, exclusive in ((False, True), (True, False))
    ]


def _conv_int8() -> list[Single]:
    """Of int8 and of floats, with a bias of either type; factors and biases that make no number."""
    one = LEGAL["MNN_CONV_INT8"]
    x, weights, bias, factors = one.inputs
    odd = np.float32([1.0, np.inf, 3e38, 1e-40])
    biases = (bias, np.float32([np.nan, -np.inf, 0, 1]), np.arange(4, dtype=np.int32))
    found = [one.but(inputs=(x, weights, b, f)) for b in biases for f in (factors, odd)]
    real = (replace(one.outputs[0], type="float32", scale=None),)
    return found + [
        each.but(outputs=real, clamp=None, relu=n % 2 > 0) for n, each in enumerate(found)
    ]


_VARIANTS = {
    "MNN_CONV_INT8": _conv_int8,
    "MNN_UNARY": _unary,
    "MNN_BINARY": _binary,
    "MNN_BINARY_INT8": _binary_int8,
    "MNN_REDUCE": _reduce,
    "MNN_TOP_K": _top_k,
    "MNN_CUMULATE": _cumulate,
}


def drawn(name: str, count: int, seed: int | None, invokes: int) -> Iterator[tuple[Model, Any]]:
    """So many layers of an operator with what they are fed."""
    every = variants(name)
    for number in range(count):
        rng = np.random.default_rng([seed or 0, number])
        model = every[number % len(every) if seed is None else rng.integers(len(every))].model()
        yield model, [[_values(one, rng) for one in model.inputs] for _ in range(invokes)]


def _values(tensor: Tensor, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Numbers around 0: what is undefined, equal and too large is among them; indices fit."""
    dtype = tensor.type.dtype
    if dtype.kind == "f":
        numbers = rng.normal(0, 2, tensor.shape)
        odd = rng.choice([0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan], tensor.shape)
        return np.where(rng.random(tensor.shape) < 0.05, odd, numbers).astype(dtype)
    if dtype.itemsize == 1:
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, tensor.shape, dtype, endpoint=True)
    large = rng.integers(-(2**31), 2**31, tensor.shape)
    small = rng.integers(-2, 4, tensor.shape)
    return np.where(rng.random(tensor.shape) < 0.2, large, small).astype(dtype)
