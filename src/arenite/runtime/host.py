"""Common parts of all hosts of kernels: tensors, the current node, the phase."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import ref

from arenite import native
from arenite.errors import ConstraintError, InferenceAborted, StateError, UndefinedWarning
from arenite.memory.abi import abi_of
from arenite.memory.arena import Bytes
from arenite.memory.liveness import ONLINE, offline_offsets
from arenite.model import Model, Subgraph, Tensor
from arenite.model.text import printable
from arenite.ops import Array, EvalTensor, TfLiteTensor
from arenite.ops.kernel_util import all_params_of
from arenite.runtime.state import InterpreterState, StateGuard
from arenite.target import Target

if TYPE_CHECKING:
    from arenite.runtime.graph import Graph

#: More variables than this are not shown to a native kernel that may mean any.
_MOST_VARIABLES = 64
#: When nodes may ask for full tensors.
_PLANNED = (InterpreterState.INIT, InterpreterState.PREPARE)
#: When an external context may be attached.
_ATTACHABLE = (*_PLANNED, InterpreterState.INVOKE)


class HostContext(StateGuard):
    """The part of the ``Context`` and ``GraphHost`` protocols that needs no memory."""

    def __init__(self, model: Model, target: Target) -> None:
        super().__init__()
        if not isinstance(model, Model):
            kind = type(model).__name__
            raise TypeError(f"expected a model, as arenite.load(path) returns it, got {kind}")
        self.target, self.abi = target, abi_of(target)
        self.model = model
        self.external_context: Any = None
        self.tensors = [_eval_tensors(each.tensors) for each in model.subgraphs]
        self._variable_tensors = [
            (number, index, tensor)
            for number, subgraph in enumerate(model.subgraphs)
            for index, tensor in enumerate(subgraph.tensors)
            if tensor.is_variable
        ]
        # The same with all that the model says of them.
        self._fulls = list(map(full_tensors, model.subgraphs, self.tensors))
        # Tensors that a prepared node, or the user, relies on, by subgraph, and up to which node.
        self._settled: list[set[int]] = []
        self._settled_nodes: list[int] = []
        self._has_other_shapes = False  # than the model says
        self.own_tensors: dict[tuple[int, int, int], EvalTensor] = {}
        self.input_copies: dict[tuple[int, int], list[tuple[Array, Array]]] = {}
        # What nodes remember from one inference to the next, by subgraph and operator.
        self._states: dict[tuple[int, int], list[Bytes]] = {}
        # Tensors whose memory a node has given them, and which variables nodes use.
        self.placed: set[tuple[int, int]] = set()
        self._variable_users: dict[tuple[int, int], int | None] = {}
        self.operator = 0
        self._enter_subgraph(0)

    # -- callbacks for kernels

    def get_tensor(self, index: int) -> TfLiteTensor:
        """A full tensor of the current subgraph, with its current shape."""
        if self.state not in _PLANNED:
            self.require("get_tensor", *_PLANNED)
        return self.view_tensor(index)

    def get_eval_tensor(self, index: int) -> EvalTensor:
        """A tensor of the current subgraph."""
        if not 0 <= index < len(self._current):
            self._check_index(index)
        own = self.own_tensors  # few models have any
        if own and (seen := own.get((self.subgraph, self.operator, index))):
            return seen
        return self._current[index]

    def get_external_context(self) -> Any:
        """External context that the user attached, or None."""
        return self.external_context

    def state_buffers(self) -> list[Bytes]:
        """The current node's state."""
        return self._states.get((self.subgraph, self.operator), [])

    def abort(self) -> NoReturn:
        """End this inference here, without an error."""
        self.require("abort", InterpreterState.INVOKE)
        raise InferenceAborted

    @property
    def graph(self) -> Graph:
        """The model's subgraphs."""
        graph = self._graph()
        assert graph is not None  # it calls the kernels
        return graph

    def place_tensor(self, index: int, data: Array) -> None:
        """Let a tensor be memory that the node has."""
        self.require("place_tensor", InterpreterState.PREPARE)
        self.placed.add((self.subgraph, index))
        self._current[index].data = data

    def planned_offset(self, index: int) -> int | None:
        """Where the file's own plan places a tensor."""
        offsets = offline_offsets(self.model)
        if offsets is None or offsets[self.subgraph][index] == ONLINE:
            return None
        return offsets[self.subgraph][index]

    def allocate_decompression_memory(self, size: int) -> Bytes | None:
        """None: there is none."""
        return None

    def reset_decompression_memory(self) -> None:
        """Nothing: there is none."""

    def use_variables(self, number: int | None) -> None:
        """The current node uses this variable, or any."""
        self._variable_users[self.subgraph, self.operator] = number

    def report_error(self, message: str) -> NoReturn:
        """Raise ``ConstraintError`` with the current node's place."""
        raise ConstraintError(f"{self.place()}: {message}", reason=message)

    def report_nonsense(self, message: str) -> NoReturn:
        """Raise ``ConstraintError`` for what TFLM runs, and computes wrongly."""
        why = "TFLM does not check this, and computes nonsense"
        error = ConstraintError(f"{self.place()}: {message}: {why}.", reason=f"{message}: {why}")
        error.computes_nonsense = True
        raise error

    def warn_undefined(self, message: str) -> None:
        """Warn with ``UndefinedWarning`` and the current node's place."""
        warnings.warn(f"{self.place()}: {message}", UndefinedWarning, stacklevel=2)

    def keep_state(self, buffer: Bytes) -> list[Bytes]:
        """A buffer is the current node's from now on; all that it has."""
        states = self._states.setdefault((self.subgraph, self.operator), [])
        states.append(buffer)
        return states

    def settle(self, index: int, shape: tuple[int, ...]) -> None:
        """Change a tensor's shape for good.

        Raises:
            ConstraintError: An earlier node was prepared for another shape of the tensor.
        """
        tensor = self._current[index]
        if shape == tensor.shape:
            return
        if index in self._settled_tensors():
            self.report_error(
                f"tensor {index} would get the shape {list(shape)}, and an earlier operator uses "
                f"it with {list(tensor.shape)}"
            )
        self.set_shape(self.subgraph, index, shape)

    def set_shape(self, subgraph: int, index: int, shape: tuple[int, ...]) -> None:
        """A tensor has this shape from now on."""
        self._has_other_shapes = True
        self.tensors[subgraph][index].shape = shape
        fulls = self._fulls[subgraph]
        fulls[index] = replace(fulls[index], shape=shape)

    def _settled_tensors(self) -> set[int]:
        """Those of the current subgraph that earlier nodes, or the user, rely on."""
        settled, begin = self._settled[self.subgraph], self._settled_nodes[self.subgraph]
        for operator in self.operators[begin : self.operator]:
            settled.update(operator.inputs, operator.outputs)
        self._settled_nodes[self.subgraph] = max(begin, self.operator)
        return settled

    # -- what the graph uses

    def begin(self, graph: Graph) -> None:
        """A life begins: what nodes of a former one had is forgotten."""
        self._graph = ref(graph)
        self.own_tensors.clear()
        self.input_copies.clear()
        self._states.clear()
        self._variable_users.clear()
        for subgraph, index in self.placed:
            self.tensors[subgraph][index].data = None
        self.placed.clear()
        main, *others = self.model.subgraphs
        self._settled = [set(main.inputs), *(set[int]() for _ in others)]
        self._settled_nodes = [0] * len(self._settled)

    def state_memory(self) -> list[Bytes]:
        """The bytes of all variables and of all nodes' states."""
        found = [state for states in self._states.values() for state in states]
        return found + [memory for _, memory in self._variables()]

    def native_state(self) -> list[Bytes] | None:
        """State of the current node for its native kernel; None if that cannot be told."""
        if not (self._states or self._variable_users):
            return []
        key = self.subgraph, self.operator
        if key not in self._variable_users:
            return self.state_buffers()
        variables = self.graph.resource_variables
        buffers = None if variables is None else variables.buffers(self._variable_users[key])
        return None if buffers is None or len(buffers) > _MOST_VARIABLES else buffers

    def set_external_context(self, payload: Any) -> None:
        """Attach an object for kernels to find; once.

        Raises:
            StateError: There is one already, tensors are being planned, or the new one is None.
        """
        self.require("set_external_context", *_ATTACHABLE)
        if payload is None or self.external_context is not None:
            raise StateError("the external context can be set once, and not to None")
        self.external_context = payload

    def finish_prepare_node(self) -> None:
        """Nothing to be done."""

    def enter_node(self, subgraph: int, operator: int) -> None:
        """The next calls come from this node."""
        self.operator = operator
        if subgraph != self.subgraph:
            self._enter_subgraph(subgraph)

    def _enter_subgraph(self, subgraph: int) -> None:
        self.subgraph = subgraph
        self._current, self._full = self.tensors[subgraph], self._fulls[subgraph]
        self.operators = self.model.subgraphs[subgraph].operators

    def view_tensor(self, index: int) -> TfLiteTensor:
        """A full tensor, with its current shape: the same object as long as that holds."""
        if not 0 <= index < len(self._full):
            self._check_index(index)
        return self._full[index]

    def full_tensor(self, subgraph: int, index: int) -> TfLiteTensor:
        """A full tensor of any subgraph."""
        return self._fulls[subgraph][index]

    def finish_init(self) -> None:
        """Nothing to be done."""

    def reset_variables(self) -> None:
        """Fill every variable with its zero point, resource variables included."""
        self.reset_variable_tensors()
        if self.graph.resource_variables is not None:
            self.graph.resource_variables.reset_all()

    def reset_variable_tensors(self) -> None:
        """Fill every variable tensor with its zero point (``ResetVariableTensors``)."""
        for tensor, memory in self._variables():
            # memset: the value goes into every byte
            memory[...] = variable_reset_value(tensor) & 0xFF

    def _variables(self) -> Iterator[tuple[Tensor, Bytes]]:
        """All variables with their bytes, but for those that a node has placed elsewhere."""
        for number, index, tensor in self._variable_tensors:
            data = self.tensors[number][index].data
            if data is not None and (number, index) not in self.placed:
                yield tensor, data.reshape(-1).view("u1")

    # -- places in messages

    def place(self) -> str:
        """The current node: its operator, that one's number, and the name of what it writes."""
        written = [index for index in self._node_outputs if 0 <= index < len(self._full)]
        name = f" ({printable(self._full[written[0]].name)!r})" if written else ""
        return f"{self.numbered_operator()}{name}"

    def numbered_operator(self) -> str:
        """The current node's operator with its number, and its subgraph if there are several."""
        inside = f" of subgraph {self.subgraph}" if self.subgraph else ""
        return f"{printable(self.operator_name) or 'operator'} {self.operator}{inside}"

    @property
    def _node_outputs(self) -> tuple[int, ...]:
        return self.operators[self.operator].outputs if self.operators else ()

    @property
    def operator_name(self) -> str:
        """Name of the current node's operator; empty where the subgraph has none."""
        return self.operators[self.operator].name if self.operators else ""

    def _check_index(self, index: int) -> None:
        if not 0 <= index < len(self._current):
            self.report_error(
                f"expected a tensor index from 0 to {len(self._current) - 1}, got {index}"
            )


