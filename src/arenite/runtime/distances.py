"""The least distances of a model's tensors above their outputs, on one target or on all."""

from __future__ import annotations

from functools import reduce
from typing import Literal, NamedTuple

from arenite.cores import REPRESENTATIVES
from arenite.memory.liveness import tensor_bytes
from arenite.memory.offline import without_plan
from arenite.model import Model
from arenite.ops import NodeView, OpResolver, resolver_of, view_of
from arenite.ops.overlap import Clearance, both
from arenite.runtime.graph import GraphHost, NodeAndRegistration
from arenite.runtime.interpreter_config import Setup
from arenite.runtime.micro_interpreter import MicroInterpreter
from arenite.target import COMPILERS, HOST, Target, find_target

#: ``"none"``: outputs lie on no input; ``"portable"``: as all builds allow it that are known;
#: ``"target"``: as one target does.
Overlapping = Literal["none", "portable", "target"]
#: TFLM's reference kernels, and CMSIS-NN's for every kind of processor and compiler.
BUILDS: tuple[Target, ...] = (
    HOST,
    *(
        Target(processor, compiler=compiler)
        for processor in REPRESENTATIVES
        for compiler in COMPILERS
    ),
)


class SafeDistance(NamedTuple):
    """An operator's output may begin ``distance`` bytes below its input, or by more.

    ``off[input] >= off[output] + distance``. Where ``step`` is 0 only that distance is safe, where
    it is greater than 1 only that distance plus a multiple of it.
    """

    subgraph: int
    operator: int
    output_tensor: int
    input_tensor: int
    distance: int
    step: int = 1


def safe_distances(
    model: Model,
    target: Target | str | None = None,
    mode: Overlapping = "target",
    resolver: OpResolver | None = None,
) -> tuple[SafeDistance, ...]:
    """Where outputs may lie over their operator's own input, and how.

    Only distances that are less than the output's size are listed. Whether the input is needed
    afterwards is not asked here.

    Args:
        model: The model; its offline plan is not looked at.
        target: The firmware; None is TFLM's own package.
        mode: ``"target"``, ``"portable"`` for what all of :data:`BUILDS` allow, or ``"none"``.
        resolver: Finds the operators; Arenite's own without it.

    Raises:
        UnsupportedOperatorError, ConstraintError: See :class:`MicroInterpreter`.
        ValueError: There is no such mode.
    """
    if mode not in ("none", "portable", "target"):
        raise ValueError(f"expected a mode of none, portable, target, got {mode!r}")
    if mode == "none":
        return ()
    resolver = resolver_of(model) if resolver is None else resolver
    builds = (find_target(target),) if mode == "target" else BUILDS
    micro = MicroInterpreter.in_smallest_arena(without_plan(model), resolver, target=builds[0])
    resolvers = [Setup.of(build).resolver(resolver) for build in builds]
    graph = micro.life.graph
    found: list[SafeDistance] = []
    for subgraph, entries in enumerate(graph.nodes):
        for number, entry in enumerate(entries):
            graph.host.enter_node(subgraph, number)
            found += _of_node(graph.host, entry, model, resolvers)
    return tuple(found)


def _of_node(
    host: GraphHost, entry: NodeAndRegistration, model: Model, resolvers: list[OpResolver]
) -> list[SafeDistance]:
    node = entry.node
    if len(node.outputs) != 1 or node.outputs[0] < 0:
        return []
    subgraph, tensors = host.subgraph, model.subgraphs[host.subgraph].tensors
    size, view = tensor_bytes(tensors[node.outputs[0]]), view_of(host, node)
    found = []
    for index in dict.fromkeys(node.inputs):
        if index < 0 or tensors[index].is_constant or tensors[index].is_variable:
            continue
        allowed = [
            _clearance(resolver, view, position)
            for position, other in enumerate(node.inputs)
            if other == index
            for resolver in resolvers
        ]
        clearance = reduce(both, allowed)
        if clearance is not None and clearance.least < size:
            place = subgraph, host.operator, node.outputs[0], index
            found.append(SafeDistance(*place, *clearance))
    return found


def _clearance(resolver: OpResolver, view: NodeView, position: int) -> Clearance | None:
    registration = resolver.find(view.name)
    if registration is None or registration.overlap is None:
        return None
    return registration.overlap(view, position)
