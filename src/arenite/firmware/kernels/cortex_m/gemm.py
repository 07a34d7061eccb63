"""Two pixels times four filters, the loop that most of an inference is.

A halfword of weights holds ``256 * f1 + f0``. SMLAD on the word as it is adds up ``256 * S1 + S0``;
after one SXTB16 the same word gives ``S0``; one SUB leaves ``256 * S1``, which is scaled as the
requantisation wants it. Activations are 16 bits wide and raw, the zero point is in the bias. Sums
may wrap on the way: what is left at the end does not, as long as ``256 * S1`` has 32 bits.

One stream of constants is read in order: for every four filters four first sums, the weights, the
constants of the requantisation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arenite.firmware.kernels.cortex_m.asm import Assembly, offset
from arenite.firmware.kernels.cortex_m.requantize import Constants, Finish, Requantization
from arenite.firmware.kernels.cortex_m.sums import Words, halfwords, words
from arenite.firmware.network.kernel import UnsupportedError

#: Filters that are done at once.
QUAD = 4
#: Registers of the loop: sums of filters 0 to 3 for pixels a and b, words of pixels and weights.
REGISTERS = {
    "pixels": "r0",
    "stream": "r1",
    "x_a": "r2",
    "x_b": "r3",
    "w_10": "r12",
    "w_32": "lr",
    "s1_a": "r4",
    "s1_b": "r5",
    "s3_a": "r6",
    "s3_b": "r7",
    "s0_a": "r8",
    "s0_b": "r9",
    "s2_a": "r10",
    "s2_b": "r11",
}
_SUMS = [(f"s{filter_}_a", f"s{filter_}_b") for filter_ in range(4)]
#: Steps of two inputs in one turn of the loop, at most: where it runs often, and elsewhere.
_UNROLLED, _UNROLLED_COLD = 16, 8
#: Steps of an unrolled loop without turns, at most.
_STRAIGHT, _STRAIGHT_COLD = 20, 8
#: Quads of filters for two pixels from which on a loop runs often: another turn costs some five
#: cycles each time, eight steps more in one turn take 400 bytes.
_OFTEN = 150
#: Bytes of a step, and of what is around them in the loop over quads: the most that they take.
_STEP, _AROUND = 56, 400


@dataclass(frozen=True)
class Products:
    """The shape of the loop.

    Attributes:
        steps: Pairs of inputs.
        distance: Bytes from the inputs of the first pixel to those of the second.
        filters: How many; outputs of the second pixel are behind those of the first.
        finish: What becomes of sums.
        pairs: Pairs of pixels.
        runs: How often it does them in one inference.
        icache: Bytes that the loop over quads of filters may have; None is any number.
    """

    steps: int
    distance: int
    filters: int
    finish: Finish
    pairs: int
    runs: int = 1
    icache: int | None = None

    @property
    def unrolled(self) -> int:
        """Steps in one turn."""
        is_hot = self.runs * self.pairs * len(quads(self.filters)) >= _OFTEN
        straight, most = (_STRAIGHT, _UNROLLED) if is_hot else (_STRAIGHT_COLD, _UNROLLED_COLD)
        if self.icache is not None:
            room = max((self.icache - _AROUND) // _STEP, 1)
            straight, most = min(straight, room), min(most, room)
        if self.steps <= straight:
            return self.steps
        return next(n for n in range(most, 0, -1) if self.steps % n == 0)

    @property
    def turns(self) -> int:
        """The number of the loop's runs."""
        return self.steps // self.unrolled


# -- code ---------------------------------------------------------------------------------


def emit_filters(a: Assembly, p: Products) -> None:
    """All filters for two pixels.

    Before: ``stream`` points to the constants; on the stack are ``window``, where the first pixel's
    inputs are, ``inputs_end``, where they end, ``at``, where its outputs go, and ``at_end``. After:
    ``at`` is in ``lr`` as well, behind the first pixel's outputs.
    """
    a(".quads:", "ldr pixels, [window]", "ldm stream!, {s1_a, s3_a, s0_a, s2_a}")
    if p.turns > 1:
        a(*(f"mov s{i}_b, s{i}_a" for i in (1, 3, 0, 2)), ".inputs:")
    for step in range(p.unrolled):
        _emit_step(a, p, step, first=p.turns == 1 and step == 0)
    a.add("stream", 8 * p.unrolled)
    if p.turns > 1:
        a.add("pixels", 4 * p.unrolled)
        a("ldr x_a, [inputs_end]", "cmp pixels, x_a", "bne .inputs")
    # A filter and its neighbour share a word: take one from the sum of both.
    a(*(f"sub s{i + 1}_{p_}, s{i + 1}_{p_}, s{i}_{p_}" for i in (0, 2) for p_ in "ab"))
    (_emit_signed if p.finish.signed else _emit_rising)(a)
    _emit_stores(a, p)
    emit_next_quad(a, p.filters)


def _emit_step(a: Assembly, p: Products, step: int, *, first: bool) -> None:
    """16 products of two inputs of either pixel and four filters."""
    near, far = offset(4 * step), offset(4 * step + p.distance)
    a(f"ldr x_a, [pixels, #{near}]", f"ldr x_b, [pixels, #{far}]")
    a(f"ldr w_10, [stream, #{8 * step}]", f"ldr w_32, [stream, #{8 * step + 4}]")
    for filters in ((1, 3), (0, 2)):
        for filter_, word in zip(filters, ("w_10", "w_32"), strict=True):
            one, two = _SUMS[filter_]
            # Both pixels begin with the same sum.
            if first:
                a(f"smlad {two}, {word}, x_b, {one}", f"smlad {one}, {word}, x_a, {one}")
            else:
                a(f"smlad {one}, {word}, x_a, {one}", f"smlad {two}, {word}, x_b, {two}")
            if filters == (1, 3):
                a(f"sxtb16 {word}, {word}")


