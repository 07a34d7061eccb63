"""Operators: one file each, the contract they are written against, and resolvers.

What operators' files have in common is imported from here: contexts and nodes, registrations, and
what a file states beside its registration (traits, a scheme of quantisation, rows).
"""

from arenite.memory.abi import Struct
from arenite.ops.constraints import NodeView, view_of
from arenite.ops.context import Array, Context, Declared, EvalTensor, Node, TfLiteTensor
from arenite.ops.registry import (
    NativeKernel,
    OpResolver,
    Registration,
    builtin,
    builtin_names,
    custom_names,
    mnn_names,
    module_name,
    only_mnn_has,
    places_operands,
    scheme_of,
    takes_scratch,
)
from arenite.ops.resolvers import AllOpsResolver, MutableOpResolver, named, resolver_of
from arenite.ops.rows import row_by_row
from arenite.ops.scheme import (
    BETWEEN_ONES,
    COMPUTES,
    COMPUTES_INT8,
    MOVES,
    MOVES_INT8,
    Bias,
    FixedQuantization,
    Scheme,
    Weights,
)
from arenite.ops.traits import Traits

__all__ = [
    "BETWEEN_ONES",
    "COMPUTES",
    "COMPUTES_INT8",
    "MOVES",
    "MOVES_INT8",
    "AllOpsResolver",
    "Array",
    "Bias",
    "Context",
    "Declared",
    "EvalTensor",
    "FixedQuantization",
    "MutableOpResolver",
    "NativeKernel",
    "Node",
    "NodeView",
    "OpResolver",
    "Registration",
    "Scheme",
    "Struct",
    "TfLiteTensor",
    "Traits",
    "Weights",
    "builtin",
    "builtin_names",
    "custom_names",
    "mnn_names",
    "module_name",
    "named",
    "only_mnn_has",
    "places_operands",
    "resolver_of",
    "row_by_row",
    "scheme_of",
    "takes_scratch",
    "view_of",
]
