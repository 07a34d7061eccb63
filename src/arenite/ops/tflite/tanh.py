"""TANH: the hyperbolic tangent.

Facts: TFLM ``micro/kernels/tanh.cc``, ``reference/tanh.h`` and
``reference/integer_ops/tanh.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.memory.abi import Struct
from arenite.model.types import INT8, INT16
from arenite.numeric import lut
from arenite.ops import BETWEEN_ONES, Context, Node, Registration, Scheme, Traits, row_by_row
from arenite.ops import kernel_util as util
from arenite.ops.shared.cases import unary_cases
from arenite.ops.shared.overlap import element_by_element
from arenite.ops.shared.sigmoid import CONSTRAINTS, SigmoidParams, int8_params, int16_params
from arenite.ops.traits import Saturation


def prepare(context: Context, node: Node) -> SigmoidParams:
    """Input scaling; for int8 the results for all 256 inputs."""
    # TFLM asks for the input twice, which shows in the temporary memory.
    util.input_tensor(context, node, 0)
    inp, _ = util.like_input(context, node)
    if inp.type is INT8:
        return int8_params(context, inp, "tanh")
    if inp.type is INT16:
        return int16_params(context, inp, (0, 1))
    return SigmoidParams()


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    params: SigmoidParams = node.params
    x, out = util.input_array(context, node, 0), util.output_array(context, node)
    if x.dtype == np.float32:
        np.tanh(x, out=out)
    elif x.dtype == np.int16:
        out[...] = lut.tanh_int16(x, params.input_multiplier, params.input_left_shift)
    else:
        lut.take_int8(params.table, x, out)


REGISTRATION = Registration(
    init=util.allocate_struct(Struct("OpData", ("int32", "int32", "int32", "int"))),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    rows=row_by_row,
    constraints=CONSTRAINTS,
)

TRAITS = Traits(
    saturation=Saturation(-6.0, 6.0),
    values="function",
    channels="same",
    elementwise=True,
    fixed_output=True,
    compiled="Vela's table is finer than TFLM's kernel: some values differ by a step, few by more",
)

SCHEME = Scheme(fixed=BETWEEN_ONES)

CASES = unary_cases("TANH", output=(1 / 128, 0))
