"""Operations of the NPU as finished records: what the reader makes, and others run and explain.

All arithmetic on registers is done; addresses lie inside their regions; weights are decoded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from arenite.npu.feature_map import INSIDE, FeatureMap, Shape

Int64 = npt.NDArray[np.int64]
#: ``"double"``: TFLite's, a doubling high product and a rounding shift; ``"truncate"``: towards
#: zero; ``"natural"``: halves up. Of U85 alone: ``"asymmetric"`` is ``"double"`` with halves up;
#: ``"symmetric"``: halves away from zero; ``"lower"``: down.
Rounding = Literal["double", "truncate", "natural", "asymmetric", "symmetric", "lower"]
ROUNDINGS: tuple[Rounding, ...] = (
    *("double", "truncate", "natural"),
    *("asymmetric", "symmetric", "lower"),
)
#: What an input goes through on its way in: rows and columns twice, or zeros between them.
Upscale = Literal["", "nearest", "zeros"]
UPSCALES: tuple[Upscale, ...] = ("", "nearest", "zeros")
#: ``"sum"`` goes over the depth; the last five are U85's: ``"total"`` is a sum over the window,
#: ``"none"`` copies, and the two last say where the greatest element is.
PoolKind = Literal["max", "average", "sum", "total", "none", "min", "argmax_x", "argmax_y"]
POOLS: tuple[PoolKind, ...] = (
    *("max", "average", "sum"),
    *("total", "none", "min", "argmax_x", "argmax_y"),
)
Function = Literal[
    "mul",
    "add",
    "sub",
    "min",
    "max",
    "lrelu",
    "abs",
    "clz",
    "shr",
    "shl",
    "leaky",
    "lsr",
    "div",
    "eq",
    "ne",
    "ge",
    "gt",
    "and",
    "or",
    "xor",
    "not",
    "and_not",
]
#: In the order of codes of U55 and U65; then those of U85 alone, whose ``"leaky"`` has two scales.
FUNCTIONS: tuple[Function, ...] = (
    *("mul", "add", "sub", "min", "max"),
    *("lrelu", "abs", "clz", "shr", "shl"),
    *("leaky", "lsr", "div", "eq", "ne", "ge", "gt", "and", "or", "xor", "not", "and_not"),
)
UNARY: frozenset[Function] = frozenset({"lrelu", "abs", "clz", "leaky", "not"})


@dataclass(frozen=True)
class Scale:
    """``x * multiplier / 2**shift``."""

    multiplier: int
    shift: int


@dataclass(frozen=True)
class Operand:
    """An input on a scale of its own: ``x * 2**left * multiplier / 2**shift``.

    Without a rounding there is no shift to the right.
    """

    multiplier: int
    shift: int = 0
    left: int = 0
    rounding: Literal["", "double", "natural"] = ""


@dataclass(frozen=True, eq=False)
class Result:
    """The end of every operation: scale, zero point, limits, a function, the store.

    Attributes:
        map: Where it is stored.
        rounding: Of its scales.
        scale: One for all channels; None where there is none, or each channel has its own.
        zero_point: Added; 0 for int32 without a table.
        limits: Least and greatest value before a table.
        curve: The hardware's own function of int16.
        table: Values by index; pairs of base and slope where there are 512.
        first: What the first of 256 values is for.
        block: Height, width and depth of what is computed before anything is stored.
        has_wide_sums: Sums have 40 bits, on U85 48, not 32.
        unit: What U85's units compute at once.
    """

    map: FeatureMap
    rounding: Rounding
    scale: Scale | None
    zero_point: int
    limits: tuple[int, int]
    curve: Literal["", "tanh", "logistic"] = ""
    table: Int64 | None = None
    first: int = -128
    block: Shape = (1, 1, 1)
    has_wide_sums: bool = False
    unit: Shape = (1, 1, 1)


@dataclass(frozen=True)
class Window:
    """The part of its input that an output element looks at.

    Attributes:
        kernel: Height and width in elements.
        stride: Vertical, horizontal.
        dilation: Likewise.
        padding: Top, left, bottom, right.
        upscale: What becomes of the input before.
        input: Height and width of the input, upscaled, without padding.
    """

    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: tuple[int, int, int, int]
    upscale: Upscale
    input: tuple[int, int]

    @property
    def is_padded(self) -> bool:
        """Whether there is any padding."""
        return any(self.padding)


@dataclass(frozen=True, eq=False)
class Operation:
    """The common part of all operations.

    Attributes:
        number: Its place among the stream's operations.
        position: Its command's word.
    """

    number: int
    position: int

    @property
    def reads(self) -> tuple[FeatureMap, ...]:
        """Its inputs."""
        return ()

    @property
    def writes(self) -> FeatureMap | None:
        """Its output; None for copies."""
        return None

    @property
    def work(self) -> int:
        """Multiply-adds, or elements that are looked at."""
        return 0


@dataclass(frozen=True, eq=False)
class _Computing(Operation):
    input: FeatureMap
    result: Result

    @property
    def reads(self) -> tuple[FeatureMap, ...]:
        """Its input."""
        return (self.input,)

    @property
    def writes(self) -> FeatureMap:
        """Its output."""
        return self.result.map


@dataclass(frozen=True, eq=False)
class Convolution(_Computing):
    """Sums of products.

    Attributes:
        window: Where.
        weights: Output channels, height, width, input channels (1 for depthwise).
        bias, multiplier, shift: One of each per output channel.
        is_depthwise: Each output channel has an input channel of its own.
        streams: Where its compressed weights lie: region, first byte, number of bytes, per core.
        is_part_first: How its weights are fed.
        before: Sums that go on, of U85 alone.
        is_fast: Weights are in U85's fast format.
        is_sparse: Of four weights two are 0.
    """

    window: Window
    weights: npt.NDArray[np.int16]
    bias: Int64
    multiplier: Int64
    shift: Int64
    is_depthwise: bool
    streams: tuple[tuple[int, int, int], ...]
    is_part_first: bool
    before: FeatureMap | None = None
    is_fast: bool = False
    is_sparse: bool = False

    @property
    def reads(self) -> tuple[FeatureMap, ...]:
        """Its inputs."""
        return (self.input,) if self.before is None else (self.input, self.before)

    @property
    def work(self) -> int:
        """Multiply-adds."""
        height, width, _ = self.result.map.shape
        return height * width * self.weights.size


@dataclass(frozen=True, eq=False)
class Pool(_Computing):
    """The greatest or mean element of a window, or the sum over the depth.

    Attributes:
        kind: Which.
        window: Where.
        has_own_divisor: Means are divided whatever the scale is, as U85 does.
        before: Sums that go on, of U85 alone.
    """

    kind: PoolKind
    window: Window
    has_own_divisor: bool = False
    before: FeatureMap | None = None

    @property
    def reads(self) -> tuple[FeatureMap, ...]:
        """Its inputs."""
        return (self.input,) if self.before is None else (self.input, self.before)

    @property
    def divides(self) -> bool:
        """Whether a sum is divided by the number of its elements, before any scale."""
        is_divided = self.result.scale is None or self.window.is_padded or self.has_own_divisor
        return self.kind == "average" and is_divided

    @property
    def work(self) -> int:
        """Elements that are looked at."""
        height, width = self.window.kernel
        return self.result.map.size * height * width + self.input.size


@dataclass(frozen=True, eq=False)
class Product(_Computing):
    """Sums of products of each element's channels and the rows of another map.

    Attributes:
        other: A row for each channel of the output.
        before: Sums that go on.
    """

    other: FeatureMap
    before: FeatureMap | None

    @property
    def reads(self) -> tuple[FeatureMap, ...]:
        """Its inputs."""
        both = self.input, self.other
        return both if self.before is None else (*both, self.before)

    @property
    def work(self) -> int:
        """Multiply-adds."""
        return self.result.map.size * self.input.shape[2]


@dataclass(frozen=True, eq=False)
class Elementwise(_Computing):
    """A function of one or two elements in their place.

    Attributes:
        function: Which.
        other: The second input, or a number, or None for one input.
        is_reversed: The second input comes first.
        scales: Of both inputs where there are any; of ``"leaky"`` of positive and negative ones.
        is_wide: Inputs are int32.
        has_bytes: Inputs are 8 bits wide.
    """

    function: Function
    other: FeatureMap | int | None
    is_reversed: bool
    scales: tuple[Operand, Operand] | None
    is_wide: bool
    has_bytes: bool

    @property
    def reads(self) -> tuple[FeatureMap, ...]:
        """Its inputs in memory."""
        return (self.input, self.other) if isinstance(self.other, FeatureMap) else (self.input,)

    @property
    def work(self) -> int:
        """Elements."""
        return self.result.map.size


@dataclass(frozen=True, eq=False)
class Resize(_Computing):
    """Elements between those of a smaller or larger input; vertical numbers, then horizontal ones.

    Output ``i`` lies at ``(i * step + offset) / parts`` of the input.
    """

    mode: Literal["bilinear", "nearest"]
    parts: tuple[int, int]
    step: tuple[int, int]
    offset: tuple[int, int]

    @property
    def work(self) -> int:
        """Elements that are looked at."""
        return 4 * self.result.map.size


@dataclass(frozen=True, eq=False)
class Gather(Operation):
    """Rows of a table, each in the place of its number.

    Attributes:
        table: Planes, rows, bytes of a row.
        indices: Planes, numbers of rows; those beyond the table are taken for its ends.
        target: Planes, rows, bytes of a row.
    """

    table: FeatureMap
    indices: FeatureMap
    target: FeatureMap

    @property
    def reads(self) -> tuple[FeatureMap, ...]:
        """The table, and the numbers of rows."""
        return self.table, self.indices

    @property
    def writes(self) -> FeatureMap:
        """Its output."""
        return self.target

    @property
    def work(self) -> int:
        """Bytes."""
        return self.target.size


@dataclass(frozen=True, eq=False)
class Copy(Operation):
    """Bytes from one place to another (DMA).

    Attributes:
        source: Region, first byte.
        target: Likewise; the region is None for the shared buffer, which holds tables.
        length: Bytes.
    """

    source: tuple[int, int]
    target: tuple[int | None, int]
    length: int

    @property
    def work(self) -> int:
        """Bytes."""
        return self.length


@dataclass(frozen=True, eq=False)
class Program:
    """A verified stream.

    Attributes:
        accelerator: Whose.
        operations: In order.
        sizes: Bytes of each region.
        is_shared: Whether fast memory is the memory to work in.
    """

    accelerator: Any
    operations: tuple[Operation, ...]
    sizes: dict[int, int]
    is_shared: bool

    @property
    def work(self) -> int:
        """The work of all operations."""
        return sum(one.work for one in self.operations)

    def inside(self) -> dict[int, npt.NDArray[np.uint8]]:
        """Memory inside the NPU that operations of U85 hand elements on in."""
        sizes = ((region, size) for region, size in self.sizes.items() if region >= INSIDE)
        return {region: np.zeros(size, np.uint8) for region, size in sizes}
