"""The contract of a firmware's kernels: what a layer costs in flash, memory and code.

A kernel's constants were packed at export and stay in flash. Its scratch memory lies in the
arena and is counted there. One routine serves all layers of the same shape; it has no state, takes
no memory, and touches nothing below the stack pointer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from arenite.firmware.network.layers import Value
from arenite.firmware.network.names import Names
from arenite.ops.context import Array


@dataclass(frozen=True, eq=False)
class Constant:
    """An array in flash; ``role`` says in a word what it is: ``"weights"``, ``"bias"``.

    ``alignment`` is of its first byte; 0 is its elements' own.
    """

    role: str
    values: Array
    alignment: int = 0


@dataclass(frozen=True)
class Scratch:
    """Memory of the arena that only this layer needs, while it runs."""

    bytes: int
    alignment: int = 4


@dataclass(frozen=True)
class State:
    """Memory of the arena that keeps its bytes from one inference to the next.

    Equal ones are the same memory, whichever layers they are arguments of.

    Attributes:
        key: Whose it is: ``"variable 0"``.
        bytes: How many.
        fill: What every byte is at first.
        is_reset: Whether resetting the model fills it again.
        alignment: Of its first byte.
    """

    key: str
    bytes: int
    fill: int = 0
    is_reset: bool = True
    alignment: int = 4


#: What a routine is called with: tensors, constants, scratch memory, state.
Argument = Value | Constant | Scratch | State
#: The same by the names of its parameters.
Arrays = dict[str, Argument]


@dataclass(frozen=True)
class Place:
    """``part`` is bytes of ``whole``, from byte ``offset`` on.

    Where both lie in the same memory, nothing is to be moved between them.
    """

    part: Value
    whole: Value | State
    offset: int


@dataclass(frozen=True)
class Routine:
    """A function in C or assembly, without its name; in C++ one that runs a user's kernel.

    Attributes:
        stem: What its name begins with.
        parameters: C declarations of its parameters: ``"const int8_t *x"``.
        body: What stands between its braces; in assembly all of its lines. ``@word@`` (in C
            ``part_word`` as well) stands for the name of a part, ``@name@`` for its own.
        parts: Routines that it calls, with the word for each.
        language: What ``body`` is written in.
        about: What it does, in a line.
    """

    stem: str
    parameters: tuple[str, ...]
    body: str
    parts: tuple[tuple[str, Routine], ...] = ()
    language: Literal["c", "s", "cc"] = "c"
    about: str = field(default="", compare=False)

    @property
    def is_assembly(self) -> bool:
        """Whether it, or what it calls, is assembly: most of its time is spent there."""
        return self.language == "s" or any(part.is_assembly for _, part in self.parts)


@dataclass(frozen=True, eq=False)
class Work:
    """One layer's kernel: a routine and its arguments, in the order of its parameters.

    Without a routine there is nothing to do: the output is seen as the input, which then share
    their memory (``in_place``), or every move is spared (``taken``).

    Attributes:
        routine: The function; None where output and input are the same bytes.
        arguments: What it is called with.
        in_place: Inputs of the layer over which the output may lie, from the same byte on.
        grows: Whether an output that is larger than such an input may begin behind its beginning.
        room: Bytes behind the output that the routine may write as well.
        read_room: Bytes behind the first input that it may read, whatever they are.
        reason: Why a faster routine does not take the layer.
        cycles: What it takes on a Cortex-M4, about, where the kernel has counted; otherwise 0.
        ends: An int32 among its states that is not 0 where the inference ends with the layer.
        places: Of a layer that only moves bytes, for every move, in order: whose place it is; None
            of one that nothing can spare.
        taken: Numbers of the moves that are spared, since memory is laid out so.
        rest: The work with such numbers.
        alignment: Of the layer's tensors.
        compiled: What is known of a user's kernel in C++, see
            :class:`arenite.firmware.compiled.work.Compiled`; its arguments are not passed.
    """

    routine: Routine | None
    arguments: tuple[Argument, ...] = ()
    in_place: tuple[int, ...] = ()
    grows: bool = False
    room: int = 0
    read_room: int = 0
    reason: str = ""
    cycles: float = 0
    ends: State | None = None
    places: tuple[Place | None, ...] = ()
    taken: frozenset[int] = frozenset()
    rest: Callable[[frozenset[int]], Work] | None = None
    alignment: int = 0
    compiled: Any = None

    @property
    def constants(self) -> tuple[Constant, ...]:
        """Constants in flash, in order."""
        return tuple(one for one in self.arguments if isinstance(one, Constant))

    @property
    def scratch(self) -> tuple[Scratch, ...]:
        """Its scratch memory, in order."""
        return tuple(one for one in self.arguments if isinstance(one, Scratch))

    @property
    def states(self) -> tuple[State, ...]:
        """Memory that it keeps, in order."""
        return tuple(one for one in self.arguments if isinstance(one, State))


@dataclass(frozen=True)
class Collection:
    """The kernel of a layer that takes rows and gives its only one at the end.

    ``add(x, sums)`` for some rows, then ``finish(sums, y)``; the sums are int32 and begin at 0.
    """

    add: Routine
    finish: Routine
    sum_bytes: int


class UnsupportedError(Exception):
    """A layer that no kernel of a firmware does; the text says why."""


def routines_of(routines: Iterator[Routine], names: Names) -> Mapping[Routine, str]:
    """All routines with their names, every one once, those that others call first."""
    found: dict[Routine, str] = {}
    numbers: dict[str, int] = {}

    def add(routine: Routine) -> None:
        if routine in found:
            return
        for _, part in routine.parts:
            add(part)
        number = numbers[routine.stem] = numbers.get(routine.stem, 0) + 1
        found[routine] = names.take(f"{routine.stem}_{number}")

    for routine in routines:
        add(routine)
    return found


_NAME = re.compile(r"@(\w+)@|\bpart_(\w+)\b")


def text_of(routine: Routine, names: Mapping[Routine, str], prefix: str) -> str:
    """A routine's body with its own name and those of its parts in it."""
    own = {"name": names[routine], **{word: names[part] for word, part in routine.parts}}
    return _NAME.sub(lambda match: f"{prefix}_{own[match[1] or match[2]]}", routine.body)
