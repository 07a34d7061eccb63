"""An emulated core with flash, memory and a stack: functions are called one at a time.

The core is unicorn's (extra ``board``). Flash can be read and run, memory and stack read and
written, as far as the program has something there; all else ends the run. Where runs are counted,
every block of instructions is, so figures are exact, and equal every time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from arenite.cores import CORES, DEFAULT
from arenite.emulator.caches import LineCache
from arenite.emulator.elf import Image
from arenite.emulator.instruction_sets import InstructionSet, instruction_set
from arenite.emulator.pipelines import pipeline_of
from arenite.emulator.thumb import Piece
from arenite.errors import BoardError, BoardLimitError

FLASH, FLASH_BYTES = 0x08000000, 16 << 20
RAM, RAM_BYTES = 0x20000000, 16 << 20
#: The stack has room of its own, with nothing above and below.
STACK, STACK_BYTES = 0x30000000, 64 << 10
#: Where a function returns to.
_EXIT = FLASH + FLASH_BYTES - 16
_PATTERN = b"\xa5"


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

    Raises:
        BoardError: Unicorn is not installed, or has no such processor.
    """

    def __init__(self, image: Image, processor: str = DEFAULT, limit: int | None = None) -> None:
        model, set_ = _model(processor), instruction_set(CORES[processor].family)
        unicorn, constants = _unicorn(set_)
        self.image, self._limit, self._left = image, limit, 0
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
        #: Runs of blocks of code, and how often each was left for another than its next.
        self._runs, self._leaps = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
        self._before: tuple[int, int] | None = None
        self._pieces: dict[tuple[int, int], Piece] = {}
        self._stray: int | None = None
        if limit is not None:
            core.hook_add(self._hook_block, self._tick)
        access = unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE
        for start, size in ((FLASH, FLASH_BYTES), (RAM, RAM_BYTES)):
            core.hook_add(access, self._astray, begin=self._end(start, size), end=start + size - 1)

    def _enter(self, core: Any, address: int, size: int, _data: Any) -> None:
        before = self._before
        if before is not None and before[0] + before[1] != address:
            self._leaps[before] += 1
        self._before = block = address, size
        self._runs[block] += 1

    def _tick(self, core: Any, address: int, size: int, _data: Any) -> None:
        """Take a block from what a call may still do, counted or not."""
        self._left -= size // 2
        if self._left < 0:
            core.emu_stop()

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
        self._before, self._left = None, self._limit or 0
        try:
            core.emu_start(self.pointer(function), _EXIT)
        except self._error as error:
            at = self._read("PC")
            raise BoardError(f"{function}: {error} at {at:#x}, {self._near(at)}") from None
        if self._stray is not None:
            stray, self._stray = self._stray, None
            at = self._read("PC")
            raise BoardError(
                f"{function} touched {stray:#x}, behind what it has, at {at:#x}, {self._near(at)}"
            )
        if self._left < 0 and self._limit is not None:
            raise BoardLimitError(
                f"{function} has not come to its end after {self._limit // 10**6:,} million "
                f"instructions, in {self._near(self._read('PC'))}"
            )
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
        """Bytes at an address."""
        return bytes(self._core.mem_read(address, size))

    def write(self, address: int, data: bytes) -> None:
        """Bytes to an address."""
        self._core.mem_write(address, data)

    def text(self, address: int) -> str:
        """C's string at an address."""
        data = b""
        while not data.endswith(b"\0"):
            data += self.read(address + len(data), 1)
        return data[:-1].decode("ascii", "backslashreplace")

    # -- counts

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count what is called; it takes ten times as long."""
        with self._hooked({self._hook_block: self._enter}):
            yield

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
        instructions, halves = 0, 0.0
        for block, runs in self._runs.items():
            piece = self._piece(block)
            instructions += piece.instructions * runs
            halves += piece.half_cycles * runs
            if not piece.always_leaves:
                halves += 2 * self._pipeline.taken * self._leaps[block]
        return Count(instructions, int(halves // 2))

    def blocks(self) -> tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]]:
        """Runs of each block since the machine was made, and those that left it by a leap.

        A block is an address and bytes; the same code may lie in several.
        """
        return self._runs.copy(), self._leaps.copy()

    def _piece(self, block: tuple[int, int]) -> Piece:
        found = self._pieces.get(block)
        if found is None:
            found = self._pieces[block] = self._pipeline.piece_of(self.read(*block))
        return found

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
