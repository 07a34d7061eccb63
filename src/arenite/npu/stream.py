"""The command stream of an Ethos-U operator: the driver's header, and the commands' words.

A stream is a constant of 32-bit words: ``COP1``, then actions for the driver. Three of them are
known: the configuration that the stream was compiled for, a filler, and the commands themselves.
A command of one word has 16 bits of parameter, one of two words 16 + 32. Those that set a register
have 0x100 or more for their code, or two words and less; the others are operations.

Facts: Vela 5.2.0 ``driver_actions.py``, ``ethos_u55_regs.py`` (``config_r``, ``id_r``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.accelerators import Accelerator, configured

Words = npt.NDArray[np.uint32]
_MAGIC = int.from_bytes(b"COP1", "little")
#: Actions of the driver.
_CONFIG, _COMMANDS, _FILLER = 1, 2, 5
#: Of a command's first word: two words follow each other; the code.
_TWO_WORDS, _CODE = 0x4000, 0x3FF
#: Codes from here on set registers.
FIRST_REGISTER = 0x100


class StreamError(Exception):
    """A stream is refused; its operator adds the place in the model."""


class Command(NamedTuple):
    """One command.

    Attributes:
        position: Its first word among the commands.
        code: What it does; codes of one and of two words are counted apart.
        parameter: 16 bits.
        value: 32 bits of a second word; None where there is none.
    """

    position: int
    code: int
    parameter: int
    value: int | None

    @property
    def is_operation(self) -> bool:
        """Whether it does something, instead of setting a register."""
        return (self.code < FIRST_REGISTER) == (self.value is None)


@dataclass(frozen=True, eq=False)
class Stream:
    """A command stream as it lies in the model.

    Attributes:
        config: The configuration word.
        identity: The word that says the architecture's version.
        words: The commands.
    """

    config: int
    identity: int
    words: Words

    @property
    def accelerator(self) -> Accelerator | None:
        """The NPU that it was compiled for; None where that is none that is known."""
        return configured(self.config)

    @property
    def accelerator_text(self) -> str:
        """The NPU's name, or the word that nobody knows."""
        found = self.accelerator
        return f"configuration {self.config:#010x}" if found is None else found.name

    @property
    def version(self) -> str:
        """The architecture's version, such as ``"1.0.6"``."""
        word = self.identity
        return f"{word >> 28}.{word >> 20 & 0xFF}.{word >> 16 & 0xF}"

    def commands(self) -> Iterator[Command]:
        """All commands in order.

        Raises:
            StreamError: The last one lacks its second word.
        """
        words: list[int] = self.words.tolist()
        place, end = 0, len(words)
        while place < end:
            word = words[place]
            if not word & _TWO_WORDS:
                yield Command(place, word & _CODE, word >> 16, None)
                place += 1
                continue
            if place + 1 == end:
                raise StreamError(f"word {place}: expected a second word of this command, got none")
            yield Command(place, word & _CODE, word >> 16, words[place + 1])
            place += 2


def read_stream(data: npt.NDArray[Any]) -> Stream:
    """The header of a stream, and its commands.

    Raises:
        StreamError: It is none, or it ends before its commands do.
    """
    raw = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    words = raw[: len(raw) // 4 * 4].view("<u4")
    if not len(words) or int(words[0]) != _MAGIC:
        raise StreamError(f"expected a command stream that begins with COP1, got {len(raw)} bytes")
    place, config, identity = 1, None, 0
    while place < len(words):
        tag = int(words[place])
        action = tag & 0xFF
        if action == _CONFIG and place + 2 < len(words):
            config, identity = int(words[place + 1]), int(words[place + 2])
            place += 3
        elif action == _FILLER:
            place += 1
        elif action == _COMMANDS and config is not None:
            return Stream(config, identity, _commands(words, place, tag))
        else:
            raise StreamError(
                f"word {place} of the header: expected a configuration (1), commands (2) behind "
                f"one, or a filler (5), got {action}"
            )
    raise StreamError(f"expected commands behind the header, got {len(words)} words without any")


def _commands(words: Words, place: int, tag: int) -> Words:
    count = (tag >> 8 & 0xFF) << 16 | tag >> 16
    found = words[place + 1 : place + 1 + count]
    if len(found) < count:
        raise StreamError(f"expected {count} words of commands, got {len(found)}")
    return found
