"""A compiled registration's nodes, on the contract of kernels that Python has.

A node's memory, temporary tensors and phases are those of ``runtime.kernel_context``: it gets what
a kernel in Python gets, and the same checks. In an inference nothing is asked: addresses are bound
when the node first runs, and from then on the native engine calls it without Python
(:class:`UserKernelParams`), as long as its tensors are where they were.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np

from arenite.errors import BoardError, KernelError, StateError
from arenite.formats.tflite_write import write
from arenite.kernels.build import Built, Request
from arenite.kernels.lines import line_of
from arenite.kernels.sizes import PERSISTENT, SCRATCH, Where, asked_for, is_this_hosts
from arenite.kernels.symbols import Function
from arenite.model import Model, Operator, OptionsTable, Subgraph
from arenite.native import kernel as c
from arenite.native.kernel import Facts, KernelLibrary, address
from arenite.ops import Context, EvalTensor, Node, TfLiteTensor
from arenite.ops.context import Array

#: The kernel of the native engine that runs them.
STEP = "USER_KERNEL"
_OPTIONS_ALIGNMENT = 16


class Address(int):
    """An address that keeps alive what is there."""

    owner: Any


@dataclass(frozen=True)
class UserKernelParams:
    """A prepared node for the native engine: its step function, and how many tensors it has."""

    step: int
    node: int
    tensors: int


@dataclass(frozen=True, eq=False)
class CompiledKernel:
    """A registration in a compiled library.

    Attributes:
        path: The library.
        name: The operator that it is for there.
        request: What it was compiled from.
        declared: The function of every operator in the library.
        guard: Whether its memory ends at pages that nobody may touch: slow, for finding faults.
    """

    path: Path
    name: str
    request: Request
    declared: dict[str, Function] = field(compare=False, default_factory=dict)
    guard: bool = False

    @property
    def library(self) -> KernelLibrary:
        """The library, loaded once."""
        return _loaded(self.path)

    @property
    def functions(self) -> dict[str, bool]:
        """The functions that it has."""
        return dict(zip(c.FUNCTIONS, self.library.has(self._number), strict=True))

    @property
    def _number(self) -> int:
        return self.library.names.index(self.name)

    def init(self, context: Context, options: Any) -> Instance:
        """A node, initialised."""
        return Instance(self, self._number, context, options)

    def prepare(self, context: Context, node: Node) -> UserKernelParams:
        """Prepare a node."""
        return _instance(node).prepare(context, node)

    def invoke(self, context: Context, node: Node) -> None:
        """Run a node."""
        _instance(node).invoke(context, node)

    def reset(self, context: Context, user_data: Any) -> None:
        """Forget what was between inferences."""
        user_data.run(context, "reset")

    def free(self, context: Context, user_data: Any) -> None:
        """End a node's life."""
        if user_data is not None:
            user_data.run(context, "free")

    def step(self, _node: Node) -> str:
        """The native engine's kernel."""
        return "" if self.guard else STEP


@cache
def _loaded(path: Path) -> KernelLibrary:
    return KernelLibrary(path)


def _instance(node: Node) -> Instance:
    return cast(Instance, node.user_data)


