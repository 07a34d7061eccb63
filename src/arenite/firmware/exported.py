"""A firmware that was written, as data: what ``arenite.json`` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arenite.errors import BoardError
from arenite.firmware.figures import Figures, figures_facts
from arenite.firmware.folder import MANIFEST
from arenite.firmware.text import identifier


@dataclass(frozen=True)
class ExportedLayer:
    """One layer of a firmware.

    Attributes:
        index: Its number.
        name: The operator.
        shapes: What goes in and comes out, in words.
        function: The function that does it; empty where output and input are the same bytes.
        language: ``"c"`` or ``"s"``, empty without a function.
        reason: Why it is plain C where others of its kind are in assembly.
        constant_bytes: Its constants in flash.
        scratch_bytes: Memory of the arena that only it needs.
        instructions: Of one inference, with the call that tells of it; None if not emulated.
        cycles: The estimate of ``arenite cost``'s rule; None if not emulated.
        rows: How many rows it makes at a time, in a group of layers; 0 where all at once.
    """

    index: int
    name: str
    shapes: str
    function: str
    language: str
    reason: str
    constant_bytes: int
    scratch_bytes: int
    instructions: int | None = None
    cycles: int | None = None
    rows: int = 0


@dataclass(frozen=True, repr=False)
class Export:
    """A firmware that was written.

    Attributes:
        folder: Where.
        name: What all names in C begin with.
        target: The processor.
        arena_bytes: RAM: tensors and scratch memory.
        constant_bytes: Constants in flash; equal ones are there once.
        state_bytes: What of the arena an inference leaves to the next.
        inputs: Name, type, shape, scale and zero point of each.
        outputs: The same of each output.
        figures: What an inference costs; None if it was not emulated.
        layers: One record each.
        files: Names of all files.
        input_mode: Whether inputs are ``"overwritten"``, ``"kept"``, or asked for in ``"rows"``.
    """

    folder: str
    name: str
    target: str
    arena_bytes: int
    constant_bytes: int
    state_bytes: int
    inputs: tuple[Mapping[str, Any], ...]
    outputs: tuple[Mapping[str, Any], ...]
    figures: Figures | None
    layers: tuple[ExportedLayer, ...]
    files: tuple[str, ...]
    input_mode: str = "overwritten"

    def __repr__(self) -> str:
        text = f"arena {self.arena_bytes:,} bytes, constants {self.constant_bytes:,}"
        if self.figures is not None:
            text += (
                f", code {self.figures.code_bytes:,}; {self.figures.instructions:,} instructions"
            )
        return f"<Export of {self.name} for {self.target} in {self.folder}: {text}>"

    @property
    def row_bytes(self) -> int:
        """Bytes of a row of the input, where rows are asked for; 0 elsewhere."""
        if self.input_mode != "rows":
            return 0
        (port,) = self.inputs
        return int(np.dtype(port["type"]).itemsize * np.prod(port["shape"][2:]))


def export_facts(result: Export) -> dict[str, Any]:
    """What ``arenite export --json`` prints; see ``docs/cli.md`` for the keys."""
    facts = {key: value for key, value in vars(result).items() if key not in ("folder", "figures")}
    figures = figures_facts(result.figures, result.constant_bytes)
    return {**facts, **figures, "layers": [dict(vars(layer)) for layer in result.layers]}


def export_of(facts: Mapping[str, Any], folder: Path) -> Export:
    """What a folder's manifest says, its figures left out: they are of the day it was written.

    Raises:
        BoardError: Something is missing or of another kind.
    """
    if facts.get("library") == "tflm":
        raise BoardError(f"'{folder}' is for a firmware with TFLM, which is not here to run it")
    try:
        result = Export(
            folder=str(folder),
            name=str(facts["name"]),
            target=str(facts["target"]),
            arena_bytes=int(facts["arena_bytes"]),
            constant_bytes=int(facts["constant_bytes"]),
            state_bytes=int(facts["state_bytes"]),
            inputs=tuple(facts["inputs"]),
            outputs=tuple(facts["outputs"]),
            figures=None,
            layers=tuple(_layer(number, row) for number, row in enumerate(facts["layers"])),
            files=tuple(map(str, facts["files"])),
            input_mode=str(facts.get("input_mode", "overwritten")),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BoardError(f"'{folder / MANIFEST}' is broken: {error!r}") from None
    if identifier(result.name) != result.name:
        raise BoardError(f"'{folder / MANIFEST}' is broken: the name {result.name!r}")
    return result


def _layer(number: int, row: Mapping[str, Any]) -> ExportedLayer:
    words = {key: str(row[key]) for key in ("name", "shapes", "function", "language", "reason")}
    sizes = {key: int(row.get(key, 0)) for key in ("constant_bytes", "scratch_bytes", "rows")}
    return ExportedLayer(index=number, **words, **sizes)  # type: ignore[arg-type]
