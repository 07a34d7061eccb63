"""Context of a user's kernel: TFLM's functions, and TFLM's rules, checked.

Facts: TFLM ``micro_context.{h,cc}``, ``micro_interpreter.cc`` (the callback table),
``single_arena_buffer_allocator.cc`` (``ResetTempAllocations``). A kernel that runs here keeps to
what firmware demands of it: it can be ported line by line.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Protocol

import numpy as np

from arenite.errors import StateError
from arenite.memory.abi import Abi
from arenite.memory.arena import ARENA_ALIGNMENT, Bytes
from arenite.ops.context import Array, Context, Declared, EvalTensor, MicroGraph, Node, TfLiteTensor
from arenite.target import Target

#: What fresh memory holds: nobody may rely on zeros. Behind so many bytes of a buffer it is left
#: as it is, and the machine has not to find them before they are needed.
POISON = 0xA5
_POISONED_BYTES = 1 << 20


class Host(Context, Protocol):
    """A context that has temporary memory as well."""

    def allocate_temp_buffer(self, size: int, alignment: int) -> Bytes:
        """Bytes above the head, until the end of ``prepare``."""

    def place(self) -> str:
        """The current node's path in the model, with its operator's name."""


@dataclass(frozen=True)
class CallbackTable:
    """The seven functions of ``TfLiteContext`` that ``MicroInterpreter::Init`` sets."""

    report_error: Callable[[str], NoReturn]
    get_tensor: Callable[[int], TfLiteTensor]
    get_eval_tensor: Callable[[int], EvalTensor]
    request_scratch_buffer_in_arena: Callable[[int, str], int]
    get_external_context: Callable[[], Any]
    allocate_persistent_buffer: Callable[[int, str], Bytes]
    get_scratch_buffer: Callable[[int], Bytes]

    @classmethod
    def of(cls, host: Context) -> CallbackTable:
        """The host's functions."""
        return cls(**{name: getattr(host, name) for name in cls.__dataclass_fields__})


