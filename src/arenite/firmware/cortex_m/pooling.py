"""AVERAGE_POOL_2D over whole images: sums of four channels in two registers."""

from __future__ import annotations

from arenite.firmware.cortex_m.asm import Assembly
from arenite.firmware.layers import Layer
from arenite.firmware.portable.needs import require_elements, require_types
from arenite.firmware.work import Routine, UnsupportedError, Work
from arenite.model import TensorType

#: Pixels whose sums fit into a halfword.
_MOST = 255


def average_pool_2d(layer: Layer) -> Work:
    """The kernel for a window that is the image.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    require_types(layer, TensorType.INT8)
    require_elements(layer)
    images, height, width, channels = layer.input(0).shape
    window, params = layer.params.window, layer.params
    if window.output_size != (1, 1) or window.padding != (0, 0) or images != 1:
        raise UnsupportedError("the window is not one whole image")
    if window.filter_size != (height, width) or height * width > _MOST or channels % 4:
        raise UnsupportedError(f"expected at most {_MOST} pixels, and channels a multiple of 4")
    if (params.activation_min, params.activation_max) != (-128, 127):
        raise UnsupportedError("outputs are clamped to less than int8")
    routine = Routine(
        "average_pool",
        ("const int8_t *x", "int8_t *y"),
        code(height * width, channels),
        language="s",
        about=str(layer),
    )
    return Work(routine, (layer.input(0), layer.output), in_place=(0,))


def code(pixels: int, channels: int) -> str:
    """Sums of four channels, then each divided, halves away from zero."""
    a = Assembly(x="r0", y="r1", at="r2", left="r3", even="r4", odd="r5", word="r6", count="r7")
    a("push {r4-r11, lr}")
    a.put("count", pixels)
    a.put("r12", channels // 4)
    a(".channels:", "mov at, x", "mov left, count", "movs even, #0", "movs odd, #0")
    a(".pixels:", "ldr word, [at]")
    a.add("at", channels)
    a("sxtab16 even, even, word", "sxtab16 odd, odd, word, ror #8")
    a("subs left, left, #1", "bne .pixels")
    sums = ("sxth r8, even", "sxth r8, odd", "asr r8, even, #16", "asr r8, odd, #16")
    for channel, sum_ in enumerate(sums):
        # The upper half of a register has lost 1 to a lower half under 0.
        a(sum_)
        a("cmp r8, #0", "ite lt", f"sublt r8, r8, #{pixels // 2}", f"addge r8, r8, #{pixels // 2}")
        a("sdiv r8, r8, count", f"strb r8, [y, #{channel}]")
    a("add x, x, #4", "add y, y, #4", "subs r12, r12, #1", "bne .channels", "pop {r4-r11, pc}")
    return a.text()
