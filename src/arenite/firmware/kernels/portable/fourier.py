"""SignalRfft and SignalIrfft: real transforms as complex ones of half the length.

The numbers are put into the order in which radixes of 2, 3, 4 and 5 join them in place; order and
roots of unity are constants. Facts: KISS FFT 1.3.0 ``kiss_fft.c``, ``kiss_fftr.c``.
"""

from __future__ import annotations

import numpy as np

from arenite.firmware.c_text import fill, float_literal, indented
from arenite.firmware.kernels.portable.elementwise_loop import argument, c_type
from arenite.firmware.kernels.portable.needs import require_elements
from arenite.firmware.plan.kernel import Constant, Routine, Scratch, Work
from arenite.firmware.plan.layers import Layer
from arenite.model import TensorType
from arenite.ops.context import Array
from arenite.ops.shared.fft import FftParams

_NAMES = {
    TensorType.INT16: "fourier_int16",
    TensorType.INT32: "fourier_int32",
    TensorType.FLOAT32: "fourier_float",
}

#: All butterflies of a stage: `points` in each of their parts.
_STAGE = """\
for (int32_t b = 0; b < $half; b += $radix * points) {
  for (int32_t u = 0; u < points; ++u) {
    ar_$name *p = z + b + u;
    const ar_$name v0 = $first;
$turned
$join
  }
}"""
_TURNED = """\
    const ar_$name v$q = ar_${name}_times($value, twiddles[$q * u * step]);"""
_JOINS = {
    2: """\
    p[0] = ar_${name}_plus(v0, v1);
    p[points] = ar_${name}_minus(v0, v1);""",
    3: """\
    const $type root = twiddles[$half / 3].im;
    const ar_$name total = ar_${name}_plus(v1, v2), between = ar_${name}_minus(v1, v2);
    const ar_$name halves = {ar_${name}_half(total.re), ar_${name}_half(total.im)};
    const ar_$name centre = ar_${name}_minus(v0, halves);
    const ar_$name across = ar_${name}_scaled(between, root);
    const ar_$name side = {ar_${name}_subtract(0, across.im), across.re};
    p[0] = ar_${name}_plus(v0, total);
    p[points] = ar_${name}_plus(centre, side);
    p[2 * points] = ar_${name}_minus(centre, side);""",
    4: """\
    const ar_$name total = ar_${name}_plus(v0, v2), difference = ar_${name}_minus(v0, v2);
    const ar_$name sides = ar_${name}_plus(v1, v3), between = ar_${name}_minus(v1, v3);
    const ar_$name quarter = {between.im, ar_${name}_subtract(0, between.re)};
    p[0] = ar_${name}_plus(total, sides);
    p[$ahead * points] = ar_${name}_plus(difference, quarter);
    p[2 * points] = ar_${name}_minus(total, sides);
    p[$behind * points] = ar_${name}_minus(difference, quarter);""",
    5: """\
    const ar_$name r = twiddles[$half / 5], s = twiddles[2 * $half / 5];
    const ar_$name outer = ar_${name}_plus(v1, v4), inner = ar_${name}_plus(v2, v3);
    const ar_$name outer_gap = ar_${name}_minus(v1, v4), inner_gap = ar_${name}_minus(v2, v3);
    const ar_$name near = ar_${name}_plus(
        ar_${name}_plus(v0, ar_${name}_scaled(outer, r.re)), ar_${name}_scaled(inner, s.re));
    const ar_$name far = ar_${name}_plus(
        ar_${name}_plus(v0, ar_${name}_scaled(outer, s.re)), ar_${name}_scaled(inner, r.re));
    const ar_$name near_across = ar_${name}_plus(
        ar_${name}_scaled(outer_gap, r.im), ar_${name}_scaled(inner_gap, s.im));
    const ar_$name far_across = ar_${name}_minus(
        ar_${name}_scaled(inner_gap, r.im), ar_${name}_scaled(outer_gap, s.im));
    const ar_$name near_side = {near_across.im, ar_${name}_subtract(0, near_across.re)};
    const ar_$name far_side = {far_across.im, ar_${name}_subtract(0, far_across.re)};
    p[0] = ar_${name}_plus(v0, ar_${name}_plus(outer, inner));
    p[points] = ar_${name}_minus(near, near_side);
    p[2 * points] = ar_${name}_plus(far, far_side);
    p[3 * points] = ar_${name}_minus(far, far_side);
    p[4 * points] = ar_${name}_plus(near, near_side);""",
}

