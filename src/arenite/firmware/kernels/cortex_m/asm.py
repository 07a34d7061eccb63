"""Functions in Thumb-2 as text: registers and places on the stack have names.

The text is one that GNU as and clang both assemble. ``@name@`` stands for the function's name
until a program gives it one.
"""

from __future__ import annotations

import re

from arenite.firmware.network.kernel import Routine, UnsupportedError

_WORD = re.compile(r"(?<![\w.#])[a-z_]\w*")
_LABEL = re.compile(r"(?<![\w#])\.([a-z_]\w*)")
#: Instructions that have a form of 16 bits everywhere.
_NARROW = re.compile(r" *(it|mov r\d+, \w+$|(ldr|str) r[0-7], \[sp|cmp r[0-7], r)")
#: The largest offset of a load or store, and number of a single addition.
MAX_OFFSET = 4095
#: The largest offset of one to lower addresses, and of one that moves its base.
_MAX_MOVED = 255


class Assembly:
    """The lines of one function.

    In operands, names that were given to registers stand for them, and names of places on the
    stack for ``sp, #offset``: ``ldr end, [last]``. ``.name`` is a label of this function.
    """

    def __init__(self, **registers: str) -> None:
        self._names = dict(registers)
        self._lines: list[str] = []
        self._frame = 0

    def call(self, **registers: str) -> None:
        """Name registers; a name may move to another one."""
        self._names.update(registers)

    def __call__(self, *lines: str) -> None:
        """Append lines."""
        self._lines += map(self._line, lines)

    def enter(self, *places: str) -> None:
        """Save registers and make room for words on the stack, named in order."""
        self._frame = 4 * len(places)
        self._names.update({name: f"sp, #{4 * i}" for i, name in enumerate(places)})
        self("push {r4-r11, lr}")
        if places:
            self(f"sub sp, sp, #{self._frame}")

    def leave(self) -> None:
        """Give back the stack and return."""
        if self._frame:
            self(f"add sp, sp, #{self._frame}")
        self("pop {r4-r11, pc}")

    def add(self, to: str, number: int, source: str | None = None) -> None:
        """``to = source + number`` for any number, in as many instructions as it takes."""
        source = to if source is None else source
        rest, word = abs(number), "add" if number >= 0 else "sub"
        if rest > 0xFFFFFF:
            raise UnsupportedError(f"a distance of {number} bytes is too large")
        if not rest and source != to:
            self(f"mov {to}, {source}")
        while rest:
            part = rest if rest <= MAX_OFFSET else rest & (0xFF << max(rest.bit_length() - 8, 0))
            self(f"{word} {to}, {source}, #{part}")
            source, rest = to, rest - part

    def store_byte(self, register: str, base: str, distance: int, free: str) -> None:
        """A byte to any distance from ``base``; ``free`` is a register for those beyond reach."""
        if distance > MAX_OFFSET:
            self.add(free, distance, base)
            base, distance = free, 0
        self(f"strb {register}, [{base}, #{distance}]")

    def put(self, to: str, number: int) -> None:
        """``to = number``, of 32 bits."""
        self(f"movw {to}, #{number & 0xFFFF}")
        if number & 0xFFFF0000:
            self(f"movt {to}, #{number >> 16 & 0xFFFF}")

    def _line(self, line: str) -> str:
        line = _LABEL.sub(r".L@name@_\1", line)
        if line.endswith(":"):
            return line
        mnemonic, _, operands = line.partition(" ")
        return f"    {mnemonic} {_WORD.sub(self._operand, operands)}".rstrip()

    def _operand(self, match: re.Match[str]) -> str:
        return self._names.get(match[0], match[0])

    @property
    def bytes(self) -> int:
        """Bytes of the code so far, at most: short forms of few instructions are known here."""
        code = [line for line in self._lines if not line.endswith(":")]
        return sum(2 if _NARROW.match(line) else 4 for line in code)

    def routine(self, stem: str, parameters: tuple[str, ...], about: str) -> Routine:
        """The function as a part of another."""
        return Routine(stem, parameters, self.text(), language="s", about=about)

    def text(self) -> str:
        """The function as an assembler reads it."""
        head = (".balign 4", ".global @name@", ".type @name@, %function", ".thumb_func", "@name@:")
        return "\n".join([*head, *self._lines, ".size @name@, . - @name@", "", ""])


def offset(number: int) -> int:
    """An offset of a load or store."""
    if not 0 <= number <= MAX_OFFSET:
        raise UnsupportedError(f"a distance of {number} bytes is too large for one load")
    return number


def moving(base: str, place: int, moves: int) -> str:
    """The operand of a load at ``place`` behind a base that the load of place 0 moves on."""
    if moves > _MAX_MOVED:
        raise UnsupportedError(f"a distance of {moves} bytes is too large for one load")
    if not place:
        return f"[{base}], #{moves}"
    number = place - moves
    return f"[{base}, #{number if number < 0 else offset(number)}]"
