"""ADD and SUB of tensors of one shape, four values at once.

A value is ``ssat8((C + x1 * M1 + x2 * M2) >> k)``.

The constants are those of :mod:`arenite.firmware.kernels.cortex_m.addition`.
"""

from __future__ import annotations

from arenite.c_text import fill, templates
from arenite.firmware.kernels.cortex_m.addition import fit
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.needs import elements_of_one_shape, require_types
from arenite.firmware.network.kernel import Arrays, Work
from arenite.firmware.network.layers import Layer
from arenite.model import TensorType
from arenite.ops.shared.add_sub import AddSubParams

_C = templates(__name__)


def add_sub(layer: Layer[AddSubParams]) -> Work:
    """The kernel for two tensors of as many elements."""
    require_types(layer, TensorType.INT8)
    size, params = elements_of_one_shape(layer), layer.params
    found = fit(params)
    text = fill(
        _C["values"],
        size=size,
        first=found.first,
        second=found.second,
        addend=found.addend,
        k=found.k,
        low=int(params.activation_min),
        high=int(params.activation_max),
    )
    arrays: Arrays = {"a": layer.input(0), "b": layer.input(1)}
    return work_of(layer, text, arrays, stem="vector_add", in_place=(0, 1))
