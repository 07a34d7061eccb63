"""Plan of a session: a model in given shapes, and what MNN's names mean in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from arenite.mnn.session.constants import DimensionType
from arenite.mnn.session.storage import Bytes
from arenite.model import Model, Tensor, TensorType

Shape = tuple[int, ...]


@dataclass(frozen=True)
class SessionPort:
    """An input or output: ``shape`` is in the order of ``dimension``.

    An input that a model leaves open has dimensions under 1.
    """

    name: str
    shape: Shape
    type: TensorType
    dimension: DimensionType


@dataclass(frozen=True)
class PlannedNode:
    """Facts of an operator for callbacks; ``flops`` in millions, as MNN counts them."""

    name: str
    type: str
    flops: float


@dataclass(frozen=True, eq=False)
class Plan:
    """A model and its ports in the model's order, with a node for each of its operators.

    ``dimensions`` tells for a tensor of the model in which order its axes are.
    """

    model: Model
    inputs: tuple[SessionPort, ...]
    outputs: tuple[SessionPort, ...]
    nodes: tuple[PlannedNode, ...]
    dimensions: Mapping[int, DimensionType]

    @property
    def flops(self) -> float:
        """Of all nodes, in millions."""
        return sum(node.flops for node in self.nodes)

    def without(self, buffer: Bytes) -> Plan:
        """The plan with copies of those constants that lie in the buffer."""
        subgraphs = tuple(
            replace(
                subgraph, tensors=tuple(_outside(tensor, buffer) for tensor in subgraph.tensors)
            )
            for subgraph in self.model.subgraphs
        )
        return replace(self, model=replace(self.model, subgraphs=subgraphs))


def _outside(tensor: Tensor, buffer: Bytes) -> Tensor:
    data = tensor.data
    if data is None or not np.may_share_memory(data, buffer):
        return tensor
    copy = data.copy()
    copy.flags.writeable = False
    return replace(tensor, data=copy)


@dataclass(frozen=True, eq=False)
class Schedule:
    """A net, or the part of it that a session asks for.

    ``plan`` takes the shapes of all inputs by name. It raises ``ModelError``,
    ``ConstraintError`` or ``UnsupportedOperatorError`` where they do not work.
    """

    inputs: tuple[SessionPort, ...]
    outputs: tuple[str, ...]
    plan: Callable[[Mapping[str, Shape]], Plan]
