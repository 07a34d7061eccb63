"""ADD and SUB of tensors of one shape: ``ssat8((C + x1 * M1 + x2 * M2) >> k)``.

All 65,536 pairs of inputs are looked at when the constants are chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from arenite.firmware.kernels.cortex_m.asm import Assembly
from arenite.firmware.kernels.cortex_m.requantize import Finish
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.needs import elements_of_one_shape, require_types
from arenite.firmware.network.kernel import Arrays, Constant, UnsupportedError, Work
from arenite.firmware.network.layers import Layer
from arenite.model import TensorType
from arenite.ops.shared.add_sub import AddSubParams, add_sub_quantized

#: How far multipliers may be from the nearest ones.
_NEAR = sorted(range(-6, 7), key=abs)


class Sum(NamedTuple):
    """The constants: multipliers, what is added, the shift."""

    first: int
    second: int
    addend: int
    k: int


def add_sub(layer: Layer[AddSubParams]) -> Work:
    """The kernel for two tensors of as many elements."""
    require_types(layer, TensorType.INT8)
    size = elements_of_one_shape(layer)
    found, params = fit(layer.params), layer.params
    numbers = np.array([number & 0xFFFFFFFF for number in found[:3]], np.uint32)
    clamp = Finish(found.k, "rising", int(params.activation_min), int(params.activation_max))
    arrays: Arrays = {"a": layer.input(0), "b": layer.input(1)}
    arrays["constants"] = Constant("stream", numbers)
    text = code(size, clamp)
    return work_of(layer, text, arrays, stem="add", language="s", in_place=(0, 1))


def fit(params: AddSubParams) -> Sum:
    """Constants that give TFLM's output for every pair of inputs, clamped to int8 only."""
    params = replace(params, activation_min=-128, activation_max=127)
    a, b = (x.astype(np.int64) for x in np.mgrid[-128:128, -128:128])
    wanted = add_sub_quantized(params, a, b)
    for k, first, second in _candidates(params):
        products = a * first + b * second
        low = np.where(wanted > -128, (wanted << k) - products, -(1 << 40)).max()
        high = np.where(wanted < 127, (wanted + 1 << k) - products, 1 << 40).min()
        if low < high:
            addend = int((low + high - 1) // 2)
            if np.abs(products + addend).max() < 1 << 31:
                return Sum(first, second, addend, k)
    raise UnsupportedError("no multipliers give the sums of all pairs of inputs")


def _candidates(params: AddSubParams) -> Iterator[tuple[int, int, int]]:
    """A shift, and multipliers by their distance from the exact ones."""
    last = params.output_multiplier * 2.0 ** (params.output_shift - 31 + params.left_shift)
    first = params.input1_multiplier * 2.0 ** (params.input1_shift - 31) * last
    second = params.sign * params.input2_multiplier * 2.0 ** (params.input2_shift - 31) * last
    zero = params.input1_offset * first + params.input2_offset * second + params.output_offset
    reach = 128 * (abs(first) + abs(second)) + abs(zero) + 2
    k = min(int(np.floor(np.log2(2**31 / reach))), 23)
    if k < 8:
        raise UnsupportedError("a ratio of scales is too large")
    for near_1 in _NEAR:
        for near_2 in _NEAR:
            yield k, round(first * 2**k) + near_1, round(second * 2**k) + near_2


def code(size: int, finish: Finish) -> str:
    """Four values at a time, and up to three alone."""
    a = Assembly(a="r0", b="r1", y="r2", first="r9", second="r10", addend="r11", end="r12")
    a("push {r4-r11, lr}", "ldm r2, {first, second, addend}", "mov y, r3")
    if size >= 4:
        a.add("end", size // 4 * 4, "y")
        _emit_four(a, finish)
    for _ in range(size % 4):
        a("ldrsb r3, [a], #1", "ldrsb r4, [b], #1", "mla r8, r3, first, addend")
        a("mla r8, r4, second, r8", *finish.clamp("r8"), "strb r8, [y], #1")
    a("pop {r4-r11, pc}")
    return a.text()


def _emit_four(a: Assembly, finish: Finish) -> None:
    a(".values:", "ldr r3, [a], #4", "ldr r4, [b], #4")
    for value, sum_ in enumerate(("r5", "r6", "r7")):
        rotated = f", ror #{8 * value}" if value else ""
        a(f"sxtb {sum_}, r3{rotated}", f"sxtb lr, r4{rotated}")
        a(f"mla {sum_}, {sum_}, first, addend", f"mla {sum_}, lr, second, {sum_}")
    a("asr r3, r3, #24", "asr r4, r4, #24", "mla r8, r3, first, addend", "mla r8, r4, second, r8")
    for value in range(4):
        a(*finish.clamp(f"r{5 + value}"), f"strb r{5 + value}, [y, #{value}]")
    a("add y, y, #4", "cmp y, end", "bne .values")
