"""Demands of TFLM's CMSIS-NN kernels beyond those of the reference kernels."""

from __future__ import annotations

from arenite.model import TensorType
from arenite.ops.constraints import Constraint, NodeView


def int16_is_symmetric(node: NodeView) -> bool:
    """With CMSIS-NN int16 input and output have the zero point 0."""
    if node.input(0).type is not TensorType.INT16:
        return True
    return node.input(0).zero_point == node.output(0).zero_point == 0


def within_4_dimensions(node: NodeView) -> bool:
    """With CMSIS-NN both inputs have at most 4 dimensions."""
    return max(len(node.input(0).shape), len(node.input(1).shape)) <= 4


def int8_within_4_dimensions(function: str) -> Constraint:
    """A constraint on int8 tensors that go to ``function``."""

    def check(node: NodeView) -> bool:
        ranks = [len(node.input(0).shape), len(node.output(0).shape)]
        return node.input(0).type is not TensorType.INT8 or max(ranks) <= 4

    check.__name__ = "int8_within_4_dimensions"
    check.__doc__ = f"With CMSIS-NN int8 has at most 4 dimensions: {function} sees no more."
    return check
