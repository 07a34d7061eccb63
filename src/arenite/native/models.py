"""Conditions of models, looked at in C: see ``csrc/python/models.c``.

Most models are as all are. Of the others these functions say no, and Python what is wrong.
"""

from __future__ import annotations

from struct import pack

from arenite.model import BuiltinOperator, Subgraph, Tensor, TensorType
from arenite.model.check_quantization import zero_points_of
from arenite.native import parameters  # noqa: F401 - which lets C read NumPy's arrays
from arenite.native.engine import extension, lib

if not lib.ar_add_models():
    raise ImportError("the native engine has no way to look at models")
_are_plain, _in_order = extension.are_plain, extension.in_order

#: Bits of an element and the range of zero points, by the type's code.
_TYPES = b"".join(pack("3q", one.bits, *zero_points_of(one)) for one in sorted(TensorType))
_BUILTINS = frozenset(BuiltinOperator.__members__)


def are_plain(tensors: tuple[Tensor, ...]) -> bool:
    """Whether :mod:`arenite.model.check` has nothing to say against any of the tensors.

    False for those with a dimension of 0 or an open one, and arrays that C does not read, as well.
    """
    plain: bool = _are_plain(tensors, _TYPES)
    return plain


def in_order(subgraph: Subgraph) -> bool:
    """Whether nothing is to be said against operators, inputs and outputs, nor their order.

    Neither by :mod:`arenite.model.check` nor by :mod:`arenite.model.consistency`. False where
    tensors without elements are read that nobody has written, and where an input is there twice,
    as well.
    """
    content = subgraph.tensors, subgraph.operators, subgraph.inputs, subgraph.outputs
    found: bool = _in_order(*content, _BUILTINS)
    return found
