"""Runs of native kernels as one C call each.

A :class:`Program` is an array of steps over an array of tensors, both laid out once.
Packed weights and the kernels' workspace are its own memory: the simulated arena holds
what the device's arena holds and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.errors import AreniteError
from arenite.model.calls import MAX_DEPTH
from arenite.native import _engine
from arenite.native.call import Call, go_on
from arenite.native.heap import keep_freed_memory
from arenite.native.record import to_struct
from arenite.native.team import Team, parts_of
from arenite.native.tensors import (
    BEHIND,
    NativeTensor,
    Row,
    address_of,
    can_be_copied,
    is_whole,
    measured,
    memory_row,
    nbytes_of,
    present,
    row_of,
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


_NOTHING_BEFORE = ffi.NULL, 0


class _Step(NamedTuple):
    """A kernel's step, a control's (which has no kernel), or one for Python (which has neither)."""

    kernel: Any = None
    params: Any = ffi.NULL
    tensors: Any = ()  # as the kernel is measured and planned with them: only constants have data
    plan_bytes: int = 0
    work: int = 0  # about, in products of int8
    first_tensor: int = 0
    isa: str = ""
    control: Any = ffi.NULL
    before: Any = _NOTHING_BEFORE


class Part(NamedTuple):
    """A subgraph that a control calls: its steps, and what is copied before and behind them."""

    begin: int = 0
    end: int = 0
    before: Sequence[tuple[NativeTensor, NativeTensor]] = ()
    after: Sequence[tuple[NativeTensor, NativeTensor]] = ()


#: What a control does, see ``ar_control_kind``.
NOTHING, IF, WHILE, CALL_ONCE = lib.AR_NOTHING, lib.AR_IF, lib.AR_WHILE, lib.AR_CALL_ONCE


class Program:
    """Steps to be run in order; :meth:`add` them all, then :meth:`finish`, then :meth:`run`.

    Those of the main subgraph come first; controls run the others.
    """

    def __init__(self, instruction_set: str | None = None, threads: int = 1) -> None:
        self._threads = threads
        self._isa: int = ISAS[instruction_set or isa()]
        self._steps: list[_Step] = []
        # The first of two steps, and what is instead of both.
        self._pairs: list[tuple[int, Any, _Step]] = []
        self._rows: list[bytes] = []  # the tensors of all steps, in C
        # Tensors that were looked at, and their bytes, if C may read them; by identity.
        self._known: dict[int, tuple[NativeTensor, Row | None]] = {}
        self._keep: list[Any] = []
        self._private: list[Array] = []  # copies of inputs, of which every thread has its own
        self._workspace_bytes = 0
        self._sizes, self._found = ffi.new("ar_sizes *"), ffi.new("ar_isa *")

    def __len__(self) -> int:
        return len(self._steps)

    def add(
        self,
        name: str,
        params: Any,
        outputs: Sequence[NativeTensor],
        inputs: Sequence[NativeTensor],
        copies: Sequence[tuple[Array, Array]] = (),
    ) -> bool:
        """Add a step for an operator if there is a kernel that takes these tensors.

        ``copies``: arrays, and those that have their values when the kernel runs, which are among
        the inputs.
        """
        tensors = (*outputs, *inputs)
        rows = self._rows_of(tensors)
        if rows is None:
            return False
        keep = self._keep
        try:
            struct = ffi.NULL if params is None else to_struct(ffi, params, keep)
        except (KeyError, OverflowError):
            return False
        sources = [memory_row(source) for source, _ in copies]
        step = self._found_step(name, struct, measured(rows, sources), len(outputs), len(tensors))
        if step is None:
            return False
        if copies:
            step = step._replace(before=self._before(copies, tensors))
            keep += [source for source, _ in copies]
        self._append(step, rows, sources)
        return True

    def _found_step(
        self, name: str, struct: Any, array: Any, outputs: int, count: int
    ) -> _Step | None:
        """A step with tensors behind those of all others, if there is a kernel that takes them."""
        sizes, found = self._sizes, self._found
        kernel = lib.ar_find_kernel(
            name.encode(), self._isa, struct, array, outputs, count, sizes, found
        )
        if not kernel:
            return None
        self._workspace_bytes = max(self._workspace_bytes, sizes.workspace)
        first, isa_name = len(self._rows), _NAMES[found[0]]
        return _Step(kernel, struct, array, sizes.plan, sizes.work, first, isa_name)

    def join(self, output: NativeTensor, given: NativeTensor, reads_first: Sequence[bool]) -> bool:
        """Let the last two steps be a table of bytes wherever a run goes through both.

        Each goes through int8 element by element, and nobody but the second needs what the first
        one makes.

        Args:
            output: The second's.
            given: The first's input.
            reads_first: Which of the second's two inputs are what the first makes; others are
                ``given``.

        Returns:
            Whether that is so now: not where their kernels need more than elements.
        """
        rows = self._rows_of((output, given))
        if rows is None or not all(step.kernel and step.kernel.part for step in self._steps[-2:]):
            return False
        pair = ffi.new("ar_pair *", {"reads_y": list(reads_first)})
        step = self._found_step("PAIR", pair, measured(rows, ()), 1, 2)
        if step is None:
            return False
        self._pairs.append((len(self._steps) - 2, pair, step))
        self._rows += [row[1] for row in rows]
        self._rows += BEHIND
        return True

    def _rows_of(self, tensors: Sequence[NativeTensor]) -> list[Row] | None:
        """Bytes of tensors; None where C may not read one. Most are another step's too."""
        known, rows = self._known, []
        for tensor in tensors:
            found = known.get(id(tensor))
            if found is None:
                found = known[id(tensor)] = tensor, row_of(tensor)
            row = found[1]
            if row is None:
                return None
            rows.append(row)
        return rows

    def _before(
        self, copies: Sequence[tuple[Array, Array]], tensors: Sequence[NativeTensor]
    ) -> tuple[Any, int]:
        """What is copied before a kernel runs; the sources are behind all of its tensors."""
        first = len(self._rows)
        sources = first + len(tensors) + len(BEHIND)
        values = [
            (sources + number, first + place, copy.nbytes)
            for number, (_, copy) in enumerate(copies)
            for place in [next(i for i, tensor in enumerate(tensors) if tensor.data is copy)]
        ]
        array = ffi.new("ar_copy[]", values)
        self._keep.append(array)
        self._private += [copy for _, copy in copies]
        return array, len(values)

    def _append(self, step: _Step, rows: Sequence[Row], sources: Sequence[Row] = ()) -> None:
        self._steps.append(step)
        self._rows += [row[1] for row in rows]
        self._rows += BEHIND
        self._rows += [row[1] for row in sources]

    def add_python(self) -> None:
        """Add a step for Python."""
        self._steps.append(_Step())

    def add_control(self, kind: int, flag: NativeTensor, *parts: Part) -> bool:
        """Add a step that calls subgraphs, if all copies are of tensors that C can copy."""
        pairs = [pair for part in parts for pair in (*part.before, *part.after)]
        if not is_whole(flag) or (kind != NOTHING and not nbytes_of(flag)):
            return False
        if not all(map(can_be_copied, pairs)):
            return False
        keep: list[Any] = []
        rows = self._rows_of((flag, *(tensor for pair in pairs for tensor in pair)))
        assert rows is not None
        first = len(self._rows)
        numbers = iter(range(first + 1, first + 1 + 2 * len(pairs)))
        values = [
            (part.begin, part.end, *(_copies(side, numbers, keep) for side in part[2:]))
            for part in parts
        ]
        control = ffi.new("ar_control *", {"kind": kind, "flag": first, "parts": values})
        self._keep += [*keep, control]
        step = _Step(first_tensor=first, isa="portable", control=control)
        self._append(step, rows)
        return True

    @property
    def isa(self) -> int:
        """The code of its instruction set."""
        return self._isa

    @property
    def workspace_bytes(self) -> int:
        """Bytes that kernels write to while they run."""
        return self._workspace_bytes

    @property
    def packed_bytes(self) -> int:
        """Bytes of packed constants and workspace, which :meth:`finish` takes."""
        workspace = self._workspace_bytes if self._threads == 1 else self._shared_workspace_bytes
        return self._plan_bytes + workspace

    @property
    def _plan_bytes(self) -> int:
        """Of packed constants."""
        return sum(_align(step.plan_bytes) for step in self._all_steps())

    def _all_steps(self) -> list[_Step]:
        """The steps, then what is instead of two of them."""
        return [*self._steps, *(step for *_, step in self._pairs)]

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

    def _slot(self, step: _Step, plan: Any) -> tuple[Any, ...]:
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

    def is_kernel(self, step: int) -> bool:
        """Whether a step has a kernel."""
        return self._steps[step].kernel is not None

    def describe(self, step: int) -> str:
        """The instruction set that a step's kernel is written for; empty for one in Python."""
        return self._steps[step].isa


def _copies(
    pairs: Sequence[tuple[NativeTensor, NativeTensor]], numbers: Iterator[int], keep: list[Any]
) -> tuple[Any, int]:
    """Copies in C; the numbers are those of the tensors, two for each."""
    values = [(next(numbers), next(numbers), nbytes_of(source)) for source, _ in pairs]
    copies = ffi.new("ar_copy[]", values or 1)
    keep.append(copies)
    return copies, len(values)


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
