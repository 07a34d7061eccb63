"""Runs of native kernels as one C call each.

A :class:`Program` is an array of steps over an array of tensors, both laid out once.
Packed weights and the kernels' workspace are its own memory: the simulated arena holds
what the device's arena holds and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.errors import AreniteError
from arenite.model import Array
from arenite.model.calls import MAX_DEPTH
from arenite.native.call import Call, go_on
from arenite.native.engine import ffi, lib
from arenite.native.malloc_tuning import keep_freed_memory
from arenite.native.record import to_struct
from arenite.native.steps import DRAFTS, Steps, draft_of
from arenite.native.tensors import address_of, present
from arenite.native.thread_pool import Team, parts_of

from_buffer = ffi.from_buffer

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
_BYTES, _DRAFT_BYTES = ffi.typeof("uint8_t[]"), ffi.sizeof("ar_draft")
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
    try:
        return checked_isa(wanted)
    except ValueError as error:
        raise AreniteError(f"ARENITE_ISA: {error}") from None


def checked_isa(name: str) -> str:
    """The name of an instruction set of this CPU.

    Raises:
        ValueError: It is none, or one that this CPU does not have.
    """
    have = available_isas()
    if name not in have:
        raise ValueError(f"expected an instruction set of {', '.join(have)}, got {name!r}")
    return name


@cache
def _best_isa() -> str:
    """The CPU's best set, asked once: in a virtual machine that takes its time."""
    return _NAMES[lib.ar_best_isa()]


