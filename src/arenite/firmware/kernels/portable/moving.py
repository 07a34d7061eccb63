"""Layers that only move bytes: what goes where is data, and one function writes it as C.

Bytes go in words where everything is at multiples of four. A move of one piece may need none: where
memory is laid out so that the piece is in its place already (``Place``). How the moves of a layer
are written is an argument, so that a processor may have its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import TypeAlias

import numpy as np

from arenite.firmware.kernels.portable.loops import axis_names, nested
from arenite.firmware.kernels.portable.plain_loops import plain_loops
from arenite.firmware.network.kernel import (
    Argument,
    Constant,
    Place,
    Routine,
    State,
    Work,
)
from arenite.firmware.network.layers import AnyLayer, Value

#: What bytes are moved between.
Array: TypeAlias = Value | State


@dataclass(frozen=True, eq=False)
class Move:
    """Pieces of ``bytes``, from byte ``start`` of one array to byte ``place`` of another.

    ``steps`` are axes, the outermost first: how many pieces, and the bytes from one to the next in
    the source and in the target.
    """

    source: Array
    target: Array
    bytes: int
    start: int = 0
    place: int = 0
    steps: tuple[tuple[int, int, int], ...] = ()

    @property
    def total(self) -> int:
        """Bytes of all pieces."""
        return self.bytes * prod(n for n, _, _ in self.steps)

    @property
    def numbers(self) -> list[int]:
        """All distances and sizes."""
        return [self.bytes, self.start, self.place, *(n for step in self.steps for n in step[1:])]

    def as_place(self) -> Place | None:
        """Of one piece that is a whole tensor: whose place it is."""
        source, target = self.source, self.target
        if self.steps or _is_constant(source):
            return None
        if isinstance(source, Value) and self.start == 0 and self.bytes == source.nbytes:
            return Place(source, target, self.place)
        if isinstance(target, Value) and self.place == 0 and self.bytes == target.nbytes:
            return Place(target, source, self.start)
        return None


#: A function of its own for a move between words at ``x`` and ``y``; None where C does it.
Write = Callable[[Move], Routine | None]


def move_of(
    source: Array,
    target: Array,
    axes: Sequence[tuple[int, int, int]],
    start: int = 0,
    place: int = 0,
) -> Move:
    """Axes of bytes (how many, steps in source and target) as a move of the largest pieces."""
    joined = [(1, 1, 1)]
    for count, here, there in reversed([axis for axis in axes if axis[0] > 1]):
        inner, step_here, step_there = joined[-1]
        if (here, there) == (inner * step_here, inner * step_there):
            joined[-1] = (inner * count, step_here, step_there)
        else:
            joined.append((count, here, there))
    return Move(source, target, joined[0][0], start, place, tuple(joined[:0:-1]))


def in_c(move: Move) -> Routine | None:
    """Every move as loops of the layer's own function."""
    return None


def moved(
    layer: AnyLayer,
    moves: Sequence[Move],
    write: Write = in_c,
    taken: frozenset[int] = frozenset(),
    fill: int | None = None,
) -> Work:
    """The work of moves, one after the other; ``fill`` is what every byte of the output is before.

    A move within the same memory goes downwards.
    """
    left = [move for number, move in enumerate(moves) if number not in taken and move.total]
    places = tuple(None if fill is not None else move.as_place() for move in moves)
    rest = partial(moved, layer, moves, write, fill=fill)
    if not left:
        return Work(None, places=places, taken=taken, rest=rest)
    sources = list(dict.fromkeys(move.source for move in left))
    targets = list(dict.fromkeys(move.target for move in left))
    unit = _unit(left, [] if fill is None else [layer.output.nbytes])
    own = [write(move) if unit == 4 else None for move in left]
    routine = own[0] if len(left) == 1 and fill is None else None
    if routine is None:
        before = [] if fill is None else [_filled(layer.output, fill, unit)]
        routine = _routine(layer, dict(zip(left, own, strict=True)), before, unit)
    arguments = (*(in_units(one, unit) for one in sources), *targets)
    cycles = sum(_cycles(move, unit) for move in left)
    if fill is not None:
        cycles += layer.output.nbytes / unit * 4
    return Work(routine, arguments, places=places, taken=taken, rest=rest, cycles=cycles)


