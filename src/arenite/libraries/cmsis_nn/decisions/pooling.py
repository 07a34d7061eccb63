"""AVERAGE_POOL_2D and MAX_POOL_2D: TFLM ``micro/kernels/cmsis_nn/pooling.cc``.

Facts on scratch memory: CMSIS-NN ``Source/PoolingFunctions/arm_avgpool_get_buffer_sizes_*.c``.
"""

from __future__ import annotations

from arenite.libraries.path import Path, Scratch, needed, path_to, path_to_reference
from arenite.model import TensorType
from arenite.ops.constraints import NodeView
from arenite.ops.overlap import Clearance
from arenite.ops.shared.pooling import pooled
from arenite.ops.shared.window_overlap import channel_by_channel
from arenite.target import Target

_INT32 = 4


def decide_average(view: NodeView, target: Target) -> Path:
    """Both types of integers sum in memory if the target needs it."""
    if view.input(0).type is TensorType.FLOAT32:
        return path_to_reference("AveragePool")
    return _by_type(view, "arm_avgpool", window_sums(view.input(0).shape[3], target))


def decide_max(view: NodeView, target: Target) -> Path:
    """By the type of activations."""
    if view.input(0).type is TensorType.FLOAT32:
        return path_to_reference("MaxPool")
    return _by_type(view, "arm_max_pool", ())


def overlap_average(view: NodeView, position: int, path: Path, target: Target) -> Clearance | None:
    """Of int8: all of a window's channels, or one after the other, are summed, then written."""
    is_int8 = view.input(0).type is TensorType.INT8
    return channel_by_channel(pooled(view), view) if is_int8 else None


def overlap_max(view: NodeView, position: int, path: Path, target: Target) -> Clearance | None:
    """Of int8: maxima are kept in the output while the window is read."""
    window = pooled(view)
    if view.input(0).type is not TensorType.INT8 or window is None or window.batches != 1:
        return None
    return Clearance(window.furthest(lambda n: (n + 1) * window.channels))


def _by_type(view: NodeView, function: str, scratch: tuple[Scratch, ...]) -> Path:
    suffix = "s16" if view.input(0).type is TensorType.INT16 else "s8"
    return path_to(f"{function}_{suffix}", scratch=scratch)


def window_sums(channels: int, target: Target) -> tuple[Scratch, ...]:
    """With DSP instructions the sums of one window."""
    return needed(channels * _INT32 if target.instructions == "dsp" else 0, "sums")
