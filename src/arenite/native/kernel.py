"""Libraries of users' compiled kernels, as C sees them, and what they ask of Python.

The boundary is ``src/arenite/kernels/shim/kernel.h``. A library's functions may be called on any
thread; one node's on one thread at a time.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from arenite.model import Array
from arenite.native.engine import ffi, lib
from arenite.processes.verdict import stage

#: The functions of a registration.
FUNCTIONS = ("init", "prepare", "invoke", "reset", "free")
INIT, PREPARE, INVOKE = lib.AK_INIT, lib.AK_PREPARE, lib.AK_INVOKE
OK, ABORTED, HOST = lib.AK_OK, lib.AK_ABORTED, lib.AK_HOST
STOPPED, CRASHED = lib.AK_STOPPED, lib.AK_CRASHED
_VERSION = 3
_MOST_DIMENSIONS = 8
_MOST_CALLS = 12


class Facts(NamedTuple):
    """A tensor for a kernel: what ``ak_tensor`` has."""

    type: int
    shape: tuple[int, ...]
    nbytes: int
    data: Array | None
    is_constant: bool
    is_variable: bool
    scales: npt.NDArray[np.float32] | None
    zeros: npt.NDArray[np.int64] | None
    quantized_dimension: int


class Answers(Protocol):
    """The host of a node's calls. What is raised here is kept, and the kernel's call ends.

    Addresses of memory are those of arrays that live as long as the kernel may use them.
    """

    error: BaseException | None

    def persistent(self, size: int) -> int:
        """The address of persistent memory."""

    def scratch(self, size: int) -> int:
        """A handle of scratch memory."""

    def scratch_data(self, handle: int) -> int:
        """The address of scratch memory."""

    def temp_tensor(self, index: int) -> None:
        """A tensor is on temporary memory from now on."""

    def free_tensor(self, index: int) -> None:
        """Take a temporary tensor back."""

    def temp_buffer(self, size: int, alignment: int) -> int:
        """The address of temporary memory."""

    def free_buffer(self, address: int) -> None:
        """Take a temporary buffer back."""

    def tensor(self, index: int) -> Facts:
        """A tensor of the current subgraph."""

    def decompression(self, size: int) -> int:
        """The address of decompression memory; 0 where none is free."""

    def reset_decompression(self) -> None:
        """All of it is free again."""


def address(array: Array | None) -> int:
    """Where an array's values are; 0 for none."""
    if array is None or not array.size:
        return 0
    found: int = array.__array_interface__["data"][0]
    return found


# -- callbacks: C knows a node's handle --------------------------------------------------


def _pointer(found: int) -> Any:
    return ffi.cast("void *", found)


def _done(call: Callable[..., None], *arguments: int) -> int:
    call(*arguments)
    return 1


def _fill(out: Any, facts: Facts) -> int:
    if len(facts.shape) > _MOST_DIMENSIONS:
        raise ValueError(f"expected at most {_MOST_DIMENSIONS} dimensions, got {len(facts.shape)}")
    out.type, out.rank = facts.type, len(facts.shape)
    out.bytes = facts.nbytes % (1 << 64)  # of a dimension of -1: as TFLM's size_t has it
    for place, dimension in enumerate(facts.shape):
        out.dims[place] = dimension
    out.data = _pointer(address(facts.data))
    out.is_constant, out.is_variable = facts.is_constant, facts.is_variable
    if facts.scales is not None and facts.zeros is not None:
        out.scale_count, out.zero_count = len(facts.scales), len(facts.zeros)
        out.scales = ffi.cast("float *", address(facts.scales))
        out.zeros = ffi.cast("int64_t *", address(facts.zeros))
        out.quantized_dimension = facts.quantized_dimension
    return 1


def _free_buffer(one: Answers, buffer: Any) -> int:
    return _done(one.free_buffer, int(ffi.cast("uintptr_t", buffer)))


