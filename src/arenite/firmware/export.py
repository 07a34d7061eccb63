"""A model as a folder that a firmware takes as it is."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from arenite.cores import CORES, DEFAULT
from arenite.errors import AreniteError, BoardLimitError, PlanWarning
from arenite.firmware.build import CPP
from arenite.firmware.compiler.zig import Headers
from arenite.firmware.device import NO_LIMITS, Limits
from arenite.firmware.folder.exported import Export, ExportedLayer, export_facts, manifest_facts
from arenite.firmware.folder.figures import Figures
from arenite.firmware.folder.io_spec import port_facts
from arenite.firmware.folder.manifest import MANIFEST
from arenite.firmware.folder.writing import check_room, write_folder
from arenite.firmware.kernels.cortex_m import cortex_m_work
from arenite.firmware.kernels.cortex_m.choice import offers
from arenite.firmware.kernels.cortex_m0 import cortex_m0_work
from arenite.firmware.kernels.cortex_m55 import cortex_m55_work
from arenite.firmware.kernels.portable import portable_work
from arenite.firmware.measurements import can_emulate, emulated
from arenite.firmware.network.kernel import Routine, Work
from arenite.firmware.network.layers import AnyLayer, Network, compiled_in
from arenite.firmware.network.names import SOURCES, c_name
from arenite.firmware.plan.budget import Budget, Least, plan_within
from arenite.firmware.plan.estimate import cycles, group_cycles
from arenite.firmware.plan.golden import Golden, golden_of, sample
from arenite.firmware.plan.layout import Inputs
from arenite.firmware.plan.lossless import Lossless, lossless, model_facts
from arenite.firmware.plan.program import Kernels, Plan, Program, program_from
from arenite.firmware.text.project import project_files
from arenite.firmware.text.readme import readme
from arenite.firmware.text.selftest import selftest_files
from arenite.firmware.text.source import sources
from arenite.formats import Source, model_of
from arenite.model import Model
from arenite.ops import builtin
from arenite.runtime.allocation import smallest_arena
from arenite.target import Target, find_target

_FAMILIES: Mapping[str, Kernels] = {
    "cortex_m": cortex_m_work,
    "cortex_m0": cortex_m0_work,
    "cortex_m55": cortex_m55_work,
    "portable": portable_work,
}
#: By processor.
KERNELS: Mapping[str, Kernels] = {core.name: _FAMILIES[core.kernels] for core in CORES.values()}
#: Processors with kernels of their own: in assembly, or for vectors.
TUNED = tuple(core.name for core in CORES.values() if core.kernels.startswith("cortex_m"))
#: Layers of a network whose least memory is looked for, at most.
_MOST_LAYERS = 64
#: Those whose kernels are in assembly.
ASSEMBLED = tuple(core.name for core in CORES.values() if core.kernels == "cortex_m")


def export(
    model: Model | Source,
    folder: str | os.PathLike[str],
    *,
    target: Target | str | None = DEFAULT,
    name: str | None = None,
    planner: str = "optimal",
    flash: int | None = None,
    ram: int | None = None,
    least: Least | None = None,
    inputs: Inputs = "overwritten",
    icache: int | None = None,
    emulate: bool = False,
    optimize: bool = True,
    limits: Limits = NO_LIMITS,
) -> Export:
    """Write a model as C11 that needs no interpreter, no heap and no library.

    In the folder's ``src`` are ``model.h``, the interface; ``model.c``, the driver with a static
    arena; ``kernels.c`` with just the kernels that the model needs; ``weights.c``, constants for
    flash; a self-test with golden checksums of every layer. Around it is what make, CMake, ESP-IDF,
    Zephyr, Arduino and PlatformIO build it by, and a README. Results are those of TFLM's reference
    kernels, bit for bit. The folder is written whole or not at all; of one that was exported
    before, what you changed in README and build files stays. See ``docs/firmware.md``.

    Args:
        model: A model, a file's path, or a file's bytes.
        folder: A new or empty folder, or one that was exported before.
        target: The processor. For ``"cortex-m4"``, ``-m7`` and ``-m33`` the layers that take most
            of the time are in assembly, for ``"cortex-m55"`` in C with vectors, for all others all
            are plain C; None is any processor.
        name: What all names in C begin with; by default the file's.
        planner: Name of the memory planner.
        flash: Bytes that constants may take. As far as they go, 3x3 convolutions in assembly become
            faster ones of larger constants (and more scratch memory); by default none does.
        ram: Bytes that the arena may take. Where it takes more, groups of layers go row by row
            through rings of rows; the fastest such program is written.
        least: What shall be small: ``"time"``, whatever constants take; ``"ram"``, in at most 1.3
            times the cycles; ``"flash"``, constants. By default time, with the usual kernels.
        inputs: ``"overwritten"`` by an inference, where outputs may lie as well; ``"apart"``,
            overwritten but by no output; or ``"kept"``. With ``"rows"`` a function of the caller's
            delivers rows when they are needed, so that no input is in RAM as a whole.
        icache: Bytes of the processor's cache of instructions: loops in assembly are unrolled as
            far as they fit. By default they are as for memory that never waits.
        emulate: Whether to run the firmware on an emulated core of that processor for instructions,
            cycles, code and stack, where ziglang and unicorn are installed (extra ``board``) and
            there is such a core; without them these figures are not known. What ``least="ram"``
            would save is looked for as well.
        optimize: Whether the passes of :func:`optimize` that lose nothing run before, on what the
            layers are: constants are folded, channels that no input can change go. The self-test
            has the original's outputs.
        limits: What a call may take on the emulated core. Where one takes more, figures are not
            known, and ``not_verified`` of the result says so.

    Raises:
        UnsupportedOperatorError: Some layers have no exported kernel, or a user's kernel in C++
            asks for what a firmware has not; names them all.
        ConstraintError: An operator cannot run what the model asks of it.
        FileExistsError: There are other files in the folder, sources that were changed since they
            were exported, or links.
        ValueError: The name is no C identifier in lower case, there is no such planner, rows
            cannot be delivered, constants take more than ``flash`` bytes or the arena cannot do
            with ``ram`` bytes; says how many.
        OptimizationError: A pass changed the outputs, which is an error of Arenite's.
        OSError: A file cannot be written.
    """
    built, model = find_target(target), model_of(model)
    processor = built.processor
    budget = Budget(ram, flash, least, inputs, icache, tflm_arena(model, built))
    made = layered(model, processor, icache, optimize=optimize)
    how = {"name": name, "planner": planner, "emulate": emulate, "limits": limits}
    return write(made, folder, processor, budget, **how)  # type: ignore[arg-type]


def write(
    made: Lossless,
    folder: str | os.PathLike[str],
    processor: str,
    budget: Budget,
    *,
    name: str | None = None,
    planner: str = "optimal",
    emulate: bool = False,
    limits: Limits = NO_LIMITS,
) -> Export:
    """Write the layers that :func:`layered` made; see :func:`export`."""
    kernels, flash = kernels_for(processor, budget.icache), budget.flash
    program = chosen(made, processor, budget, c_name(made.original.source, name), planner)
    if flash is not None and program.constant_bytes > flash:
        raise ValueError(
            f"flash: expected at least {program.constant_bytes} bytes, got {flash}: the smallest "
            f"program takes about {_slower(program, kernels):.2f} times the cycles of the usual one"
        )
    place = Path(os.fspath(folder))
    check_room(place)  # before the work, not after it
    golden = golden_of(made.model, program, made.original)
    facts = model_facts(made)
    files = _files(program, golden, processor, str(facts["sha256"] or ""))
    figures, unfinished = None, golden.unfinished
    if emulate and not unfinished:
        try:
            how = headers_in(made.model), limits
            figures = _figures(files, program, golden, processor, how)
        except BoardLimitError as error:
            unfinished = f"on an emulated core {error}"
    result = _export(program, processor, place, figures, facts)
    result = replace(result, not_verified=unfinished, tflm_arena_bytes=budget.tflm)
    if emulate and _may_take_less(processor, budget, program):
        small = chosen(made, processor, replace(budget, least="ram"), program.name, planner)
        result = replace(result, least_ram_bytes=small.arena_bytes)
    files["README.md"] = readme(result)
    result = replace(result, files=(*files, MANIFEST))
    kept = write_folder(place, files, manifest_facts(export_facts(result)))
    return replace(result, kept=kept)


def _may_take_less(processor: str, budget: Budget, program: Program) -> bool:
    """Whether it is worth some seconds to look for what the least memory is."""
    is_plain = budget == Budget(icache=budget.icache, tflm=budget.tflm)
    return processor in TUNED and is_plain and len(program.network.layers) <= _MOST_LAYERS


#: Of files with a notice; the preprocessor reads assembly as well.
_LANGUAGES = (".c", ".cc", ".h", ".S")
_YOURS = "/* Written by Arenite. This file is yours: use it under any licence, without a notice. */"


def _files(program: Program, golden: Golden, processor: str, model_hash: str) -> dict[str, str]:
    """All files but those with figures, by their paths."""
    library = sources(program, processor, model_hash=model_hash)
    compiled = [name for name in library if not name.endswith(".h")]
    library |= selftest_files(program, golden)
    own, folders = _own_sources(program, library)
    compiled += [name for name in own if Path(name).suffix in (*CPP, ".c")]
    files = {
        **{f"{SOURCES}/{name}": text for name, text in library.items()},
        **project_files(program.name, program.arena_bytes, compiled, processor, folders),
    }
    files = {
        path: f"{_YOURS}\n{text}" if Path(path).suffix in _LANGUAGES else text
        for path, text in files.items()
    }
    return files | {f"{SOURCES}/{name}": text for name, text in own.items()}


def _own_sources(
    program: Program, library: Collection[str]
) -> tuple[dict[str, str], Sequence[str]]:
    """The sources of users' kernels by name, and TFLM's folders that they include from."""
    if not program.compiled:
        return {}, ()
    from arenite.firmware.compiled import folder  # noqa: PLC0415 - needs the engine

    origins = [work.compiled.origin for work in program.compiled]
    return folder.own_sources(origins, library), folder.tree_folders(origins)


def _figures(
    files: Mapping[str, str],
    program: Program,
    golden: Golden,
    processor: str,
    how: tuple[Headers | None, Limits],
) -> Figures | None:
    """Counts of the self-test's inferences on an emulated core, where there is one."""
    if not can_emulate(processor):
        return None
    samples = golden.samples or [sample(program.network.inputs, 0)]
    data = [[array.tobytes() for array in arrays] for arrays in samples]
    layers, row_bytes = len(program.network.layers), program.row_bytes
    return emulated(
        files,
        program.name,
        layers,
        data,
        processor,
        row_bytes=row_bytes,
        headers=how[0],
        arena_bytes=program.arena_bytes,
        limits=how[1],
    )


