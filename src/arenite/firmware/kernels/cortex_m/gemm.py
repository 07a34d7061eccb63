"""Two pixels times four filters, the loop that most of an inference is.

A halfword of weights holds ``256 * f1 + f0``. SMLAD on the word as it is adds up ``256 * S1 + S0``;
after one SXTB16 the same word gives ``S0``; one SUB leaves ``256 * S1``, which is scaled as the
requantisation wants it. Activations are 16 bits wide and raw, the zero point is in the bias. Sums
may wrap on the way: what is left at the end does not, as long as ``256 * S1`` has 32 bits.

Where ``256 * S1`` may leave 32 bits, every weight has 16 bits (``is_wide``): a load takes the place
of each SXTB16, and nothing is scaled.

One stream of constants is read in order: for every four filters four first sums, the weights, the
constants of the requantisation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arenite.firmware.kernels.cortex_m.asm import Assembly, moving, offset
from arenite.firmware.kernels.cortex_m.requantize import Finish
from arenite.firmware.kernels.cortex_m.sums import How, Words, halfwords, words
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
#: Steps of two inputs in one turn of the loop, at most: where it runs often, and elsewhere.
_UNROLLED, _UNROLLED_COLD = 16, 8
#: Steps of an unrolled loop without turns, at most.
_STRAIGHT, _STRAIGHT_COLD = 20, 8
#: The same where weights have 16 bits: loads reach so far.
_WIDE = 15
#: Quads of filters for two pixels from which on a loop runs often: another turn costs some five
#: cycles each time, eight steps more in one turn take 400 bytes.
_OFTEN = 150
#: Bytes of a step; of what is before and between turns, and a line of a cache, which the loop over
#: quads of filters need not begin with.
_STEP, _AROUND = 56, 24 + 32


@dataclass(frozen=True)
class Products:
    """The shape of the loop.

    Attributes:
        steps: Pairs of inputs.
        distance: Bytes from the inputs of the first pixel to those of the second.
        filters: How many.
        finish: What becomes of sums.
        pairs: Pairs of pixels.
        runs: How often it does them in one inference.
        icache: Bytes that the loop over quads of filters may have; None is any number.
        pitch: Bytes from outputs of a pixel to those of the next, if there are others between.
        is_wide: Whether every weight has 16 bits.
        loads_pairs: Whether the processor loads two words as fast as one.
    """

    steps: int
    distance: int
    filters: int
    finish: Finish
    pairs: int
    runs: int = 1
    icache: int | None = None
    pitch: int = 0
    is_wide: bool = False
    loads_pairs: bool = False

    @property
    def apart(self) -> int:
        """Bytes from outputs of a pixel to those of the next."""
        return self.pitch or self.filters

    @property
    def unrolled(self) -> int:
        """Steps in one turn."""
        is_hot = self.runs * self.pairs * len(quads(self.filters)) >= _OFTEN
        straight, most = (_STRAIGHT, _UNROLLED) if is_hot else (_STRAIGHT_COLD, _UNROLLED_COLD)
        if self.is_wide:
            straight, most = min(straight, _WIDE), min(most, _WIDE)
        if self.icache is not None:
            end = Assembly(**REGISTERS)
            _emit_end(end, self, "ab")
            room = max((self.icache - _AROUND - end.bytes) // _STEP, 1)
            straight, most = min(straight, room), min(most, room)
        return self.steps if self.steps <= straight else turn_of(self.steps, most)

    @property
    def turns(self) -> int:
        """The number of the loop's runs."""
        return self.steps // self.unrolled

    @property
    def rest(self) -> int:
        """Steps behind the loop."""
        return self.steps % self.unrolled

    @property
    def looped(self) -> int:
        """Bytes of a pixel's inputs that the loop takes."""
        return 4 * self.turns * self.unrolled


