"""Runs of native kernels as one C call each.

A :class:`Program` is an array of steps over an array of tensors, both laid out once.
Packed weights and the kernels' workspace are its own memory: the simulated arena holds
what the device's arena holds and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.errors import AreniteError, in_use
from arenite.model import TensorType
from arenite.native import _engine
from arenite.native.record import to_struct

ffi, lib = _engine.ffi, _engine.lib
from_buffer = ffi.from_buffer
Array = npt.NDArray[Any]

ISAS = {
    "portable": lib.AR_PORTABLE,
    "avx2": lib.AR_AVX2,
    "avxvnni": lib.AR_AVXVNNI,
    "avx512vnni": lib.AR_AVX512VNNI,
}
_NAMES = {code: name for name, code in ISAS.items()}
_ALIGNMENT = 64
_POINTER_FIRST = np.dtype(
    {"names": ["data"], "formats": [np.uintp], "itemsize": ffi.sizeof("ar_tensor")}
)
_MAX_RANK = 6
_MAX_DIMENSION = 2**31 - 1


class NativeTensor(NamedTuple):
    """A tensor as a kernel sees it; ``data`` is None for one that is absent."""

    data: Array | None
    type: int
    shape: tuple[int, ...]
    is_constant: bool


_ABSENT_TYPE: int = lib.AR_ABSENT
ABSENT = NativeTensor(None, _ABSENT_TYPE, (), False)
_BEHIND = (ABSENT, ABSENT, ABSENT, NativeTensor(None, lib.AR_END, (), False))


def available_isas() -> list[str]:
    """The instruction sets that this CPU has, best last."""
    return [name for name, code in ISAS.items() if lib.ar_has_isa(code)]


def isa() -> str:
    """The instruction set in use: the best there is, or what ``ARENITE_ISA`` asks for.

    Raises:
        AreniteError: ``ARENITE_ISA`` names none, or one that this CPU does not have.
    """
    wanted = os.environ.get("ARENITE_ISA")
    if not wanted:
        return _best_isa()
    have = available_isas()
    if wanted not in have:
        raise AreniteError(f"ARENITE_ISA: expected one of {', '.join(have)}, got {wanted!r}")
    return wanted


@cache
def _best_isa() -> str:
    """What the CPU says, asked once: in a virtual machine that takes its time."""
    return _NAMES[lib.ar_best_isa()]


class _Step(NamedTuple):
    kernel: Any
    params: Any
    constants: Any  # the step's tensors as its kernel was measured with them
    plan_bytes: int
    first_tensor: int
    isa: str


class Call:
    """One inference of a program, or many in a row.

    Arrays are C-contiguous and of the tensors' sizes, which the caller has checked; the GIL is
    released while the program runs. Where a kernel does not take the data, ``resume(step)``
    does that step and all behind it, or raises what is wrong with them.
    """

    __slots__ = ("_keep", "_outputs", "_program", "_resume", "_turn")

    def __init__(
        self,
        program: Any,
        outputs: Sequence[Array],
        resume: Callable[[int], None],
        turn: list[None],
        keep: Any,
    ) -> None:
        self._program = program
        self._outputs = outputs
        self._resume = resume
        self._turn = turn
        self._keep = keep

    def function(self) -> Callable[[Array, Array], None]:
        """``run(x, y)``: one inference, from the only input to the only output.

        It takes its turn, as :func:`arenite.runtime.turn.alone` does.
        """
        run, view, program = lib.ar_call, from_buffer, self._program
        turn = self._turn
        take, give = turn.pop, turn.append

        def call(x: Array, y: Array) -> None:
            try:
                take()
            except IndexError:
                raise in_use() from None
            except BaseException:
                _give_back(turn)
                raise
            try:
                if run(program, view(x), view(y)):
                    # `self` must be named here: it keeps alive what the program points to.
                    self._resume(program.failed)
                    y[...] = self._outputs[0]
            finally:
                give(None)

        return call

    def like(self, source: Array) -> Callable[[Any], Array | None]:
        """One inference as a function from an array like ``source`` to a copy of the output.

        Other values than contiguous arrays of that dtype and shape it answers with None. One
        plain function, because a small model takes no longer than a few calls in Python. It
        takes its turn, as :func:`arenite.runtime.turn.alone` does.
        """
        shape, dtype, ndarray = source.shape, source.dtype, np.ndarray
        run, view, program, here = lib.ar_call, from_buffer, self._program, ffi.NULL
        copy: Callable[[], Array] = self._outputs[0].copy
        turn = self._turn
        take, give = turn.pop, turn.append

        def call(x: Any) -> Array | None:
            if type(x) is not ndarray or x.shape != shape or x.dtype is not dtype:
                return None
            try:
                source = view(x)
            except ValueError:  # cffi: not contiguous
                return None
            try:
                take()
            except IndexError:
                raise in_use() from None
            except BaseException:
                _give_back(turn)
                raise
            try:
                if run(program, source, here):
                    # `self` must be named here: it keeps alive what the program points to.
                    self._resume(program.failed)
                return copy()
            finally:
                give(None)

        return call

    def predict(
        self, inputs: Sequence[Array], outputs: Sequence[Array]
    ) -> tuple[int, Exception | None]:
        """As many inferences as the arrays, one per input and output, have samples.

        The caller has taken the turn, or has the memory to itself.

        Returns:
            The number of samples done, and why it is not all of them.
        """
        done, count = ffi.new("int64_t *"), len(inputs[0])
        finished = 0
        while True:
            x, y = (
                [from_buffer("uint8_t[]", array[finished:]) for array in arrays]
                for arrays in (inputs, outputs)
            )
            pointers = ffi.new("uint8_t *[]", x), ffi.new("uint8_t *[]", y)
            status = lib.ar_predict(self._program, *pointers, count - finished, done)
            finished += done[0]
            if not status:
                return finished, None
            try:
                self._resume(self._program.failed)
            except Exception as error:
                return finished, error
            for array, output in zip(outputs, self._outputs, strict=True):
                array[finished] = output
            finished += 1


class Program:
    """Steps to be run in order; :meth:`add` them all, then :meth:`finish`, then :meth:`run`."""

    def __init__(self, instruction_set: str | None = None) -> None:
        self._isa = ISAS[instruction_set or isa()]
        self._steps: list[_Step] = []
        self._tensors: list[NativeTensor] = []
        self._keep: list[Any] = []
        self._workspace_bytes = 0
        self._failed = ffi.new("int32_t *")
        self._sizes, self._found = ffi.new("ar_sizes *"), ffi.new("ar_isa *")

    def __len__(self) -> int:
        return len(self._steps)

    def add(
        self,
        name: str,
        params: Any,
        outputs: Sequence[NativeTensor],
        inputs: Sequence[NativeTensor],
    ) -> bool:
        """Add a step for an operator if there is a kernel that takes these tensors."""
        if not all(map(_is_whole, outputs)) or not all(map(_is_whole, inputs)):
            return False
        tensors = (*outputs, *inputs, *_BEHIND)
        keep: list[Any] = []
        try:
            struct = ffi.NULL if params is None else to_struct(ffi, params, keep)
        except (KeyError, OverflowError):
            return False
        constants = _tensor_array(tensors, only_constants=True)
        sizes, found = self._sizes, self._found
        counts = len(outputs), len(outputs) + len(inputs)
        kernel = lib.ar_find_kernel(
            name.encode(), self._isa, struct, constants, *counts, sizes, found
        )
        if not kernel:
            return False
        isa_name = _NAMES[found[0]]
        self._steps.append(
            _Step(kernel, struct, constants, sizes.plan, len(self._tensors), isa_name)
        )
        self._tensors += tensors
        self._workspace_bytes = max(self._workspace_bytes, sizes.workspace)
        self._keep += keep
        return True

    @property
    def workspace_bytes(self) -> int:
        """Bytes that kernels write to while they run."""
        return self._workspace_bytes

    @property
    def packed_bytes(self) -> int:
        """Bytes of packed constants and workspace, which :meth:`finish` takes."""
        return sum(_align(step.plan_bytes) for step in self._steps) + self._workspace_bytes

    def finish(self) -> None:
        """Pack constants and lay out steps, tensors and workspace."""
        offsets = list(accumulate((_align(step.plan_bytes) for step in self._steps), initial=0))
        plans = _aligned(offsets[-1])
        base = ffi.cast("uint8_t *", from_buffer(plans))
        self._io = _tensor_array(self._tensors)
        slots = []
        for step, offset in zip(self._steps, offsets, strict=False):
            kernel, plan = step.kernel, base + offset
            status = kernel.plan(step.params, step.constants, plan)
            if status:
                name = ffi.string(kernel.name).decode()
                raise AreniteError(f"the native kernel of {name} failed with status {status}")
            slots.append((kernel.run, step.params, plan, step.first_tensor))
        self._array = ffi.new("ar_step[]", slots or 1)
        workspace = _aligned(self._workspace_bytes)
        self._workspace = ffi.cast("uint8_t *", ffi.from_buffer(workspace))
        self._keep += [plans, workspace]
        #: Bytes of packed constants and workspace.
        self.nbytes = plans.nbytes + workspace.nbytes

    def run(self, begin: int, end: int) -> int:
        """Run the steps ``[begin, end)``.

        Returns:
            The step before which it stopped, because its kernel does not take the data, or
            ``end``.
        """
        status = lib.ar_run(self._array, begin, end, self._io, self._workspace, self._failed)
        return int(self._failed[0]) if status else end

    def call(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        resume: Callable[[int], None],
        turn: list[None],
        arena: tuple[Array, Array] | None = None,
    ) -> Call:
        """The whole program as one C call.

        Args:
            inputs: The input tensors' memory, contiguous.
            outputs: The output tensors' memory, contiguous.
            resume: See :class:`Call`.
            turn: Holds a token while nobody works in the arena.
            arena: ``(own, copy)``: tensors in ``own`` are those in ``copy`` instead, which has
                its layout and alignment; for a thread of its own. Packed constants are shared.
        """
        io, workspace = self._io, self._workspace
        memory: Array | None = None
        if arena is not None:
            io = self._moved(*arena)
            memory = _aligned(self._workspace_bytes)
            workspace = ffi.cast("uint8_t *", ffi.from_buffer(memory))
        sources, targets = _ports(inputs), _ports(outputs)
        program = ffi.new("ar_program *")
        program.steps, program.count = self._array, len(self._steps)
        program.tensors, program.workspace = io, workspace
        program.inputs, program.input_count = sources, len(inputs)
        program.outputs, program.output_count = targets, len(outputs)
        keep = (self, inputs, arena, io, memory, workspace, sources, targets)
        return Call(program, outputs, resume, turn, keep)

    def _moved(self, own: Array, copy: Array) -> Any:
        """The tensors, with those in ``own`` at the same places in ``copy``."""
        io = ffi.new("ar_tensor[]", max(len(self._tensors), 1))
        ffi.memmove(io, self._io, ffi.sizeof(io))
        data = np.frombuffer(ffi.buffer(io), _POINTER_FIRST)["data"]
        offsets = data - np.uintp(address_of(own))  # wraps around for lower addresses
        inside = offsets < own.nbytes
        data[inside] = offsets[inside] + np.uintp(address_of(copy))
        return io

    def describe(self, step: int) -> str:
        """The instruction set that a step's kernel is written for."""
        return self._steps[step].isa


