"""The contract between kernels and whoever runs them.

A kernel sees a :class:`Context` and a :class:`Node` and nothing else, so the same
kernel runs in the arena (``runtime.MicroInterpreterContext``) and on the heap
(``runtime.HeapContext``). The names are those of TFLM's ``TfLiteContext`` and
``MicroContext``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any, Literal, NoReturn, Protocol

import numpy as np
import numpy.typing as npt

from arenite.memory.abi import Abi
from arenite.model import Quantization, TensorType
from arenite.ops.resource_variables import ResourceVariables
from arenite.target import Target

Array = npt.NDArray[Any]

#: What TFLM does with a model's dimensions of an output where its kernel has others in mind, of
#: as many elements. ``"kept"``: it goes through the elements in order, and the next operator
#: reads them with the model's dimensions. ``"replaced"``: it writes its own. ``"refused"``: it
#: refuses, or computes with them what no operator means, partly outside of tensors.
Declared = Literal["kept", "replaced", "refused"]

#: What differs in inputs that were resized: nothing, the first axis alone, or another one.
Resized = Literal["", "batch", "shape"]


@dataclass(slots=True, eq=False)
class EvalTensor:
    """Tensor as a kernel needs it while it runs (TFLM's ``TfLiteEvalTensor``).

    ``data`` is an array of ``shape`` (flat uint8 for packed types): read-only for a
    constant, a view of the arena otherwise, and None until memory has been planned.
    """

    type: TensorType
    shape: tuple[int, ...]
    data: Array | None = None

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)


@dataclass(slots=True, eq=False)
class TfLiteTensor:
    """A tensor with everything the model says of it, for use in ``prepare``.

    ``data`` is set for constants only. ``declared`` is the shape that the model says, which
    differs where an input was resized. The rest is what :func:`params_of` says.
    """

    index: int
    name: str
    type: TensorType
    shape: tuple[int, ...]
    data: Array | None = None
    quantization: Quantization | None = None
    is_variable: bool = False
    declared: tuple[int, ...] = ()
    scale: float = 0.0
    zero_point: int = 0
    scale_count: int = 0

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def is_constant(self) -> bool:
        """Whether the value is part of the model."""
        return self.data is not None


def params_of(quantization: Quantization | None) -> tuple[float, int, int]:
    """The first scale as a double, the first zero point as int32, and how many scales there are.

    0 without quantisation, for which TFLM takes scales without any zero point as well
    (``TfLiteTensor::params``).
    """
    if quantization is None or not len(quantization.zero_point):
        return 0.0, 0, 0
    count, zero_point = len(quantization.scale), quantization.zero_point.item(0)
    scale = quantization.scale.item(0) if count else 0.0
    return scale, (zero_point + 2**31) % 2**32 - 2**31, count


@dataclass(slots=True, eq=False)
class Node:
    """One operator instance (``TfLiteNode``).

    ``inputs``, ``outputs`` and ``intermediates`` are tensor indices of the current
    subgraph, -1 for an optional input that is absent. ``user_data`` is what ``init``
    returned, ``params`` what ``prepare`` returned: the finished parameters, which
    ``invoke`` only reads. ``host`` holds what a host kernel derives from constants
    (weights in another element type, say); it takes no room in the simulated arena.
    """

    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    intermediates: tuple[int, ...] = ()
    options: Any = None
    custom_options: bytes = b""
    user_data: Any = None
    params: Any = None
    host: dict[str, Any] = field(default_factory=dict)


class MicroGraph(Protocol):
    """The model's subgraphs as operators see them (TFLM's ``MicroGraph``)."""

    @property
    def resource_variables(self) -> ResourceVariables | None:
        """The model's variables, or None where there are none."""

    def subgraph_inputs(self, subgraph: int) -> list[EvalTensor]:
        """A subgraph's input tensors."""

    def subgraph_outputs(self, subgraph: int) -> list[EvalTensor]:
        """A subgraph's output tensors."""

    def readers(self, index: int) -> list[tuple[str, tuple[int, ...]]]:
        """Names and outputs of the current subgraph's operators that read a tensor."""

    def resized(self) -> Resized:
        """Difference of the current subgraph's inputs from the model's shapes."""

    def invoke_subgraph(self, subgraph: int) -> None:
        """Run a subgraph's operators; the caller's node is the current one again behind it."""


