"""Common parts of operators that move elements and compute nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from arenite.model import TensorType
from arenite.ops.constraints import Constraint, NodeView
from arenite.ops.context import Array, Context, Node
from arenite.ops.kernel_util import input_array, output_array

#: Types whose elements are whole bytes, the same in TFLM and in NumPy.
WHOLE_BYTE_TYPES = (
    TensorType.FLOAT32,
    TensorType.FLOAT16,
    TensorType.FLOAT64,
    TensorType.INT8,
    TensorType.INT16,
    TensorType.INT32,
    TensorType.INT64,
    TensorType.UINT8,
    TensorType.UINT16,
    TensorType.UINT32,
    TensorType.UINT64,
    TensorType.BOOL,
    TensorType.COMPLEX64,
    TensorType.COMPLEX128,
)


#: What a plain copy of a tensor's bytes moves as well: types that NumPy does not have.
COPIED_TYPES = (*WHOLE_BYTE_TYPES, TensorType.BFLOAT16, TensorType.INT4)


@dataclass(frozen=True)
class CopyParams:
    """A plain copy of ``nbytes`` bytes from input 0 to output 0."""

    nbytes: int


def copy_params(elements: int, type_: TensorType) -> CopyParams:
    """The parameters of a copy of ``elements`` elements."""
    return CopyParams(nbytes=type_.nbytes(elements))


def copy_of_rows(params: CopyParams, count: int) -> CopyParams:
    """The same of ``count`` times the bytes."""
    return CopyParams(count * params.nbytes)


def copy_invoke(context: Context, node: Node) -> None:
    """An ``invoke``: output 0 gets the elements of input 0 in their order.

    The two may be the same memory; then nothing is done.
    """
    copy_flat(input_array(context, node, 0), output_array(context, node))


def copy_flat(x: Array, out: Array) -> None:
    """Copy all elements in order, whatever the two shapes (NumPy skips ``x is out``)."""
    np.copyto(out.reshape(-1), x.reshape(-1))


def constant_values(context: Context, index: int) -> tuple[int, ...] | None:
    """The integers of a constant tensor, flat, or None if it is none.

    Reads the tensor as a kernel does, so that no temporary tensor is counted.
    """
    tensor = context.get_eval_tensor(index)
    if tensor.data is None or tensor.data.flags.writeable or tensor.data.dtype.kind not in "iu":
        return None
    return tuple(int(value) for value in tensor.data.reshape(-1))


# -- tensors that are put together or taken apart along an axis ------------------------


@dataclass(frozen=True)
class Interleaving:
    """The layout of parts in a whole: ``outer_size`` rounds of one block from each part.

    ``copy_sizes`` (int64) has the elements per block, one entry for each of ``parts``.
    """

    outer_size: int
    parts: int
    copy_sizes: Array


def interleaving(shapes: Sequence[tuple[int, ...]], axis: int) -> Interleaving:
    """The layout of parts of these shapes when they are joined along ``axis``."""
    outer_size = prod(shapes[0][:axis])
    # Without rounds the blocks may be of any size, even one that int64 does not hold.
    sizes = [prod(shape[axis:]) if outer_size else 0 for shape in shapes]
    return Interleaving(
        outer_size=outer_size,
        parts=len(shapes),
        copy_sizes=np.array(sizes, np.int64),
    )


def join(params: Interleaving, parts: Sequence[Array], whole: Array) -> None:
    """Copy the parts into the whole."""
    for block, part in zip(_blocks(params, whole), parts, strict=True):
        block[...] = part.reshape(block.shape)


def divide(params: Interleaving, whole: Array, parts: Sequence[Array]) -> None:
    """Copy the whole into its parts."""
    for block, part in zip(_blocks(params, whole), parts, strict=True):
        part.reshape(block.shape)[...] = block


def _blocks(params: Interleaving, whole: Array) -> Iterator[Array]:
    """Views of the whole, one per part, as ``(outer_size, copy_size)``."""
    sizes = params.copy_sizes.tolist()
    rounds = whole.reshape(params.outer_size, sum(sizes))
    start = 0
    for size in sizes:
        yield rounds[:, start : start + size]
        start += size


def positive_axis(context: Context, axis: int, rank: int) -> int:
    """An axis counted from the front; negative ones count from the back."""
    if not -rank <= axis < rank:
        context.report_error(f"axis must lie in [{-rank}, {rank}), got {axis}")
    return axis % rank


def inputs_like_output(node: NodeView) -> bool:
    """There is at least one input, and all are present and have the output's type."""
    kind = node.output(0).type
    return len(node.inputs) > 0 and all(t is not None and t.type is kind for t in node.inputs)


def outputs_like_input(index: int) -> Constraint:
    """A constraint: there are outputs, all of the type of input ``index``."""

    def check(node: NodeView) -> bool:
        kind = node.input(index).type
        return len(node.outputs) > 0 and all(t is not None and t.type is kind for t in node.outputs)

    check.__doc__ = (
        f"There is at least one output, and all are present and have the type of input {index}."
    )
    return check
