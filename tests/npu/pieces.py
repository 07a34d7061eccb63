"""Short streams out of a long one: one operation or a few, what they need of registers and copies.

Damage to a short stream costs little time, and hardly a word of it is one that nothing reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from arenite.npu.constants import FAST
from arenite.npu.operations import Program
from arenite.npu.registers import LONG, SHORT, WAITS, operation_name
from arenite.npu.stream import Command, Stream, StreamError, read_stream
from arenite.npu.verification.reader import read_program
from tests.npu.streams import Bytes, payload

#: Of operations that end a stream.
_STOP = 0xFFFF << 16


class Piece(NamedTuple):
    """A short stream; ``is_shared``: fast memory is the memory to work in, of ``work`` bytes."""

    stream: Bytes
    work: int
    is_shared: bool


class _Source(NamedTuple):
    """What a stream is read with."""

    config: int
    constants: Bytes
    work: int
    fast: int | None

    def read(self, words: list[list[int]]) -> Program:
        """Raises StreamError where the words do not hold."""
        return read_program(self.stream(words), self.constants, self.work, self.fast)

    def stream(self, words: list[list[int]]) -> Stream:
        return read_stream(self.payload(words))

    def payload(self, words: list[list[int]]) -> Bytes:
        return payload([one for command in words for one in (*command,)] + [_STOP], self.config)

    def holds(self, words: list[list[int]]) -> bool:
        try:
            self.read(words)
        except StreamError:
            return False
        return True


def pieces(
    stream: Stream, constants: Bytes, work: int, fast: int | None, length: int
) -> Iterator[Piece]:
    """Every so many operations in a row, without those that do not verify alone."""
    source = _Source(stream.config, constants, work, fast)
    commands = [one for one in stream.commands() if not _is_idle(one)]
    places = [i for i, one in enumerate(commands) if one.is_operation]
    copies = [i for i in places if operation_name(commands[i]) == "DMA_START"]
    computing = [i for i in places if i not in copies]
    for number in range(len(computing) - length + 1):
        first, last = computing[number], computing[number + length - 1]
        words = [_words(one) for one in commands[first : last + 1]]
        before = [_copy(commands[: i + 1]) for i in copies if i < first]
        setting = _registers(commands[:first])
        if source.holds([word for copy in before for word in copy] + setting + words):
            yield from _piece(source, _needed(source, before, setting, words))


def _piece(source: _Source, words: list[list[int]]) -> Iterator[Piece]:
    """Maps in fast memory have to come from outside: then it is the memory to work in."""
    reads = {one.region for op in source.read(words).operations for one in op.reads}
    if source.fast is not None and FAST in reads:
        source = source._replace(work=max(source.work, source.fast), fast=None)
    if source.holds(words):
        yield Piece(source.payload(words), source.work, source.fast is None)


def _needed(
    source: _Source, copies: list[list[list[int]]], setting: list[list[int]], words: list[list[int]]
) -> list[list[int]]:
    """Without copies and registers that the operations do without."""

    def whole() -> list[list[int]]:
        return [word for copy in copies for word in copy] + setting + words

    for group in (copies, setting):
        for place in reversed(range(len(group))):
            taken = group.pop(place)
            if not source.holds(whole()):
                group.insert(place, taken)
    return whole()


def _copy(commands: list[Command]) -> list[list[int]]:
    """The last of some commands, a copy, with its registers."""
    own = [one for one in commands[:-1] if _name(one).startswith("DMA0")]
    return [*_registers(own), _words(commands[-1])]


def _registers(commands: list[Command]) -> list[list[int]]:
    """The last setting of each register."""
    last = {(one.code, one.value is None): one for one in commands if not one.is_operation}
    return [_words(one) for one in last.values()]


def _name(command: Command) -> str:
    return (SHORT if command.value is None else LONG).get(command.code, "")


def _words(command: Command) -> list[int]:
    if command.value is None:
        return [command.code | command.parameter << 16]
    return [command.code | 0x4000 | command.parameter << 16, command.value]


def _is_idle(command: Command) -> bool:
    name = operation_name(command)
    return command.is_operation and (name in WAITS or name == "STOP")
