"""SignalFilterBankLog: ``output_scale * ln(input << input_correction_bits)`` in integers.

Options: `input_correction_bits`, `output_scale`. At most 32767; 0 for inputs that are 0 or 1 when
shifted.

Facts: TFLM ``signal/micro/kernels/filter_bank_log.cc``, ``signal/src/filter_bank_log.cc`` and
``log.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, log2

import numpy as np
import numpy.typing as npt

from arenite.model.types import INT16, UINT32
from arenite.ops import Array, Context, Node, Registration, Struct
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, like_input, output_array
from arenite.ops.shared.signal import read_options, require_range

PARAMS = Struct("TFLMSignalLogParams", ("int", "int"))
#: Logarithms have 16 bits of fraction, and the table of their fractions 2**7 segments.
FRACTION_BITS, SEGMENT_BITS = 16, 7
ONE, SEGMENTS = 1 << FRACTION_BITS, 1 << SEGMENT_BITS
LN_2 = round(ONE * log(2))


def bulges() -> npt.NDArray[np.int32]:
    """The excess of ``log2(1 + f)`` over ``f``, at each segment's end."""
    points = ((1 + i / SEGMENTS, i / SEGMENTS) for i in range(SEGMENTS + 1))
    return np.array([round(ONE * (log2(x) - f)) for x, f in points], np.int32)


@dataclass(frozen=True)
class SignalFilterBankLogParams:
    """The shift, the scale as 32 bits without sign, and the table."""

    input_correction_bits: int
    output_scale: int
    bulges: npt.NDArray[np.int32]


def init(context: Context, options: bytes) -> SignalFilterBankLogParams:
    """The options."""
    context.reserve_persistent_buffer(PARAMS.size(context.abi), PARAMS.name)
    bits, scale = read_options(context, options, "input_correction_bits", "output_scale")
    require_range(context, "input_correction_bits", bits, 0, 31)
    return SignalFilterBankLogParams(bits, scale, bulges())


def prepare(context: Context, node: Node) -> SignalFilterBankLogParams:
    """The output has the input's shape."""
    like_input(context, node)
    params: SignalFilterBankLogParams = node.user_data
    return params


def invoke(context: Context, node: Node) -> None:
    """Logarithms; 32 bits are kept of what is shifted."""
    params: SignalFilterBankLogParams = node.params
    x = input_array(context, node, 0) << np.uint32(params.input_correction_bits)
    logs = scaled_log(params, np.maximum(x, 1).astype(np.int64))
    output_array(context, node)[...] = np.where(x > 1, np.minimum(logs, 32767), 0)


def scaled_log(params: SignalFilterBankLogParams, x: Array) -> Array:
    """``output_scale * ln(x)`` of positive numbers of 32 bits, modulo 2**16."""
    whole = np.frexp(x.astype(np.float64))[1].astype(np.int64) - 1
    fraction = ((x - (1 << whole)) << FRACTION_BITS) >> whole
    segment = fraction >> (FRACTION_BITS - SEGMENT_BITS)
    low, high = params.bulges[segment], params.bulges[segment + 1]
    inside = fraction - (segment << (FRACTION_BITS - SEGMENT_BITS))
    log_2 = (whole << FRACTION_BITS) + fraction + low + (((high - low) * inside) >> FRACTION_BITS)
    natural = (LN_2 * log_2 + ONE // 2) >> FRACTION_BITS
    product = natural * np.int64(params.output_scale) + ONE // 2
    scaled: Array = (product & 0xFFFFFFFF) >> FRACTION_BITS
    return scaled


REGISTRATION = Registration(
    name="SignalFilterBankLog",
    init=init,
    prepare=prepare,
    invoke=invoke,
    constraints=(
        *c.counts(1, 1),
        c.rank(0, 1),
        c.input_types(0, UINT32),
        c.output_rank(1),
        c.output_type(INT16),
    ),
)
