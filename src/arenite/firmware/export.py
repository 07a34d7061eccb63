"""A model as a folder that a firmware takes as it is."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from arenite.firmware.cortex_m import cortex_m_work
from arenite.firmware.cortex_m.choice import faster
from arenite.firmware.folder import MANIFEST, check_room, write_folder
from arenite.firmware.headers import needs_math
from arenite.firmware.portable import portable_work
from arenite.firmware.program import Program, program_of
from arenite.firmware.project import SOURCES, project_files
from arenite.firmware.readme import readme
from arenite.firmware.selftest import reference_run, selftest_files
from arenite.firmware.source import sources
from arenite.firmware.work import Routine
from arenite.formats import Source, model_of
from arenite.model import Model
from arenite.optimize.passes.channels import channels
from arenite.optimize.settings import Settings
from arenite.target import Target, find_target

#: Processors with the DSP extension, for which there are kernels in assembly.
ASSEMBLED = ("cortex-m4", "cortex-m7", "cortex-m33")
#: Kernels in assembly take so many channels at a time.
_CHANNELS = 8


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
    """

    index: int
    name: str
    shapes: str
    function: str
    language: str
    reason: str
    constant_bytes: int
    scratch_bytes: int


@dataclass(frozen=True)
class Export:
    """A firmware that was written.

    Attributes:
        folder: Where.
        name: What all names in C begin with.
        target: The processor.
        arena_bytes: RAM: tensors and scratch memory.
        constant_bytes: Constants in flash; equal ones are there once.
        layers: One record each.
        files: Names of all files.
    """

    folder: str
    name: str
    target: str
    arena_bytes: int
    constant_bytes: int
    layers: tuple[ExportedLayer, ...]
    files: tuple[str, ...]


def export(
    model: Model | Source,
    folder: str | os.PathLike[str],
    *,
    target: Target | str | None = "cortex-m4",
    name: str | None = None,
    planner: str = "optimal",
    flash: int | None = None,
) -> Export:
    """Write a model as C11 that needs no interpreter, no heap and no library.

    In the folder's ``src`` are ``model.h``, the interface; ``model.c``, the driver with a static
    arena; ``kernels.c`` with just the kernels that the model needs; ``weights.c``, constants for
    flash; a self-test with golden checksums of every layer. Around it is what make, CMake, ESP-IDF,
    Zephyr, Arduino and PlatformIO build it by, and a README. Results are those of TFLM's reference
    kernels, bit for bit. In assembly, channels that no input can change are folded into the next
    layer's bias. The folder is written whole or not at all. See ``docs/firmware.md``.

    Args:
        model: A model, a file's path, or a file's bytes.
        folder: A new or empty folder, or one that was exported before.
        target: The processor. For ``"cortex-m4"``, ``-m7`` and ``-m33`` the layers that take most
            of the time are in assembly, for all others all are plain C; None is any processor.
        name: What all names in C begin with; by default the file's.
        planner: Name of the memory planner.
        flash: Bytes that constants may take. As far as they go, 3x3 convolutions in assembly become
            faster ones of larger constants (and more scratch memory); by default none does.

    Raises:
        UnsupportedOperatorError: Some layers have no exported kernel; names them all.
        ConstraintError: An operator cannot run what the model asks of it.
        FileExistsError: There are other files in the folder.
        ValueError: The name is no C identifier in lower case, there is no such planner, or
            constants take more than ``flash`` bytes; says how many.
        OSError: A file cannot be written.
    """
    model = model_of(model)
    processor = find_target(target).processor
    kernels = cortex_m_work if processor in ASSEMBLED else portable_work
    improve = None if flash is None or kernels is portable_work else partial(faster, flash=flash)
    if kernels is cortex_m_work:
        model = without_constant_channels(model)
    program = program_of(model, kernels, name, planner, improve)
    if flash is not None and program.constant_bytes > flash:
        raise ValueError(f"flash: expected at least {program.constant_bytes} bytes, got {flash}")
    place = Path(os.fspath(folder))
    check_room(place)  # before the work, not after it
    files = _files(model, program)
    result = _export(program, processor, place, [*files, MANIFEST])
    facts = json.dumps(export_facts(result), indent=1) + "\n"
    write_folder(place, {**files, MANIFEST: facts})
    return result


def _files(model: Model, program: Program) -> dict[str, str]:
    """All files but the manifest, by their paths."""
    library = sources(program)
    compiled = [name for name in library if not name.endswith(".h")]
    library |= selftest_files(program, reference_run(model, program))
    source = Path(model.source).name  # not where it lies here
    return {
        **{f"{SOURCES}/{name}": text for name, text in library.items()},
        **project_files(
            program.name, program.arena_bytes, compiled, math=needs_math(program.routines)
        ),
        "README.md": readme(program, source, assembly="kernels.S" in library),
    }


def without_constant_channels(model: Model) -> Model:
    """The model without channels that no input can change, in multiples that kernels are fast with.

    Outputs are the same; see :mod:`arenite.optimize.passes.channels`.
    """
    return channels(model, Settings(), _CHANNELS).model


def export_facts(result: Export) -> dict[str, Any]:
    """What ``arenite export --json`` prints; see ``docs/cli.md`` for the keys."""
    facts = {key: value for key, value in vars(result).items() if key != "folder"}
    return {**facts, "layers": [dict(vars(layer)) for layer in result.layers]}


def _language(routine: Routine | None) -> str:
    """What most of a layer is written in."""
    if routine is None:
        return ""
    written = {routine.language, *(part.language for _, part in routine.parts)}
    return "s" if "s" in written else "c"


def _export(program: Program, target: str, folder: Path, files: list[str]) -> Export:
    layers = []
    for layer, work in zip(program.network.layers, program.works, strict=True):
        routine = work.routine
        layers.append(
            ExportedLayer(
                index=layer.index,
                name=layer.name,
                shapes=str(layer).removeprefix(f"{layer.name} "),
                function=program.routines[routine] if routine else "",
                language=_language(routine),
                reason=work.reason,
                constant_bytes=sum(one.values.nbytes for one in work.constants),
                scratch_bytes=sum(one.bytes for one in work.scratch),
            )
        )
    return Export(
        str(folder),
        program.name,
        target,
        program.arena_bytes,
        program.constant_bytes,
        tuple(layers),
        tuple(files),
    )
