"""Allocations in the tail by their owners, and TFLM's table of them.

Categories and their names: TFLM ``recording_micro_allocator.cc``. TFLM leaves some
allocations out of its table; here they have categories of their own, listed last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, NamedTuple

from arenite.callable_modules import html_of
from arenite.memory.abi import align_up
from arenite.memory.arena import ARENA_ALIGNMENT, SingleArenaBufferAllocator
from arenite.model import Operator

#: Who asks for memory: a subgraph's operators, and which of them. Few want it as a name.
Asking = tuple[Sequence[Operator], int]


def name_of(asking: Asking) -> str:
    """An operator in lists of allocations, such as ``"#3 CONV_2D"``."""
    operators, number = asking
    return f"#{number} {operators[number].name if operators else ''}"


class Category(Enum):
    """Purpose of an allocation; the first six are TFLM's."""

    EVAL_TENSOR = "TfLiteEvalTensor data"
    PERSISTENT_TENSOR = "Persistent TfLiteTensor data"
    QUANTIZATION = "Persistent TfLiteTensor quantization data"
    PERSISTENT_BUFFER = "Persistent buffer data"
    VARIABLE = "TfLiteTensor variable buffer data"
    NODE_AND_REGISTRATION = "NodeAndRegistration struct"
    ALLOCATOR = "Allocator and planner structs"
    BUILTIN_DATA = "Builtin operator data"
    SUBGRAPH = "SubgraphAllocations struct"
    SCRATCH_HANDLE = "ScratchBufferHandle struct"


#: Names of the rows that TFLM prints.
PRINTED_ROWS = tuple(category.value for category in tuple(Category)[:6])


@dataclass(frozen=True)
class Allocation:
    """One block in the tail.

    Attributes:
        category: TFLM's category.
        requested: Bytes that were asked for.
        used: Bytes that the tail moved, alignment included.
        offset: Where the block begins in the arena.
        count: How many things it holds (an array of tensors, say).
        purpose: What it is for, in a word or two.
        operator: The operator that asked, such as ``"#3 CONV_2D"``; empty for the runtime.
    """

    category: Category
    requested: int
    used: int
    offset: int
    count: int = 1
    purpose: str = ""
    operator: str = ""


@dataclass(frozen=True)
class CategoryTotal:
    """Sums of one category; the names are those of TFLM's ``RecordedAllocation``."""

    name: str
    used_bytes: int
    requested_bytes: int
    count: int


class Peak(NamedTuple):
    """The moment at which most of an arena was in use: this much, aligned, it has to have.

    Attributes:
        used: Bytes in use at that moment.
        moment: What was going on: ``"creation"``, ``"start"`` (structs of the model),
            ``"init"``, ``"prepare"``, ``"planning"`` or ``"ports"`` (inputs and outputs).
        operator: The operator whose ``prepare`` it was, such as ``"#3 CONV_2D"``; empty at
            other moments.
        skipped: Bytes before the arena's first aligned one, which come on top.
    """

    used: int
    moment: str
    operator: str = ""
    skipped: int = 0

    @property
    def smallest_arena(self) -> int:
        """Bytes of the smallest arena that works."""
        return align_up(self.used, ARENA_ALIGNMENT) + self.skipped


@dataclass(frozen=True)
class Allocations:
    """The use of an arena: what TFLM's ``PrintAllocations`` prints, and every block.

    ``total``, ``head`` and ``tail`` are bytes; ``tail`` counts what all models that share
    the arena have there, and ``peak`` the most that was ever in use.
    """

    total: int
    head: int
    tail: int
    peak: Peak
    categories: tuple[CategoryTotal, ...]
    records: tuple[Allocation, ...]

    def category(self, category: Category) -> CategoryTotal:
        """The sums of a category, zeros if nothing belongs to it."""
        for total in self.categories:
            if total.name == category.value:
                return total
        return CategoryTotal(category.value, 0, 0, 0)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, strings, lists and dictionaries."""
        return {
            "total": self.total,
            "head": self.head,
            "tail": self.tail,
            "peak": self.peak._asdict(),
            "categories": [asdict(total) for total in self.categories],
            "records": [{**asdict(r), "category": r.category.value} for r in self.records],
        }

    def rows(self) -> list[dict[str, Any]]:
        """A row per block in the tail, as ``pandas.DataFrame`` takes them."""
        return [{**asdict(one), "category": one.category.value} for one in self.records]

    _repr_html_ = html_of

    def __repr__(self) -> str:
        lines = [f"arena: {self.total} bytes used, head {self.head}, tail {self.tail}"]
        width = max((len(total.name) for total in self.categories), default=0)
        lines += [
            f"  {total.name:{width}s}  used {total.used_bytes:7d}  "
            f"requested {total.requested_bytes:7d}  count {total.count}"
            for total in self.categories
        ]
        return "\n".join(lines)


class Ledger:
    """Allocations as they are made, and the most bytes that were in use.

    Few ask for them, so ``rows`` have what an :class:`Allocation` is made of, with its offset from
    the arena's end, and ``peak`` the bytes, the moment and who asked.
    """

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self.peak: tuple[int, str, Asking | None] = 0, "creation", None

    def note_peak(self, high_water: int, moment: str, operator: Asking | None) -> None:
        """Say what the last allocations were for; see :class:`Peak` for the words."""
        if high_water > self.peak[0]:
            self.peak = high_water, moment, operator

    def allocations(self, arena: SingleArenaBufferAllocator) -> Allocations:
        """The arena's use: TFLM's table, and every block in the tail."""
        records = tuple(
            Allocation(
                *(category, size, used, arena.buffer_tail + offset, count, purpose),
                "" if operator is None else name_of(operator),
            )
            for category, size, used, offset, count, purpose, operator in self.rows
        )
        used, moment, operator = self.peak
        peak = Peak(used, moment, "" if operator is None else name_of(operator), arena.skipped)
        return Allocations(
            arena.used, arena.head_used, arena.tail_used, peak, summarize(records), records
        )


def summarize(records: Iterable[Allocation]) -> tuple[CategoryTotal, ...]:
    """The sums of every category that occurs, in TFLM's order."""
    kept = list(records)
    totals = []
    for category in Category:
        mine = [record for record in kept if record.category is category]
        if mine:
            totals.append(
                CategoryTotal(
                    category.value,
                    sum(record.used for record in mine),
                    sum(record.requested for record in mine),
                    sum(record.count for record in mine),
                )
            )
    return tuple(totals)
