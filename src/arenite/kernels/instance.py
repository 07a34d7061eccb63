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
from arenite.kernels.build import Origin, Request
from arenite.kernels.guards import Guards
from arenite.kernels.lines import first_line
from arenite.kernels.options import aligned_options, options_alone
from arenite.kernels.sizes import PERSISTENT, SCRATCH, Where, asked_for, is_this_hosts, where_of
from arenite.kernels.symbols import Function
from arenite.model import OptionsTable
from arenite.native import kernel as c
from arenite.native.kernel import Answers, Facts, KernelLibrary, KernelNode, address
from arenite.ops import Context, EvalTensor, Node, TfLiteTensor
from arenite.ops.context import Array

#: The kernel of the native engine that runs them.
STEP = "USER_KERNEL"


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
    def origin(self) -> Origin:
        """Where it is from."""
        return Origin(self.declared[self.name], self.request)

    @property
    def functions(self) -> dict[str, bool]:
        """The functions that it has."""
        return dict(zip(c.FUNCTIONS, self.library.has(self.number), strict=True))

    @property
    def number(self) -> int:
        """Its number in the library."""
        return self.library.names.index(self.name)

    def init(self, context: Context, options: Any) -> Instance:
        """A node, initialised."""
        return Instance(self, context, options)

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


def step_of(compiled: KernelNode, node: Node, owner: object) -> UserKernelParams:
    """The native step that runs a node; ``owner`` keeps it alive."""
    where = Address(compiled.node_address)
    where.owner = owner
    count = max(len(node.outputs), 1) + len(node.inputs)
    return UserKernelParams(compiled.step_address if node.outputs else 0, where, count)


def new_node(kernel: CompiledKernel, options: Any, answers: Answers) -> tuple[KernelNode, int]:
    """A node with its options, and what came of reading those."""
    content = aligned_options(options if isinstance(options, bytes) else b"")
    node = kernel.library.node(kernel.number, answers, content)
    if not isinstance(options, OptionsTable):
        return node, c.OK
    return node, node.parse(options_alone(kernel.name, options))


