"""Facts of an operator that ``runSessionWithCallBackInfo`` tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arenite.errors import StateError
from arenite.mnn.session.plan import PlannedNode
from arenite.mnn.session.tensor import Tensor


class OpInfo:
    """Name, type and work of an operator. Callbacks get them; one made by hand is empty."""

    def __init__(self) -> None:
        self._node: PlannedNode | None = None

    @classmethod
    def of(cls, node: PlannedNode) -> OpInfo:
        """The information about a node."""
        self = cls()
        self._node = node
        return self

    def getName(self) -> str:
        """The operator's name."""
        return self._known().name

    def getType(self) -> str:
        """MNN's name of its type; Arenite's for what was added to move data."""
        return self._known().type

    def getFlops(self) -> float:
        """Its work in millions."""
        return self._known().flops

    def __repr__(self) -> str:
        return f"<OpInfo {self._node.type} {self._node.name!r}>" if self._node else "<OpInfo>"

    def _known(self) -> PlannedNode:
        if self._node is None:
            raise StateError("the OpInfo is empty; callbacks of a session get full ones")
        return self._node


CallBack = Callable[[tuple[Tensor, ...], str], Any]
InfoCallBack = Callable[[tuple[Tensor, ...], OpInfo], Any]
NodeCallBack = Callable[[tuple[Tensor, ...], PlannedNode], Any]
"""What a session calls: True goes on."""


def by_name(callback: CallBack | None) -> NodeCallBack | None:
    """A callback of ``runSessionWithCallBack`` as a session calls it."""
    if callback is None:
        return None
    return lambda tensors, node: callback(tensors, node.name)


def by_info(callback: InfoCallBack | None) -> NodeCallBack | None:
    """A callback of ``runSessionWithCallBackInfo`` as a session calls it."""
    if callback is None:
        return None
    return lambda tensors, node: callback(tensors, OpInfo.of(node))
