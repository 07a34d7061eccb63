"""AVERAGE_POOL_2D, MAX_POOL_2D and MEAN over images, four channels in a register or two.

Windows that reach beyond the image are plain C's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from arenite.c_text import fill, templates
from arenite.firmware.kernels.cortex_m.asm import Assembly, offset
from arenite.firmware.kernels.cortex_m.requantize import Constants, Finish, Requantization
from arenite.firmware.kernels.cortex_m.steps import Channels
from arenite.firmware.kernels.portable.needs import require_elements, require_types
from arenite.firmware.kernels.portable.reduction import mean_multiplier
from arenite.firmware.network.kernel import Routine, UnsupportedError, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.firmware.network.records import Windowed
from arenite.model import TensorType
from arenite.ops.shared.pooling import Pool2DParams
from arenite.ops.shared.reduction import ReductionParams

#: Pixels whose sums fit into a halfword.
_MOST = 255
#: Pixels of a window that are read without a loop.
_STRAIGHT = 16
_REGISTERS = {
    **{"x": "r0", "y": "r1", "at": "r2", "left": "r3", "even": "r4", "odd": "r5", "word": "r6"},
    **{"sum": "r8", "last": "r12"},
}

_C = templates(__name__)
_DRIVER = _C["driver"]

#: What is emitted for a word of four channels in ``word``: the first of a window or another one.
_Pixel = Callable[[Assembly, bool], None]


@dataclass(frozen=True)
class _Pool:
    """Windows of an image of so many channels, ``row`` bytes a row."""

    rows: int
    columns: int
    row: int
    channels: int

    @property
    def pixels(self) -> int:
        """The number of pixels in a window."""
        return self.rows * self.columns


def average_pool_2d(layer: Layer[Pool2DParams]) -> Work:
    """The kernel for windows within the image: halves away from zero.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    pool = _windows(layer)
    if pool.pixels > _MOST:
        raise UnsupportedError(f"{pool.pixels} pixels are more than {_MOST}")
    params = layer.params
    clamp = Finish(0, False, int(params.activation_min), int(params.activation_max))
    count = {"r7": pool.pixels}
    text = _code(pool, _emit_sums, partial(_emit_averages, pool.pixels, clamp), count)
    return _work(layer, pool, "average_pool", text)


def max_pool_2d(layer: Layer[Pool2DParams]) -> Work:
    """The kernel for windows within the image.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    pool, params = _windows(layer), layer.params
    finish = partial(_emit_largest, int(params.activation_min), int(params.activation_max))
    return _work(layer, pool, "max_pool", _code(pool, _emit_maxima, finish, {}))


def mean(layer: Layer[ReductionParams]) -> Work:
    """The kernel for means of all pixels.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    require_types(layer, TensorType.INT8, inputs=1)
    require_elements(layer)
    shape, p = layer.input(0).shape, layer.params
    if len(shape) != 4 or p.axis_mask != 0b0110 or shape[3] < 4:
        raise UnsupportedError("expected means over height and width, and four channels or more")
    pool = _Pool(1, shape[1] * shape[2], 0, shape[3])
    if pool.pixels > _MOST:
        raise UnsupportedError(f"{pool.pixels} pixels are more than {_MOST}")
    one, finish = _mean_constants(p, pool.pixels)
    emit = partial(_emit_means, finish)
    text = _code(pool, _emit_sums, emit, _mean_registers(one))
    return _work(layer, pool, "mean", text)


def _mean_constants(p: ReductionParams, pixels: int) -> tuple[Constants, Finish]:
    """The way from sums of pixels, scaled by 256, to means."""
    multiplier, shift = mean_multiplier(p, pixels)
    channel = Channels(
        multiplier=np.array([multiplier], np.int64),
        shift=np.array([shift], np.int64),
        zero_point=p.output_zero_point,
        least=np.array([pixels * (-128 - p.input_zero_point)], np.int64),
        most=np.array([pixels * (127 - p.input_zero_point)], np.int64),
    )
    if shift > 0:
        raise UnsupportedError("a ratio of scales is above 1")
    how = Requantization(channel)
    one = how.constants(0, 256)
    one = one._replace(bias=one.bias - 256 * p.input_zero_point * pixels)
    return one, Finish(how.k, how.signed, int(p.output_min), int(p.output_max))


def _windows(layer: Layer[Windowed]) -> _Pool:
    require_types(layer, TensorType.INT8)
    require_elements(layer)
    (_, height, width, channels), window = layer.input(0).shape, layer.params.window
    ends = (
        (outputs - 1) * stride + taps
        for outputs, stride, taps in zip(
            window.output_size, window.stride, window.filter_size, strict=True
        )
    )
    if window.padding != (0, 0) or any(map(int.__gt__, ends, (height, width))):
        raise UnsupportedError("windows reach beyond the image")
    if channels < 4:
        raise UnsupportedError("expected at least 4 channels")
    rows, columns = window.filter_size
    if columns == width:
        rows, columns = 1, rows * columns
    return _Pool(rows, columns, width * channels, channels)


