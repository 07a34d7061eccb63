"""MNN_RASTER: pieces of the inputs, copied by strides to pieces of the output.

What MNN's ``Raster`` does (``backend/cpu/CPURaster.cpp``), for any number of dimensions:
transposes, slices, tiles and reversals of every element type. The front end for ``.mnn`` files
uses it for what TensorFlow Lite's operators do not take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

import numpy as np

from arenite.mnn.shared import from_mnn
from arenite.model import OptionsTable
from arenite.ops import constraints as c
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor
from arenite.ops.registry import Registration


class Region(NamedTuple):
    """A box of ``size`` elements: from where in which input to where in the output.

    Offsets and strides count elements of the flat arrays.
    """

    source: int
    offset: int
    strides: tuple[int, ...]
    target_offset: int
    target_strides: tuple[int, ...]
    size: tuple[int, ...]

    @classmethod
    def whole(
        cls, shape: Sequence[int], strides: Sequence[int], offset: int = 0, source: int = 0
    ) -> Region:
        """All of an output of ``shape``, taken from an input by ``strides``."""
        dense = np.cumprod([1, *tuple(shape)[:0:-1]], dtype=np.int64)[::-1]
        targets = tuple(int(stride) for stride in dense[: len(shape)])
        return cls(source, offset, tuple(map(int, strides)), 0, targets, tuple(map(int, shape)))


@dataclass(frozen=True)
class MnnRasterOptions(OptionsTable):
    """The pieces that are copied, in order; elements that no piece covers are 0."""

    regions: tuple[Region, ...] = field(default=())


@dataclass(frozen=True)
class MnnRasterParams:
    """The pieces, and whether the output must be cleared first.

    ``pieces`` has a row of int64 per piece: input, where it begins in it and in the output; then
    ``rank`` sizes, strides and strides in the output. Axes that can be walked as one are one.
    """

    count: int
    rank: int
    pieces: Array
    clears: bool


def prepare(context: Context, node: Node) -> MnnRasterParams:
    """Check that every piece lies inside its input and the output."""
    options: MnnRasterOptions = node.options
    output = output_tensor(context, node)
    for region in options.regions:
        if region.source >= len(node.inputs):
            context.report_error(f"there is no input {region.source}")
        inp = input_tensor(context, node, region.source)
        if inp.type is not output.type:
            context.report_error(f"expected an input of {output.type}, got {inp.type}")
        check_box(context, region.offset, region.strides, region.size, inp.size)
        check_box(context, region.target_offset, region.target_strides, region.size, output.size)
    pieces = [simplified(region) for region in options.regions]
    rank = max((len(piece.size) for piece in pieces), default=0)
    rows = np.array([row_of(piece, rank) for piece in pieces], np.int64).reshape(-1, 3 + 3 * rank)
    return MnnRasterParams(len(pieces), rank, rows, clears=has_gaps(pieces, output.size))


def has_gaps(pieces: Sequence[Region], elements: int) -> bool:
    """Whether the pieces leave elements of an output out."""
    if sum(prod(piece.size) for piece in pieces) < elements:
        return True
    if any(piece.target_strides == (1,) and piece.size == (elements,) for piece in pieces):
        return False
    # Pieces may overlap: only what they cover together tells.
    covered = np.zeros(elements, np.bool_)
    for piece in pieces:
        box(covered, piece.target_offset, piece.target_strides, piece.size)[...] = True
    return not covered.all()


def simplified(region: Region) -> Region:
    """The same elements in fewer axes, where neighbours can be walked as one."""
    axes: list[list[int]] = []
    for axis in zip(region.size, region.strides, region.target_strides, strict=True):
        n, *steps = axis
        if n == 1:
            continue
        if axes and axes[-1][1:] == [n * step for step in steps]:
            axes[-1] = [axes[-1][0] * n, *steps]
        else:
            axes.append([n, *steps])
    size, strides, targets = zip(*axes, strict=True) if axes else ((), (), ())
    return region._replace(size=size, strides=strides, target_strides=targets)


def row_of(region: Region, rank: int) -> list[int]:
    """A piece as a row of :class:`MnnRasterParams`, with axes of one element in front."""
    missing = rank - len(region.size)
    row = [region.source, region.offset, region.target_offset]
    row += [1] * missing + list(region.size)
    row += [0] * missing + list(region.strides)
    return row + [0] * missing + list(region.target_strides)


def check_box(
    context: Context, offset: int, strides: tuple[int, ...], size: tuple[int, ...], elements: int
) -> None:
    """Report a box that reaches out of a tensor of so many elements."""
    if prod(size) == 0:
        return
    reach = [stride * (n - 1) for stride, n in zip(strides, size, strict=True)]
    low = offset + sum(min(r, 0) for r in reach)
    high = offset + sum(max(r, 0) for r in reach)
    if low < 0 or high >= elements:
        context.report_error(
            f"a region reaches from element {low} to {high} of a tensor with {elements}"
        )


def invoke(context: Context, node: Node) -> None:
    """Copy the pieces."""
    params: MnnRasterParams = node.params
    out = output_array(context, node).reshape(-1)
    if params.clears:
        out[...] = 0
    for source, start, target, *axes in params.pieces.tolist():
        size, strides, targets = (tuple(axes[i * params.rank :][: params.rank]) for i in range(3))
        x = input_array(context, node, source).reshape(-1)
        box(out, target, targets, size)[...] = box(x, start, strides, size)


def box(flat: Array, offset: int, strides: tuple[int, ...], size: tuple[int, ...]) -> Array:
    """A view of a piece of a flat array, which ``prepare`` has checked."""
    if prod(size) == 0:
        return np.zeros(size, flat.dtype)
    steps = tuple(stride * flat.itemsize for stride in strides)
    return np.lib.stride_tricks.as_strided(flat[offset:], size, steps)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    options=MnnRasterOptions,
    constraints=(c.outputs_exactly(1), from_mnn),
)
