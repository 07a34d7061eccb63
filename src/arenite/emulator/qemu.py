"""An emulated Cortex-M55 with a program: QEMU's board mps3-an547, driven as a debugger drives it.

It has what :class:`arenite.emulator.machine.Machine` has. Code and constants lie in the board's
SRAM, memory in its ISRAM, the stack in its DTCM, all by their secure aliases. While it shall count,
QEMU writes a line for every block that runs: :mod:`arenite.emulator.trace` makes instructions and
cycles of them.

Facts: QEMU, ``hw/arm/mps2-tz.c`` (memory), ``gdbstub`` (its dialect of GDB's remote protocol); Arm
Corstone SSE-300 technical reference (aliases); Armv8-M Architecture Reference Manual (CPACR).
"""

from __future__ import annotations

import os
import select
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from arenite.emulator.elf import Image
from arenite.emulator.machine import Core, Count
from arenite.emulator.trace import Trace
from arenite.errors import BoardError, BoardLimitError
from arenite.files import save
from arenite.processes.children import Process, end, start_program
from arenite.processes.paths import find_program

FLASH, FLASH_BYTES = 0x11000000, 2 << 20
RAM, RAM_BYTES = 0x31000000, 4 << 20
STACK, STACK_BYTES = 0x30000000, 8 << 10
_PATTERN = b"\xa5"
#: Bytes that go into a packet as hexadecimal numbers.
_PACKET = 1024
_PROGRAM = "qemu-system-arm"
_SP, _LR, _PC, _XPSR = 13, 14, 15, 25
_THUMB = 1 << 24
#: Bytes of QEMU's log that one run may write.
_LOG_BYTES = 8 << 30

#: The program's own: it starts, and stops where the debugger waits.
PROGRAM = """\
#define VTOR (*(volatile uint32_t *)0xE000ED08)
#define CPACR (*(volatile uint32_t *)0xE000ED88)

void board_exit(void);
void board_exit(void) { for (;;) __asm__ volatile(""); }
void board_fault(void);
void board_fault(void) { for (;;) __asm__ volatile(""); }

#define FAULTS board_fault, board_fault, board_fault, board_fault
__attribute__((aligned(128))) static void (*const board_vectors[])(void) = {FAULTS, FAULTS, FAULTS,
                                                                            FAULTS};

void board_start(void);
void board_start(void) {
  VTOR = (uint32_t)board_vectors;
  CPACR |= 0xF00000; /* vectors and floats */
  __asm__ volatile("dsb\\n\\tisb" ::: "memory");
}
"""


def is_installed() -> bool:
    """Whether this machine has QEMU for Arm."""
    return find_program(_PROGRAM) is not None


def _end(process: Process, folder: Path) -> None:
    end(process)
    _remove(folder)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