def headers_in(model: Model) -> Headers | None:
    """Headers to compile a model's C++ kernels against; None where it has none."""
    if not compiled_in(model):
        return None
    from arenite.firmware.compiled.folder import headers_of  # noqa: PLC0415 - needs the engine
    from arenite.kernels.compile import origins_of  # noqa: PLC0415

    return headers_of(origins_of(model).values())


def chosen(
    made: Lossless, processor: str, budget: Budget, name: str, planner: str = "optimal"
) -> Program:
    """The program of these layers within a budget."""
    improve = partial(_improved, processor=processor, budget=budget)
    network, works, inputs = made.network, made.works, budget.inputs
    return program_from(network, works, name, planner, improve=improve, inputs=inputs)


def tflm_arena(model: Model, target: Target) -> int | None:
    """Bytes of TFLM's arena of a model, where it runs it; of 32 bits where any processor does."""
    if target.abi.startswith("lp64"):
        target = replace(target, abi="ilp32")
    with suppress(AreniteError), warnings.catch_warnings():
        warnings.simplefilter("ignore", PlanWarning)  # a plan may be for another device
        return smallest_arena(model, target=target)
    return None


def _improved(network: Network, works: Sequence[Work], processor: str, budget: Budget) -> Plan:
    def others(layer: AnyLayer, work: Work) -> list[Work]:
        if processor not in TUNED or not work.routine or work.compiled:
            return []
        plain = [] if budget.least == "time" else [portable_work(layer)]
        return [*plain, *(offers(layer, work) if processor in ASSEMBLED else [])]

    return plan_within(network, works, budget, kernels_for(processor, budget.icache), others)


