"""A board as plain data: core, clock, banks of RAM, flash, energy, and who says so."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

#: ``"data"``: RAM of the chip; ``"code"``: for instructions alone; ``"external"``: RAM beside the
#: chip, slower, which an arena lies in only if that is asked for.
Holds = Literal["data", "code", "external"]


@dataclass(frozen=True)
class Bank:
    """A piece of RAM with a name of its own.

    Attributes:
        name: As the maker calls it.
        size: In bytes.
        address: Where it begins; None where that is not known, or where nothing may lie across
            its border.
        holds: What may lie in it.
        note: What is to be known of it: speed, who else takes a part.
    """

    name: str
    size: int
    address: int | None = None
    holds: Holds = "data"
    note: str = ""


@dataclass(frozen=True)
class Region:
    """Banks without a gap between them, which one array can span; or one bank."""

    banks: tuple[Bank, ...]

    @property
    def name(self) -> str:
        """``"SRAM1+SRAM2"``."""
        return "+".join(bank.name for bank in self.banks)

    @property
    def size(self) -> int:
        """Bytes of all its banks."""
        return sum(bank.size for bank in self.banks)

    @property
    def note(self) -> str:
        """Notes of its banks, each with its bank's name if there are several."""
        noted = [bank for bank in self.banks if bank.note]
        if len(self.banks) == 1:
            return noted[0].note if noted else ""
        return "; ".join(f"{bank.name}: {bank.note}" for bank in noted)


@dataclass(frozen=True)
class Usable:
    """RAM that a program can use of a chip's: what its usual SDK leaves.

    Attributes:
        size: In bytes, of one piece.
        source: Who says so.
    """

    size: int
    source: str


@dataclass(frozen=True)
class Room:
    """RAM that there is for an arena and what is around it.

    Attributes:
        region: Where it lies.
        size: Bytes that a program can use of it.
        note: What takes the rest, and who says so; empty where all of it is the program's, as far
            as is known.
    """

    region: Region
    size: int
    note: str = ""

    @property
    def name(self) -> str:
        """The region's."""
        return self.region.name


@dataclass(frozen=True)
class Energy:
    """Energy of a cycle of a chip, as published results show it.

    Attributes:
        picojoules: The least and the most of those results.
        source: Whose results.
    """

    picojoules: tuple[float, float]
    source: str


@dataclass(frozen=True)
class Cache:
    """A cache of what is read from flash: bytes of it, bytes of a line, places of a line."""

    size: int
    line: int
    ways: int


@dataclass(frozen=True)
class FlashWaits:
    """Cycles of reading flash where no cache has the line.

    Attributes:
        cycles: That the processor waits for a line, at the board's highest clock.
        code: The cache of instructions; None where its size was not published.
        data: The cache of what instructions load; the same as ``code`` where one serves both.
        source: The documents.
    """

    cycles: int
    code: Cache | None
    data: Cache | None
    is_shared: bool
    source: str

    def beyond(self, cycles: int, code: int, data: int) -> tuple[int, int]:
        """The least and the most cycles of what takes so many, if so many lines are missing.

        Nobody prefetches data. Of instructions all lines are prefetched in time, or none.
        """
        least = cycles + self.cycles * data
        return least, least + self.cycles * code


@dataclass(frozen=True)
class Stalls:
    """Cycles of an inference that memory adds to those of computing, by published times of a chip.

    Attributes:
        instruction: For each instruction, which comes from flash.
        byte: For each byte of weights, which an inference reads at least once.
        operator: For each operator, whose code may have left a cache.
        computing: The share of the computing cycles that count; 1 where they are as estimated.
        least: The share that an inference may take less than all of that.
        most: The share that it may take more.
        source: Whose times, and how near they are.
    """

    instruction: float
    byte: float
    operator: float
    computing: float
    least: float
    most: float
    source: str


