"""SignalRfft: the Fourier transform of real rows, as (real, imaginary) pairs.

Options: `T`, `fft_length`. Rows are filled up with zeros. Integers come out over `fft_length`,
with rounding in every stage.

Undefined in TFLM: what an output row holds behind `fft_length / 2 + 1` pairs; here it is 0.

Facts: TFLM ``signal/micro/kernels/rfft.cc``.
"""

from __future__ import annotations

import numpy as np

from arenite.model import TensorType
from arenite.numeric import fft
from arenite.ops import Context, Node, Registration, Struct
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.fft import CONSTRAINTS, FftParams, finish, read_fft_options, tables_bytes
from arenite.ops.shared.signal import innermost

PARAMS = Struct(
    "TfLiteAudioFrontendRfftParams",
    (*("int32",) * 4, "enum", "pointer", "int", "pointer"),
)


def init(context: Context, options: bytes) -> tuple[int, TensorType]:
    """Tables, in the arena."""
    length, kind = read_fft_options(context, options)
    context.reserve_persistent_buffer(PARAMS.size(context.abi), PARAMS.name)
    context.reserve_persistent_buffer(tables_bytes(context.abi, length, kind), "tables")
    return length, kind


def prepare(context: Context, node: Node) -> FftParams:
    """A scratch buffer for one row."""
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    length, kind = node.user_data
    if inp.type is not kind:
        context.report_error(f"expected an input of the type T = {kind}, got {inp.type}")
    rows, size = innermost(context, inp.shape)
    room = output.shape[-1] // 2 * 2
    if size > length:
        context.report_error(f"expected rows of at most fft_length = {length}, got {size}")
    if room < length + 2 or output.size != rows * output.shape[-1] or room != output.shape[-1]:
        context.report_error(
            f"expected an output of {rows} rows of {length + 2} numbers or more, an even number, "
            f"got the shape {list(output.shape)}"
        )
    if room > length + 2:
        context.warn_undefined(f"rows are not written, and 0 here, from {length + 2} on")
    context.request_scratch_buffer_in_arena(length * kind.nbytes(1), "row")
    plan = fft.plan(length, str(kind), is_inverse=False)
    return finish(context, plan, kind, rows, (size, room))


def invoke(context: Context, node: Node) -> None:
    """All rows at once."""
    params: FftParams = node.params
    length, kind = node.user_data
    x, out = input_array(context, node, 0), output_array(context, node)
    rows = np.zeros((params.rows, length), x.dtype)
    rows[:, : params.input_size] = x.reshape(params.rows, -1)
    plan = fft.plan(length, str(kind), is_inverse=False)
    with np.errstate(all="ignore"):
        spectrum = fft.forward(plan, rows).reshape(params.rows, -1)
    results = out.reshape(params.rows, -1)
    results[:, : length + 2] = spectrum
    results[:, length + 2 :] = 0


REGISTRATION = Registration(
    name="SignalRfft", init=init, prepare=prepare, invoke=invoke, constraints=CONSTRAINTS
)
