"""Windows that slide over MNN's images: where they are, and how Arenite's options say it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from arenite.formats.flatbuffer import Row
from arenite.mnn.file.enums import Format
from arenite.mnn.file.net import Op, Shape
from arenite.mnn.lowering.graph_builder import GraphBuilder, Key, Layout, Value
from arenite.ops.kernel_util import Padding, window_output_size, window_padding
from arenite.ops.shared.window import Placement

Pair = tuple[int, int]

#: ``enum PadMode``, ``enum PoolPadType``
CAFFE, VALID, SAME = 0, 1, 2


@dataclass(frozen=True)
class Slide:
    """A window over images of ``size``; pairs are ``(height, width)``.

    ``padding`` counts elements before the image; negative ones are left out of it.
    """

    size: Pair
    kernel: Pair
    stride: Pair
    dilation: Pair = (1, 1)
    padding: Pair = (0, 0)
    output: Pair = (1, 1)

    @property
    def reach(self) -> Pair:
        """Elements from the first tap to the last."""
        height, width = ((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True))
        return height, width

    @property
    def scheme(self) -> Padding | None:
        """SAME or VALID if TensorFlow Lite's formulas give just this window, else None."""
        axes = list(zip(self.size, self.kernel, self.stride, self.dilation, strict=True))
        for scheme in (Padding.VALID, Padding.SAME):
            out = [window_output_size(scheme, n, k, s, d) for n, k, s, d in axes]
            pads = [
                window_padding(s, d, n, k, o) for (n, k, s, d), o in zip(axes, out, strict=True)
            ]
            if (tuple(out), tuple(pads)) == (self.output, self.padding):
                return scheme
        return None

    @property
    def placement(self) -> Placement:
        """The window for options that say it explicitly."""
        return Placement(self.output, self.padding)

    def placed(self, g: GraphBuilder, op: Op, mode: int, before: Pair, behind: Pair) -> Slide:
        """The slide with padding and positions of one of MNN's modes."""
        counts, pads = [], list(before)
        for axis in range(2):
            n, step, reach = self.size[axis], self.stride[axis], self.reach[axis]
            if mode == SAME:
                count = -(-n // step)
                # C cuts towards zero: with gaps between windows the first may start inside.
                pads[axis] = int(((count - 1) * step + reach - n) / 2)
            elif mode == VALID:
                count = -(-(n - reach + 1) // step)
            elif mode == CAFFE:
                count = (n + before[axis] + behind[axis] - reach) // step + 1
            else:
                g.fail(op, f"padding mode {mode} is not known")
            counts.append(count)
        return self.checked(g, op, (pads[0], pads[1]), (counts[0], counts[1]))

    def checked(self, g: GraphBuilder, op: Op, padding: Pair, output: Pair) -> Slide:
        """The slide with this padding and these positions, if every number makes sense."""
        if min(*self.stride, *self.dilation, *self.kernel) < 1:
            g.fail(
                op,
                "expected kernel, strides and dilations of 1 or more, got "
                f"{self.kernel}, {self.stride}, {self.dilation}",
            )
        if min(output) < 1:
            g.fail(op, f"a window of {self.reach} with padding {padding} does not fit {self.size}")
        return replace(self, padding=padding, output=output)


@dataclass(frozen=True)
class Images:
    """A value as NHWC images; MNN takes missing dimensions for 1."""

    value: Value
    batches: int
    size: Pair
    channels: int

    @classmethod
    def of(cls, g: GraphBuilder, op: Op, x: Value) -> Images:
        """The images that ``x`` is."""
        shape = x.shape
        if not 2 <= len(shape) <= 4:
            g.fail(op, f"expected an input of 2 to 4 dimensions, got {list(shape)}")
        if x.format is Format.NHWC and len(shape) == 4:
            return cls(x, shape[0], (shape[1], shape[2]), shape[3])
        height, width = (*shape[2:], 1, 1)[:2]
        return cls(x, shape[0], (height, width), shape[1])

    @property
    def shape(self) -> Shape:
        """NHWC."""
        return (self.batches, *self.size, self.channels)

    def logical(self, size: Pair, channels: int) -> Shape:
        """The shape of a value with other images, as MNN has it."""
        if self.value.format is Format.NHWC and self.value.rank == 4:
            return (self.batches, *size, channels)
        return (self.batches, channels, *size)[: self.value.rank]

    def tensor(self, g: GraphBuilder) -> int:
        """The tensor with the images."""
        return g.shaped(g.bytes(self.value, Key(Layout.LAST)), self.shape, self.value.name)


def given_padding(g: GraphBuilder, op: Op, row: Row, where: str) -> tuple[Pair, Pair]:
    """The padding that the file says, before and behind the image."""
    pads = row["pads"]
    if pads is None:
        both = (row["padY"], row["padX"])
        return both, both
    if len(pads) < 4:
        g.fail(op, f"expected 4 paddings, got {len(pads)}", f"{where}.pads")
    top, left, bottom, right = np.asarray(pads[:4]).tolist()
    return (top, left), (bottom, right)
