"""FULLY_CONNECTED: TFLM ``micro/kernels/cmsis_nn/fully_connected.cc``.

Built with ``KERNELS_OPTIMIZED_FOR_SPEED``, TFLM's default. Where weights have a zero point, a
layer that runs as a convolution, one with int4 weights and one of int16 take none
(``arm_convolve_1x1_s8_fast.c``, ``arm_fully_connected_s4.c``, ``arm_fully_connected_s16.c``). One
with a scale per unit takes the first unit's, where the reference takes none
(``arm_fully_connected_per_channel_s8.c``), and with vectors multipliers of other units as well:
``arm_nn_vec_mat_mult_t_per_ch_s8.c`` goes on by one of them after four units.
int16 is always summed in 64 bits. A bias of int32 beside int16 is read as one of int64, behind its
end: there the reference's results are computed, with a warning.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arenite.libraries.cmsis_nn.decisions.fully_connected import decide
from arenite.libraries.cmsis_nn.decisions.undefined import undefined_fully_connected
from arenite.libraries.cmsis_nn.operators._constraints import int16_is_symmetric
from arenite.libraries.cmsis_nn.operators._narrow import INT8_PRODUCT, narrow
from arenite.libraries.glue import Glue, OwnBits
from arenite.libraries.path import Path
from arenite.memory.abi import Struct
from arenite.model.types import FLOAT32, INT16
from arenite.ops import Array, Context, Node, NodeView
from arenite.ops import kernel_util as util
from arenite.ops.tflite.fully_connected import OP_DATA as REFERENCE_OP_DATA
from arenite.ops.tflite.fully_connected import FullyConnectedParams, is_per_channel

#: Functions that do not subtract the one zero point of all weights.
_WITHOUT_ZERO_POINT = (
    *("arm_convolve_1x1_s8_fast", "arm_fully_connected_s4"),
    "arm_fully_connected_s16",
)
OP_DATA = Struct(
    "OpData",
    (REFERENCE_OP_DATA, "int", "int", "pointer", "int32", "int32", "int32"),
    key="cmsis_nn.FULLY_CONNECTED",
)


def allocate(context: Context, node: Node, path: Path) -> None:
    """Tensors; per-channel requantisation; sums of constant weights where vectors need them."""
    inp = util.input_tensor(context, node, 0)
    weights = util.input_tensor(context, node, 1)
    util.optional_input_tensor(context, node, 2)
    util.output_tensor(context, node)
    if inp.type is not FLOAT32 and is_per_channel(weights):
        assert weights.quantization is not None
        size = 4 * len(weights.quantization.scale)
        context.reserve_persistent_buffer(size, "per-channel multipliers")
        context.reserve_persistent_buffer(size, "per-channel shifts")
    elif path.function in _WITHOUT_ZERO_POINT:
        util.warn_of_zero_points(context, weights)
    for sums in path.persistent:
        context.reserve_persistent_buffer(sums.size, sums.purpose)


def own(view: NodeView, params: FullyConnectedParams, path: Path) -> FullyConnectedParams:
    """The zero point that weights have for the function."""
    if path.function == "arm_fully_connected_s16":
        bias = view.inputs[2] if len(view.inputs) > 2 else None
        largest = view.input(1).shape[-1] * INT8_PRODUCT
        shift = narrow(params.multiplier, params.shift, largest, bias)
        return replace(params, filter_offset=0, accumulates_64_bits=True, shift=shift)
    if path.function in _WITHOUT_ZERO_POINT:
        return replace(params, filter_offset=0)
    quantization = view.input(1).quantization
    if path.function != "arm_fully_connected_per_channel_s8" or quantization is None:
        return params
    offset = -int(quantization.zero_point[0])
    if offset and (path.persistent or path.scratch):
        units = _units_of_multipliers(len(params.multiplier))
        params = replace(params, multiplier=params.multiplier[units], shift=params.shift[units])
    return replace(params, filter_offset=offset)


def _units_of_multipliers(units: int) -> Array:
    """Indices of the units' multipliers: one for four units, then one each, from the first on."""
    fours = units // 4
    return np.concatenate([np.repeat(np.arange(fours), 4), fours + np.arange(units % 4)])


def per_channel_is_int8(node: NodeView) -> bool:
    """With CMSIS-NN only int8 activations may have weights with a scale per unit."""
    type_ = node.input(0).type
    return type_ is not INT16 or not is_per_channel(node.input(1))


GLUE = Glue(
    decide,
    op_data=OP_DATA,
    allocate=allocate,
    constraints=(per_channel_is_int8, int16_is_symmetric),
    bits=OwnBits(FullyConnectedParams, own),
    undefined=undefined_fully_connected,
)