def turn_of(steps: int, most: int) -> int:
    """Steps of a turn, at most so many with those that are left behind the loop.

    >>> turn_of(72, 16), turn_of(38, 16), turn_of(37, 16), turn_of(5, 1)
    (12, 12, 12, 1)
    """
    turns = range(most, 0, -1)
    even = (turn for turn in turns if turn > most // 2 and steps % turn == 0)
    return next(even, 0) or next(turn for turn in turns if turn + steps % turn <= most)


# -- code ---------------------------------------------------------------------------------


def emit_filters(a: Assembly, p: Products, pixels: str = "ab") -> None:
    """All filters for two pixels, or for ``"a"`` alone.

    Before: ``stream`` points to the constants; on the stack are ``window``, where the first pixel's
    inputs are, ``inputs_end``, where they end, ``at``, where its outputs go, and ``at_end``. After:
    ``at`` is in ``lr`` as well, behind the first pixel's outputs.
    """
    a(f".quads_{pixels}:", "ldr pixels, [window]", "ldm stream!, {s1_a, s3_a, s0_a, s2_a}")
    if p.turns > 1:
        a(*(f"mov s{i}_{o}, s{i}_a" for i in (1, 3, 0, 2) if i < p.filters for o in pixels[1:]))
        a(f".inputs_{pixels}:")
    _emit_steps(a, p, p.unrolled, pixels, is_alone=p.turns == 1)
    if p.turns > 1:
        a("ldr x_a, [inputs_end]", "cmp pixels, x_a", f"bne .inputs_{pixels}")
    _emit_steps(a, p, p.rest, pixels)
    _emit_end(a, p, pixels)


def _emit_end(a: Assembly, p: Products, pixels: str) -> None:
    """Outputs from sums, and on to the next four filters."""
    # A filter and its neighbour share a word: take one from the sum of both.
    odd = [i for i in (1, 3) if i < p.filters and not p.is_wide]
    a(*(f"sub s{i}_{o}, s{i}_{o}, s{i - 1}_{o}" for i in odd for o in pixels))
    _emit_requantized(a, p, pixels)
    _emit_stores(a, p, pixels)
    emit_next_quad(a, p.filters, pixels)


def _emit_steps(
    a: Assembly, p: Products, count: int, pixels: str, *, is_alone: bool = False
) -> None:
    """Products of two inputs of each pixel and four filters, so many times.

    The first loads move both pointers on to the end. Where these steps ``is_alone`` all that there
    is, both pixels begin with the same sum, which is the first one's register.
    """
    pairs = ("w_10", "w_32")[: (p.filters + 1) // 2]
    apart = 16 if p.is_wide else 8
    for step in range(count):
        for number, o in enumerate(pixels):
            place = 4 * step + number * p.distance
            a(f"ldr x_{o}, {moving('pixels', place, 4 * count)}")
        words_at = [moving("stream", apart * step + 4 * i, apart * count) for i in range(4)]
        if p.loads_pairs and len(pairs) == 2 and not p.is_wide:
            a(f"ldm stream!, {{{', '.join(pairs)}}}")
        else:
            a(*(f"ldr {word}, {words_at[i]}" for i, word in enumerate(pairs)))
        for pair, word in enumerate(pairs):
            _emit_products(a, p, pixels, 2 * pair + 1, word, begins=is_alone and step == 0)
            second = f"ldr {word}, {words_at[2 + pair]}" if p.is_wide else f"sxtb16 {word}, {word}"
            a(second)
        for pair, word in enumerate(pairs):
            _emit_products(a, p, pixels, 2 * pair, word, begins=is_alone and step == 0)


def _emit_products(
    a: Assembly, p: Products, pixels: str, filter_: int, word: str, *, begins: bool
) -> None:
    for o in () if filter_ >= p.filters else pixels[::-1] if begins else pixels:
        addend = f"s{filter_}_{'a' if begins else o}"
        a(f"smlad s{filter_}_{o}, {word}, x_{o}, {addend}")


def _emit_requantized(a: Assembly, p: Products, pixels: str) -> None:
    """Constants of a filter at a time, of two where that many registers are free."""
    finish, order = p.finish, (1, 0, 3, 2)
    free = ("r2", "r3", "r12") if finish.form == "signed" else ("r0", "r2", "r3", "r12")
    at_once = len(free) // finish.words
    for first in range(0, QUAD, at_once):
        a(f"ldm stream!, {{{', '.join(free)}}}")
        for number, filter_ in enumerate(order[first : first + at_once]):
            constants = free[number * finish.words :][: finish.words]
            for o in pixels if filter_ < p.filters else ():
                sum_, scaled = f"s{filter_}_{o}", filter_ in (1, 3) and not p.is_wide
                a(*finish.requantize(sum_, constants, "r0", scaled=scaled))


def _emit_stores(a: Assembly, p: Products, pixels: str) -> None:
    """Shift, clamp, store."""
    for filter_ in range(min(QUAD, p.filters)):
        for o in pixels:
            a(*p.finish.clamp(f"s{filter_}_{o}", scaled=filter_ in (1, 3) and not p.is_wide))
    a("ldr lr, [at]", *(() if p.filters < QUAD else ("ldr r0, [at_end]",)))
    for number, o in enumerate(pixels):
        for filter_ in range(min(QUAD, p.filters)):
            a(f"strb s{filter_}_{o}, [lr, #{offset(number * p.apart + filter_)}]")


def emit_next_quad(a: Assembly, filters: int, pixels: str) -> None:
    """On to the next four filters: ``lr`` is where outputs went, ``r0`` where they end.

    The last four may begin with some that were done before.
    """
    if filters < QUAD:
        a.add("lr", filters)
        return
    a("add lr, lr, #4")
    if not filters % QUAD:
        a("str lr, [at]", "cmp lr, r0", f"bne .quads_{pixels}")
        return
    a(
        "cmp lr, r0",
        f"beq .filled_{pixels}",
        "sub r0, r0, #4",
        "cmp lr, r0",
        "it hi",
        "movhi lr, r0",
    )
    a("str lr, [at]", f"b .quads_{pixels}", f".filled_{pixels}:")


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


def padded_order(weights: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Weights ``(filters, inputs)`` as steps of two, with zeros where a fourth input lacks."""
    count = -(-weights.shape[1] // 4) * 4
    padded = np.pad(weights, ((0, 0), (0, count - weights.shape[1])))
    found: npt.NDArray[np.int64] = padded[:, expanded_order(count)]
    return found


def pack_stream(
    weights: npt.NDArray[np.int64],
    bias: npt.NDArray[np.int64],
    how: How,
    groups: int = 1,
    *,
    is_wide: bool = False,
) -> Words:
    """The stream of ``weights`` ``(filters, steps, 2)`` with a bias that has the zero point in it.

    Filters are in so many groups, one after the other.
    """
    weights = np.where(how.constant[:, None, None], 0, weights)
    own = len(weights) // groups
    fours = [[g * own + i for i in four] for g in range(groups) for four in quads(own)]
    # (quads, steps, filters, 2 inputs)
    lanes = weights[np.array(fours)].transpose(0, 2, 1, 3)
    pairs = lanes[:, :, [1, 3, 0, 2]] if is_wide else 256 * lanes[:, :, 1::2] + lanes[:, :, 0::2]
    if pairs.min(initial=0) < -32768 or pairs.max(initial=0) > 32767:
        raise UnsupportedError("two weights of -128 are neighbours")
    parts = []
    for filters, part in zip(fours, pairs, strict=True):
        first, constants = (_wide if is_wide else _quad)(filters, bias, how)
        parts += [words(first), halfwords(part), words(constants)]
    return np.concatenate(parts)


def _quad(
    filters: Sequence[int], bias: npt.NDArray[np.int64], how: How
) -> tuple[list[int], list[int]]:
    """First sums in the order of registers, and the constants of four filters."""
    odd, even, constants = [], [], list[int]()
    for low, high in (filters[:2], filters[2:]):
        above, above_words = how.stored(high, 256)
        below, below_words = how.stored_alone(low)
        begin = _bias_of(bias, low, how) + below
        even.append(begin)
        odd.append(256 * _bias_of(bias, high, how) + above + begin)
        constants += [*above_words, *below_words]
    return odd + even, constants


def _wide(
    filters: Sequence[int], bias: npt.NDArray[np.int64], how: How
) -> tuple[list[int], list[int]]:
    """The same of filters that share no halfword."""
    found = {filter_: how.stored_alone(filter_) for filter_ in filters}
    first = [_bias_of(bias, filters[i], how) + found[filters[i]][0] for i in (1, 3, 0, 2)]
    return first, [word for i in (1, 0, 3, 2) for word in found[filters[i]][1]]


def _bias_of(bias: npt.NDArray[np.int64], channel: int, how: How) -> int:
    return 0 if how.constant[channel] else int(bias[channel])
