"""Real Fourier transforms of int16, int32 and float32, each addition and rounding as on the device.

Integers are fractions of 15 or 31 bits. Every stage of radix p first divides by p, so that nothing
grows, and rounds after every product; sums wrap. Facts: KISS FFT 1.3.0 ``kiss_fft.c``,
``kiss_fftr.c`` and ``_kiss_fft_guts.h``, with the patch in TFLM's ``third_party/kissfft``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from arenite.numeric.fixedpoint import Array

#: Radixes of the butterflies; others would need memory that TFLM does not give.
RADIXES = (2, 3, 4, 5)


@dataclass(frozen=True, slots=True, eq=False)
class Complex:
    """Real and imaginary parts: int64 for integers, float32 for floats."""

    re: Array
    im: Array

    def __getitem__(self, index: Any) -> Complex:
        return Complex(self.re[index], self.im[index])

    def __iter__(self) -> Iterator[Array]:
        return iter((self.re, self.im))


@dataclass(frozen=True)
class Arithmetic:
    """Operations on numbers of a type; ``bits`` is 0 for floats, which are not rounded here."""

    bits: int

    def wrap(self, x: Array) -> Array:
        """The number that the type holds."""
        if not self.bits:
            return x
        held = x.astype(f"i{self.bits // 8}")
        return np.asarray(held, np.int64)

    def round(self, product: Array) -> Array:
        """A product of fractions as a fraction."""
        if not self.bits:
            return product
        return self.wrap((product + (1 << (self.bits - 2))) >> (self.bits - 1))

    def divide(self, x: Complex, divisor: int) -> Complex:
        """An integer over the radix; floats grow instead."""
        if not self.bits:
            return x
        factor = (2 ** (self.bits - 1) - 1) // divisor
        return Complex(self.round(x.re * factor), self.round(x.im * factor))

    def half(self, x: Array) -> Array:
        """Half of a number, rounded down if it is an integer; of int16 with one bit more."""
        if not self.bits:
            return np.asarray(x * np.float32(0.5))
        return np.asarray((x if self.bits == 16 else self.wrap(x)) >> 1)

    def scale(self, x: Array, factor: Array) -> Array:
        """A product of real numbers."""
        return self.round(x * factor)

    def times(self, a: Complex, b: Complex) -> Complex:
        """A product of complex numbers."""
        return Complex(self.round(a.re * b.re - a.im * b.im), self.round(a.re * b.im + a.im * b.re))

    def plus(self, a: Complex, b: Complex) -> Complex:
        """A sum."""
        return Complex(self.wrap(a.re + b.re), self.wrap(a.im + b.im))

    def minus(self, a: Complex, b: Complex) -> Complex:
        """A difference."""
        return Complex(self.wrap(a.re - b.re), self.wrap(a.im - b.im))

    def conjugate(self, x: Complex) -> Complex:
        """The same with the imaginary part's sign changed."""
        return Complex(x.re, self.wrap(-x.im))


@dataclass(frozen=True, eq=False)
class Plan:
    """A transform of ``length`` real numbers, as one of ``length / 2`` complex ones.

    ``twiddles[i]`` is the i-th root of unity of that complex transform; ``real_twiddles[k - 1]``
    turns its value k into that of the real one.
    """

    length: int
    is_inverse: bool
    arithmetic: Arithmetic
    factors: tuple[int, ...]
    twiddles: Complex
    real_twiddles: Complex


def factors_of(length: int) -> tuple[int, ...]:
    """The radixes of a complex transform, outermost first: fours, a two, then other primes."""
    found: list[int] = []
    radix, largest = 4, math.isqrt(length)
    while length > 1 or not found:
        while length % radix:
            radix = {4: 2, 2: 3}.get(radix, radix + 2)
            if radix > largest:
                radix = length
        length //= radix
        found.append(radix)
    return tuple(found)