class Instance:
    """One node; answers what it asks."""

    def __init__(self, kernel: CompiledKernel, number: int, context: Context, options: Any) -> None:
        self.error: BaseException | None = None
        self._kernel, self._library, self._context = kernel, kernel.library, context
        self._keep: list[Any] = []
        self._temps: dict[int, list[TfLiteTensor]] = {}
        self._buffers: dict[int, Array] = {}
        self._handles: list[int] = []
        self._larger: dict[int, Array] = {}
        self._bound: list[tuple[int, EvalTensor, Array | None]] = []
        self._guards: list[tuple[str, Array]] = []
        self._asked = self._asked_on_target(context)
        content = options if isinstance(options, bytes) else b""
        self._node = self._library.node(number, self, _aligned(content))
        if isinstance(options, OptionsTable):
            self._checked("parser of options", self._node.parse(_model_with(kernel.name, options)))
        self.run(context, "init")

    # -- its functions

    def run(self, context: Context, function: str) -> None:
        """Call a function that has no more to be done."""
        self._enter(context)
        self._checked(function, self._node.call(c.FUNCTIONS.index(function)))

    def prepare(self, context: Context, node: Node) -> UserKernelParams:
        """Prepare it; what the native engine needs to run it."""
        self._node.place(node.inputs, node.outputs, node.intermediates)
        self.run(context, "prepare")
        for index in node.outputs:  # which CreateWritableTensorDimsWithCopy may have changed
            shape = self._node.shape(index)
            if shape is not None and shape != context.get_eval_tensor(index).shape:
                context.resize_tensor(index, shape, "replaced")
        where = Address(self._node.node_address)
        where.owner = self
        count = max(len(node.outputs), 1) + len(node.inputs)
        has_all = bool(node.outputs)
        return UserKernelParams(self._node.step_address if has_all else 0, where, count)

    def invoke(self, context: Context, node: Node) -> None:
        """Run it once, and let the native engine do so from now on."""
        self._enter(context)
        if not self._bound or any(tensor.data is not data for _, tensor, data in self._bound):
            self._bind(context, node)
        for handle in self._handles:
            self._node.bind_scratch(handle, self.scratch_data(handle))
        if self._kernel.guard:
            self._run_guarded(node)
            return
        status = self._node.call(c.INVOKE)
        if status or self.error is not None:
            self._checked("invoke", status)

    def _enter(self, context: Context) -> None:
        self._context = context
        if self._library.crash:
            context.report_error(f"the kernel's library cannot go on: {self._library.crash}")
        payload = context.get_external_context()
        if payload is not None:
            self._node.bind_external(c.address_of_payload(payload))

    def _bind(self, context: Context, node: Node) -> None:
        self._bound = []
        for index in dict.fromkeys((*node.inputs, *node.outputs)):
            if index < 0:
                continue
            tensor = context.get_eval_tensor(index)
            self._node.bind(index, tensor.data)
            self._bound.append((index, tensor, tensor.data))

    # -- with unusable pages behind everything

    def _run_guarded(self, node: Node) -> None:
        """Run it on copies of its tensors that end at pages which nobody may touch."""
        copies = []
        for index, tensor, data in self._bound:
            if data is None or not data.size:
                continue
            copy = self._guarded(f"tensor {index}", data.nbytes, data.dtype.itemsize)
            if copy is None:
                continue
            copy[:] = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
            self._node.bind(index, copy)
            copies.append((index, tensor, data, copy))
        status = self._node.call(c.INVOKE)
        self._checked("invoke", status)
        for index, _, data, copy in copies:
            if data.flags.writeable:
                data.reshape(-1).view(np.uint8)[:] = copy
            self._node.bind(index, data)

    def _guarded(self, what: str, size: int, alignment: int) -> Array | None:
        """Guarded memory, made once."""
        for name, memory in self._guards:
            if name == what and memory.nbytes == size:
                return memory
        made = self._library.guarded(size, alignment)
        if made is not None:
            self._guards.append((what, made))
        return made

    # -- what came of a call

    def _checked(self, function: str, status: int) -> None:
        error, self.error = self.error, None
        if error is not None:
            raise self._with_place(error)
        if status == c.OK:
            return
        if status == c.ABORTED and function == "invoke":
            self._context.abort()
        said = self._library.said() or "without a word"
        if status == c.CRASHED:
            said = self._crash(said)
            self._library.crash = f"it crashed in {function}: {said}"
        outcome = {c.HOST: "failed", c.STOPPED: "stopped", c.CRASHED: "crashed"}
        self._fail(f"{function} {outcome.get(status, f'answered {status}')}: {said}")

    def _with_place(self, error: BaseException) -> BaseException:
        """What the host has raised, with the node's place where it has none."""
        if type(error) is not StateError or str(error).startswith("$"):
            return error
        return StateError(f"{cast(Any, self._context).host.place()}: {error}")

    def _crash(self, said: str) -> str:
        """A crash with its line, and the memory behind whose end it was."""
        places = self._library.calls_of_crash()
        lines = (line_of(self._kernel.path, place - bool(n)) for n, place in enumerate(places))
        where = next(filter(None, lines), "")
        touched = self._library.touched()
        for name, memory in self._guards:
            begin = address(memory)
            beyond = touched - begin - memory.nbytes
            if 0 <= beyond < _PAGE:
                said += f", {beyond + 1} bytes behind the {memory.nbytes} of {name}"
        return f"{said} ({where})" if where else said

    def _fail(self, message: str) -> NoReturn:
        try:
            self._context.report_error(message)
        except KernelError:
            raise
        except Exception as error:
            raise KernelError(str(error)) from None
        raise AssertionError("report_error returned")

    # -- targets whose structs are other ones

    def _asked_on_target(self, context: Context) -> Iterator[tuple[str, int]] | None:
        """What it asks for on the target, in order; None where that is what it asks for here."""
        if is_this_hosts(context.abi):
            return None
        self._context = context
        host = cast(Any, context).host  # strict kernels get a KernelContext
        number = host.subgraph
        where = Where(host.model, number, host.operator, host.tensors[number])
        kernel = self._kernel
        built = Built(kernel.path, kernel.declared)
        try:
            asked = asked_for(where, kernel.request, built, context.target)
        except BoardError as error:
            self._fail(
                f"what it takes of the arena of {context.target} is not known: structs with "
                f"pointers have other sizes there, and the emulated core does not say it: {error}"
            )
        return iter(asked)

    def _size_on_target(self, kind: str) -> int:
        """The bytes of the next request on the target."""
        assert self._asked is not None
        found, size = next(self._asked, ("nothing more", 0))
        if found != kind:
            self._fail(f"it asks for {kind} memory here, and on the emulated core for {found}")
        return size

    # -- what it asks (:class:`arenite.native.kernel.Answers`)

    def persistent(self, size: int) -> int:
        """Persistent memory from the arena."""
        if self._asked is not None:
            self._context.reserve_persistent_buffer(self._size_on_target(PERSISTENT), "op data")
            buffer = np.full(size + 16, POISON, np.uint8)
            buffer = buffer[-address(buffer) % 16 :][:size]
        else:
            buffer = self._context.allocate_persistent_buffer(size, "op data")
        if self._kernel.guard:
            guarded = self._library.guarded(size, 16)
            if guarded is not None:
                guarded[:] = buffer
                self._guards.append((f"its persistent buffer {len(self._guards)}", guarded))
                buffer = guarded
        self._keep.append(buffer)
        return address(buffer) or 16  # of no bytes: an address that nobody may use

    def scratch(self, size: int) -> int:
        """Scratch memory in the head."""
        room = size if self._asked is None else self._size_on_target(SCRATCH)
        handle = self._context.request_scratch_buffer_in_arena(room, "scratch")
        if room < size:  # here it needs more than there
            self._larger[handle] = np.empty(size + 16, np.uint8)
        self._handles.append(handle)
        return handle

    def scratch_data(self, handle: int) -> int:
        """Where it is."""
        larger = self._larger.get(handle)
        if larger is not None:
            return -(-address(larger) // 16) * 16
        return address(self._context.get_scratch_buffer(handle))

    def temp_tensor(self, index: int) -> None:
        """A temporary tensor."""
        allocate = cast(Any, self._context).allocate_temp_tflite_tensor
        self._temps.setdefault(index, []).append(allocate(index))

    def free_tensor(self, index: int) -> None:
        """It is given back."""
        found = self._temps.get(index)
        if not found:
            self._context.report_error(f"tensor {index} was given back, and is not allocated")
        cast(Any, self._context).deallocate_temp_tflite_tensor(found.pop())

    def temp_buffer(self, size: int, alignment: int) -> int:
        """Temporary memory."""
        buffer = cast(Any, self._context).allocate_temp_buffer(size, alignment)
        where = address(buffer)
        self._buffers[where] = buffer
        return where

    def free_buffer(self, address: int) -> None:
        """It is given back."""
        buffer = self._buffers.pop(address, None)
        if buffer is None:
            self._context.report_error("a buffer was given back that is not allocated")
        cast(Any, self._context).deallocate_temp_buffer(buffer)

    def tensor(self, index: int) -> Facts:
        """A tensor of the node's subgraph."""
        current, full = self._context.get_eval_tensor(index), self._context.view_tensor(index)
        scales = zeros = None
        quantization = full.quantization
        if quantization is not None and len(quantization.zero_point):
            scales = np.ascontiguousarray(quantization.scale, np.float32)
            zeros = np.ascontiguousarray(quantization.zero_point, np.int64)
            self._keep += [scales, zeros]
        return Facts(
            type=full.type.value,
            shape=current.shape,
            nbytes=full.type.nbytes(current.size),
            data=current.data,
            is_constant=full.is_constant,
            is_variable=full.is_variable,
            scales=scales,
            zeros=zeros,
            quantized_dimension=0 if quantization is None else quantization.quantized_dimension,
        )


#: What fresh memory holds, as in the arena: nobody may rely on zeros.
POISON = 0xA5
_PAGE = 4096


def _aligned(content: bytes) -> Array:
    """Bytes at an address that the file's alignment would give them, as kernels keep pointers."""
    memory = np.empty(len(content) + _OPTIONS_ALIGNMENT, np.uint8)
    begin = -address(memory) % _OPTIONS_ALIGNMENT
    memory[begin : begin + len(content)] = np.frombuffer(content, np.uint8)
    return memory[begin : begin + len(content)]


def _model_with(name: str, options: OptionsTable) -> bytes:
    """A file with one operator, for the parser of its options."""
    operator = Operator(name, (), (), options=options)
    return write(Model((Subgraph((), (operator,), (), ()),)))
