"""Runs of native kernels as one C call each.

A :class:`Program` is an array of steps over an array of tensors, both laid out once.
Packed weights and the kernels' workspace are its own memory: the simulated arena holds
what the device's arena holds and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.errors import AreniteError
from arenite.native import _engine
from arenite.native.record import to_struct

ffi, lib = _engine.ffi, _engine.lib
from_buffer = ffi.from_buffer
Array = npt.NDArray[Any]
Addresses = npt.NDArray[np.uintp]
Move = Callable[[Addresses], Addresses]

ISAS = {"portable": lib.AR_PORTABLE, "avx2": lib.AR_AVX2, "avx512vnni": lib.AR_AVX512VNNI}
_NAMES = {code: name for name, code in ISAS.items()}
_ALIGNMENT = 64
_POINTER_FIRST = np.dtype(
    {"names": ["data"], "formats": [np.uintp], "itemsize": ffi.sizeof("ar_tensor")}
)
_MAX_RANK = 6


class NativeTensor(NamedTuple):
    """A tensor as a kernel sees it; ``data`` is None for one that is absent."""

    data: Array | None
    type: int
    shape: tuple[int, ...]
    is_constant: bool


def isa() -> str:
    """The instruction set in use: the best there is, or what ``ARENITE_ISA`` asks for.

    Raises:
        AreniteError: ``ARENITE_ISA`` names none, or one that this CPU does not have.
    """
    best = lib.ar_best_isa()
    wanted = os.environ.get("ARENITE_ISA")
    if not wanted:
        return _NAMES[best]
    if wanted not in ISAS or ISAS[wanted] > best:
        have = ", ".join(name for name, code in ISAS.items() if code <= best)
        raise AreniteError(f"ARENITE_ISA: expected one of {have}, got {wanted!r}")
    return wanted


@dataclass(slots=True)
class _Step:
    kernel: Any
    params: Any
    plan_bytes: int
    first_tensor: int
    isa: str


class Call:
    """One inference of a program, or many in a row.

    Arrays are C-contiguous and of the tensors' sizes, which the caller has checked; the GIL is
    released while the program runs.
    """

    __slots__ = ("_failure", "_keep", "_program")

    def __init__(
        self, program: Any, failure: Callable[[int, int], AreniteError], keep: list[Any]
    ) -> None:
        self._program = program
        self._failure = failure
        self._keep = keep

    def function(self) -> Callable[[Array, Array], None]:
        """``run(x, y)``: one inference, from the only input to the only output.

        A plain function, because that is quickest to call.
        """
        run, view, program = lib.ar_call, from_buffer, self._program

        def call(x: Array, y: Array) -> None:
            status = run(program, view(x), view(y))
            if status:  # `self` must stay alive in any case: it keeps what the program points to
                raise self._failure(status, program.failed)

        return call

    def predict(
        self, inputs: Sequence[Array], outputs: Sequence[Array]
    ) -> tuple[int, AreniteError | None]:
        """As many inferences as the arrays, one per input and output, have samples.

        Returns:
            The number of samples done, and why it is not all of them.
        """
        done = ffi.new("int64_t *")
        x, y = ([from_buffer("uint8_t[]", a) for a in arrays] for arrays in (inputs, outputs))
        status = lib.ar_predict(
            self._program,
            ffi.new("uint8_t *[]", x),
            ffi.new("uint8_t *[]", y),
            len(inputs[0]),
            done,
        )
        error = self._failure(status, self._program.failed) if status else None
        return int(done[0]), error


class Program:
    """Steps to be run in order; :meth:`add` them all, then :meth:`finish`, then :meth:`run`."""

    def __init__(self, instruction_set: str | None = None) -> None:
        self._isa = ISAS[instruction_set or isa()]
        self._steps: list[_Step] = []
        self._tensors: list[NativeTensor] = []
        self._keep: list[Any] = []
        self._workspace_bytes = 0
        self._failed = ffi.new("int32_t *")

    def __len__(self) -> int:
        return len(self._steps)

    def add(self, name: str, params: Any, tensors: Sequence[NativeTensor]) -> bool:
        """Add a step for an operator if there is a kernel that takes these tensors."""
        if any(len(t.shape) > _MAX_RANK for t in tensors) or not all(map(_is_aligned, tensors)):
            return False
        keep: list[Any] = []
        try:
            struct = ffi.NULL if params is None else to_struct(ffi, params, keep)
        except (KeyError, OverflowError):
            return False
        sizes, found = ffi.new("ar_sizes *"), ffi.new("ar_isa *")
        # Kernels decide by types, shapes and constants: other data do not exist yet.
        described = [t if t.is_constant else t._replace(data=None) for t in tensors]
        kernel = lib.ar_find_kernel(
            name.encode(), self._isa, struct, _tensor_array(described), sizes, found
        )
        if not kernel:
            return False
        self._steps.append(_Step(kernel, struct, sizes.plan, len(self._tensors), _NAMES[found[0]]))
        self._tensors += tensors
        self._workspace_bytes = max(self._workspace_bytes, sizes.workspace)
        self._keep += keep
        return True

    def finish(self) -> None:
        """Pack constants and lay out steps, tensors and workspace."""
        offsets = np.cumsum([0] + [_align(step.plan_bytes) for step in self._steps]).tolist()
        plans = _aligned(offsets[-1])
        base = ffi.cast("uint8_t *", ffi.from_buffer(plans))
        self._io = _tensor_array(self._tensors)
        self._array = ffi.new("ar_step[]", max(len(self._steps), 1))
        for step, slot, offset in zip(self._steps, self._array, offsets, strict=False):
            plan = base + offset
            status = step.kernel.plan(step.params, self._io + step.first_tensor, plan)
            _check(status, step.kernel)
            slot.run, slot.params, slot.plan = step.kernel.run, step.params, plan
            slot.first_tensor = step.first_tensor
        workspace = _aligned(self._workspace_bytes)
        self._workspace = ffi.cast("uint8_t *", ffi.from_buffer(workspace))
        self._keep += [plans, workspace]

    def run(self, begin: int, end: int) -> None:
        """Run the steps ``[begin, end)``."""
        status = lib.ar_run(self._array, begin, end, self._io, self._workspace, self._failed)
        if status:
            _check(status, self._steps[self._failed[0]].kernel)

    def call(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        arena: tuple[Array, Array] | None = None,
    ) -> Call:
        """The whole program as one C call.

        Args:
            inputs: The input tensors' memory, contiguous.
            outputs: The output tensors' memory, contiguous.
            arena: ``(own, copy)``: run in ``copy``, which has the layout and the alignment of
                ``own``, instead; for a thread of its own. Packed constants are shared.
        """
        keep: list[Any] = [self, inputs, outputs, arena]
        move = _no_move if arena is None else _mover(*arena)
        io, workspace = self._io, self._workspace
        if arena is not None:
            io = ffi.new("ar_tensor[]", max(len(self._tensors), 1))
            ffi.memmove(io, self._io, ffi.sizeof(io))
            table = np.frombuffer(ffi.buffer(io), _POINTER_FIRST)
            table["data"] = move(table["data"])
            memory = _aligned(self._workspace_bytes)
            workspace = ffi.cast("uint8_t *", ffi.from_buffer(memory))
            keep.append(memory)
        program = ffi.new("ar_program *")
        program.steps, program.count = self._array, len(self._steps)
        program.tensors, program.workspace = io, workspace
        sources, targets = _ports(inputs, move), _ports(outputs, move)
        program.inputs, program.input_count = sources, len(inputs)
        program.outputs, program.output_count = targets, len(outputs)
        keep += [io, workspace, sources, targets]
        return Call(program, self._failure, keep)

    def _failure(self, status: int, step: int) -> AreniteError:
        return _error(status, self._steps[step].kernel)

    def describe(self, step: int) -> str:
        """The instruction set that a step's kernel is written for."""
        return self._steps[step].isa


