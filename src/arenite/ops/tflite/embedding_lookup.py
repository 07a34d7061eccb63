"""EMBEDDING_LOOKUP: rows of a table, picked by their numbers; int8 ones as floats, if wanted.

Facts: TFLM ``micro/kernels/embedding_lookup.cc``. int8 rows that stay int8 are copied whatever the
two scales. A row that is not in the table is refused, as by TFLM.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arenite.model.types import FLOAT32, INT8, INT32
from arenite.ops import Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops.kernel_util import input_array, input_tensor, output_array, output_tensor


@dataclass(frozen=True)
class EmbeddingLookupParams:
    """Value of an int8 in a float32 output."""

    scale: float


OP_DATA = Struct("OpData", ("float", "size_t"))


def table_of_rows(node: c.NodeView) -> bool:
    """The table (input 1) has at least 2 dimensions, and rows."""
    shape = node.input(1).shape
    return len(shape) >= 2 and shape[0] > 0


def tables_output(node: c.NodeView) -> bool:
    """Output 0 has the table's type or float32, its number of dimensions, and more only of 1."""
    table, output = node.input(1), node.output(0)
    is_type = output.type in (table.type, FLOAT32)
    rank = len(table.shape)
    return is_type and len(output.shape) >= rank and set(output.shape[rank:]) <= {1}


def symmetric_table(node: c.NodeView) -> bool:
    """A table of int8 has zero point 0, if the output is float32."""
    return node.output(0).type is not FLOAT32 or node.input(1).zero_point == 0


def prepare(context: Context, node: Node) -> EmbeddingLookupParams:
    """The output's shape."""
    rows, table = (input_tensor(context, node, i) for i in range(2))
    output = output_tensor(context, node)
    # TFLM moves the output's dimensions to the arena, and writes as many as the table has.
    context.reserve_persistent_buffer(4 * (1 + len(output.shape)), "output dimensions")
    shape = (rows.shape[0], *table.shape[1:], *output.shape[len(table.shape) :])
    context.resize_tensor(output.index, shape, "replaced")
    context.reserve_persistent_buffer(OP_DATA.size(context.abi), OP_DATA.name)
    return EmbeddingLookupParams(table.scale)


def invoke(context: Context, node: Node) -> None:
    """Copy every row, or convert it."""
    rows, table = (input_array(context, node, i) for i in range(2))
    out = output_array(context, node)
    if rows.size and not 0 <= int(rows.min()) <= int(rows.max()) < len(table):
        context.report_error(
            f"expected rows from 0 to {len(table) - 1}, got {rows.min()} to {rows.max()}"
        )
    params: EmbeddingLookupParams = node.params
    picked = table[rows].reshape(out.shape)
    if picked.dtype == out.dtype:
        out[...] = picked
    else:
        with np.errstate(all="ignore"):
            out[...] = picked.astype(np.float32) * np.float32(params.scale)


REGISTRATION = Registration(
    prepare=prepare,
    invoke=invoke,
    constraints=(
        *c.counts(2, 1),
        c.input_types(0, INT32),
        c.rank(0, 1),
        c.input_types(1, FLOAT32, INT8),
        table_of_rows,
        tables_output,
        symmetric_table,
    ),
)

TRAITS = Traits(takes_decoded=True)
