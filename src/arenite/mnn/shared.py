"""Common parts of MNN's own operators: they have no counterpart in TensorFlow Lite."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arenite.model import OptionsTable, TensorType
from arenite.ops import constraints as c
from arenite.ops.constraints import Constraint, NodeView
from arenite.ops.context import Array, Context


def from_mnn(node: NodeView) -> bool:
    """The operator comes from an ``.mnn`` file: its options have no place in other files."""
    return isinstance(node.options, OptionsTable) and node.options != type(node.options)()


def shapes_broadcast(node: NodeView) -> bool:
    """The inputs' shapes broadcast."""
    try:
        np.broadcast_shapes(node.input(0).shape, node.input(1).shape)
    except ValueError:
        return False
    return True


def one_to_one(*types: TensorType) -> tuple[Constraint, ...]:
    """One input and one output, both of the same of the given types, in an ``.mnn`` file."""
    inputs, outputs, *same_types = c.one_to_one(*types)
    return inputs, outputs, from_mnn, *same_types


def channel_factors(
    context: Context, factors: tuple[float, ...], shape: tuple[int, ...]
) -> npt.NDArray[np.float32]:
    """The factors, one or one per channel; others are reported."""
    if len(factors) != 1 and (not shape or len(factors) != shape[-1]):
        context.report_error(f"expected one factor, or one per channel of {list(shape)}")
    with np.errstate(over="ignore"):
        return np.array(factors, np.float32)


def rounded(real: Array, low: float, high: float, *, whole: bool) -> Array:
    """Clamped, and rounded with halves away from zero; what is no number becomes ``high``."""
    bounds = np.float32(low), np.float32(high)
    real = np.clip(np.where(np.isnan(real), bounds[1], real), *bounds)
    if not whole:
        return real
    return np.asarray(np.trunc(real + np.where(real < 0, np.float32(-0.5), np.float32(0.5))))


def real_numbers(q: Array, scale: float, zero: int) -> Array:
    """Real numbers that int8 stands for, in float32."""
    return np.asarray((q.astype(np.float32) - np.float32(zero)) * np.float32(scale))