def _check(status: int, kernel: Any) -> None:
    if status:
        raise _error(status, kernel)


def _error(status: int, kernel: Any) -> AreniteError:
    name = ffi.string(kernel.name).decode()
    return AreniteError(f"the native kernel of {name} failed with status {status}")


def _is_aligned(tensor: NativeTensor) -> bool:
    """Whether elements lie where C may read them: a file's constants may lie anywhere."""
    return tensor.data is None or bool(tensor.data.flags.aligned)


def _ports(arrays: Sequence[Array], move: Move) -> Any:
    ports = ffi.new("ar_port[]", max(len(arrays), 1))
    for port, array in zip(ports, arrays, strict=False):
        address = move(np.array(_address(array), np.uintp))
        port.data, port.bytes = ffi.cast("void *", int(address)), array.nbytes
    return ports


def _no_move(addresses: Addresses) -> Addresses:
    return addresses


def _mover(own: Array, copy: Array) -> Move:
    """Maps addresses in ``own`` to those in ``copy``, and all others to themselves."""
    start, size, target = np.uintp(_address(own)), np.uintp(own.nbytes), np.uintp(_address(copy))

    def move(addresses: Addresses) -> Addresses:
        offsets = addresses - start  # wraps around where the address is lower
        return np.where(offsets < size, target + offsets, addresses)

    return move


def _address(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _align(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _aligned(size: int) -> npt.NDArray[np.uint8]:
    memory = np.zeros(size + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    return memory[start : start + max(size, 1)]


def _tensor_array(tensors: Sequence[NativeTensor]) -> Any:
    array = ffi.new("ar_tensor[]", max(len(tensors), 1))
    for slot, tensor in zip(array, tensors, strict=False):
        slot.type, slot.rank = tensor.type, len(tensor.shape)
        for axis, extent in enumerate(tensor.shape):
            slot.dims[axis] = extent
        if tensor.data is not None:
            slot.data = ffi.cast("void *", _address(tensor.data))
    return array
