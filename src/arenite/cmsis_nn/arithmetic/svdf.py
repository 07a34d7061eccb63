"""SVDF as CMSIS-NN computes it, which differs from TFLM's reference in two corners.

- TFLM's glue passes the range of int16 as that of the state, int8 states included. A filter's
  result that an int8 state does not hold wraps; the reference saturates it.
- The state's zero point plays no part. The reference adds it to results and takes it away
  again, and a reset state is full of it. (With vectors the sums of weights of ``arm_svdf_s8``
  contain it, where it has no place; that is not modelled.)

States of converters have a zero point of 0 and a scale that results fit into, and all is the
same. A ``cmsis_nn`` target computes what the reference does; these functions say what a device
gives. Facts: CMSIS-NN ``Source/SVDFunctions/arm_svdf_s8.c``, ``arm_svdf_state_s16_s8.c``; TFLM
``micro/kernels/cmsis_nn/svdf.cc``.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from arenite.cmsis_nn.arithmetic.support import Int8Array, arm_nn_requantize
from arenite.numeric.fixedpoint import wrap_int32
from arenite.ops.context import Array
from arenite.ops.tflite.svdf import SvdfParams


def arm_svdf_s8(
    params: SvdfParams, x: Int8Array, feature: Int8Array, time: Array, bias: Array, *, state: Array
) -> Int8Array:
    """One step: ``state`` moves on by one and takes the newest results.

    Args:
        params: The reference's parameters.
        x: Inputs ``(batches, inputs)``.
        feature: Weights ``(filters, inputs)``.
        time: Weights ``(filters, memory)``, of the state's type.
        bias: int32, one per unit.
        state: ``(batches, filters * memory)``, int8; int16 for ``arm_svdf_state_s16_s8``.

    Returns:
        Outputs ``(batches, units)``.
    """
    history = state.reshape(params.batches, params.filters, params.memory)
    history[..., :-1] = history[..., 1:]
    centred = x.astype(np.int64) - params.input_zero_point
    dots = wrap_int32(centred @ feature.T.astype(np.int64))
    newest = arm_nn_requantize(dots, params.feature_multiplier, params.feature_shift, Counter())
    history[..., -1] = np.clip(newest, -(1 << 15), (1 << 15) - 1).astype(state.dtype)

    filtered = (history.astype(np.int64) * time).sum(axis=2)
    units = filtered.reshape(params.batches, -1, params.rank).sum(axis=2)
    sums = wrap_int32(units + bias[: units.shape[1]])
    scaled = arm_nn_requantize(sums, params.time_multiplier, params.time_shift, Counter())
    out: Int8Array = np.clip(scaled.astype(np.int64) + params.output_zero_point, -128, 127).astype(
        np.int8
    )
    return out


#: The same with a state of int16.
arm_svdf_state_s16_s8 = arm_svdf_s8
