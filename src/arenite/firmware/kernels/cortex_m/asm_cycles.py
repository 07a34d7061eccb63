"""Instructions and cycles of a function in assembly, from its text: nothing is assembled or run.

What a kernel computes does not steer it: its branches depend on counters and addresses. So only
these are followed, from branch to branch, and every straight piece between two branches is counted
as often as it is passed. Counts are equal to an emulator's; cycles follow the same rule
(:mod:`arenite.emulator.thumb`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arenite.emulator.machine import Count
from arenite.emulator.thumb import DIVISION, TAKEN
from arenite.firmware.network.kernel import UnsupportedError

#: Of the cores whose cycles these are; see :class:`arenite.cores.Core`.
PIPELINE = "three stages"
_MASK = 0xFFFFFFFF
_REGISTERS = {**{f"r{i}": i for i in range(13)}, "sp": 13, "lr": 14, "pc": 15}
_MEMORY = re.compile(r"\[(\w+)(?:, #(-?\d+))?\](!?)(?:, #(-?\d+))?$")
_SINGLE_LOADS = ("ldr", "ldrb", "ldrh", "ldrsb", "ldrsh")
_SINGLE_STORES = ("str", "strb", "strh")
#: Conditions of a branch, by the operands of the comparison before it.
_CONDITIONS = {
    "eq": "a == b",
    "ne": "a != b",
    "hs": "a >= b",
    "cs": "a >= b",
    "lo": "a < b",
    "cc": "a < b",
    "hi": "a > b",
    "ls": "a <= b",
    "ge": "s(a) >= s(b)",
    "lt": "s(a) < s(b)",
    "gt": "s(a) > s(b)",
    "le": "s(a) <= s(b)",
    "mi": "(a - b) & 0x80000000 != 0",
    "pl": "(a - b) & 0x80000000 == 0",
}
#: The most pieces that are passed: more is no kernel that ends.
_MOST = 50_000_000


@dataclass(frozen=True)
class _Line:
    """An instruction; places on the stack are operands of their own, such as ``stack8``."""

    mnemonic: str
    operands: tuple[str, ...]

    @cached_property
    def registers(self) -> int:
        """The number of registers in its list."""
        return sum(_span(part) for part in re.findall(r"[\w-]+", self.operands[-1]))

    @property
    def is_branch(self) -> bool:
        """Whether a piece ends with it."""
        return self.mnemonic in ("b", "bx") or self.condition != "" or self.returns

    @property
    def condition(self) -> str:
        """Of a branch that may be taken."""
        is_branch = len(self.mnemonic) == 3 and self.mnemonic[0] == "b"
        return self.mnemonic[1:] if is_branch and self.mnemonic[1:] in _CONDITIONS else ""

    @property
    def returns(self) -> bool:
        """Whether the function ends here."""
        return (self.mnemonic == "pop" and "pc" in self.operands[-1]) or self.mnemonic == "bx"


def count_of(text: str, arguments: Sequence[int]) -> Count:
    """The cost of one call of a function.

    Args:
        text: The function's lines, as an assembler reads them.
        arguments: What it is called with, of 32 bits.
    """
    lines, labels = _lines(text)
    walk = _Walk(lines, labels)
    state: dict[str, int] = {f"r{i}": value & _MASK for i, value in enumerate(arguments[:4])}
    for number, value in enumerate(arguments[4:]):
        state[f"stack{_frame(lines) + 4 * number}"] = value & _MASK
    return walk.run(state)


class _Walk:
    def __init__(self, lines: list[_Line], labels: dict[str, int]) -> None:
        self._lines, self._labels = lines, labels
        self._wanted = _wanted(lines, labels)
        self._pieces: dict[int, tuple[Any, int, int, _Line, int]] = {}

    def run(self, state: dict[str, int]) -> Count:
        at, instructions, halves = 0, 0, 0
        for _ in range(_MOST):
            found = self._pieces.get(at)
            if found is None:
                found = self._pieces[at] = self._piece(at)
            code, count, cost, last, behind = found
            try:  # compiled once for all the passes of a loop, out of registers and numbers alone
                exec(code, {"s": _signed}, state)
            except (TypeError, NameError):
                raise UnsupportedError("what it reads from memory steers it") from None
            instructions += count
            halves += cost
            if last.returns:
                return Count(instructions, (halves + TAKEN) // 2)
            taken = last.condition == "" or state["taken"]
            halves += TAKEN if taken else 0
            at = self._labels[last.operands[0]] if taken else behind
        raise UnsupportedError("it does not end")

    def _piece(self, at: int) -> tuple[Any, int, int, _Line, int]:
        """The lines up to the next branch: code that follows what steers, and what they cost."""
        end = next(i for i in range(at, len(self._lines)) if self._lines[i].is_branch)
        lines = self._lines[at : end + 1]
        code = [one for i, line in enumerate(lines, at) for one in _followed(line, self._wanted[i])]
        if lines[-1].condition:
            code.append(f"taken = {_CONDITIONS[lines[-1].condition]}")
        halves, after_load = 0, False
        for line in lines:
            halves += 2 + _extra(line)
            loads = line.mnemonic in _SINGLE_LOADS
            halves += (1 if after_load else 2) if loads else 0
            after_load = loads
        compiled = compile("\n".join(code), "<piece>", "exec")
        return compiled, len(lines), halves, lines[-1], end + 1


# -- text ---------------------------------------------------------------------------------


def _lines(text: str) -> tuple[list[_Line], dict[str, int]]:
    lines: list[_Line] = []
    labels: dict[str, int] = {}
    for raw in text.splitlines():
        line = raw.split("@")[0].strip()
        if line.endswith(":"):
            labels[line[:-1]] = len(lines)
        elif line and not line.startswith("."):
            mnemonic, _, rest = line.partition(" ")
            if mnemonic in ("bl", "blx", "tbb", "tbh", "cbz", "cbnz"):
                raise UnsupportedError(f"{mnemonic} cannot be followed")
            lines.append(_Line(mnemonic.removesuffix(".w"), tuple(_operands(rest))))
    return lines, labels


def _operands(text: str) -> list[str]:
    """Split at commas outside of brackets; what stands behind a bracket belongs to it."""
    parts = re.findall(r"(?:\[[^\]]*\]!?(?:, #-?\d+)?|\{[^}]*\}|[^,])+", text)
    return [part.strip() for part in parts]


def _span(part: str) -> int:
    low, _, high = part.partition("-")
    return _REGISTERS[high] - _REGISTERS[low] + 1 if high else 1


def _frame(lines: list[_Line]) -> int:
    """Bytes of the stack that a function takes at its beginning."""
    total = 0
    for line in lines[:2]:
        if line.mnemonic == "push":
            total += 4 * line.registers
        if line.mnemonic == "sub" and line.operands[0] == "sp":
            total += int(line.operands[-1].lstrip("#"))
    return total


# -- what steers --------------------------------------------------------------------------


def _place(operand: str) -> tuple[str, str, int] | None:
    """Of a memory operand: its base, its place if that is the stack, what the base moves by."""
    found = _MEMORY.match(operand)
    if found is None:
        return None
    base, offset, writes, behind = found.groups()
    moved = int(offset or 0) if writes else int(behind or 0)
    return base, f"stack{int(offset or 0)}" if base == "sp" else "", moved


def _flow(line: _Line) -> list[tuple[str, list[str], str]]:
    """Values that a line sets: the name, the names that it depends on, a Python expression.

    An empty expression is a value that nobody knows here.
    """
    m, ops = line.mnemonic, line.operands
    if m in _SINGLE_LOADS or m in _SINGLE_STORES:
        return _moved(line)
    if m in ("ldm", "stm", "ldmia", "stmia"):
        base = ops[0].rstrip("!")
        by = 4 * line.registers
        step = [(base, [base], f"{base} + {by}")] if ops[0].endswith("!") else []
        return [*_unknown(line, ops[-1]), *step] if m.startswith("ldm") else step
    if m == "cmp":
        return _compared(*ops)
    if m in ("push", "pop", "it", "ite", "itt", "nop") or line.is_branch:
        return []
    if ops and ops[0] == "sp":
        return []
    return _computed(line)


def _moved(line: _Line) -> list[tuple[str, list[str], str]]:
    """A load or a store of one value."""
    place = _place(line.operands[1])
    loads = line.mnemonic in _SINGLE_LOADS
    if place is None:
        return [(line.operands[0], [], "")] if loads else []
    base, slot, moved = place
    given: list[tuple[str, list[str], str]] = []
    if loads:
        known = bool(slot) and line.mnemonic == "ldr"
        given.append((line.operands[0], [slot] if known else [], slot if known else ""))
    elif slot:
        given.append((slot, [line.operands[0]], line.operands[0]))
    if moved:
        given.append((base, [base], f"{base} + {moved}"))
    return given


def _unknown(line: _Line, listed: str) -> list[tuple[str, list[str], str]]:
    names = []
    for part in re.findall(r"[\w-]+", listed):
        low, _, high = part.partition("-")
        first, last = _REGISTERS[low], _REGISTERS[high or low]
        names += [name for name, number in _REGISTERS.items() if first <= number <= last]
    return [(name, [], "") for name in names]


_TWO = {"add": "+", "sub": "-", "mul": "*", "lsl": "<<", "and": "&", "orr": "|", "eor": "^"}

#: Of two results.
_LONG = ("smull", "umull", "smlal", "umlal", "smlald", "umaal")


def _computed(line: _Line) -> list[tuple[str, list[str], str]]:
    m, ops = line.mnemonic, line.operands
    plain = m.removesuffix("s") if m in ("adds", "subs", "movs", "lsls", "ands", "muls") else m
    if plain in ("mov", "movw") and len(ops) == 2:
        text, names = _value(ops[1]), _names(ops[1:])
    elif plain == "movt":
        text, names = f"{ops[0]} & 65535 | {_value(ops[1])} << 16", [ops[0]]
    elif plain in _TWO and len(ops) in (2, 3):
        left, right = ops[-2:]
        text, names = f"{_value(left)} {_TWO[plain]} {_value(right)}", _names(ops[-2:])
    elif plain == "lsr" and len(ops) == 3:
        text, names = f"{_value(ops[1])} >> {_value(ops[2])}", _names(ops[1:])
    elif plain == "mla":
        text, names = f"{ops[1]} * {ops[2]} + {ops[3]}", list(ops[1:])
    else:
        return [(one, [], "") for one in ops[: 2 if plain in _LONG else 1]]
    given = [(ops[0], names, text)]
    if plain != m:  # flags as of a comparison of the result with zero, or of both sides
        sides = (ops[-2], ops[-1]) if plain == "sub" else (ops[0], "#0")
        flags = _compared(*sides)
        return flags + given if plain == "sub" else given + flags
    return given


def _compared(one: str, two: str) -> list[tuple[str, list[str], str]]:
    return [("a", _names([one]), _value(one)), ("b", _names([two]), _value(two))]


def _names(operands: Sequence[str]) -> list[str]:
    return [one for one in operands if one in _REGISTERS]


def _value(operand: str) -> str:
    if operand.startswith("#"):
        return f"{int(operand[1:], 0) & _MASK}"
    return operand if operand in _REGISTERS else "None"


def _wanted(lines: list[_Line], labels: dict[str, int]) -> list[frozenset[str]]:
    """The names that branches after each line still depend on; nothing else is followed."""
    flows = [_flow(line) for line in lines]
    before = [frozenset[str]()] * (len(lines) + 1)
    after = list(before)
    changed = True
    while changed:
        changed = False
        for i in range(len(lines) - 1, -1, -1):
            line = lines[i]
            after[i] = before[i + 1] if not line.is_branch or line.condition else frozenset()
            if line.is_branch and not line.returns:
                after[i] |= before[labels[line.operands[0]]]
            needed = after[i] | ({"a", "b"} if line.condition else set())
            for given, names, _ in reversed(flows[i]):
                if given in needed:
                    needed = (needed - {given}) | set(names)
            changed |= needed != before[i]
            before[i] = frozenset(needed)
    return after


def _followed(line: _Line, wanted: frozenset[str]) -> list[str]:
    """Python for what of a line is wanted; what nobody knows is None, whose use is an error."""
    code: list[str] = []
    for given, names, text in reversed(_flow(line)):
        if given in wanted:
            code.insert(0, f"{given} = ({text}) & {_MASK}" if text else f"{given} = None")
            wanted = (wanted - {given}) | set(names)
    return code


def _extra(line: _Line) -> int:
    """Half cycles beyond those of every instruction; loads of one value are not here."""
    if line.mnemonic in ("push", "pop", "ldm", "stm", "ldmia", "stmia"):
        return 2 * line.registers
    if line.mnemonic in ("sdiv", "udiv"):
        return DIVISION
    return 4 if line.mnemonic in ("ldrd", "strd") else 0


def _signed(value: int) -> int:
    return value - (1 << 32) if value & 0x80000000 else value
