"""What a program does, step by step: kernels and what they are given, controls, nodes in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy.typing as npt

from arenite.native import _engine
from arenite.native.record import to_struct
from arenite.native.tensors import (
    BEHIND,
    NativeTensor,
    Row,
    can_be_copied,
    is_whole,
    measured,
    memory_row,
    nbytes_of,
    rows_of,
)

ffi, lib = _engine.ffi, _engine.lib
Array = npt.NDArray[Any]

_NOTHING_BEFORE = ffi.NULL, 0


class Step(NamedTuple):
    """A kernel's step, a control's (which has no kernel), or one for Python (which has neither)."""

    kernel: Any = None
    params: Any = ffi.NULL
    tensors: Any = ()  # as the kernel is measured and planned with them: only constants have data
    plan_bytes: int = 0
    work: int = 0  # about, in products of int8
    first_tensor: int = 0
    isa: int | None = None
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


class Steps:
    """Steps in the order in which they are added.

    Those of the main subgraph come first; controls run the others.
    """

    def __init__(self, isa: int) -> None:
        self._isa = isa
        self._steps: list[Step] = []
        # The first of two steps, and what is instead of both.
        self._pairs: list[tuple[int, Any, Step]] = []
        self._rows: list[bytes] = []  # the tensors of all steps, in C
        self._tensor_count = 0
        self._keep: list[Any] = []
        self._private: list[Array] = []  # copies of inputs, of which every thread has its own
        self._workspace_bytes = 0
        self._sizes, self._found = ffi.new("ar_sizes *"), ffi.new("ar_isa *")

    def __len__(self) -> int:
        return len(self._steps)

    @property
    def isa(self) -> int:
        """The code of its instruction set."""
        return self._isa

    @property
    def workspace_bytes(self) -> int:
        """Bytes that kernels write to while they run."""
        return self._workspace_bytes

    def is_kernel(self, step: int) -> bool:
        """Whether a step has a kernel."""
        return self._steps[step].kernel is not None

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
        rows = rows_of(tensors)
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
        self._steps.append(step)
        self._take(tensors, rows, sources)
        return True

    def _found_step(
        self, name: str, struct: Any, array: Any, outputs: int, count: int
    ) -> Step | None:
        """A step with tensors behind those of all others, if there is a kernel that takes them."""
        sizes, found = self._sizes, self._found
        kernel = lib.ar_find_kernel(
            name.encode(), self._isa, struct, array, outputs, count, sizes, found
        )
        if not kernel:
            return None
        self._workspace_bytes = max(self._workspace_bytes, sizes.workspace)
        first = self._tensor_count
        return Step(kernel, struct, array, sizes.plan, sizes.work, first, found[0])

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
        tensors = output, given
        rows = rows_of(tensors)
        if rows is None or not all(step.kernel and step.kernel.part for step in self._steps[-2:]):
            return False
        pair = ffi.new("ar_pair *", {"reads_y": list(reads_first)})
        step = self._found_step("PAIR", pair, measured(rows), 1, 2)
        if step is None:
            return False
        self._pairs.append((len(self._steps) - 2, pair, step))
        self._take(tensors, rows)
        return True

    def _before(
        self, copies: Sequence[tuple[Array, Array]], tensors: Sequence[NativeTensor]
    ) -> tuple[Any, int]:
        """What is copied before a kernel runs; the sources are behind all of its tensors."""
        first = self._tensor_count
        sources = first + len(tensors) + BEHIND
        values = [
            (sources + number, first + place, copy.nbytes)
            for number, (_, copy) in enumerate(copies)
            for place in [next(i for i, tensor in enumerate(tensors) if tensor.data is copy)]
        ]
        array = ffi.new("ar_copy[]", values)
        self._keep.append(array)
        self._private += [copy for _, copy in copies]
        return array, len(values)

    def _take(
        self, tensors: tuple[NativeTensor, ...], rows: Row, sources: Sequence[Row] = ()
    ) -> None:
        """Add a step's tensors to those of all."""
        self._rows.append(rows[1])
        self._rows += [row[1] for row in sources]
        self._tensor_count += len(tensors) + BEHIND + len(sources)
        self._keep.append(tensors)

    def add_python(self) -> None:
        """Add a step for Python."""
        self._steps.append(Step())

    def add_control(self, kind: int, flag: NativeTensor, *parts: Part) -> bool:
        """Add a step that calls subgraphs, if all copies are of tensors that C can copy."""
        pairs = [pair for part in parts for pair in (*part.before, *part.after)]
        if not is_whole(flag) or (kind != NOTHING and not nbytes_of(flag)):
            return False
        if not all(map(can_be_copied, pairs)):
            return False
        keep: list[Any] = []
        tensors = flag, *(tensor for pair in pairs for tensor in pair)
        rows = rows_of(tensors)
        assert rows is not None
        first = self._tensor_count
        numbers = iter(range(first + 1, first + 1 + 2 * len(pairs)))
        values = [
            (part.begin, part.end, *(_copies(side, numbers, keep) for side in part[2:]))
            for part in parts
        ]
        control = ffi.new("ar_control *", {"kind": kind, "flag": first, "parts": values})
        self._keep += [*keep, control]
        step = Step(first_tensor=first, isa=lib.AR_PORTABLE, control=control)
        self._steps.append(step)
        self._take(tensors, rows)
        return True

    def _all_steps(self) -> list[Step]:
        """The steps, then what is instead of two of them."""
        return [*self._steps, *(step for *_, step in self._pairs)]


def _copies(
    pairs: Sequence[tuple[NativeTensor, NativeTensor]], numbers: Iterator[int], keep: list[Any]
) -> tuple[Any, int]:
    """Copies in C; the numbers are those of the tensors, two for each."""
    values = [(next(numbers), next(numbers), nbytes_of(source)) for source, _ in pairs]
    copies = ffi.new("ar_copy[]", values or 1)
    keep.append(copies)
    return copies, len(values)