#: What the functions of ``ak_host``, in its order, ask a node's host, and answer where that raises.
_CALLBACKS: dict[str, tuple[Callable[..., Any], Any]] = {
    "ak_persistent": (lambda one, size: _pointer(one.persistent(size)), ffi.NULL),
    "ak_scratch": (lambda one, size: one.scratch(size), -1),
    "ak_scratch_data": (lambda one, handle: _pointer(one.scratch_data(handle)), ffi.NULL),
    "ak_temp_tensor": (lambda one, index: _done(one.temp_tensor, index), 0),
    "ak_free_tensor": (lambda one, index: _done(one.free_tensor, index), 0),
    "ak_temp_buffer": (lambda one, *sizes: _pointer(one.temp_buffer(*sizes)), ffi.NULL),
    "ak_free_buffer": (_free_buffer, 0),
    "ak_tensor_of": (lambda one, index, out: _fill(out, one.tensor(index)), 0),
    "ak_decompression": (lambda one, size: _pointer(one.decompression(size)), ffi.NULL),
    "ak_reset_decompression": (lambda one: _done(one.reset_decompression), 0),
}


def _answered(answer: Callable[..., Any], failed: Any, user: Any, *arguments: Any) -> Any:
    one: Answers = ffi.from_handle(user)
    try:
        return answer(one, *arguments)
    except BaseException as error:  # goes on behind the kernel
        one.error = error
        return failed


for _name, _callback in _CALLBACKS.items():
    ffi.def_extern(name=_name)(partial(_answered, *_callback))
_HOST = ffi.new("ak_host *", tuple(getattr(lib, name) for name in _CALLBACKS))


# -- what Arenite calls ------------------------------------------------------------------


class KernelLibrary:
    """A compiled library.

    Args:
        path: The file.

    Raises:
        OSError: The system does not load it.
        ValueError: It is for another version of Arenite.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        stage(f"loading {path}")  # its constructors may end the process
        self._handle = ctypes.CDLL(str(path))  # which stays, as its signal handlers do
        stage(f"running {path}")
        entry = self._handle.ak_entry
        entry.restype, entry.argtypes = ctypes.c_void_p, []
        self._table = table = ffi.cast("ak_library *", entry())
        if table.version != _VERSION:
            raise ValueError(f"'{path}': expected version {_VERSION}, got {table.version}")
        #: The operators of its registrations.
        self.names = tuple(ffi.string(table.names[n]).decode() for n in range(table.count))
        #: How it crashed, if it did: what it holds may be broken.
        self.crash = ""

    def has(self, number: int) -> tuple[bool, ...]:
        """The :data:`FUNCTIONS` that a registration has."""
        bits = self._table.has(number)
        return tuple(bool(bits >> place & 1) for place in range(len(FUNCTIONS)))

    def node(self, number: int, answers: Answers, options: Array) -> KernelNode:
        """A node of a registration; ``options`` are its custom options, and live as long."""
        return KernelNode(self._table, number, answers, options)

    def said(self) -> str:
        """Words that this thread's last call has logged."""
        return str(ffi.string(self._table.said()).decode(errors="replace")).strip()

    def calls_of_crash(self) -> list[int]:
        """Where it crashed, and the calls that led there, as places in the file."""
        base = int(ffi.cast("uintptr_t", self._table.base()))
        found = [int(ffi.cast("uintptr_t", self._table.where(n))) for n in range(_MOST_CALLS)]
        return [place - base for place in found if found[0] and base and place >= base]

    def touched(self) -> int:
        """The address that the crash is about."""
        return int(ffi.cast("uintptr_t", self._table.touched()))

    def guarded(self, size: int, alignment: int) -> Guarded | None:
        """Memory of ``size`` bytes between bytes to watch, with an unusable page behind it.

        None where the system has no such thing. It stays.
        """
        found = self._table.guarded(size, alignment)
        if found == ffi.NULL:
            return None
        where = int(ffi.cast("uintptr_t", found))
        before, behind = where % mmap.PAGESIZE, -(where + size) % mmap.PAGESIZE
        sizes = (where - before, before), (where, size), (where + size, behind)
        return Guarded(*(_memory_at(begin, count) for begin, count in sizes))


class Guarded(NamedTuple):
    """Memory, and the bytes around it, up to pages that nobody may touch."""

    before: Array
    memory: Array
    behind: Array


def _memory_at(where: int, size: int) -> Array:
    if not size:
        return np.empty(0, np.uint8)
    return np.frombuffer(ffi.buffer(_pointer(where), size), np.uint8)