class DeallocatedTensor(TfLiteTensor):
    """Remains of a temporary tensor: whoever still looks at it learns that."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__"):
            return super().__getattribute__(name)
        raise StateError(
            f"a temporary tensor was used behind its deallocation (its .{name}); keep what "
            "invoke needs in params, or ask get_eval_tensor"
        )

    def __repr__(self) -> str:
        return "<deallocated TfLiteTensor>"


class _Loan:
    """Memory that is lent: as long as anybody has a view of it, it is there."""

    def __init__(self, memory: Bytes) -> None:
        self.memory = memory
        self.__array_interface__ = memory.__array_interface__


class KernelContext:
    """A host with TFLM's rules: the context of users' functions, unless not ``strict``.

    Temporary tensors and buffers are given back before ``init`` or ``prepare`` returns, and not
    used after that. Scratch memory is the node's while it runs, and views of it end with that.
    Memory is not zeroed.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._table = CallbackTable.of(host)
        self._temps: list[TfLiteTensor | Bytes] = []
        self._scratch: list[weakref.ref[_Loan]] = []
        self._temp_loans: list[weakref.ref[_Loan]] = []
        #: Temporary buffers that were given back, full of poison.
        self._given_back: list[Bytes] = []

    # -- TfLiteContext

    @property
    def target(self) -> Target:
        """The firmware that is meant."""
        return self._host.target

    @property
    def abi(self) -> Abi:
        """The target's struct sizes."""
        return self._host.abi

    def report_nonsense(self, message: str) -> NoReturn:
        """Fail the current node, which TFLM runs: it computes nonsense."""
        self._host.report_nonsense(message)

    def report_error(self, message: str) -> NoReturn:
        """Fail the current node."""
        self._table.report_error(message)

    def get_tensor(self, index: int) -> TfLiteTensor:
        """A temporary tensor, as :meth:`allocate_temp_tflite_tensor` gives it."""
        tensor = replace(self._table.get_tensor(index))
        self._temps.append(tensor)
        return tensor

    def get_eval_tensor(self, index: int) -> EvalTensor:
        """A tensor by index."""
        return self._table.get_eval_tensor(index)

    def request_scratch_buffer_in_arena(self, size: int, purpose: str = "") -> int:
        """Ask for bytes in the head while this node runs; returns a handle."""
        return self._table.request_scratch_buffer_in_arena(size, purpose)

    def get_external_context(self) -> Any:
        """The object that the user attached to the interpreter, or None."""
        return self._table.get_external_context()

    def allocate_persistent_buffer(self, size: int, purpose: str = "") -> Bytes:
        """Bytes in the tail that live as long as the interpreter; what they hold is open."""
        buffer = self._table.allocate_persistent_buffer(size, purpose)
        buffer[:_POISONED_BYTES] = POISON
        return buffer

    def get_scratch_buffer(self, handle: int) -> Bytes:
        """The memory behind a scratch handle, until this node has run."""
        loan = _Loan(self._table.get_scratch_buffer(handle))
        self._scratch.append(weakref.ref(loan))
        return np.asarray(loan)

    # -- MicroContext

    def allocate_temp_tflite_tensor(self, index: int) -> TfLiteTensor:
        """A full tensor on temporary memory; :meth:`deallocate_temp_tflite_tensor` ends it."""
        return self.get_tensor(index)

    def allocate_temp_input_tensor(self, node: Node, index: int) -> TfLiteTensor | None:
        """Input ``index`` of the node, None where there is none."""
        return self._allocate_of(node.inputs, index)

    def allocate_temp_output_tensor(self, node: Node, index: int) -> TfLiteTensor | None:
        """Output ``index`` of the node, None where there is none."""
        return self._allocate_of(node.outputs, index)

    def allocate_temp_intermediate_tensor(self, node: Node, index: int) -> TfLiteTensor | None:
        """Intermediate tensor ``index`` of the node, None where there is none."""
        return self._allocate_of(node.intermediates, index)

    def deallocate_temp_tflite_tensor(self, tensor: TfLiteTensor) -> None:
        """Give a temporary tensor back; it must not be used any more.

        Raises:
            StateError: It was given back before, or is none of this node's.
        """
        self._deallocate(tensor, "tensor")
        tensor.__class__ = DeallocatedTensor

    def allocate_temp_buffer(self, size: int, alignment: int = ARENA_ALIGNMENT) -> Bytes:
        """Bytes above the head until ``prepare`` ends; what they hold is open.

        Raises:
            StateError: One that was given back has been written since, through a view.
        """
        self._check_given_back()
        loan = _Loan(self._host.allocate_temp_buffer(size, alignment))
        self._temp_loans.append(weakref.ref(loan))
        buffer = np.asarray(loan)
        buffer[:_POISONED_BYTES] = POISON
        self._temps.append(buffer)
        return buffer

    def deallocate_temp_buffer(self, buffer: Bytes) -> None:
        """Give a temporary buffer back: it cannot be written any more, and what it held is gone.

        What a view that was taken before writes there is found with the next buffer, or when
        ``prepare`` ends.

        Raises:
            StateError: It was given back before, or is none of this node's.
        """
        self._deallocate(buffer, "buffer")
        buffer[:] = POISON
        buffer.flags.writeable = False
        base = buffer.base
        assert isinstance(base, _Loan)
        self._given_back.append(base.memory)

    def _check_given_back(self) -> None:
        given_back, self._given_back = self._given_back, []
        for memory in given_back:
            if (memory != POISON).any():
                raise StateError(
                    f"{self._host.place()}: a temporary buffer of {memory.nbytes} bytes was "
                    "written after it was given back, through a view of it"
                )

    # -- what TFLM does not have

    def reserve_persistent_buffer(self, size: int, purpose: str = "") -> None:
        """Room in the tail; see :meth:`Context.reserve_persistent_buffer`."""
        self._host.reserve_persistent_buffer(size, purpose)

    def resize_tensor(
        self, index: int, shape: tuple[int, ...], declared: Declared = "kept"
    ) -> None:
        """Give an output its shape; see :meth:`Context.resize_tensor`."""
        self._host.resize_tensor(index, shape, declared)

    def allocate_state(self, size: int, purpose: str = "") -> Bytes:
        """A persistent buffer that :meth:`state_buffers` finds again; what it holds is open."""
        buffer = self._host.allocate_state(size, purpose)
        buffer[:_POISONED_BYTES] = POISON
        return buffer

    def state_buffers(self) -> list[Bytes]:
        """The node's buffers of :meth:`allocate_state`, in order."""
        return self._host.state_buffers()

    def warn_undefined(self, message: str) -> None:
        """A warning with the node's place; see :meth:`Context.warn_undefined`."""
        self._host.warn_undefined(message)

    def abort(self) -> NoReturn:
        """End this inference here, without an error: what ``return kTfLiteAbort`` does."""
        self._host.abort()

    @property
    def graph(self) -> MicroGraph:
        """The model's subgraphs."""
        return self._host.graph

    def place_tensor(self, index: int, data: Array) -> None:
        """Let a tensor be memory that the node has."""
        self._host.place_tensor(index, data)

    def planned_offset(self, index: int) -> int | None:
        """Where the file's own plan places a tensor."""
        return self._host.planned_offset(index)

    def use_variables(self, number: int | None) -> None:
        """The current node uses this variable, or any."""
        self._host.use_variables(number)

    def allocate_decompression_memory(self, size: int) -> Bytes | None:
        """Bytes of the alternate memory; None where none is free."""
        return self._host.allocate_decompression_memory(size)

    def reset_decompression_memory(self) -> None:
        """All of the alternate memory is free again."""
        self._host.reset_decompression_memory()

    def view_tensor(self, index: int) -> TfLiteTensor:
        """A full tensor that takes no temporary memory."""
        return self._host.view_tensor(index)

    @property
    def host(self) -> Host:
        """The host of all that: for looking on, where a kernel's place in its model matters."""
        return self._host

    # -- what the graph uses

    def begin(self) -> None:
        """A function of a node's is about to be called."""
        self._temps.clear()
        self._scratch.clear()
        self._temp_loans.clear()
        self._given_back.clear()

    def finish_allocating(self, function: str) -> None:
        """``init`` or ``prepare`` is over.

        Raises:
            StateError: It has not given all temporary memory back (``ResetTempAllocations``), has
                written a buffer that it had given back, or has kept a view of one, which is
                others' from now on.
        """
        self._check_given_back()
        temps, self._temps = self._temps, []
        if temps:
            raise StateError(
                f"{self._host.place()}: {function} must give all temporary memory back, "
                f"{len(temps)} of its tensors and buffers are still allocated: "
                f"{', '.join(map(_described, temps))}"
            )
        loans, self._temp_loans = self._temp_loans, []
        if _is_any_there(loans):
            raise StateError(
                f"{self._host.place()}: a view of a temporary buffer was kept beyond {function}; "
                "copy what invoke needs, or take persistent memory"
            )

    def finish_invoke(self) -> None:
        """``invoke`` is over.

        Raises:
            StateError: It has kept a view of scratch memory, which is others' from now on.
        """
        loans, self._scratch = self._scratch, []
        if _is_any_there(loans):
            raise StateError(
                f"{self._host.place()}: a view of scratch memory was kept beyond its node; get it "
                "again with get_scratch_buffer in every invoke"
            )

    # -- inside

    def _allocate_of(self, indices: Sequence[int], index: int) -> TfLiteTensor | None:
        if not 0 <= index < len(indices) or indices[index] < 0:
            return None
        return self.get_tensor(indices[index])

    def _deallocate(self, temp: TfLiteTensor | Bytes, what: str) -> None:
        for place, one in enumerate(self._temps):
            if one is temp:
                del self._temps[place]
                return
        raise StateError(
            f"{self._host.place()}: expected a temporary {what} that this function allocated and "
            "has not given back"
        )


def _is_any_there(loans: list[weakref.ref[_Loan]]) -> bool:
    """Whether anybody still has memory that was lent; what only waits in a cycle nobody has."""
    if any(loan() is not None for loan in loans):
        gc.collect()
    return any(loan() is not None for loan in loans)


def _described(temp: TfLiteTensor | Bytes) -> str:
    if isinstance(temp, TfLiteTensor):
        return f"tensor {temp.index} ({temp.name!r})"
    return f"a buffer of {temp.nbytes} bytes"
