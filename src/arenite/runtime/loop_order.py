"""The order in which a prepared node reads and writes: TFLM's, a library's or a user's kernel."""

from __future__ import annotations

import numpy as np

from arenite.memory.overlap import Order
from arenite.ops.constraints import view_of
from arenite.ops.overlap import Clearance
from arenite.runtime.graph import GraphHost, NodeAndRegistration


def order_of(host: GraphHost, entry: NodeAndRegistration, position: int) -> Order | None:
    """The order in which a prepared node reads an input and writes its output, on its target.

    ``host`` has entered the node. None for what must be apart. Of a user's own kernel nothing is
    known but what it says itself.
    """
    node, registration = entry.node, entry.registration
    if registration.overlap is None:
        return None
    if registration.native is None or registration.native.invoke is not registration.invoke:
        return _as_stated(registration.overlap(view_of(host, node), position))
    view, path = view_of(host, node), getattr(node.user_data, "path", None)
    if path is None or not path.is_library:
        from arenite.ops.shared import loop_order  # noqa: PLC0415 - few models need it

        return loop_order.order_of(node, view, position)
    from arenite.libraries.library import library_of  # noqa: PLC0415 - few models

    return library_of(host.target).order_of(node, view, position, path, host.target)


def runs_in_place(host: GraphHost, entry: NodeAndRegistration, index: int) -> bool:
    """Whether a node takes an input from its output's place, or from where it is apart.

    Such kernels leave out a copy there, on the device and here.
    """
    overlap = entry.registration.overlap
    if overlap is None:
        return False
    view, positions = view_of(host, entry.node), enumerate(entry.node.inputs)
    stated = [overlap(view, position) for position, other in positions if other == index]
    return all(one == Clearance(0, 0) for one in stated)


def _as_stated(clearance: Clearance | None) -> Order | None:
    """An order with that distance; None where multiples of the step do not lead to it."""
    if clearance is None:
        return None
    least, step = clearance
    if step == 0:
        return Order(unit=0) if least == 0 else None
    if least % step:
        return None
    return Order([(np.zeros(1, np.int64), np.array([least], np.int64))], step)