def _give_back(turn: list[None]) -> None:
    """Undo a turn that a signal's handler ended before it began."""
    if not turn:
        turn.append(None)


def _is_whole(tensor: NativeTensor) -> bool:
    """Whether all elements are there, where C may read them: what kernels cannot see.

    A file's constants may lie anywhere, and a shape say more than there is memory.
    """
    data, type_, shape, _ = tensor
    if data is None:
        return type_ == _ABSENT_TYPE
    flags = data.flags
    if len(shape) > _MAX_RANK or not flags.aligned or not flags.c_contiguous:
        return False
    if data.size and data.shape == shape:  # as most are; loading does this for all tensors
        return data.itemsize >= _itemsize(type_)
    if max(shape, default=0) > _MAX_DIMENSION:
        return False
    return data.nbytes >= TensorType(type_).nbytes(prod(shape))


@cache
def _itemsize(type_: int) -> int:
    """Bytes of an element, at least one."""
    return TensorType(type_).nbytes(1)


def _ports(arrays: Sequence[Array]) -> Any:
    ports = ffi.new("ar_port[]", max(len(arrays), 1))
    for port, array in zip(ports, arrays, strict=False):
        port.data, port.bytes = ffi.cast("void *", address_of(array)), array.nbytes
    return ports


def address_of(array: Array) -> int:
    """Where an array's first element lies in memory."""
    address: int = array.__array_interface__["data"][0]
    return address


def _align(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _aligned(size: int) -> npt.NDArray[np.uint8]:
    memory = np.zeros(size + _ALIGNMENT, np.uint8)
    start = -address_of(memory) % _ALIGNMENT
    return memory[start : start + max(size, 1)]


def _tensor_array(tensors: Sequence[NativeTensor], *, only_constants: bool = False) -> Any:
    """The tensors in C.

    ``only_constants`` is how kernels are measured and planned: other data do not exist yet.
    """
    values = []
    for data, type_, shape, is_constant in tensors:
        is_there = data is not None and (is_constant or not only_constants)
        values.append((from_buffer(data) if is_there else ffi.NULL, type_, len(shape), shape))
    return ffi.new("ar_tensor[]", values or 1)
