"""``arenite optimize``: the same outputs from a smaller and faster model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arenite.cli.common import (
    NOT_VERIFIED,
    AsJson,
    ModelPath,
    fail,
    is_ascii,
    progress,
    require_other,
    require_suffix,
    show,
    usage_errors,
)
from arenite.cli.device import MEMORY, DeviceOptions
from arenite.cli.operators import Ops, load_model
from arenite.cli.quantity import bytes_option, checked, deadline_option

if TYPE_CHECKING:
    from rich.text import Text

    from arenite.analysis.devices import Device
    from arenite.analysis.optimization import Optimization
    from arenite.model import Model
    from arenite.optimize.outcome import Report
    from arenite.target import Target


OverlapName = Literal["none", "portable", "target"]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="OUT.tflite", help="The file to write; without it none is."
    ),
]


def complete_passes(incomplete: str) -> list[str]:
    """Passes whose names begin like the last one of a list, for the shell."""
    from arenite.optimize.sequence import sequence

    before, comma, begun = incomplete.rpartition(",")
    return [
        f"{before}{comma}{name}"
        for name in dict.fromkeys(sequence())
        if name.startswith(begun.strip())
    ]


Only = Annotated[
    str | None,
    typer.Option(
        metavar="PASS,...",
        autocompletion=complete_passes,
        help="Some passes only: fold, clean, channels, plan ...",
    ),
]
Overlap = Annotated[
    OverlapName,
    typer.Option(
        help="Whether outputs may lie on inputs: none is safe with any kernels, portable with all "
        "that are known, target with those of --target alone."
    ),
]
Dilate = Annotated[
    bool,
    typer.Option(help="Let 1x1 convolutions take a path that overlaps, where the plan needs it."),
]
Compress = Annotated[
    bool,
    typer.Option(
        help="Write constants through TFLM_DECODE where flash gets smaller; the arena gets larger, "
        "within --ram where that is given, and inferences take longer, within --deadline."
    ),
]
Strip = Annotated[bool, typer.Option(help="Take away names and descriptions.")]
Lower = Annotated[
    bool,
    typer.Option(
        help="Write operators that the TFLM of --tflm-version, or today's, does not run from those "
        "that it has; the report says how far outputs are from LiteRT's."
    ),
]
Ram = Annotated[int | None, bytes_option("The arena there is (96k); code 1 if it is less.")]
Deadline = Annotated[
    float | None,
    deadline_option(
        "How long an inference may take with what is decoded, at most, as fit says it: 50ms, 1.5s; "
        "code 1 if it may be longer."
    ),
]
DecompressionMemory = Annotated[
    int, bytes_option("Memory that the firmware has beside the arena for what is decoded.")
]
DecoderCode = Annotated[
    int | None,
    bytes_option(
        "Code that TFLM_DECODE adds to the firmware, 0 where it has it anyway; by default 22,000."
    ),
]
Verify = Annotated[
    int, typer.Option(min=0, metavar="N", help="Random inputs to compare both models on.")
]
Seconds = Annotated[
    float, typer.Option(min=0.001, metavar="S", help="How long one search for a plan may take.")
]
InputRange = Annotated[
    list[str] | None,
    typer.Option(
        "--range",
        metavar="NAME=LOW:HIGH",
        help="Real values that an input has, as you promise; repeatable.",
    ),
]
SvgFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write both plans to this .svg file.")
]
Replace = Annotated[bool, typer.Option(help="OUT may be the model itself.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Every change, and all declined.")]
Map = Annotated[bool, typer.Option("--map", help="Draw both plans.")]


@dataclass(frozen=True)
class PassOptions:
    """The options that say which passes run, and how; of :func:`arenite.optimize` by name."""

    only: Only = None
    overlap: Overlap = "none"
    dilate: Dilate = False
    compress: Compress = False
    strip: Strip = False
    lower: Lower = False
    ram: Ram = None
    deadline: Deadline = None
    decompression_memory: DecompressionMemory = 0
    decoder_code: DecoderCode = None
    verify: Verify = 8
    seconds: Seconds = 10.0
    input_range: InputRange = None

    def settings(self, device: Device, model: Model) -> dict[str, Any]:
        """Arguments of :func:`arenite.optimize`.

        Raises:
            typer.BadParameter: There is no such pass, a range is none, or a deadline has no clock.
        """
        from arenite.analysis.fit_time import time_of
        from arenite.analysis.optimization import figures
        from arenite.optimize.sequence import sequence

        given = {one.name: getattr(self, one.name) for one in fields(self)}
        names = None if self.only is None else [name.strip() for name in self.only.split(",")]
        checked(sequence, names, option="--only")
        ranges = read_ranges(given.pop("input_range") or [])
        if self.decoder_code is None:
            del given["decoder_code"]
        if (deadline := given.pop("deadline")) is not None:
            if device.clock is None:
                raise typer.BadParameter("expected --clock or --board for a deadline")
            most = time_of(model, device.target, device.clock, board=device.board).most
            cycles = figures(model, device.target).cycles
            share = most * device.clock * 1000 / cycles if most and cycles else 1.0
            given["cycles"] = int(deadline * device.clock * 1000 / share)
        return {**given, "only": names, "overlap": self.overlap, "ranges": ranges}


#: A deadline needs a clock.
_FIRMWARE = (*MEMORY, "clock")


def optimize(
    model: ModelPath,
    *,
    output: Output = None,
    firmware: Annotated[DeviceOptions, _FIRMWARE],
    passes: PassOptions,
    svg: SvgFile = None,
    replace: Replace = False,
    draw: Map = False,
    verbose: Verbose = False,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Make a model smaller and faster: the same bits for every input, the firmware as it is.

    With --lower, also one that TFLM runs out of one that it does not.

    Example: arenite optimize model.tflite -o smaller.tflite --target cortex-m4
    """
    from arenite.analysis.optimization import optimization, optimization_facts

    require_suffix(output, ".tflite", "--output")
    require_suffix(svg, ".svg", "--svg")
    require_other(svg, "--svg", [Path(model)])
    if not replace:
        require_other(output, "--output", [Path(model)])
    firmware.check()
    loaded = load_model(model, ops)
    device = firmware.chosen(None, loaded)
    settings = passes.settings(device, loaded)
    result, report = _optimized(loaded, device.target, settings)
    found = optimization(report)
    _write(result, output, found, svg)
    written = None if output is None else str(output)
    facts = partial(optimization_facts, output=written, ram=passes.ram)
    drawn = partial(_lines, verbose=verbose, draw=draw)
    show(found, facts, drawn, device.note(), as_json=as_json)
    if settings["lower"]:
        _require_runs(result, device.target)
    _require_room(found, passes.ram, settings.get("cycles"))
    if found.unverified:
        raise typer.Exit(NOT_VERIFIED)


