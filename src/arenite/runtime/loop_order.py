"""In which order a prepared node reads and writes: TFLM's kernel, or a function of CMSIS-NN."""

from __future__ import annotations

from arenite.memory.overlap import Order
from arenite.ops.constraints import view_of
from arenite.runtime.graph import GraphHost, NodeAndRegistration


def order_of(host: GraphHost, entry: NodeAndRegistration, position: int) -> Order | None:
    """The order in which a prepared node reads an input and writes its output, on its target.

    ``host`` has entered the node. None for what must be apart, as users' own kernels.
    """
    node = entry.node
    if entry.registration.overlap is None:
        return None
    view, path = view_of(host, node), getattr(node.user_data, "path", None)
    if path is None or not path.is_cmsis_nn:
        from arenite.ops import loop_order  # noqa: PLC0415 - few models need it

        return loop_order.order_of(node, view, position)
    from arenite.cmsis_nn import loop_order as functions  # noqa: PLC0415 - few models need it

    return functions.order_of(node, view, position, path, host.target)
