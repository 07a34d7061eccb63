"""ADD and SUB of tensors of one shape, four values at once.

A value is ``ssat8((C + x1 * M1 + x2 * M2) >> k)``.

The constants are those of :mod:`arenite.firmware.kernels.cortex_m.addition`.
"""

from __future__ import annotations

from arenite.firmware.c_text import fill
from arenite.firmware.kernels.cortex_m.addition import fit
from arenite.firmware.kernels.portable.elementwise_loop import argument
from arenite.firmware.kernels.portable.needs import require_elements, require_types
from arenite.firmware.plan.kernel import Routine, UnsupportedError, Work
from arenite.firmware.plan.layers import Layer
from arenite.model import TensorType

_VALUES = """\
for (int32_t i = 0; i < $size; i += 4) {
  const mve_pred16_t some = vctp32q((uint32_t)($size - i));
  int32x4_t sum = vmulq_n_s32(vldrbq_z_s32(a + i, some), $first);
  sum = vaddq_n_s32(vmlaq_n_s32(sum, vldrbq_z_s32(b + i, some), $second), $addend);
  sum = vmaxq_s32(vminq_s32(vshrq_n_s32(sum, $k), vdupq_n_s32($high)), vdupq_n_s32($low));
  vstrbq_p_s32(y + i, sum, some);
}"""


def add_sub(layer: Layer) -> Work:
    """The kernel for two tensors of as many elements.

    Raises:
        UnsupportedError: A precondition does not hold; says which.
    """
    require_types(layer, TensorType.INT8)
    require_elements(layer)
    size, params = layer.output.size, layer.params
    if {layer.input(0).size, layer.input(1).size} != {size}:
        raise UnsupportedError("expected tensors of one shape")
    found = fit(params)
    text = fill(
        _VALUES,
        size=size,
        first=found.first,
        second=found.second,
        addend=found.addend,
        k=found.k,
        low=int(params.activation_min),
        high=int(params.activation_max),
    )
    routine = Routine(
        "vector_add",
        ("const int8_t *a", "const int8_t *b", "int8_t *y"),
        text,
        about=str(layer),
    )
    arguments = (argument(layer.input(0)), argument(layer.input(1)), layer.output)
    return Work(routine, arguments, in_place=(0, 1))
