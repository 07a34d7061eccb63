"""SignalOverlapAdd: overlapping frames added up to one signal, `frame_step` samples apart.

Options: `T`, `frame_step`. int16 saturates. What a frame adds behind its step stays for the next
one, of this inference or a later one.

Facts: TFLM ``signal/micro/kernels/overlap_add.cc`` and ``signal/src/overlap_add.cc``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model import TensorType
from arenite.model.types import FLOAT32, INT16
from arenite.ops import Array, Context, Node, Registration, Struct
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.shared.signal import innermost, read_options, require_range

PARAMS = Struct(
    "TFLMSignalOverlapAddParams", ("int32", "int32", "int32", "int32", "enum", "pointer")
)
TYPES = (INT16, FLOAT32)


@dataclass(frozen=True)
class SignalOverlapAddParams:
    """Signals, frames of each, a frame's samples, and how many of them are new ones."""

    rows: int
    frames: int
    frame_size: int
    frame_step: int


def init(context: Context, options: bytes) -> tuple[TensorType, int]:
    """The type and the step."""
    kind, step = read_options(context, options, "T", "frame_step")
    if kind not in TYPES:
        context.report_error(f"expected T to be {int(TYPES[0])} or {int(TYPES[1])}, got {kind}")
    context.reserve_persistent_buffer(PARAMS.size(context.abi), PARAMS.name)
    return TensorType(kind), step


def has_frames(node: c.NodeView) -> bool:
    """Input 0 has at least 2 dimensions, one more than output 0."""
    return len(node.input(0).shape) == len(node.output(0).shape) + 1 >= 2


def prepare(context: Context, node: Node) -> SignalOverlapAddParams:
    """A frame of memory per signal."""
    inp, output = input_tensor(context, node, 0), output_tensor(context, node)
    kind, step = node.user_data
    if inp.type is not kind:
        context.report_error(f"expected an input of the type T = {kind}, got {inp.type}")
    rows, frame_size = innermost(context, inp.shape)
    frames = inp.shape[-2]
    require_range(context, "frame_step", step, 1, frame_size)
    context.resize_tensor(output.index, (*inp.shape[:-2], frames * step))
    rows //= frames
    context.reserve_persistent_buffer(rows * context.abi.pointer, "state pointers")
    for _ in range(rows):
        context.allocate_state(frame_size * inp.type.nbytes(1), "overlap")
    return SignalOverlapAddParams(rows, frames, frame_size, step)


def invoke(context: Context, node: Node) -> None:
    """Each frame is added; the samples that no later frame reaches come out."""
    params: SignalOverlapAddParams = node.params
    x, out = input_array(context, node, 0), output_array(context, node)
    signals = x.reshape(params.rows, params.frames, params.frame_size)
    results = out.reshape(params.rows, params.frames, params.frame_step)
    step = params.frame_step
    with np.errstate(all="ignore"):
        for state, frames, result in zip(context.state_buffers(), signals, results, strict=True):
            overlap = state.view(x.dtype)
            for frame, y in zip(frames, result, strict=True):
                total = add(overlap, frame)
                y[...] = total[:step]
                overlap[:-step] = total[step:]
                overlap[-step:] = 0


def add(a: Array, b: Array) -> Array:
    """Sums, of integers saturated."""
    if a.dtype == np.float32:
        return np.add(a, b)
    return np.clip(a.astype(np.int32) + b, -32768, 32767).astype(np.int16)


def reset(context: Context, options: tuple[TensorType, int]) -> None:
    """Nothing was added yet."""
    for state in context.state_buffers():
        state[...] = 0


REGISTRATION = Registration(
    name="SignalOverlapAdd",
    init=init,
    prepare=prepare,
    invoke=invoke,
    reset=reset,
    constraints=(
        *c.counts(1, 1),
        has_frames,
        c.input_types(0, *TYPES),
        c.same_type(),
    ),
)
