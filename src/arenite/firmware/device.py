"""An exported folder as it stands, built and loaded into an emulated core; it knows no model."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from arenite.cores import CORES
from arenite.emulator.machine import Count, Machine
from arenite.emulator.qemu import Qemu
from arenite.errors import BoardError, BoardLimitError
from arenite.files import read_source
from arenite.firmware.build import build
from arenite.firmware.compiler.toolchain import DEFAULT, Toolchain
from arenite.firmware.compiler.zig import Headers
from arenite.firmware.network.names import SOURCES

#: The time that a call may take unless another is named, in seconds.
SECONDS = 120.0
#: Characters that a firmware may print, and results that it may show in one call.
_PRINTED, _OBSERVED = 1 << 20, 1 << 20
#: What answers otherwise than 0 where a user's kernel fails.
_MAY_FAIL = ("init", "invoke", "invoke_observed")
#: Functions that a file of C defines.
_DEFINED = re.compile(r"^(?:static )?\w+ \**(\w+)\([^;\n]*\) \{$", re.M)


@dataclass(frozen=True)
class Limits:
    """Limits of a call of a firmware.

    Attributes:
        instructions: See :class:`Machine`; of a Cortex-M55 in QEMU they are not limited.
        seconds: The time on this machine.
        tell: Called now and then with instructions and seconds of a call that goes on.
    """

    instructions: int | None = None
    seconds: float | None = SECONDS
    tell: Callable[[int, float], None] | None = None


#: Of calls that come to an end by themselves.
NO_LIMITS = Limits()


@dataclass(frozen=True)
class LayerRun:
    """A layer in the last inference: what it cost since the one before, and its result.

    A layer of several outputs has as many; one that has none, such as ASSIGN_VARIABLE, has None.
    """

    index: int
    count: Count
    result: bytes | None


class Device:
    """A folder's functions, called one at a time.

    Args:
        folder: What was exported.
        name: What all names in C begin with.
        processor: A core that there is an emulated board for, see :mod:`arenite.cores`.
        row_bytes: Of a row of the input, where the firmware asks for rows.
        limits: What a call may take.
        headers: What users' kernels in C++ are compiled against, where the folder has some.
        toolchain: The compiler.

    Raises:
        BoardError: The emulator or ziglang is missing, or the compiler does not take the folder.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        processor: str,
        row_bytes: int = 0,
        limits: Limits = NO_LIMITS,
        *,
        headers: Headers | None = None,
        toolchain: Toolchain = DEFAULT,
    ) -> None:
        with tempfile.TemporaryDirectory(prefix="arenite-") as into:
            image = build(folder, Path(into), processor, headers, toolchain)
        self.name, self.processor = name, processor
        self.machine: Machine | Qemu
        if CORES[processor].qemu:
            self.machine = Qemu(image, limits.seconds)
        else:
            self.machine = Machine(image, processor, limits.instructions, limits.seconds)
        if limits.tell is not None:
            self.machine.tell = limits.tell
        self.stack_bytes = 0
        self._row_bytes, self._input = row_bytes, b""
        ram = (one.size for one in image.sections if one.name in (".data", ".bss"))
        #: RAM that is not of the program's stack, the arena among it.
        self.ram_bytes = sum(ram)
        self._has_kernels = f"{name}_prepare_kernels" in image.symbols
        test = folder / SOURCES / "selftest.c"
        text = read_source(test) if self._has_kernels else ""
        self._test_functions = {*_DEFINED.findall(text)}
        self._begin()
        self.call("init")

    def _begin(self) -> None:
        """Run the start-up code that C++ needs."""
        if self._has_kernels:
            self.machine.call("board_begin")

    def call(self, function: str, *arguments: int) -> int:
        """Call ``NAME_function``.

        Raises:
            BoardError: There is none, or it does what it must not; the firmware is as after
                ``NAME_init`` then.
        """
        hears = self._has_kernels and function in _MAY_FAIL
        try:
            with self._printing() if hears else nullcontext(list[str]()) as printed:
                result = self.machine.call(f"{self.name}_{function}", *arguments)
        except BoardError:
            self.machine.restart()
            self._begin()
            self.machine.call(f"{self.name}_init")
            raise
        self.stack_bytes = self.machine.stack_bytes()
        if hears and result:
            said = self.machine.text(self.machine.call(f"{self.name}_error"))
            words = "".join(printed).strip()
            raise BoardError(f"{self.name}_{function}: {said}{words and f'; it printed: {words}'}")
        return result

    @contextmanager
    def _printing(self) -> Iterator[list[str]]:
        """Texts that kernels or the self-test print."""
        machine, printed = self.machine, list[str]()

        left = _PRINTED

        def told() -> None:
            nonlocal left
            printed.append(machine.text(machine.argument(0)))
            left -= 1 + len(printed[-1])
            if left < 0:
                raise BoardLimitError("the firmware prints without an end")

        with machine.watching("board_print", told):
            yield printed

    def write(self, index: int, data: bytes) -> None:
        """Bytes of an input."""
        if self._row_bytes:
            self._input = data
            return
        self.machine.write(self.call("input", index), data)

    def read(self, index: int, size: int) -> bytes:
        """Bytes of an output."""
        stack = self.stack_bytes
        data = self.machine.read(self.call("output", index), size)
        self.stack_bytes = stack  # of the inference
        return data

    def invoke(self) -> Count:
        """One inference, and what it cost."""
        before = self.machine.count()
        with self.machine.counting():
            self.invoke_uncounted()
        return self.machine.count().since(before)

    def invoke_uncounted(self) -> None:
        """One inference, as fast as the core is emulated."""
        with self._delivering() as rows:
            self.call("invoke", *rows)

    def invoke_observed(self, *, is_counted: bool = True) -> list[LayerRun]:
        """One inference, layer by layer; a layer's cost has the call that tells of it in it."""
        counting = self.machine.counting() if is_counted else nullcontext()
        with counting, self._observing() as runs, self._delivering() as rows:
            self.call("invoke_observed", *rows, self.machine.pointer("board_observe"), 0)
        return runs

    def self_test(self) -> str:
        """Output of the folder's self-test."""
        with self._printing() as printed:
            self.call("selftest", self.machine.pointer("board_print"))
        return "".join(printed)

    @property
    def code_bytes(self) -> int:
        """Bytes of the folder's functions, without the self-test."""
        own = (f"{self.name}_", "ar_")
        if self._has_kernels:  # TFLM's and the C library's with them
            return sum(
                size
                for function, size in self.machine.image.functions
                if not function.startswith("board_") and function not in self._test_functions
            )
        return sum(
            size
            for function, size in self.machine.image.functions
            if function.startswith(own) and function != f"{self.name}_selftest"
        )

    @contextmanager
    def _delivering(self) -> Iterator[tuple[int, ...]]:
        """Deliver rows if they are asked for; gives what functions take for that."""
        if not self._row_bytes:
            yield ()
            return
        machine, size = self.machine, self._row_bytes

        def asked() -> None:
            row = machine.argument(1)
            machine.write(machine.argument(2), self._input[row * size : (row + 1) * size])

        with machine.watching("board_rows", asked):
            yield machine.pointer("board_rows"), 0

    @contextmanager
    def _observing(self) -> Iterator[list[LayerRun]]:
        machine, runs = self.machine, list[LayerRun]()
        last = machine.count()

        def told() -> None:
            nonlocal last
            now, layer = machine.count(), machine.argument(1)
            at, size = machine.argument(3), machine.argument(4)
            result = machine.read(at, size) if at else None
            runs.append(LayerRun(layer, now.since(last), result))
            if len(runs) > _OBSERVED:
                raise BoardLimitError("the firmware shows results without an end")
            last = now

        with machine.watching("board_observe", told):
            yield runs


def whole(runs: Sequence[LayerRun], by_rows: Sequence[bool]) -> list[LayerRun]:
    """Layers that were told of row by row as if they had been at once, all in their order."""
    found: list[LayerRun] = []
    rows: dict[int, LayerRun] = {}
    for run in runs:
        if not by_rows[run.index]:
            found.append(run)
            continue
        so_far = rows.get(run.index, LayerRun(run.index, Count(0, 0), b""))
        count = so_far.count.plus(run.count)
        rows[run.index] = LayerRun(run.index, count, (so_far.result or b"") + (run.result or b""))
    return sorted([*found, *rows.values()], key=lambda run: run.index)