def _eval_tensors(tensors: tuple[Tensor, ...]) -> list[EvalTensor]:
    """Tensors of a subgraph as kernels see them; constants have their values."""
    if native.available():
        from arenite.native.tensors import eval_tensors  # noqa: PLC0415 - the engine may be absent

        return eval_tensors(tensors, EvalTensor)
    return [EvalTensor(t.type, t.shape, None if t.data is None else t.value) for t in tensors]


def variable_reset_value(tensor: Tensor) -> int:
    """Value that ``reset`` fills a variable with: int8's zero point, else 0.

    TFLM ``MicroInterpreterGraph::ResetTensorData``.
    """
    quantization = tensor.quantization
    if tensor.type.name != "INT8" or quantization is None or not len(quantization.zero_point):
        return 0
    return int(quantization.zero_point[0])


def full_tensors(subgraph: Subgraph, current: Sequence[EvalTensor]) -> list[TfLiteTensor]:
    """A subgraph's tensors with the shapes that they have now, before there is memory for them."""
    params = all_params_of([tensor.quantization for tensor in subgraph.tensors])
    return [
        TfLiteTensor(
            index,
            tensor.name,
            tensor.type,
            now.shape,
            None if tensor.data is None else now.data,
            tensor.quantization,
            tensor.is_variable,
            tensor.shape,
            scale,
            zero_point,
            scales,
        )
        for index, (tensor, now, (scale, zero_point, scales)) in enumerate(
            zip(subgraph.tensors, current, params, strict=True)
        )
    ]
