"""Runs of native kernels as one C call each.

A :class:`Program` is an array of steps over an array of tensors, both laid out once.
Packed weights and the kernels' workspace are its own memory: the simulated arena holds
what the device's arena holds and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.errors import AreniteError
from arenite.model.calls import MAX_DEPTH
from arenite.native import _engine
from arenite.native.call import Call, go_on
from arenite.native.heap import keep_freed_memory
from arenite.native.steps import Step, Steps
from arenite.native.team import Team, parts_of
from arenite.native.tensors import (
    address_of,
    present,
)

ffi, lib = _engine.ffi, _engine.lib
from_buffer = ffi.from_buffer
Array = npt.NDArray[Any]

ISAS = {
    "portable": lib.AR_PORTABLE,
    "avx2": lib.AR_AVX2,
    "avxvnni": lib.AR_AVXVNNI,
    "avx512vnni": lib.AR_AVX512VNNI,
    "neon": lib.AR_NEON,
    "neondot": lib.AR_NEONDOT,
    "neoni8mm": lib.AR_NEONI8MM,
}
_NAMES = {code: name for name, code in ISAS.items()}
_ALIGNMENT = 64
_POINTER_FIRST = np.dtype(
    {"names": ["data"], "formats": [np.uintp], "itemsize": ffi.sizeof("ar_tensor")}
)


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


class Program(Steps):
    """Steps to be run in order; :meth:`add` them all, then :meth:`finish`, then :meth:`run`."""

    def __init__(self, instruction_set: str | None = None, threads: int = 1) -> None:
        super().__init__(ISAS[instruction_set or isa()])
        self._threads = threads

    @property
    def packed_bytes(self) -> int:
        """Bytes of packed constants and workspace, which :meth:`finish` takes."""
        workspace = self._workspace_bytes if self._threads == 1 else self._shared_workspace_bytes
        return self._plan_bytes + workspace

    @property
    def _plan_bytes(self) -> int:
        """Of packed constants."""
        return sum(_align(step.plan_bytes) for step in self._all_steps())

    @property
    def _shared_workspace_bytes(self) -> int:
        """Of the workspaces of all threads."""
        return self._threads * _align(self._workspace_bytes)

    def finish(self, main_steps: int | None = None) -> None:
        """Lay out steps, tensors, workspace, and memory for what the first run packs.

        ``main_steps``: how many of the steps, the first ones, are an inference; all without it.
        """
        self._main_steps = len(self._steps) if main_steps is None else main_steps
        plans = _aligned(self._plan_bytes)
        base = ffi.cast("uint8_t *", from_buffer(plans))
        slots, parcels = [], []
        for number, step in enumerate(self._all_steps()):
            slots.append(self._slot(step, base))
            if step.plan_bytes:
                parcels.append((step.kernel, step.params, step.tensors, base, number))
                base += _align(step.plan_bytes)
        self._array = ffi.new("ar_step[]", slots or 1)
        for number, (first, pair, _) in enumerate(self._pairs, len(self._steps)):
            self._array[first].both, pair.first = self._array + number, self._array + first
        array = ffi.new("ar_parcel[]", parcels or 1)
        self._parcels = ffi.new("ar_parcels *", (array, len(parcels), self._array))
        self._io = present(self._rows)
        self._team = None
        workspace_bytes = self._workspace_bytes
        if any(parts > 1 for *_, parts in slots):
            workspace_bytes, own = self._shared_workspace_bytes, _align(workspace_bytes)
            self._team = Team(self._threads, own, _aligned(Team.nbytes(self._threads)))
        workspace = _aligned(workspace_bytes)
        self._workspace = ffi.cast("uint8_t *", ffi.from_buffer(workspace))
        self._keep += [plans, workspace, array]
        self._walk, frames = self._walker(self._io, self._workspace, self._team)
        self._keep.append(frames)
        #: Bytes of packed constants and workspace.
        self.nbytes = plans.nbytes + workspace.nbytes

    def _slot(self, step: Step, plan: Any) -> tuple[Any, ...]:
        """A step in C."""
        kernel = step.kernel
        if kernel is None:
            return ffi.NULL, ffi.NULL, ffi.NULL, 0, step.control, step.before, ffi.NULL, 1
        parts = parts_of(step.work, self._threads) if kernel.part else 1
        part = kernel.part if parts > 1 else ffi.NULL
        where = step.params, plan, step.first_tensor
        return kernel.run, *where, ffi.NULL, step.before, part, parts

    def close(self) -> None:
        """End the threads that share steps, if there are any: the caller's runs all from now on."""
        if self._team is not None:
            self._team.end()

    @property
    def threads(self) -> int:
        """How many threads there are for its steps now, the caller's among them."""
        return 1 if self._team is None else self._team.size

    def pack(self) -> None:
        """Pack constants, unless that was done: otherwise the first run does it.

        Raises:
            AreniteError: A kernel cannot, against what it said before. Its step is for Python.
        """
        failed = lib.ar_pack(self._parcels)
        if failed:
            raise AreniteError(f"{failed} native kernels cannot pack what they have measured")

    def run(self, begin: int, end: int) -> int:
        """Run the steps ``[begin, end)`` of one subgraph.

        Returns:
            The step before which it stopped, because its kernel does not take the data, or
            ``end``; -1 where a step has ended the inference.
        """
        status = lib.ar_run(self._walk, begin, end)
        if not status:
            return end
        return -1 if status == lib.AR_ABORTED else int(self._walk.frames[0].next)

    def invoke(self, run_step: Callable[[int], None]) -> None:
        """Run the steps of the main subgraph and all that they call; see :meth:`go_on`."""
        status = lib.ar_invoke(self._walk)
        if status:
            go_on(self._walk, status, run_step)

    def start(self, begin: int, end: int) -> int:
        """Run the steps ``[begin, end)`` and all that they call.

        Returns:
            0, or a status with which :meth:`go_on` does the rest.
        """
        status: int = lib.ar_run(self._walk, begin, end)
        return status

    def go_on(self, status: int, run_step: Callable[[int], None]) -> None:
        """The rest of what :meth:`start` began; see :func:`arenite.native.call.go_on`."""
        go_on(self._walk, status, run_step)

    def walk_anew(self, begin: int, end: int, run_step: Callable[[int], None]) -> None:
        """What :meth:`start` and :meth:`go_on` do, while another walk waits for Python."""
        program, frames = self._walker(self._io, self._workspace, self._team)
        status = lib.ar_run(program, begin, end)
        if status:
            go_on(program, status, run_step)
        del frames  # which had to be there so long

    def call(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        run_step: Callable[[int], None],
        turn: list[None],
        arena: tuple[Array, Array] | None = None,
    ) -> Call:
        """The whole program as one C call.

        Args:
            inputs: The input tensors' memory, contiguous.
            outputs: The output tensors' memory, contiguous.
            run_step: See :class:`Call`.
            turn: Holds a token while nobody works in the arena.
            arena: ``(own, copy)``: tensors in ``own`` are those in ``copy`` instead, which has
                its layout and alignment; for a thread of its own, which runs all steps alone.
                Packed constants are shared.
        """
        io, workspace, team = self._io, self._workspace, self._team
        memory: Array | None = None
        private: list[Array] = []
        if arena is not None:
            self.pack()  # which threads must not do at once
            private = [np.empty_like(one) for one in self._private]
            io = self._moved((arena, *zip(self._private, private, strict=True)))
            memory = _aligned(self._workspace_bytes)
            workspace, team = ffi.cast("uint8_t *", ffi.from_buffer(memory)), None
        sources, targets = _ports(inputs), _ports(outputs)
        program, frames = self._walker(io, workspace, team)
        program.inputs, program.input_count = sources, len(inputs)
        program.outputs, program.output_count = targets, len(outputs)
        keep = (self, inputs, arena, io, memory, private, workspace, sources, targets, frames)
        return Call(program, outputs, run_step, turn, isa=self._isa, keep=keep)

    def _walker(self, io: Any, workspace: Any, team: Team | None) -> tuple[Any, Any]:
        """What walks the steps over these tensors, and its frames, which must live as long."""
        program, frames = ffi.new("ar_program *"), ffi.new("ar_frame[]", MAX_DEPTH + 1)
        program.steps, program.count = self._array, self._main_steps
        program.tensors, program.workspace = io, workspace
        program.team = ffi.NULL if team is None else team.pointer
        program.frames, program.frame_count = frames, len(frames)
        program.parcels = self._parcels
        return program, frames

    def _moved(self, pairs: Sequence[tuple[Array, Array]]) -> Any:
        """The tensors; of each pair of arrays those in the one at their places in the other."""
        io = ffi.new("ar_tensor[]", len(self._io))
        ffi.memmove(io, self._io, ffi.sizeof(io))
        data = np.frombuffer(ffi.buffer(io), _POINTER_FIRST)["data"]
        before = data.copy()
        for own, copy in pairs:
            offsets = before - np.uintp(address_of(own))  # wraps around for lower addresses
            inside = offsets < own.nbytes
            data[inside] = offsets[inside] + np.uintp(address_of(copy))
        return io

    def describe(self, step: int) -> str:
        """The instruction set that a step's kernel is written for; empty for one in Python."""
        code = self._steps[step].isa
        return "" if code is None else _NAMES[code]


def _ports(arrays: Sequence[Array]) -> Any:
    ports = [{"data": from_buffer(array), "bytes": array.nbytes} for array in arrays]
    return ffi.new("ar_port[]", ports or 1)


def _align(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _aligned(size: int) -> npt.NDArray[np.uint8]:
    keep_freed_memory(size)
    memory = np.zeros(size + _ALIGNMENT, np.uint8)
    start = -address_of(memory) % _ALIGNMENT
    return memory[start : start + max(size, 1)]
