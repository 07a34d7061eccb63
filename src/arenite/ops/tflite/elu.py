"""ELU: ``x`` where it is positive, ``exp(x) - 1`` elsewhere.

Facts: TFLM ``micro/kernels/elu.cc`` and ``reference/elu.h``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from arenite.memory.abi import Struct
from arenite.model.types import FLOAT32, INT8
from arenite.numeric import lut
from arenite.ops import COMPUTES_INT8, Array, Context, Node, Registration, Traits, row_by_row
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.shared.byte_tables import table_of
from arenite.ops.shared.overlap import element_by_element


@dataclass(frozen=True)
class EluParams:
    """For int8 the results for all inputs; empty for float32."""

    table: Array = field(default_factory=lut.no_table)


def prepare(context: Context, node: Node) -> EluParams:
    """The output's shape; the table for int8."""
    inp, output = util.like_input(context, node)
    if inp.type is FLOAT32:
        return EluParams()
    if not output.scale:
        context.warn_undefined(
            "the output has no scale, by which C divides; as in TFLM's package, all are -128"
        )
    numbers = (inp.scale, inp.zero_point, output.scale, output.zero_point)
    return EluParams(table_of("elu", table, *numbers))


def table(
    input_scale: float, input_zero_point: int, output_scale: float, output_zero_point: int
) -> npt.NDArray[np.int8]:
    """Results for all int8 values, in the order of their bytes, computed in float32.

    Where 1 is nearly all of an exponential its last bit decides: C's expf rounds to nearest (but
    for a few in a thousand), NumPy's not.
    """
    f = np.float32
    real = f(input_scale) * (lut.INT8_VALUES - input_zero_point).astype(f)
    with np.errstate(all="ignore"):
        exponential = np.exp(real.astype(np.float64)).astype(f)
        transformed = np.where(real < 0, exponential - f(1), real)
        scaled = transformed * (f(1) / f(output_scale))
        # Rounded half away from zero, then moved by the zero point in float32.
        rounded = np.copysign(np.floor(np.abs(scaled.astype(np.float64)) + 0.5), scaled).astype(f)
        moved = rounded + f(output_zero_point)
    # What does not fit int32 becomes INT_MIN in C.
    moved = np.where(np.abs(moved) < 2.0**31, moved, -(2.0**31))
    return np.clip(np.trunc(moved), -128, 127).astype(np.int8)


def invoke(context: Context, node: Node) -> None:
    """Dispatch on the element type."""
    params: EluParams = node.params
    x, out = util.input_array(context, node, 0), util.output_array(context, node)
    if params.table.size:
        lut.take_int8(params.table, x, out)
        return
    with np.errstate(all="ignore"):
        out[...] = np.where(x < 0, np.expm1(x), x)


REGISTRATION = Registration(
    init=util.allocate_struct(Struct("OpData", (("int8", 256),))),
    prepare=prepare,
    invoke=invoke,
    overlap=element_by_element(0),
    rows=row_by_row,
    constraints=c.one_to_one(FLOAT32, INT8),
)

TRAITS = Traits(
    values="function",
    channels="same",
    elementwise=True,
    compiled="Vela's table is finer than TFLM's kernel: some values differ by a step",
)

SCHEME = COMPUTES_INT8
