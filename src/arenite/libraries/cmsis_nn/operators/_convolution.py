"""Common glue of CONV_2D and DEPTHWISE_CONV_2D."""

from __future__ import annotations

from collections.abc import Callable

from arenite.libraries.path import Path
from arenite.model import TensorType
from arenite.ops import Context, Node
from arenite.ops.kernel_util import input_tensor, optional_input_tensor, output_tensor


def allocate(channel_axis: int) -> Callable[[Context, Node, Path], None]:
    """Allocate as ``Prepare`` does; output channels are along that axis of the weights."""

    def prepare(context: Context, node: Node, path: Path) -> None:
        inp = input_tensor(context, node, 0)
        weights = input_tensor(context, node, 1)
        output_tensor(context, node)
        if inp.type is not TensorType.FLOAT32:
            size = 4 * weights.shape[channel_axis]
            context.reserve_persistent_buffer(size, "per-channel multipliers")
            context.reserve_persistent_buffer(size, "per-channel shifts")
        # CalculateOpDataConv and CalculateOpDataDepthwiseConv ask for them again.
        input_tensor(context, node, 0)
        input_tensor(context, node, 1)
        optional_input_tensor(context, node, 2)
        output_tensor(context, node)

    return prepare