class Context(Protocol):
    """Host of a kernel, and what that may ask of it. Illegal calls raise ``StateError``."""

    @property
    def target(self) -> Target:
        """The firmware whose memory and bits are meant."""

    @property
    def abi(self) -> Abi:
        """The target's struct sizes."""

    def get_tensor(self, index: int) -> TfLiteTensor:
        """A full tensor by index, on temporary arena memory: legal in init and prepare."""

    def get_eval_tensor(self, index: int) -> EvalTensor:
        """A tensor by index, legal in every phase."""

    def view_tensor(self, index: int) -> TfLiteTensor:
        """A full tensor that takes no temporary memory: for looking on, TFLM has none such."""

    def resize_tensor(
        self, index: int, shape: tuple[int, ...], declared: Declared = "kept"
    ) -> None:
        """Give an output its shape, legal in prepare; this node's array then has that shape.

        The arena host cannot resize: it raises ``ShapeError`` unless the model's own shape
        has as many elements. ``declared`` says what becomes of that shape where its
        dimensions are other ones.
        """

    def allocate_persistent_buffer(self, size: int, purpose: str = "") -> npt.NDArray[np.uint8]:
        """``size`` bytes in the arena's tail that live as long as the interpreter.

        Legal in init and prepare. ``purpose`` says in a word what they are for.
        """

    def reserve_persistent_buffer(self, size: int, purpose: str = "") -> None:
        """The same room, where nobody looks at the bytes: the host has them elsewhere."""

    def allocate_state(self, size: int, purpose: str = "") -> npt.NDArray[np.uint8]:
        """A persistent buffer that inferences write to; :meth:`state_buffers` finds it again.

        Legal in init and prepare. What is written there stays, the view may not: an arena
        that finds its own size moves its memory, and threads work in copies of it.
        """

    def state_buffers(self) -> list[npt.NDArray[np.uint8]]:
        """The current node's buffers of :meth:`allocate_state`, in order, in every phase.

        A native kernel sees them behind the operator's inputs.
        """

    def allocate_decompression_memory(self, size: int) -> npt.NDArray[np.uint8] | None:
        """Bytes of the alternate memory for decompressed tensors; None where none is free.

        Legal in prepare; see :meth:`MicroInterpreter.set_decompression_memory`.
        """

    def reset_decompression_memory(self) -> None:
        """All of the alternate memory is free again: operators share it."""

    def request_scratch_buffer_in_arena(self, size: int, purpose: str = "") -> int:
        """Ask for ``size`` bytes in the head while this node runs; returns a handle.

        Legal in prepare.
        """

    def get_scratch_buffer(self, handle: int) -> npt.NDArray[np.uint8]:
        """The memory behind a scratch handle, legal in invoke."""

    def get_external_context(self) -> Any:
        """The object that the user attached to the interpreter, or None."""

    def abort(self) -> NoReturn:
        """End this inference here, without an error, in invoke (``kTfLiteAbort``).

        What operators have written so far stays; those behind this one do not run.
        """

    @property
    def graph(self) -> MicroGraph:
        """The model's subgraphs, for operators that call them."""

    def place_tensor(self, index: int, data: Array) -> None:
        """Let a tensor be memory that the node has: it takes none of the head, legal in prepare.

        TFLM's kernels do that by setting a tensor's ``data`` before memory is planned.
        """

    def planned_offset(self, index: int) -> int | None:
        """Where the file's own plan of an arena places a tensor; None where it does not."""

    def use_variables(self, number: int | None) -> None:
        """The current node reads or writes this variable, or any: its native kernel's state."""

    def report_error(self, message: str) -> NoReturn:
        """Fail the current node: raises ``ConstraintError`` with the node's place."""

    def report_nonsense(self, message: str) -> NoReturn:
        """Fail the current node, which TFLM runs: it does not check, and computes nonsense."""

    def warn_undefined(self, message: str) -> None:
        """Tell the user, in prepare, that TFLM leaves undefined what the current node computes.

        Warns with ``UndefinedWarning`` and the node's place.
        """
