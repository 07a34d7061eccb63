"""SVDF: TFLM ``micro/kernels/cmsis_nn/svdf.cc``.

Built with ``KERNELS_OPTIMIZED_FOR_SPEED``, TFLM's default. Integers are computed as ``arm_svdf_s8``
and ``arm_svdf_state_s16_s8`` do (``Source/SVDFunctions``), which differ from the reference:

- TFLM's glue passes the range of int16 as that of the state, int8 states included. A filter's
  result that an int8 state does not hold wraps; the reference saturates it.
- The state's zero point plays no part. The reference adds it to results and takes it away
  again, and a reset state is full of it.
- With vectors, TFLM's glue lets ``arm_vector_sum_s8`` take the zero point of an int8 state for that
  of the feature weights: times the input's it is in the sum of every filter.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.libraries.cmsis_nn.decisions.svdf import decide
from arenite.libraries.glue import Glue, OwnBits
from arenite.libraries.path import Path
from arenite.memory.abi import Struct
from arenite.ops import Context, Node, NodeView
from arenite.ops.kernel_util import input_tensor, output_tensor
from arenite.ops.tflite.svdf import SvdfParams

OP_DATA = Struct("CmsisNnOpDataSvdf", ("int32", "int32", *("int",) * 7, "pointer"))


def allocate(context: Context, node: Node, path: Path) -> None:
    """All tensors; sums of the feature weights where vectors need them."""
    tensors = [input_tensor(context, node, index) for index in range(5)]
    output_tensor(context, node)
    for sums in path.persistent:
        if not tensors[1].is_constant:
            context.report_error("with CMSIS-NN and vectors the feature weights are a constant")
        context.reserve_persistent_buffer(sums.size, sums.purpose)


def own(view: NodeView, params: SvdfParams, path: Path) -> SvdfParams:
    """The range of int16 for every state, and no zero point."""
    if not path.is_library:
        return params
    added = 0
    if path.function == "arm_svdf_s8" and path.persistent:
        added = view.input(0).shape[1] * params.input_zero_point * params.state_zero_point
    return replace(
        params,
        state_zero_point=0,
        state_min=-(1 << 15),
        state_max=(1 << 15) - 1,
        filter_bias=(added + (1 << 31)) % (1 << 32) - (1 << 31),
    )


GLUE = Glue(decide, op_data=OP_DATA, allocate=allocate, bits=OwnBits(SvdfParams, own))
