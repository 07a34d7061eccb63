"""One output value of an int8 convolution on its way through a library, as plain data."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from arenite.cores import Instructions

Ints = tuple[int, ...]


@dataclass(frozen=True)
class Tap:
    """One tap of the window: where it lies in the filter and in the image, what is there."""

    place: tuple[int, int]
    pixel: tuple[int, int]
    inside: bool
    values: Ints


@dataclass(frozen=True)
class Widening:
    """Four int8 on their way to int16, as registers.

    Attributes:
        values: The four int8.
        offsets: The offset twice, as PKHBT packs it.
        word: The four bytes as they are read.
        even: SXTAB16 of bytes 0 and 2.
        odd: SXTAB16 of bytes 1 and 3, which ROR has moved there.
        stored: The four int16 as they lie in memory: 0, 2, 1, 3.
    """

    values: Ints
    offsets: int
    word: int
    even: int
    odd: int
    stored: Ints


@dataclass(frozen=True)
class Step:
    """One register of weights times one of inputs, for every channel and position at hand.

    Attributes:
        instruction: What multiplies.
        columns: Which values of the row take part.
        weights: Theirs, for every channel.
        inputs: Theirs, for every position.
        sums: The accumulators afterwards, ``sums[channel][position]``.
    """

    instruction: str
    columns: Ints
    weights: tuple[Ints, ...]
    inputs: tuple[Ints, ...]
    sums: tuple[Ints, ...]

    @property
    def registers(self) -> tuple[int, int]:
        """The first weights and the first inputs of an SMLAD, each as one register."""
        weights, inputs = (halves(pair) & 0xFFFFFFFF for pair in (self.weights[0], self.inputs[0]))
        return weights, inputs


@dataclass(frozen=True)
class Requantization:
    """An accumulator on its way to an int8.

    Attributes:
        acc: The accumulator.
        multiplier: Of the channel, in 2**-31.
        shift: Of the channel; left if positive.
        shifted: ``acc`` after a shift to the left.
        product: ``shifted * multiplier + 2**30``, what SMLAL leaves in 64 bits.
        high: ``product >> 31``, which is what VQRDMULH gives.
        remainder: The bits that a shift to the right would lose.
        threshold: The result is one more if ``remainder`` exceeds it.
        scaled: ``high`` after the shift to the right.
        with_offset: The output's zero point added.
        bounds: What the activation allows.
        value: The output.
    """

    acc: int
    multiplier: int
    shift: int
    shifted: int
    product: int
    high: int
    remainder: int
    threshold: int
    scaled: int
    with_offset: int
    bounds: tuple[int, int]
    value: int


@dataclass(frozen=True)
class Walk:
    """Way of one output value.

    Attributes:
        instructions: What the target has, see :mod:`arenite.target`.
        function: The path.
        kernel: What multiplies.
        positions: Output positions ``(y, x)`` that are computed together.
        channels: Output channels that are.
        traced: Which of the channels is requantised here, at the first position.
        taps: The window at the first position.
        row: The same as a row of im2col.
        offset: The input's, minus its zero point.
        widening: The row's first four values; None where rows stay int8.
        weight_sums: Per channel, where the offset is not added to inputs; else empty.
        bias: Per channel.
        start: The accumulators before the first step.
        steps: All steps.
        requantization: Of the traced sum.
        reference: What the reference kernel has there.
    """

    instructions: Instructions
    function: str
    kernel: str
    positions: tuple[tuple[int, int], ...]
    channels: Ints
    traced: int
    taps: tuple[Tap, ...]
    row: Ints
    offset: int
    widening: Widening | None
    weight_sums: Ints
    bias: Ints
    start: tuple[Ints, ...]
    steps: tuple[Step, ...]
    requantization: Requantization
    reference: int

    @property
    def agrees(self) -> bool:
        """Whether the value is the reference kernel's."""
        return self.requantization.value == self.reference


def halves(pair: Ints) -> int:
    """Two int16 as one register, the first in the low half."""
    low, high = pair
    return int.from_bytes(struct.pack("<hh", low, high), "little", signed=True)
