"""An emulated core with flash, memory and a stack: functions are called one at a time.

The core is unicorn's (extra ``board``). Flash can be read and run, memory and stack read and
written, as far as the program has something there; all else ends the run. Where runs are counted,
every block of instructions is, so figures are exact, and equal every time.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.cores import CORES, DEFAULT
from arenite.emulator.blocks import MOST, Rows, counter
from arenite.emulator.caches import LineCache
from arenite.emulator.elf import Image
from arenite.emulator.instruction_sets import InstructionSet, instruction_set
from arenite.emulator.pipelines import pipeline_of
from arenite.errors import BoardError, BoardLimitError

FLASH, FLASH_BYTES = 0x08000000, 16 << 20
RAM, RAM_BYTES = 0x20000000, 16 << 20
#: The stack has room of its own, with nothing above and below.
STACK, STACK_BYTES = 0x30000000, 64 << 10
#: Where a function returns to.
_EXIT = FLASH + FLASH_BYTES - 16
_PATTERN = b"\xa5"
#: Bytes of code between two looks at the clock: some tenths of a second.
_BEAT = 1 << 26
#: Characters of a text that is read, at most.
_TEXT = 1 << 16


class Count(NamedTuple):
    """Instructions that ran, and the cycles that ``arenite cost`` estimates for them."""

    instructions: int
    cycles: int

    def plus(self, other: Count) -> Count:
        """Both together."""
        return Count(self.instructions + other.instructions, self.cycles + other.cycles)

    def since(self, before: Count) -> Count:
        """Counts since ``before`` was read."""
        return Count(self.instructions - before.instructions, self.cycles - before.cycles)


def _model(processor: str) -> str:
    """Unicorn's name of a core's model.

    Raises:
        BoardError: It has none of that name.
    """
    names = {core.name: core.unicorn for core in CORES.values() if core.unicorn}
    if processor not in names:
        raise BoardError(f"expected one of {', '.join(names)}, got {processor!r}")
    return names[processor]


class Core:
    """The symbols of an emulated core's program."""

    image: Image
    #: The lowest bit of a pointer to a function.
    code_bit = 1
    #: Told of instructions of 16 bits and seconds of a call that goes on.
    tell: Callable[[int, float], None] = staticmethod(lambda _instructions, _seconds: None)

    def address(self, function: str) -> int:
        """Where a function is.

        Raises:
            BoardError: There is none of that name.
        """
        address = self.image.symbols.get(function)
        if address is None:
            raise BoardError(f"there is no function {function!r} in the firmware")
        return address

    def pointer(self, function: str) -> int:
        """Pointer to a function, as C has it.

        Raises:
            BoardError: There is none of that name.
        """
        return self.address(function) | self.code_bit


