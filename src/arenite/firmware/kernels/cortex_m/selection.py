"""MAXIMUM and MINIMUM of tensors of one shape, or of one and a value, four values at a time."""

from __future__ import annotations

from arenite.firmware.kernels.cortex_m.asm import Assembly
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.needs import elements_of_one_shape, require_types
from arenite.firmware.network.kernel import Work
from arenite.firmware.network.layers import AnyLayer
from arenite.model import TensorType


def selection(layer: AnyLayer) -> Work:
    """The kernel for two tensors of as many elements, or of which one has a single element."""
    require_types(layer, TensorType.INT8)
    inputs = [layer.input(0), layer.input(1)]
    is_value = min(one.size for one in inputs) == 1 and layer.output.size > 1
    if is_value:
        inputs.sort(key=lambda one: -one.size)
    size = inputs[0].size if is_value else elements_of_one_shape(layer)
    text = _code(size, layer.name == "MAXIMUM", is_value=is_value)
    places = tuple(i for i in (0, 1) if layer.input(i).size == size)
    arrays = dict(zip("ab", inputs, strict=True))
    return work_of(layer, text, arrays, language="s", in_place=places)


def _code(size: int, is_largest: bool, *, is_value: bool) -> str:
    """Four bytes are compared at once; up to three are left."""
    a = Assembly(a="r0", b="r1", y="r2", end="r12")
    # SSUB8 notes of each byte whether the difference is negative, SEL takes by that.
    first, second = ("r3", "r4") if is_largest else ("r4", "r3")
    a("push {r4, lr}")
    if is_value:  # four times in a register, and there it stays
        a("ldrb r4, [b]", "orr r4, r4, r4, lsl #8", "orr b, r4, r4, lsl #16")
    word, byte = (("mov r4, b",) * 2) if is_value else ("ldr r4, [b], #4", "ldrsb r4, [b], #1")
    if size >= 4:
        a.add("end", size // 4 * 4, "a")
        a(".values:", "ldr r3, [a], #4", word, "ssub8 lr, r3, r4")
        a(f"sel r3, {first}, {second}", "str r3, [y], #4", "cmp a, end", "bne .values")
    for _ in range(size % 4):
        a("ldrsb r3, [a], #1", byte, "ssub8 lr, r3, r4")
        a(f"sel r3, {first}, {second}", "strb r3, [y], #1")
    a("pop {r4, pc}")
    return a.text()
