"""Steps of a program: kernels and their arguments, controls, nodes in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from arenite.model import Array
from arenite.native.engine import ffi, lib
from arenite.native.record import to_struct
from arenite.native.tensors import (
    BEHIND,
    AnyTensor,
    bytes_of_memory,
    can_be_copied,
    find_step,
    is_whole,
    nbytes_of,
    row_of,
    rows_of,
)

#: Drafts in bytes.
DRAFTS = ffi.typeof("ar_draft[]")


class Part(NamedTuple):
    """A subgraph that a control calls: its steps, and what is copied before and behind them."""

    begin: int = 0
    end: int = 0
    before: Sequence[tuple[AnyTensor, AnyTensor]] = ()
    after: Sequence[tuple[AnyTensor, AnyTensor]] = ()


class Step(NamedTuple):
    """One of several kernels that an operator is: its name, parameters and tensors."""

    kernel: str
    params: Any
    outputs: tuple[AnyTensor, ...]
    inputs: tuple[AnyTensor, ...]


#: What a control does, see ``ar_control_kind``.
NOTHING, IF, WHILE, CALL_ONCE = lib.AR_NOTHING, lib.AR_IF, lib.AR_WHILE, lib.AR_CALL_ONCE


class Steps:
    """Steps in the order in which they are added.

    Those of the main subgraph come first; controls run the others.
    """

    def __init__(self, isa: int) -> None:
        self._isa = isa
        self._drafts: list[bytes] = []  # an ar_draft each
        # The first of two steps, and what is instead of both.
        self._pairs: list[tuple[int, Any, bytes]] = []
        # Steps of operators that are several, behind all others; what runs which of them.
        self._behind: list[bytes] = []
        self._inner: list[tuple[Any, int, int]] = []
        self._rows: list[bytes] = []  # the tensors of all steps, in C
        self._tensor_count = 0
        self._keep: list[Any] = []
        self._private: list[Array] = []  # copies of inputs, of which every thread has its own

    def __len__(self) -> int:
        return len(self._drafts)

    @property
    def isa(self) -> int:
        """The code of its instruction set."""
        return self._isa

    def is_kernel(self, step: int) -> bool:
        """Whether a step has a kernel."""
        return bool(draft_of(self._drafts[step]).kernel)

    def order(self, step: int) -> tuple[int, int]:
        """Steps of one operator with the same order add floats in the same one, in any rows."""
        draft = draft_of(self._drafts[step])
        return int(draft.isa), int(draft.sizes.order)

    def add(
        self,
        name: str,
        params: Any,
        outputs: Sequence[AnyTensor],
        inputs: Sequence[AnyTensor],
        copies: Sequence[tuple[Array, Array]] = (),
    ) -> bool:
        """Add a step for an operator if there is a kernel that takes these tensors.

        ``copies``: arrays, and those that have their values when the kernel runs, which are among
        the inputs.
        """
        try:
            struct = None if params is None else to_struct(params, self._keep)
        except (KeyError, OverflowError):
            return False
        tensors = (*outputs, *inputs)
        hidden = tuple([bytes_of_memory(source) for source, _ in copies]) if copies else ()
        draft = self._found(name, struct, tensors, len(outputs), hidden)
        if draft is None:
            return False
        if copies:
            draft = _changed(draft, before=self._before(copies, tensors))
        self._drafts.append(draft)
        return True

    def _found(
        self,
        name: str,
        struct: bytes | None,
        tensors: tuple[AnyTensor, ...],
        outputs: int,
        hidden: tuple[AnyTensor, ...] = (),
    ) -> bytes | None:
        """The draft of a step whose tensors are behind those of all others, if a kernel takes them.

        Behind them is ``hidden``, memory that kernels do not see.
        """
        first, keep = self._tensor_count, self._keep
        found = find_step(name, self._isa, first, struct, tensors, outputs, hidden, row_of, keep)
        if found is None:
            return None
        draft: bytes
        draft, rows = found
        self._rows.append(rows)
        self._tensor_count = first + len(tensors) + BEHIND + len(hidden)
        keep.append(struct)
        return draft

    def join(self, output: AnyTensor, given: AnyTensor, reads_first: Sequence[bool]) -> bool:
        """Let the last two steps be one pass wherever a run goes through both.

        That is a table of bytes, or blocks of floats. Each goes through its tensors element by
        element, and nobody but the second needs what the first one makes.

        Args:
            output: The second's.
            given: The first's input.
            reads_first: Which of the second's two inputs are what the first makes; others are
                ``given``.

        Returns:
            Whether that is so now: not where their kernels need more than elements.
        """
        kernels = [draft_of(draft).kernel for draft in self._drafts[-2:]]
        if not all(kernel and kernel.part for kernel in kernels):
            return False
        pair = ffi.new("ar_pair *", {"reads_y": list(reads_first)})
        draft = self._found("PAIR", bytes(ffi.buffer(pair)), (output, given), 1)
        if draft is None:
            return False
        self._pairs.append((len(self._drafts) - 2, pair, _changed(draft, params=pair)))
        return True

    def _before(
        self, copies: Sequence[tuple[Array, Array]], tensors: Sequence[AnyTensor]
    ) -> tuple[Any, int]:
        """Copies before a kernel runs; the sources are behind all of its tensors."""
        sources = self._tensor_count - len(copies)
        first = sources - BEHIND - len(tensors)
        values = [
            (sources + number, first + place, copy.nbytes)
            for number, (_, copy) in enumerate(copies)
            for place in [next(i for i, tensor in enumerate(tensors) if tensor.data is copy)]
        ]
        array = ffi.new("ar_copy[]", values)
        self._keep.append(array)
        self._private += [copy for _, copy in copies]
        return array, len(values)

    def add_python(self) -> None:
        """Add a step for Python."""
        self._drafts.append(_IN_PYTHON)

    def add_control(self, kind: int, flag: AnyTensor, *parts: Part) -> bool:
        """Add a step that calls subgraphs, if all copies are of tensors that C can copy."""
        pairs = [pair for part in parts for pair in (*part.before, *part.after)]
        if not is_whole(flag) or (kind != NOTHING and not nbytes_of(flag)):
            return False
        if not all(map(can_be_copied, pairs)):
            return False
        keep = self._keep
        tensors = flag, *(tensor for pair in pairs for tensor in pair)
        rows = rows_of(tensors, keep)
        assert rows is not None
        first = self._tensor_count
        numbers = iter(range(first + 1, first + 1 + 2 * len(pairs)))
        values = [
            (part.begin, part.end, *(_copies(side, numbers, keep) for side in part[2:]))
            for part in parts
        ]
        control = ffi.new("ar_control *", {"kind": kind, "flag": first, "parts": values})
        keep.append(control)
        self._rows.append(rows[1])
        self._tensor_count = first + len(tensors) + BEHIND
        draft = {"control": control, "first_tensor": first, "isa": lib.AR_PORTABLE}
        self._drafts.append(_changed(_NOTHING, **draft))
        return True

    def add_steps(self, steps: Sequence[Step], private: Sequence[Array]) -> bool:
        """Add one step for an operator that is several, if there is a kernel for each.

        ``private``: memory that they work in, of which every thread has its own.
        """
        begin, drafts = len(self._behind), []
        for step in steps:
            try:
                struct = to_struct(step.params, self._keep)
            except OverflowError:
                return False
            tensors = (*step.outputs, *step.inputs)
            draft = self._found(step.kernel, struct, tensors, len(step.outputs))
            if draft is None:
                return False
            drafts.append(draft)
        control = ffi.new("ar_control *", {"kind": lib.AR_STEPS})
        best = max((draft_of(draft).isa for draft in drafts), default=lib.AR_PORTABLE)
        self._behind += drafts
        self._inner.append((control, begin, len(self._behind)))
        self._private += private
        self._keep.append(control)
        self._drafts.append(_changed(_NOTHING, control=control, isa=best))
        return True

    def is_whole(self, step: int) -> bool:
        """Whether all of an operator is native: a kernel, or several."""
        draft = draft_of(self._drafts[step])
        return bool(draft.kernel or (draft.control and draft.control.kind == lib.AR_STEPS))

    def _all_drafts(self) -> bytes:
        """Those of the steps, of steps that are part of one, then of what is instead of two."""
        pairs = (draft for *_, draft in self._pairs)
        return b"".join((*self._drafts, *self._behind, *pairs))


def draft_of(draft: bytes) -> Any:
    """A draft's fields."""
    return ffi.from_buffer(DRAFTS, draft)[0]


def _changed(draft: bytes, **fields: Any) -> bytes:
    """A draft with other values of some fields."""
    changed = bytearray(draft)
    struct = ffi.from_buffer(DRAFTS, changed)[0]
    for name, value in fields.items():
        setattr(struct, name, value)
    return bytes(changed)


_NOTHING = bytes(ffi.sizeof("ar_draft"))
_IN_PYTHON = _changed(_NOTHING, isa=-1)


def _copies(
    pairs: Sequence[tuple[AnyTensor, AnyTensor]], numbers: Iterator[int], keep: list[Any]
) -> tuple[Any, int]:
    """Copies in C; the numbers are those of the tensors, two for each."""
    values = [(next(numbers), next(numbers), nbytes_of(source)) for source, _ in pairs]
    copies = ffi.new("ar_copy[]", values or 1)
    keep.append(copies)
    return copies, len(values)
