"""A model's nodes, prepared and with memory: finished parameters, kernels that can be run alone."""

from __future__ import annotations

from arenite.model import Model
from arenite.ops import AllOpsResolver, Context, Node, Registration, only_mnn_has
from arenite.ops.context import Array
from arenite.ops.shared.convolution import weight_values
from arenite.runtime.graph import Graph
from arenite.runtime.heap_host import HeapContext
from arenite.runtime.lifecycle import Life
from arenite.target import HOST, Target


class QuietHeap(HeapContext):
    """A heap that notes undefined nodes instead of warning of them."""

    def __init__(self, model: Model, target: Target) -> None:
        super().__init__(model, target)
        self.undefined: set[tuple[int, int]] = set()

    def warn_undefined(self, message: str) -> None:
        """Remember the current node."""
        self.undefined.add((self.subgraph, self.operator))


class AnyOperator:
    """Finds TFLM's operators, and for every other name something that is never run."""

    def __init__(self) -> None:
        self._own = AllOpsResolver()

    def find(self, name: str) -> Registration | None:
        """The registration of a name."""
        found = None if only_mnn_has(name) else self._own.find(name)
        return found or Registration(_not_run, strict=False)


def _not_run(context: Context, node: Node) -> None:
    raise NotImplementedError(node.name)


class PreparedModel:
    """All nodes of a model, prepared by TFLM's reference kernels, on the heap.

    Unknown operators are there, without parameters.

    Raises:
        AreniteError: A node cannot be prepared, or the tensors are too large for this machine.
    """

    def __init__(self, model: Model, target: Target = HOST) -> None:
        self.model, self.target = model, target
        self._host = QuietHeap(model, target)
        self._graph = Graph(model, self._host)
        self._graph.resolve(AnyOperator())
        self._life = Life(self._graph)
        self._life.allocate()

    def node(self, subgraph: int, operator: int) -> Node | None:
        """A builtin operator whose parameters mean what the file says; None where that is in doubt.

        It is where C leaves the node undefined, and where shapes follow from operators which are
        not the file's: a firmware goes by those.
        """
        node = self._graph.entry(operator, subgraph).node
        declared, real = self.model.subgraphs[subgraph].tensors, self._host.tensors[subgraph]
        places = [index for index in (*node.inputs, *node.outputs) if index >= 0]
        is_custom = self.model.subgraphs[subgraph].operators[operator].is_custom
        if is_custom or (subgraph, operator) in self._host.undefined:
            return None
        if any(declared[index].shape != real[index].shape for index in places):
            return None
        return node

    def constant(self, subgraph: int, tensor: int) -> Array | None:
        """A constant's values, one array element each; None where it is computed."""
        declared, real = self.model.subgraphs[subgraph].tensors[tensor], self._host.tensors
        if not declared.is_constant or declared.is_variable:
            return None
        return weight_values(real[subgraph][tensor])

    def run(self, subgraph: int, operator: int, inputs: dict[int, Array]) -> list[Array]:
        """The outputs of one node for these input tensors; the others are as they are."""
        node, tensors = self._graph.entry(operator, subgraph).node, self._host.tensors[subgraph]
        for index, values in inputs.items():
            data = tensors[index].data
            assert data is not None
            data[...] = values
        self._graph.invoke_node(subgraph, operator)
        outputs = [tensors[index].data for index in node.outputs]
        return [data.copy() for data in outputs if data is not None]
