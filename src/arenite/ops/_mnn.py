"""What the operators of MNN's front end share: they have no counterpart in TensorFlow Lite."""

from __future__ import annotations

from arenite.model import OptionsTable
from arenite.ops.constraints import NodeView


def from_mnn(node: NodeView) -> bool:
    """The operator comes from an ``.mnn`` file: its options have no place in other files."""
    return isinstance(node.options, OptionsTable) and node.options != type(node.options)()
