"""SignalStacker: frames side by side, each with those before and after it, every so many frames.

Options: `num_channels`, `stacker_left_context`, `stacker_right_context`, `stacker_step`. The first
frame stands for those before it. Output 1 says whether output 0 is there.

Undefined in TFLM: while frames are missing, output 0 is not written; here it is 0.

Facts: TFLM ``signal/micro/kernels/stacker.cc`` and ``signal/src/circular_buffer.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model.types import BOOL, INT16
from arenite.ops import Context, Node, Registration, Struct
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.signal import Queue, circular_buffer_bytes, read_options, require_range

PARAMS = Struct(
    "TFLMSignalStackerParams",
    ("int32", "int32", "int32", "int32", "size_t", "size_t", "bool", "pointer", "pointer"),
)
OPTIONS = ("num_channels", "stacker_left_context", "stacker_right_context", "stacker_step")


@dataclass(frozen=True)
class SignalStackerParams:
    """A frame's values, how often the first one is repeated, and frames in and between stacks."""

    num_channels: int
    repeats: int
    frames: int
    step: int


def init(context: Context, options: bytes) -> SignalStackerParams:
    """Memory for a stack of frames."""
    context.reserve_persistent_buffer(PARAMS.size(context.abi), PARAMS.name)
    channels, left, right, step = read_options(context, options, *OPTIONS)
    require_range(context, "num_channels", channels, 1, 2**24)
    require_range(context, "stacker_left_context", left, -(2**15), 2**15)
    require_range(context, "stacker_right_context", right, -min(left, 0), 2**15)
    frames = left + right + 1
    require_range(context, "stacker_step", step, 1, frames)
    context.allocate_state(circular_buffer_bytes(context.abi, channels * frames), "frames")
    return SignalStackerParams(channels, max(left, 0), frames, step)


def prepare(context: Context, node: Node) -> SignalStackerParams:
    """The output is a stack."""
    params: SignalStackerParams = node.user_data
    inp = input_tensor(context, node, 0)
    outputs = [output_tensor(context, node, index) for index in (0, 1)]
    if inp.size < params.num_channels:
        context.report_error(f"expected {params.num_channels} channels, got {inp.size}")
    context.resize_tensor(outputs[0].index, (params.frames * params.num_channels,))
    if params.repeats + 1 < params.frames or params.step > 1:
        context.warn_undefined("output 0 is not written, and 0 here, while output 1 is false")
    return params


def invoke(context: Context, node: Node) -> None:
    """A frame comes in; the oldest ones of every stack leave."""
    params: SignalStackerParams = node.params
    queue = Queue(context.state_buffers()[0])
    frame = input_array(context, node, 0)[: params.num_channels]
    copies = 1 if queue.has_begun else params.repeats + 1
    values = np.concatenate([queue.samples, *[frame] * copies])
    out, size = output_array(context, node), params.frames * params.num_channels
    is_there = len(values) >= size
    out[...] = values[:size] if is_there else 0
    queue.samples = values[params.step * params.num_channels :] if is_there else values
    queue.has_begun = True
    output_array(context, node, 1)[...] = is_there


def reset(context: Context, params: SignalStackerParams) -> None:
    """The next frame is the first one."""
    context.state_buffers()[0][...] = 0


REGISTRATION = Registration(
    name="SignalStacker",
    init=init,
    prepare=prepare,
    invoke=invoke,
    reset=reset,
    constraints=(
        *c.counts(1, 2),
        c.rank(0, 1),
        c.output_rank(1),
        c.output_rank(0, 1),
        c.input_types(0, INT16),
        c.output_type(INT16),
        c.output_type(BOOL, 1),
    ),
)