_FORWARD = """\
for (int32_t row = 0; row < $rows; ++row, x += $read, y += $written) {
  for (int32_t i = 0; i < $half; ++i) {
    const int32_t at = 2 * order[i];
    z[i].re = $real;
    z[i].im = $imaginary;
  }
$stages
  const ar_$name first = $first;
  y[0] = ar_${name}_add(first.re, first.im);
  y[$length] = ar_${name}_subtract(first.re, first.im);
  y[1] = y[$length + 1] = 0;
  for (int32_t k = 1; k <= $half / 2; ++k) {
    const int32_t m = $half - k;
    const ar_$name near = $near;
    const ar_$name far = $far;
    const ar_$name even = ar_${name}_plus(near, far);
    const ar_$name odd = ar_${name}_times(ar_${name}_minus(near, far), turns[k - 1]);
    y[2 * k] = ar_${name}_half_sum(even.re, odd.re);
    y[2 * k + 1] = ar_${name}_half_sum(even.im, odd.im);
    y[2 * m] = ar_${name}_half_difference(even.re, odd.re);
    y[2 * m + 1] = ar_${name}_half_difference(odd.im, even.im);
  }
  for (int32_t i = $length + 2; i < $written; ++i) y[i] = 0;
}"""

#: `order` says where each number goes to.
_INVERSE = """\
for (int32_t row = 0; row < $rows; ++row, x += $read, y += $written) {
  const ar_$name ends = {ar_${name}_add(x[0], x[$length]), ar_${name}_subtract(x[0], x[$length])};
  z[order[0]] = $first;
  for (int32_t k = 1; k <= $half / 2; ++k) {
    const int32_t m = $half - k;
    const ar_$name one = {x[2 * k], x[2 * k + 1]}, other = {x[2 * m], x[2 * m + 1]};
    const ar_$name near = $near;
    const ar_$name far = $far;
    const ar_$name even = ar_${name}_plus(near, far);
    const ar_$name odd = ar_${name}_times(ar_${name}_minus(near, far), turns[k - 1]);
    z[order[k]] = ar_${name}_plus(even, odd);
    z[order[m]] = ar_${name}_conjugate(ar_${name}_minus(even, odd));
  }
$stages
  for (int32_t i = 0; i < $half; ++i) {
    y[2 * i] = z[i].re$over;
    y[2 * i + 1] = z[i].im$over;
  }
  for (int32_t i = $length; i < $written; ++i) y[i] = 0;
}"""


def transform(layer: Layer) -> Work:
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
    constants = [
        Constant("order", _order(p)),
        Constant("roots", _numbers(p.twiddles, p.type)),
        Constant("turns", _numbers(p.real_twiddles, p.type)),
    ]
    parameters = (
        *(f"const {kind} *x", "const int32_t *order", f"const {kind} *roots"),
        *(f"const {kind} *turning", f"{kind} *numbers", f"{kind} *y"),
    )
    casts = (
        f"ar_{name} *z = (ar_{name} *)(void *)numbers;\n"
        f"const ar_{name} *turns = (const ar_{name} *)(const void *)turning;\n"
    )
    stem = "irfft" if p.is_inverse else "rfft"
    parts = tuple(dict.fromkeys(stages))
    routine = Routine(stem, parameters, casts + body, parts, about=str(layer))
    scratch = Scratch(layer.input(0).type.nbytes(p.length))
    return Work(routine, (argument(layer.input(0)), *constants, scratch, layer.output))


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
        _STAGE,
        name=name,
        half=half,
        radix=radix,
        first=_divided(p, values[0], radix),
        turned=indented("\n".join(turned), 4),
        join=indented(join, 4),
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
        "stages": indented(stages, 2),
    }
    if p.is_inverse:
        over = f" / {float_literal(length)}" if p.type == TensorType.FLOAT32 else ""
        return fill(
            _INVERSE,
            **common,
            first=_divided(p, "ends", 2),
            near=_divided(p, "one", 2),
            far=_divided(p, f"ar_{name}_conjugate(other)", 2),
            over=over,
        )
    whole = p.input_size == length
    return fill(
        _FORWARD,
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
