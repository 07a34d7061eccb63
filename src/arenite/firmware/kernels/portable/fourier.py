"""SignalRfft and SignalIrfft: real transforms as complex ones of half the length.

The numbers are put into the order in which radixes of 2, 3, 4 and 5 join them in place; order and
roots of unity are constants. Facts: KISS FFT 1.3.0 ``kiss_fft.c``, ``kiss_fftr.c``.
"""

from __future__ import annotations

import numpy as np

from arenite.c_text import fill, float_literal, templates
from arenite.firmware.kernels.portable.elementwise_loop import c_type, work_of
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.network.kernel import Arrays, Constant, Routine, Scratch, Work
from arenite.firmware.network.layers import Layer
from arenite.model import TensorType
from arenite.ops.context import Array
from arenite.ops.shared.fft import FftParams

_NAMES = {
    TensorType.INT16: "fourier_int16",
    TensorType.INT32: "fourier_int32",
    TensorType.FLOAT32: "fourier_float",
}

_C = templates(__name__)
_TURNED = "const ar_$name v$q = ar_$name$_times($value, twiddles[$q * u * step]);"
_JOINS = {radix: _C[f"join_{radix}"] for radix in (2, 3, 4, 5)}


def transform(layer: Layer[FftParams]) -> Work:
    """Rows of real numbers to rows of pairs, or back."""
    require_elements(layer)
    p: FftParams = layer.params
    kind, name = c_type(layer.input(0)), _NAMES[TensorType(p.type)]
    stages, calls, points = [], [], 1
    for radix in reversed([int(factor) for factor in p.factors]):
        stages.append((f"stage{radix}", _stage(p, radix)))
        step = p.length // 2 // (radix * points)
        calls.append(f"@stage{radix}@(numbers, roots, {points}, {step});")
        points *= radix
    body = _text(p, "\n".join(calls))
    arrays: Arrays = {
        "x": layer.input(0),
        "order": Constant("order", _order(p)),
        "roots": Constant("roots", _numbers(p.twiddles, p.type)),
        "turning": Constant("turns", _numbers(p.real_twiddles, p.type)),
        f"{kind} *numbers": Scratch(layer.input(0).type.nbytes(p.length)),
    }
    casts = (
        f"ar_{name} *z = (ar_{name} *)(void *)numbers;\n"
        f"const ar_{name} *turns = (const ar_{name} *)(const void *)turning;\n"
    )
    stem = "irfft" if p.is_inverse else "rfft"
    parts = tuple(dict.fromkeys(stages))
    return work_of(layer, casts + body, arrays, stem=stem, parts=parts)


def _stage(p: FftParams, radix: int) -> Routine:
    """All butterflies of one radix."""
    name, half = _NAMES[TensorType(p.type)], p.length // 2
    kind = name.removeprefix("fourier_") + ("" if name == "fourier_float" else "_t")
    values = [f"p[{q} * points]" if q else "p[0]" for q in range(radix)]
    turned = [
        fill(_TURNED, name=name, q=q, value=_divided(p, values[q], radix)) for q in range(1, radix)
    ]
    ahead, behind = (3, 1) if p.is_inverse else (1, 3)
    join = fill(_JOINS[radix], name=name, type=kind, half=half, ahead=ahead, behind=behind)
    text = fill(
        _C["stage"],
        name=name,
        half=half,
        radix=radix,
        first=_divided(p, values[0], radix),
        turned="\n".join(turned),
        join=join,
    )
    casts = (
        f"ar_{name} *z = (ar_{name} *)(void *)numbers;\n"
        f"const ar_{name} *twiddles = (const ar_{name} *)(const void *)roots;\n"
    )
    parameters = (f"{kind} *numbers", f"const {kind} *roots", "int32_t points", "int32_t step")
    about = f"butterflies of {radix}"
    return Routine(f"join_{radix}", parameters, casts + text, about=about)


def _divided(p: FftParams, value: str, radix: int) -> str:
    """An integer over a radix, by which sums cannot grow; floats stay."""
    bits = {TensorType.INT16: 16, TensorType.INT32: 32}.get(TensorType(p.type))
    if bits is None:
        return value
    factor = (2 ** (bits - 1) - 1) // radix
    return f"ar_{_NAMES[TensorType(p.type)]}_scaled({value}, {factor})"


def _text(p: FftParams, stages: str) -> str:
    name, length = _NAMES[TensorType(p.type)], p.length
    common = {
        "name": name,
        "rows": p.rows,
        "half": length // 2,
        "length": length,
        "read": p.input_size,
        "written": p.output_size,
        "stages": stages,
    }
    if p.is_inverse:
        over = f" / {float_literal(length)}" if p.type == TensorType.FLOAT32 else ""
        return fill(
            _C["inverse"],
            **common,
            first=_divided(p, "ends", 2),
            near=_divided(p, "one", 2),
            far=_divided(p, f"ar_{name}_conjugate(other)", 2),
            over=over,
        )
    whole = p.input_size == length
    return fill(
        _C["forward"],
        **common,
        real="x[at]" if whole else f"at < {p.input_size} ? x[at] : 0",
        imaginary="x[at + 1]" if whole else f"at + 1 < {p.input_size} ? x[at + 1] : 0",
        first=_divided(p, "z[0]", 2),
        near=_divided(p, "z[k]", 2),
        far=_divided(p, f"ar_{name}_conjugate(z[m])", 2),
    )


def _order(p: FftParams) -> Array:
    """The number that each place begins with; of an inverse the place of each number."""
    order = _leaves(np.arange(p.length // 2), [int(factor) for factor in p.factors])
    return (np.argsort(order) if p.is_inverse else order).astype(np.int32)


def _leaves(numbers: Array, factors: list[int]) -> Array:
    """Every p-th number is one part of p, and so on."""
    if not factors:
        return numbers
    parts = [_leaves(numbers[q :: factors[0]], factors[1:]) for q in range(factors[0])]
    return np.concatenate(parts)


def _numbers(values: Array, type_: int) -> Array:
    """Pairs of a table in their own type; floats stand there by their bits."""
    flat = np.ascontiguousarray(values, np.int32).reshape(-1)
    if type_ == TensorType.FLOAT32:
        return flat.view(np.float32)
    return flat.astype(TensorType(type_).dtype)


KERNELS = {"SignalRfft": transform, "SignalIrfft": transform}
