"""One output value of an int8 convolution on its way through CMSIS-NN, number by number.

The path's own functions compute everything here, for the few values that one pass of the
innermost loops takes: two positions and two output channels, or four positions and one channel
with vectors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from arenite.libraries.cmsis_nn.arithmetic import dsp, mve
from arenite.libraries.cmsis_nn.arithmetic.convolve import ConvArguments, im2col
from arenite.libraries.cmsis_nn.arithmetic.mat_mult import ChannelQuantization
from arenite.libraries.cmsis_nn.arithmetic.support import (
    Int8Array,
    arm_nn_doubling_high_mult_no_sat,
    arm_nn_read_s8x4,
    arm_nn_requantize,
    arm_s8_to_s16_unordered_with_offset,
)
from arenite.libraries.cmsis_nn.decisions.line import padded_positions
from arenite.libraries.walk import Ints, Requantization, Step, Tap, Walk, Widening, halves
from arenite.numeric.fixedpoint import bare_shift


def walk(args: ConvArguments, x: Int8Array, reference: Int8Array) -> Walk:
    """Follow one output value of the first image, at a position and channel that tell most.

    That is the first position whose window meets padding, and the image in half of its first
    four values or more; else the first of those that meet most of the image. The channel is the
    first that the activation does not clamp there.

    Args:
        args: The convolution.
        x: The input ``(n, h, w, c)``.
        reference: The reference kernel's output ``(n, h, w, channels)``.
    """
    conv, target = args.conv, args.target
    path = args.path
    kernel, instructions = path.calls[-1], target.instructions
    indices = _positions(args, path.function)
    positions = tuple((int(i // conv.output.w), int(i % conv.output.w)) for i in indices)
    outputs = reference[0, positions[0][0], positions[0][1], : conv.output.c // conv.groups]
    channels, traced = _channels(args, outputs)
    rows = np.empty((len(indices), conv.filter.h * conv.filter.w * conv.filter.c), np.int8)
    im2col(args, x[0, :, :, : conv.filter.c], indices, rows)
    weights = args.weights[list(channels)].reshape(len(channels), -1)
    sums = _ints(weights.sum(axis=1, dtype=np.int64)) if kernel.endswith("nt_t_s8") else ()
    bias, offset = _ints(args.bias[list(channels)]), args.quant.input_offset
    start = _starts(bias, sums, offset, instructions, len(rows))
    values = rows if sums else rows + np.int16(offset)
    steps = _steps(weights, values, start, instructions)
    acc = (steps[-1].sums if steps else start)[traced][0]
    if instructions == "mve":
        acc += offset * sums[0] + bias[0]
    return Walk(
        instructions=instructions,
        function=path.function,
        kernel=kernel,
        positions=positions,
        channels=channels,
        traced=traced,
        taps=_taps(args, positions[0], rows[0]),
        row=_ints(rows[0]),
        offset=offset,
        widening=_widening(rows[0], offset) if _widens(kernel, instructions, rows[0]) else None,
        weight_sums=sums,
        bias=bias,
        start=start,
        steps=tuple(steps),
        requantization=requantization(acc, args.quant, channels[traced]),
        reference=int(outputs[channels[traced]]),
    )


def _channels(args: ConvArguments, outputs: Int8Array) -> tuple[Ints, int]:
    """Channels that are computed together, and the place of the first that is not clamped."""
    low, high = args.quant.activation_min, args.quant.activation_max
    free = np.flatnonzero((outputs > low) & (outputs < high))
    channel = int(free[0]) if len(free) else 0
    if args.vectors:
        return (channel,), 0
    first = channel // 2 * 2
    channels = tuple(range(first, min(first + 2, len(outputs))))
    return channels, channels.index(channel)


def _positions(args: ConvArguments, function: str) -> np.ndarray:
    """Output positions that are computed together, by index."""
    conv, together = args.conv, _positions_at_once(args, function)
    count = conv.output.h * conv.output.w
    if function == "arm_convolve_1_x_n_s8" and args.vectors:
        return np.arange(together)
    starts = range(0, count - together + 1, together)
    if function == "arm_convolve_1x1_s8" or conv.filter.h == conv.filter.w == 1:
        return np.arange(together)
    inside = [_inside(args, divmod(start, conv.output.w)) for start in starts]
    first = range(-(-4 // conv.filter.c))
    for start, taps in zip(starts, inside, strict=True):
        if 2 * sum(taps[: len(first)]) >= len(first) and not all(taps):
            return np.arange(start, start + together)
    best = max(range(len(inside)), key=lambda index: sum(inside[index]))
    return np.arange(starts[best], starts[best] + together)


def _inside(args: ConvArguments, position: tuple[int, int]) -> list[bool]:
    """For every tap whether it meets the image."""
    return [inside for _, _, inside in _pixels(args, position)]


def _pixels(
    args: ConvArguments, position: tuple[int, int]
) -> Iterator[tuple[tuple[int, int], tuple[int, int], bool]]:
    """Every tap's place in the filter, its pixel, and whether the image has that."""
    conv = args.conv
    for i, j in np.ndindex(conv.filter.h, conv.filter.w):
        y = position[0] * conv.stride.h - conv.padding.h + i * conv.dilation.h
        x = position[1] * conv.stride.w - conv.padding.w + j * conv.dilation.w
        yield (i, j), (y, x), 0 <= y < conv.input.h and 0 <= x < conv.input.w