def _is_constant(array: Array) -> bool:
    return isinstance(array, Value) and array.is_constant


def in_units(array: Array, unit: int) -> Argument:
    """An argument of so many bytes an element; a constant has zeros behind its end."""
    if isinstance(array, State) or array.data is None:
        return array
    data = np.ascontiguousarray(array.data).reshape(-1).view(np.uint8)
    padded = np.concatenate([data, np.zeros(-data.size % unit, np.uint8)])
    return Constant("values", padded.view(f"<u{unit}"))


def _unit(moves: Sequence[Move], more: list[int]) -> int:
    """Bytes that are moved at once: all distances and sizes are multiples, and ``more`` are.

    C lets bytes be moved as words, and elements of more bytes as integers of as many.
    """
    arrays = [array for move in moves for array in (move.source, move.target)]
    bits = {array.type.bits for array in arrays if isinstance(array, Value)}
    has_states = any(isinstance(array, State) for array in arrays)
    units: tuple[int, ...] = ()
    if max(bits) <= 8:
        units = (4, 2)
    elif len(bits) == 1 and not max(bits) % 8 and not (has_states and max(bits) > 32):
        units = (min(max(bits) // 8, 8),)
    numbers = [number for move in moves for number in move.numbers] + more
    return next((unit for unit in units if all(n % unit == 0 for n in numbers)), 1)


def _cycles(move: Move, unit: int) -> float:
    """Of a Cortex-M4, about."""
    pieces = move.total / move.bytes
    return 20 + pieces * 8 + move.total / unit * 6


# -- text ---------------------------------------------------------------------------------


def _routine(
    layer: AnyLayer, moves: Mapping[Move, Routine | None], before: Sequence[str], unit: int
) -> Routine:
    """Moves one after the other, each by its own routine or as loops."""
    sources = list(dict.fromkeys(move.source for move in moves))
    targets = list(dict.fromkeys(move.target for move in moves))
    kind = f"uint{8 * unit}_t"
    names = {one: f"x{n}" if len(sources) > 1 else "x" for n, one in enumerate(sources)}
    names |= {one: f"y{n}" if len(targets) > 1 else "y" for n, one in enumerate(targets)}
    parameters = [f"const {kind} *{names[one]}" for one in sources]
    parameters += [f"{kind} *{names[one]}" for one in targets]
    words = dict[Routine, str]()
    lines = list(before)
    for move, routine in moves.items():
        source, target = names[move.source], names[move.target]
        if routine is None:
            lines.append(_loops(move, source, target, unit))
        else:
            word = words.setdefault(routine, f"move{len(words)}")
            lines.append(f"part_{word}({source}, {target});")
    stem = "copy" if len(moves) == 1 and not before else layer.name.lower()
    parts = tuple((word, routine) for routine, word in words.items())
    text = plain_loops("\n".join(lines))
    return Routine(stem, tuple(parameters), text, parts, about=str(layer))


def _loops(move: Move, source: str, target: str, unit: int) -> str:
    axes = [(n, here // unit, there // unit) for n, here, there in move.steps]
    axes.append((move.bytes // unit, 1, 1))
    counts = [n for n, _, _ in axes]
    here = _index(move.start // unit, [(n, step) for n, step, _ in axes])
    there = _index(move.place // unit, [(n, step) for n, _, step in axes])
    return nested(counts, f"{target}[{there}] = {source}[{here}];")


def _index(start: int, axes: Sequence[tuple[int, int]]) -> str:
    terms = [
        name if step == 1 else f"{name} * {step}"
        for name, (count, step) in zip(axis_names(len(axes)), axes, strict=True)
        if count > 1 and step
    ]
    return " + ".join([*([str(start)] if start else []), *terms]) or "0"


def _filled(value: Value, fill: int, unit: int) -> str:
    """Bytes of an output, all the same."""
    pattern = int.from_bytes(bytes([fill & 0xFF]) * unit, "little")
    suffix = "u" if unit == 4 else ""
    return nested(
        [value.nbytes // unit], f"y[{'i' if value.nbytes > unit else '0'}] = {pattern:#x}{suffix};"
    )