def kernels_for(processor: str, icache: int | None = None) -> Kernels:
    """Kernels of layers on a processor whose cache of instructions has so many bytes."""
    kernels = KERNELS[processor]
    loads_pairs = CORES[processor].pipeline == "two at once"

    def work_of(layer: AnyLayer) -> Work:
        if layer.kernel is not None:
            from arenite.firmware.compiled.work import compiled_work  # noqa: PLC0415 - the engine

            return compiled_work(layer, processor)
        return kernels(replace(layer, icache=icache, loads_pairs=loads_pairs))

    return work_of


def _slower(program: Program, kernels: Kernels) -> float:
    """A program's cycles by those of the usual kernels, about."""
    layers = program.network.layers
    grouped = {n for group in program.groups for n in range(group.first, group.end)}
    alone = [one for one in layers if one.index not in grouped]
    time = sum(cycles(layer, program.works[layer.index]) for layer in alone)
    time += sum(map(group_cycles, program.groups))
    return time / max(sum(cycles(layer, kernels(layer)) for layer in layers), 1)


def layered(
    model: Model, processor: str, icache: int | None = None, *, optimize: bool = True
) -> Lossless:
    """Layers of a firmware for a processor; see :func:`arenite.firmware.plan.lossless`."""
    kernels = kernels_for(processor, icache)
    # Passes know what Arenite's operators compute, not what takes the place of one.
    own = [name for name in compiled_in(model) if builtin(name) is not None]
    return lossless(model, kernels, tuned=processor in TUNED, optimize=optimize and not own)