class _Frees(NamedTuple):
    """Memory that a node keeps until its ``free`` is called at its end."""

    memory: tuple[Array, ...]


def _end(table: Any, keep: list[Any], node: Any) -> None:
    table.destroy(node, any(isinstance(one, _Frees) for one in keep))


class KernelNode:
    """One node's life in C."""

    def __init__(self, table: Any, number: int, answers: Answers, options: Array) -> None:
        self._table = table
        self._handle = ffi.new_handle(answers)
        self._keep: list[Any] = [options]
        data, size = ffi.cast("void *", address(options)), options.nbytes
        node = table.create(number, _HOST, self._handle, data, size)
        # The arrays that it points to are there until its end.
        self._node = ffi.gc(node, partial(_end, table, self._keep))

    def end_with(self, *memory: Array) -> None:
        """Its ``free`` is called at its end, until which memory of its own stays."""
        self._keep.append(_Frees(memory))

    @property
    def step_address(self) -> int:
        """Of the function that runs an inference without Python."""
        return int(ffi.cast("intptr_t", self._table.step))

    @property
    def node_address(self) -> int:
        """Of the node, for that function."""
        return int(ffi.cast("intptr_t", self._node))

    def parse(self, model: bytes) -> int:
        """Let the tree's parser read the options of a model's first operator."""
        content = np.frombuffer(model, np.uint8)
        aligned = np.empty(content.size + 16, np.uint8)
        begin = -address(aligned) % 16
        aligned[begin : begin + content.size] = content
        self._keep.append(aligned)
        return int(self._table.parse(self._node, ffi.cast("void *", address(aligned) + begin)))

    def place(
        self, inputs: Sequence[int], outputs: Sequence[int], intermediates: Sequence[int]
    ) -> None:
        """Say which tensors it has; once."""
        lists = [ffi.new("int32_t[]", list(one) or 1) for one in (inputs, outputs, intermediates)]
        counts = len(inputs), len(outputs), len(intermediates)
        self._table.place(self._node, ffi.new("ak_place *", (*lists, *counts)))

    def call(self, function: int) -> int:
        """Call one of its functions; the status."""
        return int(self._table.call(self._node, function))

    def starts_anew(self, *, is_so: bool) -> None:
        """Let every inference begin with its reset, or none."""
        self._table.call(self._node, lib.AK_ANEW if is_so else lib.AK_GO_ON)

    def bind(self, index: int, data: Array | None) -> None:
        """Say where a tensor's values are."""
        self._table.bind(self._node, index, _pointer(address(data)))

    def bind_scratch(self, handle: int, where: int) -> None:
        """Say where scratch memory is."""
        self._table.bind_scratch(self._node, handle, _pointer(where))

    def bind_external(self, where: int) -> None:
        """Say where the external context is."""
        self._table.bind_external(self._node, _pointer(where))

    def shape(self, index: int) -> tuple[int, ...] | None:
        """A tensor's shape as the kernel has it now; None where it has not asked for it."""
        dims = ffi.new("int32_t[]", _MOST_DIMENSIONS)
        rank = self._table.dims(self._node, index, dims)
        return None if rank < 0 else tuple(dims[0 : min(rank, _MOST_DIMENSIONS)])

    def data(self, index: int) -> int:
        """Where the kernel has a tensor's values; 0 where it has not asked for it, or nowhere."""
        return int(ffi.cast("uintptr_t", self._table.data(self._node, index)))


def address_of_payload(payload: Any) -> int:
    """The address that C++ sees of an external context: an integer, a pointer or a buffer's.

    Raises:
        TypeError: It is none of them.
    """
    if isinstance(payload, int):
        return payload
    try:
        return int(ffi.cast("uintptr_t", payload))
    except TypeError:
        pass
    try:
        return int(ffi.cast("uintptr_t", ffi.from_buffer(payload)))
    except TypeError:
        kind = type(payload).__name__
        raise TypeError(
            f"a compiled kernel's external context: expected an address (int), a pointer of "
            f"cffi's or a buffer (bytearray, array, ctypes), got {kind}"
        ) from None
