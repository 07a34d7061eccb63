"""SignalDelay: the input, so many samples later; zeros come first.

Options: `delay_length`. Every row of the input has a delay line of its own.

Facts: TFLM ``signal/micro/kernels/delay.cc`` and ``signal/src/circular_buffer.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model.types import INT16
from arenite.ops import Context, Node, Registration, Struct
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.signal import circular_buffer_bytes, innermost, read_options, require_range

PARAMS = Struct("TFLMSignalFrontendDelayParams", ("int32", "int32", "int32", "pointer", "pointer"))


@dataclass(frozen=True)
class SignalDelayParams:
    """Rows, samples in each, and how many of them are on their way."""

    rows: int
    frame_size: int
    delay_length: int


def init(context: Context, options: bytes) -> int:
    """The delay."""
    context.reserve_persistent_buffer(PARAMS.size(context.abi), PARAMS.name)
    (delay,) = read_options(context, options, "delay_length")
    require_range(context, "delay_length", delay, 0, 2**28)
    return delay


def prepare(context: Context, node: Node) -> SignalDelayParams:
    """A delay line per row, in memory for a circular buffer that holds a row more."""
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    rows, frame_size = innermost(context, inp.shape)
    context.resize_tensor(output.index, inp.shape)
    delay: int = node.user_data
    size = circular_buffer_bytes(context.abi, frame_size + delay)
    context.reserve_persistent_buffer(rows * context.abi.pointer, "state pointers")
    context.reserve_persistent_buffer(rows * context.abi.pointer, "circular buffer pointers")
    for _ in range(rows):
        context.allocate_state(size, "delay line")
    return SignalDelayParams(rows, frame_size, delay)


def invoke(context: Context, node: Node) -> None:
    """Put out first what is on its way."""
    params: SignalDelayParams = node.params
    rows = input_array(context, node, 0).reshape(params.rows, -1)
    out = output_array(context, node).reshape(rows.shape)
    for state, x, y in zip(context.state_buffers(), rows, out, strict=True):
        line = state[: 2 * params.delay_length].view(np.int16)
        samples = np.concatenate([line, x])
        y[...] = samples[: params.frame_size]
        line[...] = samples[params.frame_size :]


def reset(context: Context, delay: int) -> None:
    """Zeros come first again."""
    for state in context.state_buffers():
        state[...] = 0


REGISTRATION = Registration(
    name="SignalDelay",
    init=init,
    prepare=prepare,
    invoke=invoke,
    reset=reset,
    constraints=c.one_to_one(INT16),
)