def read_ranges(texts: list[str]) -> dict[str, tuple[float, float]]:
    """``NAME=LOW:HIGH`` as numbers by name.

    Raises:
        typer.BadParameter: It is none, or the lower end is above the higher one.
    """
    ranges = {}
    for text in texts:
        name, _, ends = text.rpartition("=")
        low, _, high = ends.partition(":")
        try:
            ranges[name] = float(low), float(high)
        except ValueError:
            ranges[name] = 1.0, 0.0
        if not name or not ranges[name][0] <= ranges[name][1]:
            raise typer.BadParameter(
                f"expected NAME=LOW:HIGH, such as image=0:1, got {text!r}", param_hint="--range"
            )
    return ranges


def _optimized(model: Model, target: Target, settings: dict[str, Any]) -> tuple[Model, Report]:
    from arenite.optimize.optimizer import optimize as run
    from arenite.optimize.sequence import sequence

    _require_inputs(model, settings["ranges"])
    with (
        progress("optimising", len(sequence(settings["only"])) + 1, 2.0) as advance,
        usage_errors(),
    ):
        return run(model, target, progress=lambda _: advance(), **settings)


def _require_runs(result: Model, target: Target) -> None:
    """Fail where TFLM refuses what was lowered."""
    from arenite.optimize.parts import refusal_of

    if refusal := refusal_of(result, target):
        fail(f"TFLM still does not run the model: {str(refusal).splitlines()[0]}")


def _require_room(found: Optimization, ram: int | None, cycles: int | None) -> None:
    """Fail where the result takes more arena or time than there is."""
    arena, takes = found.result.arena, found.result.cycles
    if ram is not None and arena > ram:
        fail(f"the model needs an arena of {arena:,} bytes, {arena - ram:,} more than --ram")
    if cycles is not None and takes is not None and takes > cycles:
        fail(
            f"an inference computes for {takes:,} cycles, and --deadline leaves {cycles:,} beside "
            "waits for memory"
        )


def _require_inputs(model: Model, names: Iterable[str]) -> None:
    """Refuse a range of what is no input."""
    inputs = [tensor.name for tensor in model.inputs]
    for name in names:
        if name not in inputs:
            raise typer.BadParameter(
                f"expected an input of {', '.join(inputs)}, got {name!r}", param_hint="--range"
            )


def _write(result: Model, output: Path | None, found: Optimization, svg: Path | None) -> None:
    from arenite.files import replace_file
    from arenite.formats import tflite
    from arenite.report.optimize_svg import plans_svg

    if output is not None:
        replace_file(output, tflite.write(result))
    if svg is not None:
        name = Path(found.file).name
        titles = [
            f"{name} {when}: {one.head:,} bytes of head"
            for when, one in (("before", found.original), ("after", found.result))
        ]
        both = plans_svg((titles[0], found.original.buffers), (titles[1], found.result.buffers))
        replace_file(svg, both)


def _lines(found: Optimization, width: int, *, verbose: bool, draw: bool) -> Iterator[Text]:
    from arenite.report.optimize import render_maps, render_optimization

    yield from render_optimization(found, width, verbose=verbose)
    if draw:
        yield from render_maps(found, width, ascii_only=is_ascii())
