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

from arenite.model import OptionsTable
from arenite.ops import constraints as c
from arenite.ops._mnn import from_mnn
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
    """Which pieces are copied, in order; elements that no piece covers are 0."""

    regions: tuple[Region, ...] = field(default=())


@dataclass(frozen=True)
class MnnRasterParams:
    """The pieces, and whether the output must be cleared first."""

    regions: tuple[Region, ...]
    clears: bool


def prepare(context: Context, node: Node) -> MnnRasterParams:
    """Check that every piece lies inside its input and the output."""
    options: MnnRasterOptions = node.options
    output = output_tensor(context, node)
    covered = 0
    for region in options.regions:
        if region.source >= len(node.inputs):
            context.report_error(f"there is no input {region.source}")
        inp = input_tensor(context, node, region.source)
        if inp.type is not output.type:
            context.report_error(f"expected an input of {output.type}, got {inp.type}")
        check_box(context, region.offset, region.strides, region.size, inp.size)
        check_box(context, region.target_offset, region.target_strides, region.size, output.size)
        covered += prod(region.size)
    return MnnRasterParams(options.regions, clears=covered < output.size)


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
    for region in params.regions:
        source = input_array(context, node, region.source).reshape(-1)
        target = box(out, region.target_offset, region.target_strides, region.size)
        target[...] = box(source, region.offset, region.strides, region.size)


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