class Qemu(Core):
    """A core with a program.

    Args:
        image: What is in flash, :data:`PROGRAM` with it.
        seconds: The time that a call may take; None is any.

    Raises:
        BoardError: QEMU is not installed, or does not start the program.
    """

    def __init__(self, image: Image, seconds: float | None = None) -> None:
        program = find_program(_PROGRAM)
        if program is None:
            raise BoardError(
                "a core with vectors is emulated by qemu-system-arm, which is not installed: it is "
                "in the package qemu-system-arm of Debian and Ubuntu, qemu of Homebrew"
            )
        self.image, self._program, self._seconds = image, program, seconds
        self._trace = Trace(image)
        self._log: IO[bytes] | None = None
        self._top = STACK + STACK_BYTES - 64
        self._watched: dict[int, Callable[[], None]] = {}
        self._going_on: set[int] = set()
        self._begin()

    def _begin(self) -> None:
        """Start QEMU with the program, and the program."""
        self._folder = folder = Path(tempfile.mkdtemp(prefix="arenite-"))
        self._finalizer: weakref.finalize[..., Qemu] = weakref.finalize(self, _remove, folder)
        options = ["-M", "mps3-an547", "-nographic", "-monitor", "none"]
        options += ["-serial", "none", "-S", "-gdb", "stdio"]
        self._received = b""
        for address, data in self.image.segments:
            file = folder / f"{address:x}"
            save(file, data)
            options += ["-device", f"loader,file={file},addr={address:#x},force-raw=on"]
        self._process = start_program(self._program, *options)
        self._finalizer.detach()
        self._finalizer = weakref.finalize(self, _end, self._process, folder)
        # Registers have the numbers that this description gives them.
        self._ask("qXfer:features:read:target.xml:0,ffb")
        for stop in ("board_exit", "board_fault"):
            self._ask(f"Z0,{self.address(stop):x},2")
        self._enter("board_start")

    def close(self) -> None:
        """End the emulator."""
        self._finalizer()

    # -- running

    def restart(self) -> None:
        """A board as after power came on; counts go on."""
        self.close()
        self._watched.clear()
        self._begin()

    @contextmanager
    def watching(
        self, function: str, told: Callable[[], None], *, goes_on: bool = False
    ) -> Iterator[None]:
        """Call ``told`` whenever a function is entered, which is skipped unless it ``goes_on``."""
        at = self.address(function)
        self._ask(f"Z0,{at:x},2")
        self._watched[at] = told
        if goes_on:
            self._going_on.add(at)
        try:
            yield
        finally:
            self._going_on.discard(at)
            if self._watched.pop(at, None) is not None:  # not where the board began anew
                self._ask(f"z0,{at:x},2")

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count what is called."""
        file = self._folder / "log"
        self._monitor(f'logfile "{file}"')  # a new one: QEMU lets the one before go
        self._monitor("log exec,nochain")
        try:
            with file.open("rb") as self._log:
                yield
        finally:
            self._log = None
            self._monitor("log none")
            file.unlink(missing_ok=True)  # it went where the board began anew

    def call(self, function: str, *arguments: int) -> int:
        """Call a function with up to four integers; counts go on.

        Raises:
            BoardLimitError: It goes on for too long.
            BoardError: There is no such function, or it left the board's memory.
        """
        self.write(STACK, _PATTERN * (STACK_BYTES - 64))
        for number, value in enumerate(arguments):
            self._set(number, value)
        self._enter(function)
        if self._get(_SP) != self._top:
            raise BoardError(f"{function} did not give back its stack")
        return self._get(0)

    def _enter(self, function: str) -> None:
        """Run a function, with its arguments in registers, to its end."""
        end = self.address("board_exit")
        for number, value in ((_SP, self._top), (_LR, end | 1), (_XPSR, _THUMB)):
            self._set(number, value)
        self._set(_PC, self.address(function))
        while True:
            self._ask("c", function)
            at = self._get(_PC)
            if at != end and at not in self._watched:
                raise BoardError(f"{function}: the program stopped with a fault")
            if self._log is not None:
                self._trace.add(self._log.read(), at)
            if at == end:
                return
            self._watched[at]()
            if at in self._going_on:
                self._step_over(at)
            else:
                self._set(_PC, self._get(_LR) & ~1)  # it does nothing: back at once

    def _step_over(self, at: int) -> None:
        """Run the instruction where a function is watched."""
        self._ask(f"z0,{at:x},2")
        self._ask("s")
        self._ask(f"Z0,{at:x},2")

    def argument(self, number: int) -> int:
        """An argument of the function that was just entered."""
        if number > 3:
            return int.from_bytes(self.read(self._get(_SP) + 4 * (number - 4), 4), "little")
        return self._get(number)

    def stack_bytes(self) -> int:
        """The deepest that the stack was in the last call."""
        return len(self.read(STACK, STACK_BYTES - 64).lstrip(_PATTERN))

    def count(self) -> Count:
        """Counts while they were wanted; cycles are an estimate."""
        return self._trace.count

    # -- memory

    def read(self, address: int, size: int) -> bytes:
        """Bytes at an address."""
        data = b""
        while len(data) < size:
            some = min(size - len(data), _PACKET)
            data += bytes.fromhex(self._ask(f"m{address + len(data):x},{some:x}"))
        return data

    def write(self, address: int, data: bytes) -> None:
        """Bytes to an address."""
        for first in range(0, len(data), _PACKET):
            some = data[first : first + _PACKET]
            self._ask(f"M{address + first:x},{len(some):x}:{some.hex()}")

    def text(self, address: int) -> str:
        """C's string at an address."""
        data = b""
        while b"\0" not in data:
            data += self.read(address + len(data), 64)
        return data.partition(b"\0")[0].decode("ascii", "backslashreplace")

    # -- the debugger's protocol

    def _monitor(self, command: str) -> None:
        self._ask(f"qRcmd,{command.encode().hex()}")

    def _get(self, register: int) -> int:
        return int.from_bytes(bytes.fromhex(self._ask(f"p{register:x}")), "little")

    def _set(self, register: int, value: int) -> None:
        self._ask(f"P{register:x}={(value & 0xFFFFFFFF).to_bytes(4, 'little').hex()}")

    def _wait(self, running: str) -> None:
        """Until the program stops, which it does not where it is endless."""
        assert self._process.stdout is not None
        begin = time.monotonic()
        while not select.select([self._process.stdout], [], [], 0.2)[0]:
            written = 0 if self._log is None else os.fstat(self._log.fileno()).st_size
            spent = time.monotonic() - begin
            self.tell(0, spent)
            if written > _LOG_BYTES or (self._seconds is not None and spent > self._seconds):
                raise BoardLimitError(f"{running} has not come to its end in {spent:.0f} s")

    def _ask(self, request: str, running: str = "") -> str:
        """Send a packet; the answer. ``running`` is the function that goes on until then."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        data = request.encode()
        ended = BoardError(f"qemu-system-arm ended at {request[:40]!r}")
        try:
            stdin.write(b"+$%b#%02x" % (data, sum(data) & 255))
            stdin.flush()
        except BrokenPipeError:
            raise ended from None
        while (end := self._received.find(b"#")) < 0 or len(self._received) < end + 3:
            if running:
                self._wait(running)
            more = stdout.read1(65536)  # type: ignore[attr-defined]
            if not more:
                raise ended
            self._received += more
        answer, self._received = self._received[:end], self._received[end + 3 :]
        text = answer.partition(b"$")[2].decode()
        if text.startswith("E") and len(text) == 3:
            raise BoardError(f"qemu-system-arm answers {text} to {request[:40]!r}")
        return text
