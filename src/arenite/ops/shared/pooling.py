"""Common parts of poolings; AVERAGE_POOL_2D and MAX_POOL_2D all but their kernels.

Facts: TFLM ``micro/kernels/pooling_common.cc``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arenite.model import OptionsTable, slot
from arenite.model.fast_init import quick
from arenite.model.types import FLOAT32, INT8, INT16
from arenite.ops import Array, Context, Node, Registration, Struct
from arenite.ops import constraints as c
from arenite.ops import kernel_util as util
from arenite.ops.overlap import Clearance
from arenite.ops.shared.window import Border, Window, axes_of, window_of
from arenite.ops.shared.window_overlap import Sliding, channel_by_channel, window_over


class Pool2DOptions(OptionsTable, union=5):
    """``table Pool2DOptions``."""

    padding: int = slot(0, "int8")
    stride_w: int = slot(1, "int32")
    stride_h: int = slot(2, "int32")
    filter_width: int = slot(3, "int32")
    filter_height: int = slot(4, "int32")
    fused_activation_function: int = slot(5, "int8")


@quick
@dataclass(frozen=True)
class Pool2DParams:
    """Parameters of the kernels: geometry and the bounds of the activation."""

    window: Window
    activation_min: float
    activation_max: float


#: ``kernel(x, out)`` pools images.
Kernel = Callable[[Array, Array], None]

_PADDING = Struct("TfLitePaddingValues", ("int",) * 4)
OP_DATA = Struct("OpDataPooling", (_PADDING, "int32", "int32", "float", "float"))
BUILTIN_DATA = Struct("TfLitePoolParams", ("enum", "int", "int", "int", "int", "enum", _PADDING))


def same_quantization(node: c.NodeView) -> bool:
    """A quantised output has the input's zero point, and its scale to within 1e-6."""
    inp, output = node.input(0), node.output(0)
    difference = abs(inp.scale - output.scale)
    return inp.type is FLOAT32 or (
        difference < 1
        and float(np.float32(difference)) <= 1e-6
        and inp.zero_point == output.zero_point
    )


CONSTRAINTS: tuple[c.Constraint, ...] = (
    *c.one_to_one(FLOAT32, INT8, INT16),
    c.rank(0, 4),
    same_quantization,
)


#: TFLM does not look at the status of ``CalculateActivationRangeQuantized``, and goes on.
_UNSET = (
    ". TFLM runs this with bounds that it never sets: what its arena held before decides the "
    "output. Give input and output a scale, or take the activation away"
)


def prepare(context: Context, node: Node) -> Pool2DParams:
    """Geometry, output shape, bounds of the activation."""
    options: Pool2DOptions = node.options
    inp = util.input_tensor(context, node, 0)
    output = util.output_tensor(context, node)
    filter_size = (options.filter_height, options.filter_width)
    window = window_of(context, options, inp.shape, filter_size)
    n, _, _, channels = inp.shape
    context.resize_tensor(output.index, (n, *window.output_size, channels), "refused")
    low, high = util.activation_range_of(context, options.fused_activation_function, output, _UNSET)
    return Pool2DParams(window, low, high)


#: Makes a kernel from its parameters and an input.
Build = Callable[[Pool2DParams, Array], Kernel]


def pool_with(build: Build) -> Callable[[Context, Node], None]:
    """An ``invoke`` whose kernel ``build(params, x)`` makes, once: the kernel keeps its memory."""

    def invoke(context: Context, node: Node) -> None:
        x, out = util.input_array(context, node, 0), util.output_array(context, node)
        pool: Kernel | None = node.host.get("pool")
        if pool is None:
            pool = node.host["pool"] = build(node.params, x)
        with np.errstate(invalid="ignore", over="ignore"):
            pool(x, out)

    return invoke


def pooling(build: Build) -> Registration:
    """An operator whose kernel ``build(params, x)`` makes."""
    return Registration(
        init=util.allocate_struct(OP_DATA),
        prepare=prepare,
        invoke=pool_with(build),
        overlap=overlap,
        options=Pool2DOptions,
        builtin_data=BUILTIN_DATA,
        constraints=CONSTRAINTS,
    )


def pooled(view: c.NodeView) -> Sliding | None:
    """A pooling's window."""
    taps = view.options.filter_height, view.options.filter_width
    return window_over(view, taps, view.input(0).shape[3])


def overlap(view: c.NodeView, position: int) -> Clearance | None:
    """Every output pixel reads its window channel by channel."""
    return channel_by_channel(pooled(view), view)


class SlidingReduction:
    """Sums, or maxima, of all windows of an image: first along rows, then along columns."""

    def __init__(
        self, window: Window, x: Array, dtype: npt.DTypeLike, padding: float, operation: np.ufunc
    ) -> None:
        rows, columns = axes = axes_of(window, x.shape[1:3])
        self._operation, self._padding = operation, padding
        self._border = Border(x.shape, axes, dtype, padding)
        image = self._border.memory[:, :, 0]
        partial = np.empty((len(x), rows.outputs, *image.shape[2:]), image.dtype)
        self._down = sliding(image, 1, rows.outputs, rows.count, rows.stride)
        self._across = sliding(partial, 2, columns.outputs, columns.count, columns.stride)
        self._partial = partial
        self._result = np.empty((*partial.shape[:2], columns.outputs, x.shape[3]), image.dtype)

    def __call__(self, x: Array) -> Array:
        """The reduction of every window: ``(n, oh, ow, c)``, overwritten by the next call."""
        self._border.fill(x)
        self._operation.reduce(self._down, 2, out=self._partial, initial=self._padding)
        self._operation.reduce(self._across, 3, out=self._result, initial=self._padding)
        return self._result


def sliding(x: Array, axis: int, positions: int, taps: int, stride: int) -> Array:
    """A view in which ``axis`` became two: positions of a window, and its taps."""
    step = x.strides[axis]
    shape = (*x.shape[:axis], positions, taps, *x.shape[axis + 1 :])
    strides = (*x.strides[:axis], step * stride, step, *x.strides[axis + 1 :])
    return np.lib.stride_tricks.as_strided(x, shape, strides, writeable=False)