def is_possible(length: int) -> bool:
    """Whether there is a transform of so many real numbers."""
    return length >= 4 and length % 2 == 0 and set(factors_of(length // 2)) <= set(RADIXES)


@lru_cache(maxsize=16)
def plan(length: int, kind: str, *, is_inverse: bool) -> Plan:
    """The tables of a transform of ``"int16"``, ``"int32"`` or ``"float32"`` numbers."""
    half = length // 2
    sign = -1 if is_inverse else 1
    bits = {"int16": 16, "int32": 32, "float32": 0}[kind]
    roots = [sign * (-2 * math.pi * i / half) for i in range(half)]
    shifted = [sign * (-math.pi * ((i + 1) / half + 0.5)) for i in range(half // 2)]
    return Plan(
        length,
        is_inverse,
        Arithmetic(bits),
        factors_of(half),
        _on_circle(roots, bits),
        _on_circle(shifted, bits),
    )


def _on_circle(phases: list[float], bits: int) -> Complex:
    """Points on the unit circle, as fractions of the type."""

    def fraction(values: list[float]) -> Array:
        if not bits:
            return np.array(values, np.float32)
        one = 2 ** (bits - 1) - 1
        return np.array([math.floor(0.5 + one * value) for value in values], np.int64)

    # Python's own functions are the C library's, bit for bit; NumPy's are not.
    return Complex(fraction([math.cos(p) for p in phases]), fraction([math.sin(p) for p in phases]))


def forward(plan: Plan, x: Array) -> Array:
    """The transform of the rows of ``x``: ``length / 2 + 1`` pairs (real, imaginary) per row."""
    a, half = plan.arithmetic, plan.length // 2
    x = x if not a.bits else x.astype(np.int64)
    z = _complex(plan, Complex(x[..., 0::2], x[..., 1::2]))
    out = np.zeros((*x.shape[:-1], half + 1, 2), x.dtype)
    first = a.divide(z[..., 0], 2)
    out[..., 0, 0] = a.wrap(first.re + first.im)
    out[..., half, 0] = a.wrap(first.re - first.im)
    k = np.arange(1, half // 2 + 1)
    near = a.divide(z[..., k], 2)
    far = a.divide(a.conjugate(z[..., half - k]), 2)
    even = a.plus(near, far)
    odd = a.times(a.minus(near, far), plan.real_twiddles)
    out[..., k, 0], out[..., k, 1] = a.half(even.re + odd.re), a.half(even.im + odd.im)
    out[..., half - k, 0] = a.half(even.re - odd.re)
    out[..., half - k, 1] = a.half(odd.im - even.im)
    return out


def inverse(plan: Plan, x: Array) -> Array:
    """``length`` real numbers per row of ``length / 2 + 1`` pairs; integers are divided by it."""
    a, half = plan.arithmetic, plan.length // 2
    x = x if not a.bits else x.astype(np.int64)
    spectrum = Complex(x[..., 0], x[..., 1])
    z = Complex(*(np.zeros((*x.shape[:-2], half), x.dtype) for _ in range(2)))
    first, last = spectrum.re[..., 0], spectrum.re[..., half]
    z.re[..., 0], z.im[..., 0] = a.divide(Complex(a.wrap(first + last), a.wrap(first - last)), 2)
    k = np.arange(1, half // 2 + 1)
    near = a.divide(spectrum[..., k], 2)
    far = a.divide(a.conjugate(spectrum[..., half - k]), 2)
    even = a.plus(near, far)
    odd = a.times(a.minus(near, far), plan.real_twiddles)
    z.re[..., k], z.im[..., k] = a.plus(even, odd)
    z.re[..., half - k], z.im[..., half - k] = a.conjugate(a.minus(even, odd))
    done = _complex(plan, z)
    return np.stack([done.re, done.im], axis=-1).reshape(*x.shape[:-2], plan.length)


def _complex(plan: Plan, x: Complex) -> Complex:
    """The complex transform along the last axis."""
    return _stage(plan, x, plan.factors)


def _stage(plan: Plan, x: Complex, factors: tuple[int, ...]) -> Complex:
    """Transforms of every p-th number, and the butterflies that join them."""
    if not factors:
        return x
    radix, size = factors[0], x.re.shape[-1] // factors[0]
    parts = Complex(*(part.reshape(*part.shape[:-1], size, radix).swapaxes(-1, -2) for part in x))
    done = plan.arithmetic.divide(_stage(plan, parts, factors[1:]), radix)
    step = plan.length // 2 // (radix * size)
    turned = [done[..., 0, :]]
    for q in range(1, radix):
        twiddles = plan.twiddles[np.arange(size) * q * step]
        turned.append(plan.arithmetic.times(done[..., q, :], twiddles))
    joined = _BUTTERFLIES[radix](plan, turned, step * size)
    return Complex(*(np.concatenate(parts, axis=-1) for parts in zip(*joined, strict=True)))


def _join_2(plan: Plan, x: list[Complex], _: int) -> list[Complex]:
    a = plan.arithmetic
    return [a.plus(x[0], x[1]), a.minus(x[0], x[1])]


def _join_4(plan: Plan, x: list[Complex], _: int) -> list[Complex]:
    a = plan.arithmetic
    total, difference = a.plus(x[0], x[2]), a.minus(x[0], x[2])
    sides, between = a.plus(x[1], x[3]), a.minus(x[1], x[3])
    quarter = Complex(between.im, -between.re)  # times -i
    ahead, behind = a.plus(difference, quarter), a.minus(difference, quarter)
    if plan.is_inverse:
        ahead, behind = behind, ahead
    return [a.plus(total, sides), ahead, a.minus(total, sides), behind]


def _join_3(plan: Plan, x: list[Complex], third: int) -> list[Complex]:
    a, root = plan.arithmetic, plan.twiddles[third]
    total, between = a.plus(x[1], x[2]), a.minus(x[1], x[2])
    centre = Complex(a.wrap(x[0].re - a.half(total.re)), a.wrap(x[0].im - a.half(total.im)))
    side = Complex(-a.scale(between.im, root.im), a.scale(between.re, root.im))
    return [a.plus(x[0], total), a.plus(centre, side), a.minus(centre, side)]


def _join_5(plan: Plan, x: list[Complex], fifth: int) -> list[Complex]:
    a = plan.arithmetic
    first, second = plan.twiddles[fifth], plan.twiddles[2 * fifth]
    outer, inner = a.plus(x[1], x[4]), a.plus(x[2], x[3])
    outer_gap, inner_gap = a.minus(x[1], x[4]), a.minus(x[2], x[3])

    def centre(p: Complex, q: Complex) -> Complex:
        return Complex(
            *(
                a.wrap(c + a.scale(u, p.re) + a.scale(v, q.re))
                for c, u, v in zip(x[0], outer, inner, strict=True)
            )
        )

    near, far = centre(first, second), centre(second, first)
    near_side = Complex(
        a.wrap(a.scale(outer_gap.im, first.im) + a.scale(inner_gap.im, second.im)),
        a.wrap(-a.scale(outer_gap.re, first.im) - a.scale(inner_gap.re, second.im)),
    )
    far_side = Complex(
        a.wrap(-a.scale(outer_gap.im, second.im) + a.scale(inner_gap.im, first.im)),
        a.wrap(a.scale(outer_gap.re, second.im) - a.scale(inner_gap.re, first.im)),
    )
    total = Complex(*(a.wrap(c + (u + v)) for c, u, v in zip(x[0], outer, inner, strict=True)))
    return [
        total,
        a.minus(near, near_side),
        a.plus(far, far_side),
        a.minus(far, far_side),
        a.plus(near, near_side),
    ]


_BUTTERFLIES: dict[int, Callable[[Plan, list[Complex], int], list[Complex]]] = {
    2: _join_2,
    3: _join_3,
    4: _join_4,
    5: _join_5,
}
