"""The device that a board or a processor means: the one place that decides, for every command.

A board means the firmware that people usually build for it: its processor, and of the libraries the
releases that the usual program ships. A processor alone means the newest of everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arenite.analysis.runtimes import ESPHOME
from arenite.boards import Board, find_board
from arenite.cores import CORES, DEFAULT, full_name
from arenite.library_facts import facts_of, usual_library
from arenite.model import Model
from arenite.options import instance, optional
from arenite.target import HOST, Target, find_target


@dataclass(frozen=True)
class Device:
    """The device that a command is about.

    Attributes:
        target: The firmware.
        board: None unless one was named.
        clock: In MHz, None where none is known.
        is_named: Whether a board or a processor was named.
        usual: Whose releases the target has, as a sentence without its stop; empty where they are
            the newest, or were named.
    """

    target: Target
    board: Board | None = None
    clock: float | None = None
    is_named: bool = True
    usual: str = ""

    def note(self, shown: str = "these are the numbers of", whose: str = "") -> str:
        """A line on whose numbers are shown, where that was not named; else empty."""
        if self.is_named:
            return self.usual and f"{self.usual}."
        host = "TFLM's Python package on this machine"
        whose = whose or (host if self.target == HOST else str(self.target))
        return f"No --board or --target was given: {shown} {whose}. `arenite boards` lists boards."


def device_of(
    board: str | Board | None = None,
    target: str | Target | None = None,
    clock: float | None = None,
    *,
    model: Model | None = None,
    default: str | None = DEFAULT,
    **parts: Any,
) -> Device:
    """The device of a board's name, a target, or both.

    Args:
        board: A board, or a name that :func:`arenite.find_board` takes.
        target: A processor's name, or a firmware that says everything itself.
        clock: In MHz; by default the board's.
        model: The model, where programs are built for its kind: wake words on ESP chips.
        default: The processor where neither was given; None for TFLM's package here.
        parts: Fields of a :class:`Target` that were named, such as ``library_version``: what is
            named besides a board is a deviation from its usual firmware.

    Raises:
        ValueError: There is no such board or target.
        OSError: The board's file cannot be read.
    """
    optional(instance(str, Board, expected="a board's name, a file or a Board"))("board", board)
    found = find_board(board) if isinstance(board, str) else board
    if clock is None and found is not None:
        clock = found.clock
    if isinstance(target, Target):
        return Device(target, found, clock)
    if parts.get("sdk") and target is None and found is None:
        return Device(Target(**parts), None, clock)
    name = target or (default if found is None else full_name(found.processor))
    meant = find_target(name)
    is_said = found is None or "sdk" in parts
    usual, words = ({}, "") if is_said else _usual(meant, model, parts)
    npu = {"npu": meant.npu} if meant.npu else {}
    built = {} if is_said or found is None or not found.optimize else {"optimize": found.optimize}
    meant = Target(meant.processor, **{**npu, **built, **usual, **parts})
    return Device(meant, found, clock, bool(board or target), words)


def _usual(
    target: Target, model: Model | None, parts: dict[str, Any]
) -> tuple[dict[str, Any], str]:
    """Fields of the firmware that people usually build of a model, and whose they are."""
    library = parts.get("library") or usual_library(CORES[target.processor].family).name
    if model is None or not facts_of(library).versions or not ESPHOME.is_for(model):
        return {}, ""
    release = parts.get("library_version", ESPHOME.library_version)
    versions = f"{facts_of(library).title} {release}"
    return ESPHOME.parts, f"A wake word, as {ESPHOME.title} builds it today: with {versions}"