def _language(routine: Routine | None) -> str:
    """Language that most of a layer is written in."""
    if routine is None:
        return ""
    if routine.language == "cc":
        return "cc"
    return "s" if routine.is_assembly else "c"


def _export(
    program: Program,
    target: str,
    folder: Path,
    figures: Figures | None,
    model: Mapping[str, Any],
) -> Export:
    network = program.network
    return Export(
        folder=str(folder),
        name=program.name,
        target=target,
        arena_bytes=program.arena_bytes,
        constant_bytes=program.constant_bytes,
        state_bytes=sum(one.bytes for one in program.kept),
        inputs=tuple(map(port_facts, network.inputs)),
        outputs=tuple(map(port_facts, network.outputs)),
        figures=figures,
        layers=tuple(_layers(program, figures)),
        files=(),
        input_mode=program.inputs,
        model=model,
    )


def _layers(program: Program, figures: Figures | None) -> Iterator[ExportedLayer]:
    for layer, work in zip(program.network.layers, program.works, strict=True):
        routine, group = program.routine(layer.index), program.group(layer.index)
        count = figures.layers[layer.index] if figures else None
        first = figures.first_layers[layer.index] if figures else None
        yield ExportedLayer(
            index=layer.index,
            name=layer.name,
            shapes=str(layer).removeprefix(f"{layer.name} "),
            function=program.routines[routine] if routine else "",
            language=_language(routine),
            reason=work.reason,
            constant_bytes=sum(one.values.nbytes for one in work.constants),
            scratch_bytes=sum(one.bytes for one in work.scratch),
            instructions=count.instructions if count else None,
            cycles=count.cycles if count else None,
            rows=group.steps[layer.index - group.first] if group else 0,
            first_instructions=first.instructions if first else None,
            first_cycles=first.cycles if first else None,
        )