def _positions_at_once(args: ConvArguments, function: str) -> int:
    """The number of positions that the first pass of the innermost loop takes."""
    conv = args.conv
    rows = conv.output.h * conv.output.w
    if function == "arm_convolve_1x1_s8":
        rows = conv.output.w
    if not args.vectors:
        return min(2, rows)
    if function == "arm_convolve_1_x_n_s8" and "arm_convolve_s8" not in args.path.calls:
        left, right = padded_positions(conv)
        rows = left or conv.output.w - right
    return 4 if rows >= 4 else 1


def _widens(kernel: str, instructions: str, row: Int8Array) -> bool:
    return kernel.startswith("arm_nn_mat_mult_kernel") and instructions == "dsp" and row.size >= 4


def _starts(
    bias: Ints, sums: Ints, offset: int, instructions: str, positions: int
) -> tuple[Ints, ...]:
    """Accumulators before the loop; vectors begin at 0 and add the rest behind it."""
    if instructions == "mve":
        return ((0,) * positions,)
    totals = sums or (0,) * len(bias)
    return tuple((b + offset * t,) * positions for b, t in zip(bias, totals, strict=True))


def _taps(args: ConvArguments, position: tuple[int, int], row: Int8Array) -> tuple[Tap, ...]:
    values = row.reshape(-1, args.conv.filter.c)
    return tuple(
        Tap(place, pixel, inside, _ints(values[index]))
        for index, (place, pixel, inside) in enumerate(_pixels(args, position))
    )


def _widening(row: Int8Array, offset: int) -> Widening:
    count: Counter[str] = Counter()
    word, stored = arm_nn_read_s8x4(row), np.empty(4, np.int16)
    packed = dsp.pkhbt(offset, offset, 16, count)
    arm_s8_to_s16_unordered_with_offset(row[:4], stored, offset, count)
    return Widening(
        values=_ints(row[:4]),
        offsets=int(packed),
        word=int(word),
        even=int(dsp.sxtab16(packed, word, count)),
        odd=int(dsp.sxtab16(packed, dsp.ror(word, 8, count), count)),
        stored=_ints(stored),
    )


# -- sums -------------------------------------------------------------------------------


def _steps(
    weights: Int8Array, values: np.ndarray, start: tuple[Ints, ...], instructions: str
) -> list[Step]:
    """Columns in the order in which they are multiplied."""
    columns = weights.shape[1]
    match instructions:
        case "mve":
            groups = [tuple(range(i, min(i + 16, columns))) for i in range(0, columns, 16)]
        case "dsp":
            whole = columns // 4 * 4
            groups = [(i + j, i + j + 2) for i in range(0, whole, 4) for j in (0, 1)]
            groups += [(i,) for i in range(whole, columns)]
        case _:
            groups = [(i,) for i in range(columns)]
    steps: list[Step] = []
    for group in groups:
        before = steps[-1].sums if steps else start
        steps.append(_step(group, weights, values, before, instructions))
    return steps


def _step(
    columns: Ints,
    weights: Int8Array,
    values: np.ndarray,
    before: tuple[Ints, ...],
    instructions: str,
) -> Step:
    name = {"mve": "VMLADAVA", "dsp": "SMLAD" if len(columns) == 2 else "MLA"}
    a, b = weights[:, columns], values[:, columns]
    return Step(
        instruction=name.get(instructions, "MLA"),
        columns=columns,
        weights=tuple(_ints(row) for row in a),
        inputs=tuple(_ints(row) for row in b),
        sums=tuple(
            tuple(_multiplied(instructions, a[c], b[p], acc) for p, acc in enumerate(sums))
            for c, sums in enumerate(before)
        ),
    )


def _multiplied(instructions: str, a: np.ndarray, b: np.ndarray, acc: int) -> int:
    count: Counter[str] = Counter()
    if instructions == "mve":
        return int(mve.vmladava(np.int32(acc), a, b, count))
    if len(a) == 2:
        return int(dsp.smlad(halves(_ints(a)), halves(_ints(b)), acc, count))
    return int(dsp.mla(a[0], b[0], acc, count))


def requantization(acc: int, quant: ChannelQuantization, channel: int) -> Requantization:
    """``arm_nn_requantize`` and what follows it, with every number in between."""
    count: Counter[str] = Counter()
    multiplier, given = int(quant.multiplier[channel]), int(quant.shift[channel])
    shift = int(bare_shift(given))
    right = max(-shift, 0)
    shifted = int(dsp.register(acc << max(shift, 0)))
    high = int(arm_nn_doubling_high_mult_no_sat(shifted, multiplier, count))
    mask = (1 << right) - 1
    scaled = int(arm_nn_requantize(acc, multiplier, given, count))
    low, top = quant.activation_min, quant.activation_max
    return Requantization(
        acc=acc,
        multiplier=multiplier,
        shift=shift,
        shifted=shifted,
        product=int(dsp.smlal(1 << 30, shifted, multiplier, count)),
        high=high,
        remainder=high & mask,
        threshold=(mask >> 1) + (high < 0),
        scaled=scaled,
        with_offset=scaled + quant.output_offset,
        bounds=(low, top),
        value=int(np.clip(dsp.register(scaled + quant.output_offset), low, top)),
    )


def _ints(values: np.ndarray) -> Ints:
    return tuple(int(value) for value in values)