class Program(Steps):
    """Steps to be run in order; :meth:`add` them all, then :meth:`finish`, then :meth:`run`."""

    def __init__(self, instruction_set: str | None = None, threads: int = 1) -> None:
        super().__init__(ISAS[instruction_set or isa()])
        self._threads = threads
        self._calls: Array | None = None

    @property
    def instruction_set(self) -> str:
        """Its name, or that of the portable kernels."""
        return _NAMES[self._isa]

    @property
    def packed_bytes(self) -> int:
        """Bytes of packed constants and workspace, which :meth:`finish` takes."""
        total = self._added_up(self._all_drafts())
        workspace = total.workspace
        return int(
            total.plan + (workspace if self._threads == 1 else self._threads * _align(workspace))
        )

    @property
    def workspace_bytes(self) -> int:
        """Bytes that kernels write to while they run."""
        return self._workspace_bytes

    def _added_up(self, drafts: bytes) -> Any:
        """Sum of what all steps take."""
        total = ffi.new("ar_sizes *")
        lib.ar_add_up(from_buffer(DRAFTS, drafts), len(drafts) // _DRAFT_BYTES, total)
        return total

    def finish(self, main_steps: int | None = None) -> None:
        """Lay out steps, tensors, workspace, and memory for what the first run packs.

        ``main_steps``: how many of the steps, the first ones, are an inference; all without it.
        """
        self._main_steps = len(self) if main_steps is None else main_steps
        drafts = self._all_drafts()
        count, total = len(drafts) // _DRAFT_BYTES, self._added_up(drafts)
        plans = aligned(total.plan)
        self._array = ffi.new("ar_step[]", count or 1)
        parcels = ffi.new("ar_parcel[]", count or 1)
        packed = lib.ar_lay_out(
            from_buffer(DRAFTS, drafts), count, from_buffer(_BYTES, plans), self._array, parcels
        )
        for control, begin, end in self._inner:
            control.parts[0].begin, control.parts[0].end = len(self) + begin, len(self) + end
        for number, (first, pair, _) in enumerate(self._pairs, len(self) + len(self._behind)):
            self._array[first].both, pair.first = self._array + number, self._array + first
        self._parcels = ffi.new("ar_parcels *", (parcels, packed, self._array))
        self._io = present(self._rows)
        self._workspace_bytes = workspace_bytes = int(total.workspace)
        self._team = None
        if self._threads > 1 and self._divide(from_buffer(DRAFTS, drafts)):
            own = _align(workspace_bytes)
            workspace_bytes = self._threads * own
            self._team = Team(self._threads, own, aligned(Team.nbytes(self._threads)))
        workspace = aligned(workspace_bytes)
        self._workspace = from_buffer(_BYTES, workspace)
        self._keep += [plans, workspace, parcels]
        self._walk, frames = self._walker(self._io, self._workspace, self._team)
        self._keep.append(frames)
        #: Bytes of packed constants and workspace.
        self.nbytes = plans.nbytes + workspace.nbytes

    def _divide(self, drafts: Any) -> bool:
        """Divide what threads shall share; whether there is something."""
        for step, draft in zip(self._array, drafts, strict=False):
            if draft.kernel and draft.kernel.part:
                step.parts = parts_of(draft.sizes.work, self._threads)
                step.part = draft.kernel.part if step.parts > 1 else ffi.NULL
        return any(step.parts > 1 for step in self._array)

    def close(self) -> None:
        """End the threads that share steps, if there are any: the caller's runs all from now on."""
        if self._team is not None:
            self._team.end()

    def limit_calls(self, left: Array | None) -> None:
        """Let controls call subgraphs as often as ``left``, an int64 array of one element, says.

        It is counted down. None for any number. It holds for this program's walks, and for what
        :meth:`call` makes from now on.
        """
        self._calls = left
        self._walk.calls = self._calls_left

    @property
    def _calls_left(self) -> Any:
        return ffi.NULL if self._calls is None else ffi.cast("int64_t *", address_of(self._calls))

    @property
    def has_shared_steps(self) -> bool:
        """Whether there are steps that threads share, while there are some."""
        return self._team is not None

    @property
    def threads(self) -> int:
        """The number of threads for its steps now, the caller's among them."""
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
        """Do as :meth:`start` and :meth:`go_on`, while another walk waits for Python."""
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
        *,
        params: Mapping[int, Any] | None = None,
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
            params: Parameters that steps have in the copy.
        """
        io, workspace, team = self._io, self._workspace, self._team
        memory: Array | None = None
        private: list[Any] = []
        if arena is not None:
            self.pack()  # which threads must not do at once
            private = [np.empty_like(one) for one in self._private]
            io = self._moved((arena, *zip(self._private, private, strict=True)))
            memory = aligned(self._workspace_bytes)
            workspace, team = ffi.cast("uint8_t *", ffi.from_buffer(memory)), None
        sources, targets = _ports(inputs), _ports(outputs)
        program, frames = self._walker(io, workspace, team)
        if params:
            program.steps = private_steps = self._steps_with(params, private)
            private.append(private_steps)
        program.inputs, program.input_count = sources, len(inputs)
        program.outputs, program.output_count = targets, len(outputs)
        keep = (self, inputs, arena, io, memory, private, workspace, sources, targets, frames)
        return Call(program, outputs, run_step, turn, isa=self._isa, keep=(*keep, self._calls))

    def _steps_with(self, params: Mapping[int, Any], keep: list[Any]) -> Any:
        """The steps, some of them with other parameters."""
        steps = ffi.new("ar_step[]", len(self._array))
        ffi.memmove(steps, self._array, ffi.sizeof(steps))
        for number, record in params.items():
            struct = to_struct(record, keep)
            keep += [record, struct]
            steps[number].params = from_buffer(struct)
        return steps

    def _walker(self, io: Any, workspace: Any, team: Team | None) -> tuple[Any, Any]:
        """Walker of the steps over these tensors, and its frames, which must live as long."""
        program, frames = ffi.new("ar_program *"), ffi.new("ar_frame[]", MAX_DEPTH + 2)
        program.steps, program.count = self._array, self._main_steps
        program.tensors, program.workspace = io, workspace
        program.team = ffi.NULL if team is None else team.pointer
        program.frames, program.frame_count = frames, len(frames)
        program.parcels, program.calls = self._parcels, self._calls_left
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
        return _NAMES.get(draft_of(self._drafts[step]).isa, "")


def _ports(arrays: Sequence[Array]) -> Any:
    ports = [{"data": from_buffer(array), "bytes": array.nbytes} for array in arrays]
    return ffi.new("ar_port[]", ports or 1)


def _align(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def aligned(size: int) -> npt.NDArray[np.uint8]:
    """Bytes from a multiple of 64 on."""
    keep_freed_memory(size)
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    start = -address_of(memory) % _ALIGNMENT
    return memory[start : start + max(size, 1)]
