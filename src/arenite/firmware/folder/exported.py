"""A firmware that was written, as data: what ``arenite.json`` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arenite.cores import CORES
from arenite.errors import BoardError
from arenite.firmware.folder.figures import Figures, figures_facts
from arenite.firmware.folder.manifest import MANIFEST
from arenite.firmware.network.names import identifier

#: Types of inputs whose rows can be asked for.
_WITH_ROWS = ("bool", "int8", "uint8", "int16", "int32", "int64", "float32")


@dataclass(frozen=True)
class ExportedLayer:
    """One layer of a firmware.

    Attributes:
        index: Its number.
        name: The operator.
        shapes: What goes in and comes out, in words.
        function: The function that does it; empty where output and input are the same bytes.
        language: ``"c"``, ``"s"`` or ``"cc"``, empty without a function.
        reason: Why it is plain C where others of its kind are in assembly.
        constant_bytes: Its constants in flash.
        scratch_bytes: Memory of the arena that only it needs.
        instructions: Of one inference that is not the first, with the call that tells of it; None
            if not emulated.
        cycles: The estimate of ``arenite cost``'s rule; None if not emulated.
        rows: How many rows it makes at a time, in a group of layers; 0 where all at once.
        first_instructions: Of the first inference, in which CALL_ONCE and the like run.
        first_cycles: The same in cycles.
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
    first_instructions: int | None = None
    first_cycles: int | None = None


def why_plain(target: str, layer: ExportedLayer) -> str:
    """The reason for plain C on a processor with kernels in assembly; empty without one."""
    core = CORES.get(target)  # a folder may be anybody's
    if core is None or core.kernels != "cortex_m" or layer.language != "c":
        return layer.reason
    return layer.reason or f"{layer.name} has no kernel in assembly"


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
        input_mode: What becomes of inputs, see :func:`arenite.export`.
        kept: Files that were changed since the export before, and stayed as they were.
        model: The file that it was made of and its SHA-256, and what passes made of it.
        not_verified: Why samples are missing in the self-test, where loops go on for too long;
            such a firmware is not emulated either.
        least_ram_bytes: The arena with ``least="ram"``; None where nobody looked.
        tflm_arena_bytes: TFLM's arena of the same model; None where TFLM cannot run it.
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
    kept: tuple[str, ...] = ()
    model: Mapping[str, Any] | None = None
    not_verified: str = ""
    least_ram_bytes: int | None = None
    tflm_arena_bytes: int | None = None

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
    """Facts of ``arenite export --json``; see ``docs/cli.md`` for the keys."""
    facts = {key: value for key, value in vars(result).items() if key not in ("folder", "figures")}
    figures = figures_facts(result.figures, result.constant_bytes)
    return {**facts, **figures, "layers": [dict(vars(layer)) for layer in result.layers]}


def manifest_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts that are true of a folder, and not of one export into it."""
    return {key: value for key, value in facts.items() if key != "kept"}


def export_of(facts: Mapping[str, Any], folder: Path) -> Export:
    """Export of a folder's manifest, without its figures: they are of the day it was written.

    Args:
        facts: As :func:`arenite.firmware.folder.manifest.manifest_of` gives them.
        folder: Where they are from.

    Raises:
        BoardError: It is a firmware with TFLM.
    """
    if facts.get("library") == "tflm":
        raise BoardError(f"'{folder}' is for a firmware with TFLM, which is not here to run it")
    keys = "name target arena_bytes constant_bytes state_bytes"
    result = Export(
        folder=str(folder),
        **{key: facts[key] for key in keys.split()},
        inputs=tuple(facts["inputs"]),
        outputs=tuple(facts["outputs"]),
        figures=None,
        layers=tuple(_layer(number, row) for number, row in enumerate(facts["layers"])),
        files=tuple(facts["files"]),
        input_mode=facts.get("input_mode", "overwritten"),
    )
    if identifier(result.name) != result.name:
        expected = identifier(result.name)
        raise BoardError(
            f"'{folder / MANIFEST}' is broken: name: expected {expected!r}, got {result.name!r}"
        )
    if result.input_mode == "rows" and [_has_rows(port) for port in result.inputs] != [True]:
        raise BoardError(f"'{folder / MANIFEST}' is broken: inputs: expected one that has rows")
    return result


def _has_rows(port: Mapping[str, Any]) -> bool:
    return len(port["shape"]) > 2 and port["type"] in _WITH_ROWS


def _layer(number: int, row: Mapping[str, Any]) -> ExportedLayer:
    words = {key: row[key] for key in ("name", "shapes", "function", "language", "reason")}
    sizes = {key: row.get(key, 0) for key in ("constant_bytes", "scratch_bytes", "rows")}
    return ExportedLayer(index=number, **words, **sizes)
