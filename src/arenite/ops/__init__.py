"""Operators: one file each, the contract they are written against, and resolvers."""

from arenite.ops.context import Context, EvalTensor, Node, TfLiteTensor
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

__all__ = [
    "AllOpsResolver",
    "Context",
    "EvalTensor",
    "MutableOpResolver",
    "NativeKernel",
    "Node",
    "OpResolver",
    "Registration",
    "TfLiteTensor",
    "builtin",
    "builtin_names",
    "custom_names",
    "mnn_names",
    "module_name",
    "named",
    "only_mnn_has",
    "places_operands",
    "resolver_of",
    "scheme_of",
    "takes_scratch",
]