class Instance:
    """One node; answers what it asks."""

    def __init__(self, kernel: CompiledKernel, context: Context, options: Any) -> None:
        self.error: BaseException | None = None
        self.kernel, self._library, self.context = kernel, kernel.library, context
        self._keep: list[Any] = []
        #: Its persistent memory, in order, and what ``prepare`` left there.
        self.persistent_buffers: list[Array] = []
        self.prepared: list[Array] = []
        #: What it was told of tensors, and the bytes of scratch memory behind every handle.
        self.bound: list[tuple[int, EvalTensor, Array | None]] = []
        self.facts: dict[int, Facts] = {}
        self.handles: dict[int, int] = {}
        #: The most temporary tensors at a time; how often it asked for temporary memory.
        self.most_temps = self.asked_buffers = 0
        #: Where it was prepared.
        self.where: Where | None = None
        self.is_anew = False
        self._temps: dict[int, list[TfLiteTensor]] = {}
        self._buffers: dict[int, Array] = {}
        self._larger: dict[int, Array] = {}
        self._decompressed: dict[int, Array] = {}
        self._guards = Guards(self._library if kernel.guard else None, self._fail)
        self.options = options
        self._asked = self._asked_on_target(context)
        self.node, parsed = new_node(kernel, options, self)
        self._checked("parser of options", parsed)
        self.run(context, "init")

    # -- its functions

    def run(self, context: Context, function: str) -> None:
        """Call a function that has no more to be done."""
        self._enter(context)
        self._checked(function, self.node.call(c.FUNCTIONS.index(function)))
        self._guards.check(function)

    def prepare(self, context: Context, node: Node) -> UserKernelParams:
        """Prepare it; what the native engine needs to run it."""
        self.node.place(node.inputs, node.outputs, node.intermediates)
        self.run(context, "prepare")
        for index in node.outputs:
            self._take_output(context, index)
        self.where = where_of(context)
        self.prepared = [buffer.copy() for buffer in self.persistent_buffers]
        return step_of(self.node, node, self)

    def invoke(self, context: Context, node: Node) -> None:
        """Run it once, and let the native engine do so from now on."""
        self._enter(context)
        if not self.bound or any(tensor.data is not data for _, tensor, data in self.bound):
            self.bind(context, node)
        status = self._guards.invoke(self.node, self.bound, node.outputs, self.handles)
        if status or self.error is not None:
            self._checked("invoke", status)

    def _take_output(self, context: Context, index: int) -> None:
        """Take over what ``prepare`` changed of an output: its shape, or where its data lie."""
        shape, tensor = self.node.shape(index), context.get_eval_tensor(index)
        if shape is not None and shape != tensor.shape:  # CreateWritableTensorDimsWithCopy
            context.resize_tensor(index, shape, "replaced")
        memory = self._decompressed.get(self.node.data(index))
        if memory is not None:
            data = memory.view(tensor.type.dtype).reshape(tensor.shape)
            cast(Any, context).place_tensor(index, data)

    def _enter(self, context: Context) -> None:
        self.context = context
        if self._library.crash:
            context.report_error(f"the kernel's library cannot go on: {self._library.crash}")
        payload = context.get_external_context()
        if payload is not None:
            self.node.bind_external(c.address_of_payload(payload))

    def bind(self, context: Context, node: Node) -> None:
        """Say where its tensors' values and its scratch memory are."""
        self.bound = []
        for index in dict.fromkeys((*node.inputs, *node.outputs)):
            if index < 0:
                continue
            tensor = context.get_eval_tensor(index)
            self.node.bind(index, tensor.data)
            self.bound.append((index, tensor, tensor.data))
        for handle in self.handles:
            self.node.bind_scratch(handle, self.scratch_data(handle))

    # -- what came of a call

    def _checked(self, function: str, status: int) -> None:
        error, self.error = self.error, None
        if error is not None:
            raise self._with_place(error)
        if status == c.OK:
            return
        if status == c.ABORTED and function == "invoke":
            self.context.abort()
        said = self._library.said() or "without a word"
        if status in (c.CRASHED, c.STOPPED):
            said = self._with_line(said)
        if status == c.CRASHED:
            self._library.crash = f"it crashed in {function}: {said}"
        outcome = {c.HOST: "failed", c.STOPPED: "stopped", c.CRASHED: "crashed"}
        self._fail(f"{function} {outcome.get(status, f'answered {status}')}: {said}")

    def _with_place(self, error: BaseException) -> BaseException:
        """An error of the host, with the node's place in front where it names none."""
        if type(error) is not StateError or str(error).startswith("$"):
            return error
        return StateError(f"{cast(Any, self.context).host.place()}: {error}")

    def _with_line(self, said: str) -> str:
        """An end with its line, and for a crash the memory behind whose end it was."""
        where = first_line(self.kernel.path, self._library.calls_of_crash())
        said += self._guards.behind(self._library.touched())
        return f"{said} ({where})" if where else said

    def _fail(self, message: str) -> NoReturn:
        try:
            self.context.report_error(message)
        except KernelError:
            raise
        except Exception as error:
            raise KernelError(str(error)) from None
        raise AssertionError("report_error returned")

    # -- targets whose structs are other ones

    def _asked_on_target(self, context: Context) -> Iterator[tuple[str, int]] | None:
        """Memory that it asks for on the target, in order; None where that is the host's."""
        if is_this_hosts(context.abi):
            return None
        self.context, kernel = context, self.kernel
        try:
            asked = asked_for(where_of(context), kernel.path, kernel.origin, context.target)
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
            # In a phase in which nobody may ask, that is what is wrong.
            if kind == PERSISTENT:
                self.context.allocate_persistent_buffer(0, "op data")
            else:
                self.context.request_scratch_buffer_in_arena(0, "scratch")
            self._fail(f"it asks for {kind} memory here, and on the emulated core for {found}")
        return size

    # -- what it asks (:class:`arenite.native.kernel.Answers`)

    def persistent(self, size: int) -> int:
        """Persistent memory from the arena."""
        if self._asked is not None:
            self.context.reserve_persistent_buffer(self._size_on_target(PERSISTENT), "op data")
            buffer = np.full(size + 16, POISON, np.uint8)
            buffer = buffer[-address(buffer) % 16 :][:size]
        else:
            buffer = self.context.allocate_persistent_buffer(size, "op data")
        buffer = self._guards.instead_of(buffer)
        self.persistent_buffers.append(buffer)
        return address(buffer) or 16  # of no bytes: an address that nobody may use

    def scratch(self, size: int) -> int:
        """Scratch memory in the head."""
        room = size if self._asked is None else self._size_on_target(SCRATCH)
        handle = self.context.request_scratch_buffer_in_arena(room, "scratch")
        if room < size:  # here it needs more than there
            self._larger[handle] = np.empty(size + 16, np.uint8)
        self.handles[handle] = size
        return handle

    def scratch_data(self, handle: int) -> int:
        """Where it is."""
        larger = self._larger.get(handle)
        if larger is not None:
            return -(-address(larger) // 16) * 16
        return address(self.context.get_scratch_buffer(handle))

    def temp_tensor(self, index: int) -> None:
        """A temporary tensor."""
        allocate = cast(Any, self.context).allocate_temp_tflite_tensor
        self._temps.setdefault(index, []).append(allocate(index))
        self.most_temps = max(self.most_temps, sum(map(len, self._temps.values())))

    def free_tensor(self, index: int) -> None:
        """Take a temporary tensor back."""
        found = self._temps.get(index)
        if not found:
            self.context.report_error(f"tensor {index} was given back, and is not allocated")
        cast(Any, self.context).deallocate_temp_tflite_tensor(found.pop())

    def temp_buffer(self, size: int, alignment: int) -> int:
        """Temporary memory."""
        buffer = cast(Any, self.context).allocate_temp_buffer(size, alignment)
        where = address(buffer)
        self._buffers[where] = buffer
        self.asked_buffers += 1
        return where

    def free_buffer(self, address: int) -> None:
        """Take a temporary buffer back."""
        buffer = self._buffers.pop(address, None)
        if buffer is None:
            self.context.report_error("a buffer was given back that is not allocated")
        cast(Any, self.context).deallocate_temp_buffer(buffer)

    def tensor(self, index: int) -> Facts:
        """A tensor of the node's subgraph."""
        current, full = self.context.get_eval_tensor(index), self.context.view_tensor(index)
        scales = zeros = None
        quantization = full.quantization
        if quantization is not None and len(quantization.zero_point):
            scales = np.ascontiguousarray(quantization.scale, np.float32)
            zeros = np.ascontiguousarray(quantization.zero_point, np.int64)
            self._keep += [scales, zeros]
        self.facts[index] = Facts(
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
        return self.facts[index]

    def decompression(self, size: int) -> int:
        """Memory for decompressed values; it is the interpreter's, and stays."""
        memory = cast(Any, self.context).allocate_decompression_memory(size)
        if memory is not None:
            self._decompressed[address(memory)] = memory
        return address(memory)

    def reset_decompression(self) -> None:
        """All of it is free again."""
        cast(Any, self.context).reset_decompression_memory()


#: What fresh memory holds, as in the arena: nobody may rely on zeros.
POISON = 0xA5