class Machine(Core):
    """A core with a program.

    Args:
        image: What is in flash.
        processor: A core that Unicorn has, see :mod:`arenite.cores`.
        limit: Instructions of 16 bits that a call may take, one of 32 bits being two; None is any
            number.
        seconds: The time that a call may take; None is any.

    Raises:
        BoardError: Unicorn is not installed, or has no such processor.
    """

    def __init__(
        self,
        image: Image,
        processor: str = DEFAULT,
        limit: int | None = None,
        seconds: float | None = None,
    ) -> None:
        model, set_ = _model(processor), instruction_set(CORES[processor].family)
        unicorn, constants = _unicorn(set_)
        self.image, self._limit, self._seconds = image, limit, seconds
        self._set, self._constants, self.code_bit = set_, constants, set_.code_bit
        self._pipeline = pipeline_of(processor)
        mode = sum(getattr(unicorn, f"UC_MODE_{name}") for name in set_.modes)
        self._core = core = unicorn.Uc(getattr(unicorn, f"UC_ARCH_{set_.prefix}"), mode)
        core.ctl_set_cpu_model(getattr(constants, f"UC_CPU_{model}"))
        core.mem_map(FLASH, FLASH_BYTES, unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
        for start, size in ((RAM, RAM_BYTES), (STACK, STACK_BYTES)):
            core.mem_map(start, size, unicorn.UC_PROT_READ | unicorn.UC_PROT_WRITE)
        self.restart()
        self._error, self._hook_code = unicorn.UcError, unicorn.UC_HOOK_CODE
        self._hook_block, self._hook_read = unicorn.UC_HOOK_BLOCK, unicorn.UC_HOOK_MEM_READ
        self._counter = counter(core, self._hook_block, self._beat)
        self._costs = np.zeros((0, 3))
        self._spent, self._begun, self._ended = 0, 0.0, ""
        self._interrupt: BaseException | None = None
        self._stray: int | None = None
        access = unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE
        for start, size in ((FLASH, FLASH_BYTES), (RAM, RAM_BYTES)):
            core.hook_add(access, self._astray, begin=self._end(start, size), end=start + size - 1)

    def _beat(self) -> None:
        """Look at the clocks: some code has run, counted or not."""
        try:
            self._spent += self._stretch
            self.tell(self._spent // 2, time.monotonic() - self._begun)
            self._ended = self._why_ended()
        except BaseException as error:  # call() raises it: C is in between
            self._interrupt = error
        if self._ended or self._interrupt is not None:
            self._core.emu_stop()
        self._counter.again(self._next())

    def _why_ended(self) -> str:
        """The reason to end a call: a limit that it has reached; empty if there is none."""
        if self._counter.is_full:
            return f"has more than {MOST:,} blocks of code"
        if self._limit is not None and self._spent > 2 * self._limit:
            return f"has not come to its end after {self._limit // 10**6:,} million instructions"
        if self._seconds is not None and time.monotonic() - self._begun > self._seconds:
            return f"has not come to its end in {self._seconds:g} s"
        return ""

    def _next(self) -> int:
        """Bytes of code until the next beat."""
        left = _BEAT if self._limit is None else 2 * self._limit + 1 - self._spent
        self._stretch = max(min(_BEAT, left), 1)
        return self._stretch

    def _end(self, start: int, size: int) -> int:
        """Where what the program has of a memory ends."""
        parts = self.image.sections
        inside = (one for one in parts if start <= one.address < start + size)
        return max((one.address + one.size for one in inside), default=start)

    def _astray(self, core: Any, _access: int, address: int, *_rest: Any) -> None:
        self._stray = address
        core.emu_stop()

    # -- running

    def restart(self) -> None:
        """Memory as after power came on; counts go on."""
        self._core.mem_write(RAM, b"\0" * (self._end(RAM, RAM_BYTES) - RAM))
        for address, data in self.image.segments:
            self._core.mem_write(address, data)

    @contextmanager
    def watching(
        self, function: str, told: Callable[[], None], *, goes_on: bool = True
    ) -> Iterator[None]:
        """Call ``told`` whenever a function is entered; it always ``goes_on`` here."""
        at = self.address(function)
        hook = self._core.hook_add(self._hook_code, lambda *_: told(), begin=at, end=at)
        try:
            yield
        finally:
            self._core.hook_del(hook)

    def call(self, function: str, *arguments: int) -> int:
        """Call a function with integers in registers; it is counted within :meth:`counting`.

        Raises:
            BoardLimitError: It takes more instructions than it may.
            BoardError: There is no such function, or it left its memory.
        """
        core = self._core
        core.mem_write(STACK, _PATTERN * STACK_BYTES)
        top = STACK + STACK_BYTES - 64
        for register, value in zip(self._set.arguments, arguments, strict=False):
            core.reg_write(self._register(register), value)
        core.reg_write(self._register("SP"), top)
        core.reg_write(self._register(self._set.link), _EXIT | self.code_bit)
        self._spent, self._begun, self._ended, self._interrupt = 0, time.monotonic(), "", None
        self._counter.begin(self._next())
        try:
            core.emu_start(self.pointer(function), _EXIT)
        except self._error as error:
            at = self._read("PC")
            raise BoardError(f"{function}: {error} at {at:#x}, {self._near(at)}") from None
        if self._interrupt is not None:
            raise self._interrupt
        if self._stray is not None:
            stray, self._stray = self._stray, None
            at = self._read("PC")
            raise BoardError(
                f"{function} touched {stray:#x}, behind what it has, at {at:#x}, {self._near(at)}"
            )
        if self._ended:
            where = self._near(self._read("PC"))
            raise BoardLimitError(f"{function} {self._ended}, in {where}")
        if self._read("SP") != top:
            raise BoardError(f"{function} did not give back its stack")
        return self._read(self._set.arguments[0])

    def argument(self, number: int) -> int:
        """An argument of the function that was just entered."""
        behind = number - len(self._set.arguments)
        if behind < 0:
            return self._read(self._set.arguments[number])
        return int.from_bytes(self.read(self._read("SP") + 4 * behind, 4), "little")

    def stack_bytes(self) -> int:
        """The deepest that the stack was in the last call."""
        return len(self.read(STACK, STACK_BYTES - 64).lstrip(_PATTERN))

    # -- memory

    def read(self, address: int, size: int) -> bytes:
        """Bytes at an address.

        Raises:
            BoardError: There are not so many.
        """
        if size > max(FLASH_BYTES, RAM_BYTES):
            raise BoardError(f"there are no {size:,} bytes at {address:#x}")
        return bytes(self._core.mem_read(address, size))

    def write(self, address: int, data: bytes) -> None:
        """Bytes to an address."""
        self._core.mem_write(address, data)

    def text(self, address: int) -> str:
        """C's string at an address."""
        data = b""
        while b"\0" not in data and len(data) < _TEXT:
            data += self.read(address + len(data), 1 if len(data) < 64 else 64)
        return data.partition(b"\0")[0].decode("ascii", "backslashreplace")

    # -- counts

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count what is called."""
        self._counter.count(counts=True)
        try:
            yield
        finally:
            self._counter.count(counts=False)

    @contextmanager
    def _hooked(self, hooks: Mapping[int, Callable[..., None]], **where: int) -> Iterator[None]:
        """Unicorn's hooks by their kinds."""
        core = self._core
        added = [core.hook_add(kind, told, **where) for kind, told in hooks.items()]
        core.ctl_flush_tb()  # what is translated already knows of no hook
        try:
            yield
        finally:
            for hook in added:
                core.hook_del(hook)
            core.ctl_flush_tb()

    def lines_missing(
        self, call: Callable[[], object], code: LineCache, data: LineCache
    ) -> tuple[int, int]:
        """Lines of flash that caches do not have while a call runs: of code, and of data.

        Unicorn 2.1 can lose the state of an IT block where reads are watched: compare results.
        """
        missing = [0, 0]

        def run(_core: Any, address: int, size: int, _data: Any) -> None:
            missing[0] += code.read(address, size)

        def loaded(_core: Any, _access: int, address: int, size: int, *_rest: Any) -> None:
            missing[1] += data.read(address, size)

        hooks: dict[int, Callable[..., None]] = {self._hook_block: run, self._hook_read: loaded}
        with self._hooked(hooks, begin=FLASH, end=FLASH + FLASH_BYTES - 1):
            call()
        return missing[0], missing[1]

    def count(self) -> Count:
        """Counts since the machine was made."""
        rows = self._counter.rows()
        costs = self._known(rows)
        runs, leaps = rows[:, 2], rows[:, 3]
        instructions = int((costs[:, 0] * runs).sum())
        halves = float((costs[:, 1] * runs).sum() + (costs[:, 2] * leaps).sum())
        return Count(instructions, int(halves // 2))

    def blocks(self) -> tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]]:
        """Runs of each block since the machine was made, and those that left it by a leap.

        A block is an address and bytes; the same code may lie in several.
        """
        rows = self._counter.rows().tolist()
        runs = Counter({(at, size): ran for at, size, ran, _ in rows})
        return runs, Counter({(at, size): leaps for at, size, _, leaps in rows if leaps})

    def _known(self, rows: Rows) -> npt.NDArray[np.float64]:
        """Instructions, half cycles, and half cycles of a leap of each block."""
        new = [self._cost(*map(int, row[:2])) for row in rows[len(self._costs) :]]
        if new:
            self._costs = np.concatenate([self._costs, np.array(new)])
        return self._costs

    def _cost(self, address: int, size: int) -> tuple[float, float, float]:
        piece = self._pipeline.piece_of(self.read(address, size))
        leap = 0.0 if piece.always_leaves else 2.0 * self._pipeline.taken
        return float(piece.instructions), float(piece.half_cycles), leap

    def _register(self, name: str) -> int:
        number: int = getattr(self._constants, f"UC_{self._set.prefix}_REG_{name}")
        return number

    def _read(self, register: str) -> int:
        return int(self._core.reg_read(self._register(register))) & 0xFFFFFFFF

    def _near(self, address: int) -> str:
        """The symbol at or before an address; a compiler's own names begin with no letter."""
        symbols = self.image.symbols.items()
        below = [(at, name) for name, at in symbols if at <= address and name[0] not in ".$"]
        return max(below, default=(0, "no symbol"))[1]


def _unicorn(instructions: InstructionSet) -> tuple[Any, Any]:
    try:
        import unicorn  # noqa: PLC0415 - of the extra board
    except ImportError:
        raise BoardError(
            "an emulated board needs unicorn: pip install 'unicorn>=2.1,<3' ziglang==0.17.0 "
            "(the extra board)"
        ) from None
    return unicorn, import_module(f"unicorn.{instructions.prefix.lower()}_const")