@dataclass(frozen=True)
class Board:
    """A board with its chip.

    Attributes:
        name: Of the board, what ``--board`` takes.
        chip: Its microcontroller.
        processor: As in :class:`arenite.Target`.
        clock: The highest, in MHz.
        banks: Its RAM.
        flash: Bytes for program and constants; None if that is not known.
        reading: What a reader of flash waits for, where that is published.
        source: The documents.
        aliases: Other names, of board and chip.
        energy: What a cycle takes; None where nobody published it.
        note: What else decides on a model's memory or time there.
        waits: What reading flash takes; None where nobody said it.
        npus: NPUs beside the processor, as :mod:`arenite.accelerators` names them; a family alone
            (``"ethos-u55"``) where its size is not known, or a parameter.
        stalls: What memory adds to an inference at its clock; None where no time was published.
        optimize: The level of optimisation of its usual builds; empty where that differs.
        usable: What its usual SDK leaves of the largest region of RAM; None where nobody said it.
        sdks: What its firmware is usually built with, of :mod:`arenite.sdks`, the most usual first.
    """

    name: str
    chip: str
    processor: str
    clock: float
    banks: tuple[Bank, ...]
    flash: int | None
    reading: str = ""
    source: str = ""
    aliases: tuple[str, ...] = ()
    energy: Energy | None = None
    note: str = ""
    waits: FlashWaits | None = None
    npus: tuple[str, ...] = ()
    usable: Usable | None = None
    stalls: Stalls | None = None
    optimize: str = ""
    sdks: tuple[str, ...] = ()

    def has_npu(self, name: str) -> bool:
        """Whether it has an NPU, as far as that is known."""
        return any(name == one or name.startswith(f"{one}-") for one in self.npus)

    @property
    def ram(self) -> int:
        """Bytes of all RAM of the chip that data can lie in."""
        return sum(bank.size for bank in self.banks if bank.holds == "data")

    @property
    def external(self) -> int:
        """Bytes of RAM beside the chip, such as PSRAM."""
        return sum(bank.size for bank in self.banks if bank.holds == "external")

    @property
    def regions(self) -> tuple[Region, ...]:
        """Regions that one array can lie in: banks whose addresses meet, the largest first."""
        found: list[list[Bank]] = []
        data = [bank for bank in self.banks if bank.holds == "data"]
        for bank in sorted(data, key=lambda one: -1 if one.address is None else one.address):
            if found and _meet(found[-1][-1], bank):
                found[-1].append(bank)
            else:
                found.append([bank])
        order = {bank: number for number, bank in enumerate(self.banks)}
        regions = [Region(tuple(group)) for group in found]
        return tuple(sorted(regions, key=lambda one: (-one.size, order[one.banks[0]])))

    def region(self, name: str | None = None) -> Region:
        """Where an arena lies: the largest region of the chip, or the bank or region of that name.

        Raises:
            ValueError: No bank for data has that name; names those that there are.
        """
        if name is None:
            return self.regions[0]
        single = [Region((bank,)) for bank in self.banks if bank.holds != "code"]
        choice = {region.name.lower(): region for region in (*single, *self.regions)}
        wanted = name.strip().lower()
        if wanted not in choice:
            names = ", ".join(region.name for region in choice.values())
            raise ValueError(f"expected a bank of {self.name}: {names}; got {name!r}")
        return choice[wanted]

    def room(self, name: str | None = None) -> Room:
        """RAM that a program can use: of the largest region, or all of a bank that is named.

        Raises:
            ValueError: No bank for data has that name; names those that there are.
        """
        region, usable = self.region(name), self.usable
        if usable is None or region != self.region() or usable.size >= region.size:
            return Room(region, region.size)
        return Room(region, usable.size, f"of {region.size:,} bytes: {usable.source}")

    @property
    def rooms(self) -> tuple[Room, ...]:
        """RAM of the chip that a program can use, by region."""
        return tuple(self.room(region.name) for region in self.regions)

    @property
    def memory(self) -> str:
        """Its banks in a line: ``"SRAM1 192 + SRAM2 64 KB; DTCM 128 KB (no waits)"``."""
        words = []
        for region in self.regions:
            sizes = " + ".join(f"{bank.name} {bank.size // 1024}" for bank in region.banks)
            words.append(f"{sizes} KB" + (f" ({region.note})" if region.note else ""))
        place = {"code": "for code", "external": "outside of the chip"}
        words += [
            f"{bank.name} {bank.size // 1024} KB ({place[bank.holds]})"
            for bank in self.banks
            if bank.holds != "data"
        ]
        return "; ".join(words)


def _meet(first: Bank, second: Bank) -> bool:
    return first.address is not None and second.address == first.address + first.size


def board_facts(board: Board) -> dict[str, Any]:
    """A board for JSON; see ``docs/cli.md`` for the keys."""
    return {**asdict(board), "ram": board.ram, "regions": [one.name for one in board.regions]}
