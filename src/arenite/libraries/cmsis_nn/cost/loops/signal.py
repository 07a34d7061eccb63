"""Loops of TFLM's signal operators.

Facts: TFLM ``signal/src``, ``signal/micro/kernels``; the transforms are kissfft's ``kiss_fft.c``
and ``kiss_fftr.c``: radix 4 first, then 2, 3 and 5.
"""

from __future__ import annotations

from math import prod

from arenite.libraries.cmsis_nn.cost.loops.copies import memcpy, memset
from arenite.libraries.cmsis_nn.cost.loops.kind import bytes_of, kernel_of, loops
from arenite.libraries.costs import Loop
from arenite.ops.constraints import NodeView

_INT16 = 2


def radices(length: int) -> list[int]:
    """The factors of a complex transform in the order in which kissfft takes them."""
    found, factor = [], 4
    while length > 1:
        while length % factor:
            factor = {4: 2, 2: 3}.get(factor, factor + 2)
            if factor * factor > length:
                factor = length
        length //= factor
        found.append(factor)
    return found


def transform(length: int) -> dict[str, int]:
    """Stages of a complex transform: recursive calls, values that are sorted in, butterflies."""
    times = {"stage call": 0, "sorted value": length}
    apart = 1
    for radix in radices(length):
        times["stage call"] += apart
        step = f"butterfly of {radix}"
        times[step] = times.get(step, 0) + length // radix
        apart *= radix
    return times


def rfft(view: NodeView) -> list[Loop]:
    """Frames are copied and padded, transformed as half as many complex values, and taken apart."""
    given, size = view.input(0), bytes_of(view)
    length = view.output(0).shape[-1] - 2
    frames = prod(given.shape[:-1])
    copied = given.shape[-1]
    times = _times(frames, length)
    padded = memset(frames, max(length - copied, 0) * size)
    return [*loops(kernel_of(view), times), *memcpy(frames, copied * size), *padded]


def irfft(view: NodeView) -> list[Loop]:
    """Spectra are put together, then transformed as half as many complex values."""
    length = view.output(0).shape[-1]
    frames = prod(view.output(0).shape[:-1])
    return loops(kernel_of(view), _times(frames, length))


def _times(frames: int, length: int) -> dict[str, int]:
    stages = {step: frames * count for step, count in transform(length // 2).items()}
    return {"frame": frames, "value": frames * length, **stages}


def by_value(view: NodeView) -> list[Loop]:
    """One pass per value of the input."""
    return loops(kernel_of(view), {"value": view.input(0).size})


def by_output(view: NodeView) -> list[Loop]:
    """One pass per value of the output: SignalEnergy with its whole range."""
    return loops(kernel_of(view), {"value": view.output(0).size})


def filter_bank(view: NodeView) -> list[Loop]:
    """One pass per channel and per weight in it."""
    channels, widths = view.output(0).size + 1, view.input(5).data
    weights = 0 if widths is None else int(widths.ravel()[:channels].sum())
    return loops(kernel_of(view), {"channel": channels, "weight": weights})


def framer(view: NodeView) -> list[Loop]:
    """Samples go into a ring buffer twice over, frames come out of it."""
    rows = prod(view.output(0).shape[:-2])
    frames, size = view.output(0).shape[-2:]
    step = view.input(0).shape[-1] // max(frames, 1)
    copied = memcpy(rows * frames, size * _INT16)
    times = {"row": rows, "frame": rows * frames, "sample": rows * frames * step}
    return [*loops(kernel_of(view), times), *copied]


def stacker(view: NodeView) -> list[Loop]:
    """A frame goes into a ring buffer twice over; as if each time frames came out of it."""
    frame, stacked = view.input(0).size * _INT16, view.output(0).size * _INT16
    return [*loops(kernel_of(view), {}), *memcpy(2, frame), *memcpy(1, stacked)]


def delay(view: NodeView) -> list[Loop]:
    """Samples go into a ring buffer and come out later."""
    rows = prod(view.input(0).shape[:-1])
    times = {"row": rows, "sample": view.input(0).size}
    return loops(kernel_of(view), times)


def overlap_add(view: NodeView) -> list[Loop]:
    """Frames are added to a buffer, of which the first values leave."""
    *outer, frames, size = view.input(0).shape
    count, step = prod(outer) * frames, view.output(0).shape[-1] // max(frames, 1)
    width = bytes_of(view)
    times = {"frame": count, "value": count * size, "moved value": count * (size - step)}
    left = [*memcpy(count, step * width), *memset(count, step * width)]
    return [*loops(kernel_of(view), times), *left]


def circular_buffer(view: NodeView) -> list[Loop]:
    """The buffer moves by one slot; the input is copied behind it."""
    shape = view.output(0).shape
    depth = shape[2] * shape[3]
    size = shape[1] * depth
    words = {"moved word": 0 if depth % 4 else (size - depth) // 4}
    times = {"moved byte": size - depth if depth % 4 else 0, **words}
    return [*loops(kernel_of(view), times), *memcpy(1, depth)]


KERNELS = {
    "CIRCULAR_BUFFER": circular_buffer,
    "SignalDelay": delay,
    "SignalEnergy": by_output,
    "SignalFftAutoScale": by_value,
    "SignalFilterBank": filter_bank,
    "SignalFilterBankLog": by_value,
    "SignalFilterBankSpectralSubtraction": by_output,
    "SignalFilterBankSquareRoot": by_value,
    "SignalFramer": framer,
    "SignalIrfft": irfft,
    "SignalOverlapAdd": overlap_add,
    "SignalPCAN": by_value,
    "SignalRfft": rfft,
    "SignalStacker": stacker,
    "SignalWindow": by_value,
}