def _emit_rising(a: Assembly) -> None:
    """``C + (A * M >> 32)``: constants of two filters at a time."""
    for high, low in ((1, 0), (3, 2)):
        a("ldm stream!, {r0, r2, r3, r12}")
        a(*(f"smmla s{high}_{p}, s{high}_{p}, r0, r2" for p in "ab"))
        a(*(f"smmla s{low}_{p}, s{low}_{p}, r3, r12" for p in "ab"))


def _emit_signed(a: Assembly) -> None:
    """The same, less a step for negative sums; sums that are not scaled yet are scaled here."""
    for high, low in ((1, 0), (3, 2)):
        for filter_ in (high, low):
            a("ldm stream!, {r2, r3, r12}")
            for p in "ab":
                s = f"s{filter_}_{p}"
                if filter_ == low:
                    a(f"lsl {s}, {s}, #8")
                a(f"and r0, r12, {s}, asr #31", f"smmla {s}, {s}, r2, r3", f"sub {s}, {s}, r0")


def _emit_stores(a: Assembly, p: Products) -> None:
    """Shift, clamp, store."""
    for one, two in _SUMS:
        for sum_ in (one, two):
            a(*p.finish.clamp(sum_, scaled=sum_[1] in "13"))
    a("ldr lr, [at]", *(() if p.filters < QUAD else ("ldr r0, [at_end]",)))
    for number, pixel in enumerate("ab"):
        for filter_ in range(min(QUAD, p.filters)):
            a(f"strb s{filter_}_{pixel}, [lr, #{offset(number * p.filters + filter_)}]")


def emit_next_quad(a: Assembly, filters: int) -> None:
    """On to the next four filters: ``lr`` is where outputs went, ``r0`` where they end.

    The last four may begin with some that were done before.
    """
    if filters < QUAD:
        a.add("lr", filters)
        return
    a("add lr, lr, #4")
    if not filters % QUAD:
        a("str lr, [at]", "cmp lr, r0", "bne .quads")
        return
    a("cmp lr, r0", "beq .filled", "sub r0, r0, #4", "cmp lr, r0", "it hi", "movhi lr, r0")
    a("str lr, [at]", "b .quads", ".filled:")


# -- constants ----------------------------------------------------------------------------


def quads(filters: int) -> list[list[int]]:
    """Filters four at a time; the last four may begin with some that were done before.

    >>> quads(6), quads(2)
    ([[0, 1, 2, 3], [2, 3, 4, 5]], [[0, 1, 1, 1]])
    """
    begins = [min(begin, max(filters - QUAD, 0)) for begin in range(0, filters, QUAD)]
    return [[min(begin + i, filters - 1) for i in range(QUAD)] for begin in begins]


def expanded_order(count: int) -> npt.NDArray[np.int64]:
    """Pairs of inputs as SXTB16 leaves them: of every four bytes 0 and 2, then 1 and 3."""
    return np.arange(count).reshape(-1, 4)[:, [0, 2, 1, 3]].reshape(-1, 2)


def pack_stream(
    weights: npt.NDArray[np.int64], bias: npt.NDArray[np.int64], requantization: Requantization
) -> Words:
    """The stream of ``weights`` ``(filters, steps, 2)`` with a bias that has the zero point in it.

    Raises:
        UnsupportedError: Two weights do not fit into a halfword, or a channel has no constants.
    """
    weights = np.where(requantization.constant[:, None, None], 0, weights)
    # (quads, steps, 2 pairs of filters, 2 inputs)
    groups = weights[np.array(quads(len(weights)))].transpose(0, 2, 1, 3)
    pairs = 256 * groups[:, :, 1::2] + groups[:, :, 0::2]
    if pairs.min(initial=0) < -32768 or pairs.max(initial=0) > 32767:
        raise UnsupportedError("two weights of -128 are neighbours")
    parts = []
    for filters, part in zip(quads(len(weights)), pairs, strict=True):
        first, constants = _quad(filters, bias, requantization)
        parts += [words(first), halfwords(part), words(constants)]
    return np.concatenate(parts)


def _quad(
    filters: Sequence[int], bias: npt.NDArray[np.int64], requantization: Requantization
) -> tuple[list[int], list[int]]:
    """First sums in the order of registers, and the constants of four filters."""
    odd, even, constants = [], [], []
    for low, high in (filters[:2], filters[2:]):
        above = requantization.constants(high, 256)
        below = (
            requantization.constants(low, 256, whole=True)
            if requantization.signed
            else requantization.constants(low, 1)
        )
        begin = _bias_of(bias, low, requantization) + below.bias
        even.append(begin)
        odd.append(256 * _bias_of(bias, high, requantization) + above.bias + begin)
        for one in (above, below):
            constants += _stored(one, signed=requantization.signed)
    return odd + even, constants


def _stored(one: Constants, *, signed: bool) -> list[int]:
    return [one.multiplier, one.addend, one.step] if signed else [one.multiplier, one.addend]


def _bias_of(bias: npt.NDArray[np.int64], channel: int, requantization: Requantization) -> int:
    return 0 if requantization.constant[channel] else int(bias[channel])
