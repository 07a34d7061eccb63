"""SignalIrfft: real rows from their Fourier transform, given as (real, imaginary) pairs.

Options: `T`, `fft_length`. Of a row the first `fft_length / 2 + 1` pairs count.

Undefined in TFLM: what an output row holds behind `fft_length` numbers; here it is 0.

Facts: TFLM ``signal/micro/kernels/irfft.cc`` and ``signal/src/irfft_float.cc``.
"""

from __future__ import annotations

import numpy as np

from arenite.model import TensorType
from arenite.model.types import FLOAT32
from arenite.numeric import fft
from arenite.ops import Context, Node, Registration, Struct
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.fft import CONSTRAINTS, FftParams, finish, read_fft_options, tables_bytes
from arenite.ops.shared.signal import innermost

PARAMS = Struct("TfLiteAudioFrontendIrfftParams", (*("int32",) * 4, "enum", "pointer"))
FLOAT_STATE = Struct("IrfftFloatState", ("int32", "pointer"))


def init(context: Context, options: bytes) -> tuple[int, TensorType]:
    """Tables, in the arena."""
    length, kind = read_fft_options(context, options)
    context.reserve_persistent_buffer(PARAMS.size(context.abi), PARAMS.name)
    size = tables_bytes(context.abi, length, kind)
    if kind is FLOAT32:
        size += FLOAT_STATE.size(context.abi)
    context.reserve_persistent_buffer(size, "tables")
    return length, kind


def prepare(context: Context, node: Node) -> FftParams:
    """Rows of pairs become rows of numbers."""
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    length, kind = node.user_data
    if inp.type is not kind:
        context.report_error(f"expected an input of the type T = {kind}, got {inp.type}")
    rows, size = innermost(context, inp.shape)
    if size < length + 2 or size % 2:
        context.report_error(
            f"expected rows of {length + 2} numbers or more, an even number, got {size}"
        )
    if output.shape[-1] < length or output.size != rows * output.shape[-1]:
        context.report_error(
            f"expected an output of {rows} rows of {length} numbers or more, got the shape "
            f"{list(output.shape)}"
        )
    if output.shape[-1] > length:
        context.warn_undefined(f"rows are not written, and 0 here, from {length} on")
    plan = fft.plan(length, str(kind), is_inverse=True)
    return finish(context, plan, kind, rows, (size, output.shape[-1]))


def invoke(context: Context, node: Node) -> None:
    """All rows at once; floats are divided by the length, as integers are on their way."""
    params: FftParams = node.params
    length, kind = node.user_data
    x, out = input_array(context, node, 0), output_array(context, node)
    pairs = x.reshape(params.rows, -1, 2)[:, : length // 2 + 1]
    plan = fft.plan(length, str(kind), is_inverse=True)
    results = out.reshape(params.rows, -1)
    with np.errstate(all="ignore"):
        real = fft.inverse(plan, pairs)
        if kind is FLOAT32:
            real = real / np.float32(length)
    results[:, :length] = real
    results[:, length:] = 0


REGISTRATION = Registration(
    name="SignalIrfft", init=init, prepare=prepare, invoke=invoke, constraints=CONSTRAINTS
)
