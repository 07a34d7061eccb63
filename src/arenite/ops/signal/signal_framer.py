"""SignalFramer: a signal in overlapping frames, `frame_step` samples apart.

Options: `frame_size`, `frame_step`, `prefill`. Output 1 says whether all frames are there. With
`prefill` the signal begins with zeros, and none is missing.

Undefined in TFLM: before enough samples came in, frames are not written; here they are 0.

Facts: TFLM ``signal/micro/kernels/framer.cc`` and ``signal/src/circular_buffer.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model.types import BOOL, INT16
from arenite.ops import Array, Context, Node, Registration, Struct
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.signal import (
    Queue,
    circular_buffer_bytes,
    innermost,
    read_options,
    require_range,
)

PARAMS = Struct(
    "TFLMSignalFramerParams",
    ("int32", "int32", "int32", "int32", "bool", "pointer", "pointer"),
)


@dataclass(frozen=True)
class SignalFramerParams:
    """Signals, frames of each in one inference, and a frame's samples, old and new."""

    rows: int
    frames: int
    frame_size: int
    frame_step: int


def init(context: Context, options: bytes) -> tuple[int, ...]:
    """The options."""
    context.reserve_persistent_buffer(PARAMS.size(context.abi), PARAMS.name)
    size, step, prefill = read_options(context, options, "frame_size", "frame_step", "prefill")
    require_range(context, "frame_size", size, 1, 2**24)
    require_range(context, "frame_step", step, 1, size if prefill else 2**24)
    return size, step, prefill


def has_frames(node: c.NodeView) -> bool:
    """Output 0 has one dimension more than input 0."""
    return len(node.output(0).shape) == len(node.input(0).shape) + 1


def prepare(context: Context, node: Node) -> SignalFramerParams:
    """A queue per signal, in memory for as many whole steps as hold a frame."""
    inp = input_tensor(context, node, 0)
    outputs = [output_tensor(context, node, index) for index in (0, 1)]
    size, step, prefill = node.user_data
    rows, samples = innermost(context, inp.shape)
    if samples % step:
        context.report_error(f"expected a multiple of frame_step = {step} samples, got {samples}")
    frames = samples // step
    context.resize_tensor(outputs[0].index, (*inp.shape[:-1], frames, size))
    context.reserve_persistent_buffer(rows * context.abi.pointer, "state pointers")
    context.reserve_persistent_buffer(rows * context.abi.pointer, "circular buffer pointers")
    for _ in range(rows):
        context.allocate_state(
            circular_buffer_bytes(context.abi, -(-size // step) * step), "samples"
        )
    reset(context, node.user_data)
    if not prefill and size > step:
        missing = -(-size // step) - 1
        context.warn_undefined(f"the first {missing} frames are not written, and 0 here")
    return SignalFramerParams(rows, frames, size, step)


def invoke(context: Context, node: Node) -> None:
    """Samples come in step by step; the oldest ones of every frame leave."""
    params: SignalFramerParams = node.params
    x, out = input_array(context, node, 0), output_array(context, node)
    steps = x.reshape(params.rows, params.frames, params.frame_step)
    frames = out.reshape(params.rows, params.frames, params.frame_size)
    are_there = [
        _frame(params, Queue(state), new, frame)
        for state, row, results in zip(context.state_buffers(), steps, frames, strict=True)
        for new, frame in zip(row, results, strict=True)
    ]
    output_array(context, node, 1)[...] = all(are_there)


def _frame(params: SignalFramerParams, queue: Queue, new: Array, frame: Array) -> bool:
    """Make one frame, if there are enough samples."""
    samples = np.concatenate([queue.samples, new])
    if is_there := len(samples) >= params.frame_size:
        frame[...] = samples[: params.frame_size]
        samples = samples[params.frame_step :]
    else:
        frame[...] = 0
    queue.samples = samples
    return is_there


def reset(context: Context, options: tuple[int, ...]) -> None:
    """The signal begins, with zeros if it shall."""
    size, step, prefill = options
    for state in context.state_buffers():
        Queue(state).samples = np.zeros(size - step if prefill else 0, np.int16)


REGISTRATION = Registration(
    name="SignalFramer",
    init=init,
    prepare=prepare,
    invoke=invoke,
    reset=reset,
    constraints=(
        *c.counts(1, 2),
        has_frames,
        c.output_rank(0, 1),
        c.input_types(0, INT16),
        c.output_type(INT16),
        c.output_type(BOOL, 1),
    ),
)
