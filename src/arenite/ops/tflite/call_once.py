"""CALL_ONCE: a subgraph that runs in the first inference only, to initialise variables.

``reset`` does not run it again: variables have their zero points after that, not what it gave
them. Facts: TFLM ``micro/kernels/call_once.cc``.
"""

from __future__ import annotations

from typing import Any

from arenite.model import OptionsTable, slot
from arenite.ops import Context, Node, Registration, Struct, Traits
from arenite.ops import constraints as c
from arenite.ops.shared.control_flow import HAS_RUN


class CallOnceOptions(OptionsTable, union=103):
    """``table CallOnceOptions``."""

    init_subgraph_index: int = slot(0, "int32")


OP_DATA = Struct("OpData", ("int", "bool"))


def init(context: Context, options: Any) -> None:
    """``OpData``, which remembers whether the subgraph has run."""
    context.allocate_state(OP_DATA.size(context.abi), OP_DATA.name)


def invoke(context: Context, node: Node) -> None:
    """Run the subgraph if it has not run yet."""
    if context.state_buffers()[0][HAS_RUN]:
        return
    context.graph.invoke_subgraph(node.options.init_subgraph_index)
    context.state_buffers()[0][HAS_RUN] = 1


REGISTRATION = Registration(
    init=init,
    invoke=invoke,
    options=CallOnceOptions,
    builtin_data=Struct("TfLiteCallOnceParams", ("int",)),
    constraints=c.counts(0, 0),
)

TRAITS = Traits(effect="calls", drawn="call", runs_once=True)
