"""LOGISTIC: ``1 / (1 + exp(-x))``.

Facts: TFLM ``micro/kernels/logistic.cc``, ``logistic_common.cc``, ``reference/logistic.h``
and ``reference/integer_ops/logistic.h``.
"""

from __future__ import annotations

import numpy as np

from arenite.model.types import INT8, INT16
from arenite.numeric import lut
from arenite.ops import Array, Context, Node, NodeView, Registration, Struct, Traits, row_by_row
from arenite.ops import kernel_util as util
from arenite.ops.scheme import UNIT_INTERVAL, Scheme
from arenite.ops.shared.cases import unary_cases
from arenite.ops.shared.overlap import element_by_element
from arenite.ops.shared.sigmoid import CONSTRAINTS, SigmoidParams, int8_params, int16_params
from arenite.ops.traits import Saturation


def int8_zero_point(node: NodeView) -> bool:
    """An int8 output has the zero point -128."""
    return node.input(0).type is not INT8 or node.output(0).zero_point == -128


def prepare(context: Context, node: Node) -> SigmoidParams:
    """Input scaling; for int8 the results for all 256 inputs."""
    inp, _ = util.like_input(context, node)
    if inp.type is INT8:
        return int8_params(context, inp, "logistic")
    if inp.type is INT16:
        return int16_params(context, inp, (0,))
    return SigmoidParams()


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    params: SigmoidParams = node.params
    x, out = util.input_array(context, node, 0), util.output_array(context, node)
    if x.dtype == np.float32:
        logistic_float(x, out)
    elif x.dtype == np.int16:
        out[...] = lut.logistic_int16(x, params.input_multiplier, params.input_left_shift)
    else:
        lut.take_int8(params.table, x, out)


def logistic_float(x: Array, out: Array) -> None:
    """In float32; under -9 it is ``exp(x)``, which overflows nowhere."""
    with np.errstate(all="ignore"):
        out[...] = np.where(x < -9, np.exp(x), 1 / (1 + np.exp(-x)))


REGISTRATION = Registration(
    init=util.allocate_struct(Struct("OpDataLogistic", ("int32", "int32", "int32", "int"))),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    rows=row_by_row,
    constraints=(*CONSTRAINTS, int8_zero_point),
)

TRAITS = Traits(
    saturation=Saturation(-12.0, 12.0),
    values="function",
    channels="same",
    elementwise=True,
    fixed_output=True,
    compiled="Vela's table is finer than TFLM's kernel: some values differ by a step, few by more",
)

SCHEME = Scheme(fixed=UNIT_INTERVAL)

CASES = unary_cases("LOGISTIC", output=(1 / 256, -128))