def _work(layer: AnyLayer, pool: _Pool, stem: str, text: str) -> Work:
    """The driver goes over windows, the routine over their channels."""
    parameters = ("const int8_t *x", "int8_t *y")
    pixel = Routine(f"{stem}_pixel", parameters, text, language="s", about=f"a pixel of {layer}")
    images, height, width, channels = layer.input(0).shape
    outputs = layer.output.size // (images * channels)
    arguments = (layer.input(0), layer.output)
    if images == outputs == 1:
        return Work(pixel, arguments, in_place=() if channels % 4 else (0,))
    params = layer.params
    window = params.window if isinstance(params, Pool2DParams) and outputs > 1 else None
    text = fill(
        _DRIVER,
        images=images,
        image=height * width * channels,
        out_h=window.output_size[0] if window else 1,
        out_w=window.output_size[1] if window else 1,
        channels=channels,
        row=window.stride[0] * width * channels if window else 0,
        column=window.stride[1] * channels if window else 0,
    )
    return Work(
        Routine(stem, parameters, text, parts=(("pixel", pixel),), about=str(layer)), arguments
    )


# -- code ---------------------------------------------------------------------------------


def _code(
    pool: _Pool, pixel: _Pixel, finish: Callable[[Assembly], None], numbers: Mapping[str, int]
) -> str:
    """All channels of a window, four at a time; the last four may begin with some done before."""
    a = Assembly(**_REGISTERS)
    a("push {r4-r11, lr}")
    for register, number in numbers.items():
        a.put(register, number & 0xFFFFFFFF)
    a.add("last", pool.channels - 4, "x")
    a(".channels:", "mov at, x")
    if pool.rows == 1 and pool.columns > _STRAIGHT:
        _emit_pixel(a, pool, 0, pixel, first=True)
        a(f"movs left, #{pool.columns - 1}", ".pixels:")
        a.add("at", pool.channels)
        _emit_pixel(a, pool, 0, pixel, first=False)
        a("subs left, left, #1", "bne .pixels")
    else:
        for row in range(pool.rows):
            for column in range(pool.columns):
                _emit_pixel(a, pool, column, pixel, first=row == column == 0)
            if row + 1 < pool.rows:
                a.add("at", pool.row)
    finish(a)
    a("cmp x, last", "beq .done", "add x, x, #4", "add y, y, #4")
    if pool.channels % 4:
        over = 4 - pool.channels % 4
        a("cmp x, last", "itt hi", f"subhi x, x, #{over}", f"subhi y, y, #{over}")
    a("b .channels", ".done:", "pop {r4-r11, pc}")
    return a.text()


def _emit_pixel(a: Assembly, pool: _Pool, column: int, pixel: _Pixel, *, first: bool) -> None:
    a(f"ldr word, [at, #{offset(column * pool.channels)}]")
    pixel(a, first)


def _emit_sums(a: Assembly, first: bool) -> None:
    """Sums of channels 0 and 2, and of 1 and 3."""
    if first:
        a("sxtb16 even, word", "sxtb16 odd, word, ror #8")
    else:
        a("sxtab16 even, even, word", "sxtab16 odd, odd, word, ror #8")


def _emit_maxima(a: Assembly, first: bool) -> None:
    a(*(("mov even, word",) if first else ("ssub8 odd, even, word", "sel even, even, word")))


#: Instructions that bring the sum of a channel to a register of its own.
_CHANNEL = ("sxth sum, even", "sxth sum, odd", "asr sum, even, #16", "asr sum, odd, #16")


def _emit_averages(pixels: int, clamp: Finish, a: Assembly) -> None:
    """Each sum divided, halves away from zero."""
    half = pixels // 2
    for channel, sum_ in enumerate(_CHANNEL):
        a(sum_, "cmp sum, #0", "ite lt", f"sublt sum, sum, #{half}", f"addge sum, sum, #{half}")
        a("sdiv sum, sum, r7", *clamp.limit("sum"), f"strb sum, [y, #{channel}]")


def _mean_registers(one: Constants) -> dict[str, int]:
    return {"r7": one.bias, "r9": one.multiplier, "r10": one.addend, "r11": one.step}


def _emit_means(finish: Finish, a: Assembly) -> None:
    """Each sum requantised."""
    for channel, sum_ in enumerate(_CHANNEL):
        a(sum_, "add sum, r7, sum, lsl #8")
        a(*(("and word, r11, sum, asr #31",) if finish.signed else ()), "smmla sum, sum, r9, r10")
        a(*(("sub sum, sum, word",) if finish.signed else ()), *finish.clamp("sum"))
        a(f"strb sum, [y, #{channel}]")


def _emit_largest(low: int, high: int, a: Assembly) -> None:
    for limit, left, right in ((low, "even", "odd"), (high, "odd", "even")):
        if limit in (-128, 127):
            continue
        a(f"mov odd, #0x{(limit & 0xFF) * 0x01010101:08x}", f"ssub8 word, {left}, {right}")
        a("sel even, even, odd")
    a("str even, [y]")
