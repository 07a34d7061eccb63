"""AVERAGE_POOL_2D, MAX_POOL_2D and MEAN over images, four channels in a register or two.

Of windows that reach beyond the image a routine of its own takes what lies in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np

from arenite.c_text import fill, templates
from arenite.firmware.kernels.cortex_m.asm import MAX_OFFSET, Assembly, offset
from arenite.firmware.kernels.cortex_m.exact import Exact
from arenite.firmware.kernels.cortex_m.requantize import Finish, Requantization
from arenite.firmware.kernels.cortex_m.steps import Channels
from arenite.firmware.kernels.cortex_m.sums import How
from arenite.firmware.kernels.portable.needs import require_elements, require_types
from arenite.firmware.kernels.portable.reduction import mean_multiplier
from arenite.firmware.kernels.portable.windows import geometry, sides
from arenite.firmware.network.kernel import Routine, UnsupportedError, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.model import TensorType
from arenite.ops.shared.pooling import Pool2DParams
from arenite.ops.shared.reduction import ReductionParams
from arenite.ops.shared.window import Window

#: Pixels whose sums fit into a halfword.
_MOST = 255
#: Pixels of a window that are read without a loop.
_STRAIGHT = 16
_REGISTERS = {
    **{"x": "r0", "y": "r1", "at": "r2", "left": "r3", "even": "r4", "odd": "r5", "word": "r6"},
    **{"sum": "r8", "last": "r12"},
    # Of parts of windows; a sum is needed when rows are done.
    **{"rows": "r9", "columns": "r10", "row": "r8", "between": "lr"},
}

_PARAMETERS = ("const int8_t *x", "int8_t *y")

_C = templates(__name__)

#: What is emitted for a word of four channels in ``word``: the first of a window or another one.
_Pixel = Callable[[Assembly, bool], None]
#: A routine's text, of a pool.
_Code = Callable[["_Pool"], str]


@dataclass(frozen=True)
class _Pool:
    """Windows of an image of so many channels, ``row`` bytes a row.

    ``clipped`` says whether a part of a window may be asked for, with its rows and columns.
    """

    rows: int
    columns: int
    row: int
    channels: int
    clipped: bool = False

    @property
    def is_near(self) -> bool:
        """Whether one load reaches the last pixel of a row from its first."""
        return (self.columns - 1) * self.channels <= MAX_OFFSET

    @property
    def pixels(self) -> int:
        """The number of pixels in a window."""
        return self.rows * self.columns


def average_pool_2d(layer: Layer[Pool2DParams]) -> Work:
    """The kernel for means of windows: halves away from zero."""
    pool, params = _windows(layer), layer.params
    if pool.pixels > _MOST:
        raise UnsupportedError(f"{pool.pixels} pixels are more than {_MOST}")
    clamp = Finish(0, "rising", int(params.activation_min), int(params.activation_max))

    def code(pool: _Pool) -> str:
        half = "r11" if pool.clipped else f"#{pool.pixels // 2}"
        numbers = {} if pool.clipped else {"r7": pool.pixels}
        return _code(pool, _emit_sums, partial(_emit_averages, half, clamp), numbers)

    return _pooled(layer, pool, "average_pool", code)


def max_pool_2d(layer: Layer[Pool2DParams]) -> Work:
    """The kernel for the largest of windows."""
    pool, params = _windows(layer), layer.params
    finish = partial(_emit_largest, int(params.activation_min), int(params.activation_max))
    return _pooled(layer, pool, "max_pool", lambda pool: _code(pool, _emit_maxima, finish, {}))


def mean(layer: Layer[ReductionParams]) -> Work:
    """The kernel for means of all pixels."""
    require_types(layer, TensorType.INT8, inputs=1)
    require_elements(layer)
    shape, p = layer.input(0).shape, layer.params
    if len(shape) != 4 or p.axis_mask != 0b0110 or shape[3] < 4:
        raise UnsupportedError("expected means over height and width, and four channels or more")
    pool = _Pool(1, shape[1] * shape[2], 0, shape[3])
    if pool.pixels > _MOST:
        raise UnsupportedError(f"{pool.pixels} pixels are more than {_MOST}")
    constants, finish = _mean_constants(p, pool.pixels)
    numbers = dict(zip(_MEAN, constants, strict=False))
    emit = partial(_emit_means, finish)
    return _work(layer, pool, "mean", lambda pool: _code(pool, _emit_sums, emit, numbers), None)


def _mean_constants(p: ReductionParams, pixels: int) -> tuple[list[int], Finish]:
    """The way from sums of pixels, scaled by 256, to means."""
    multiplier, shift = mean_multiplier(p, pixels)
    channel = Channels(
        multiplier=np.array([multiplier], np.int64),
        shift=np.array([shift], np.int64),
        zero_point=p.output_zero_point,
        least=np.array([pixels * (-128 - p.input_zero_point)], np.int64),
        most=np.array([pixels * (127 - p.input_zero_point)], np.int64),
    )
    how, bias, constants = _constants_of(channel)
    bias -= 256 * p.input_zero_point * pixels
    return [bias, *constants], Finish(how.k, how.form, int(p.output_min), int(p.output_max))


def _constants_of(channel: Channels) -> tuple[How, int, list[int]]:
    if int(channel.shift[0]) <= 0:
        with suppress(UnsupportedError):
            how = Requantization(channel)
            return how, *how.stored(0, 256)
    exact = Exact(channel)
    return exact, *exact.stored(0, 256)


def _windows(layer: Layer[Pool2DParams]) -> _Pool:
    require_types(layer, TensorType.INT8)
    require_elements(layer)
    _, _, width, channels = layer.input(0).shape
    if channels < 4:
        raise UnsupportedError("expected at least 4 channels")
    rows, columns = layer.params.window.filter_size
    if columns == width:
        rows, columns = 1, rows * columns
    return _Pool(rows, columns, width * channels, channels)


def _work(layer: AnyLayer, pool: _Pool, stem: str, code: _Code, window: Window | None) -> Work:
    """The driver goes over windows, the routine over their channels."""
    pixel = _pixel(layer, stem, code(pool))
    images, height, width, channels = layer.input(0).shape
    outputs = layer.output.size // (images * channels)
    arguments = (layer.input(0), layer.output)
    if images == outputs == 1:
        return Work(pixel, arguments, in_place=() if channels % 4 else (0,))
    window = window if outputs > 1 else None
    text = fill(
        _C["driver"],
        images=images,
        image=height * width * channels,
        out_h=window.output_size[0] if window else 1,
        out_w=window.output_size[1] if window else 1,
        channels=channels,
        row=window.stride[0] * width * channels if window else 0,
        column=window.stride[1] * channels if window else 0,
    )
    return Work(
        Routine(stem, _PARAMETERS, text, parts=(("pixel", pixel),), about=str(layer)), arguments
    )


def _pooled(layer: Layer[Pool2DParams], pool: _Pool, stem: str, code: _Code) -> Work:
    """Of windows beyond the image the driver gives whole ones to one routine, parts to another."""
    if all(side.is_inside for side in sides(layer)):
        return _work(layer, pool, stem, code, layer.params.window)
    shape = geometry(layer)
    rows, columns = layer.params.window.filter_size
    edge = _Pool(rows, columns, pool.row, pool.channels, clipped=True)
    part = Routine(
        f"{stem}_edge",
        (*_PARAMETERS, "int32_t rows", "int32_t columns"),
        code(edge),
        language="s",
        about=f"part of a window of {layer}",
    )
    parts = (("pixel", _pixel(layer, stem, code(pool))), ("edge", part))
    text = fill(_C["clipped"], **shape)
    routine = Routine(stem, _PARAMETERS, text, parts=parts, about=str(layer))
    return Work(routine, (layer.input(0), layer.output))


def _pixel(layer: AnyLayer, stem: str, text: str) -> Routine:
    return Routine(f"{stem}_pixel", _PARAMETERS, text, language="s", about=f"a pixel of {layer}")


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
    if pool.clipped:
        _emit_counts(a, pool)
    a(".channels:", "mov at, x")
    if pool.clipped:
        _emit_part(a, pool, pixel)
    elif pool.rows == 1 and (pool.columns > _STRAIGHT or not pool.is_near):
        _emit_pixel(a, pool, 0, pixel, first=True)
        a(f"movs left, #{pool.columns - 1}", ".pixels:")
        a.add("at", pool.channels)
        _emit_pixel(a, pool, 0, pixel, first=False)
        a("subs left, left, #1", "bne .pixels")
    else:
        step = 0 if pool.is_near else pool.channels
        for row in range(pool.rows):
            for column in range(pool.columns):
                a.add("at", step if column else 0)
                place = 0 if step else column
                _emit_pixel(a, pool, place, pixel, first=row == column == 0)
            if row + 1 < pool.rows:
                a.add("at", pool.row - (pool.columns - 1) * step)
    finish(a)
    a("cmp x, last", "beq .done", "add x, x, #4", "add y, y, #4")
    if pool.channels % 4:
        over = 4 - pool.channels % 4
        a("cmp x, last", "itt hi", f"subhi x, x, #{over}", f"subhi y, y, #{over}")
    a("b .channels", ".done:", "pop {r4-r11, pc}")
    return a.text()


def _emit_counts(a: Assembly, pool: _Pool) -> None:
    """Count the part of a window inside the image: rows, columns, pixels, half of them, bytes."""
    a("mov rows, r2", "mov columns, r3", "mul r7, r2, r3", "lsr r11, r7, #1")
    a.put("r4", pool.channels)
    a.put("between", pool.row)
    a("mls between, r4, columns, between")


def _emit_part(a: Assembly, pool: _Pool, pixel: _Pixel) -> None:
    """A part of a window; its first pixel is among the largest twice."""
    a(*(("movs even, #0", "movs odd, #0") if pixel is _emit_sums else ("ldr even, [at]",)))
    a("mov row, rows", ".rows:", "mov left, columns", ".pixels:")
    _emit_pixel(a, pool, 0, pixel, first=False)
    a.add("at", pool.channels)
    a("subs left, left, #1", "bne .pixels", "add at, at, between")
    a("subs row, row, #1", "bne .rows")


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


def _emit_averages(half: str, clamp: Finish, a: Assembly) -> None:
    """Each sum divided by r7, halves away from zero."""
    for channel, sum_ in enumerate(_CHANNEL):
        a(sum_, "cmp sum, #0", "ite lt", f"sublt sum, sum, {half}", f"addge sum, sum, {half}")
        a("sdiv sum, sum, r7", *clamp.limit("sum"), f"strb sum, [y, #{channel}]")


#: Registers for what is added to a sum, and for the constants of its requantisation.
_MEAN = ("r7", "r9", "r10", "r11", "lr")


def _emit_means(finish: Finish, a: Assembly) -> None:
    """Each sum requantised."""
    for channel, sum_ in enumerate(_CHANNEL):
        a(sum_, "add sum, r7, sum, lsl #8")
        a(*finish.requantize("sum", _MEAN[1 : 1 + finish.words], "word"), *finish.clamp("sum"))
        a(f"strb sum, [y, #{channel}]")


def _emit_largest(low: int, high: int, a: Assembly) -> None:
    for limit, left, right in ((low, "even", "odd"), (high, "odd", "even")):
        if limit in (-128, 127):
            continue
        a(f"mov odd, #0x{(limit & 0xFF) * 0x01010101:08x}", f"ssub8 word, {left}, {right}")
        a("sel even, even, odd")
    a("str even, [y]")
