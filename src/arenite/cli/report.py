"""``arenite report``: all that can be said of a model, as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arenite.cli.common import (
    ModelPath,
    note,
    require_other,
    require_suffix,
    usage_errors,
    warn,
)
from arenite.cli.device import TIMES, DeviceOptions
from arenite.cli.fit import Deadline
from arenite.cli.memory import search_bar
from arenite.cli.operators import Ops, load_model

Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="Write the page to this .html file.")
]
Sides = Annotated[
    list[str] | None,
    typer.Option(
        "--compare",
        metavar="SIDE",
        help="Compare with this as arenite compare does: @litert, @PROCESSOR, MODEL; any number.",
    ),
]

Quantized = Annotated[
    Path | None,
    typer.Option(
        metavar="REPORT.json",
        help="How the model was quantised: a file of what arenite quantize --json printed.",
    ),
]


def report(
    model: ModelPath,
    *,
    output: Output,
    firmware: Annotated[DeviceOptions, TIMES],
    deadline: Deadline = None,
    compare: Sides = None,
    quantized: Quantized = None,
    ops: Ops = None,
) -> None:
    """Write one page: whether it fits, the graph, memory over time, costs, paths; for any browser.

    Example: arenite report model.tflite -o report.html --board nano33ble --compare @litert
    """
    from arenite.report.page.make import report as made

    require_suffix(output, ".html", "--output")
    require_other(output, "--output", [Path(model)])
    firmware.check()
    loaded = load_model(model, ops)
    device = firmware.chosen(model=loaded)
    if words := device.note():
        note(words)
    with usage_errors(), search_bar() as told:
        page = made(
            loaded,
            output,
            target=device.target,
            board=device.board,
            deadline=deadline,
            clock=device.clock,
            compare=compare or (),
            quantized=quantized,
            progress=told,
        )
    for words in page.missing:
        warn(words)
    typer.echo(f"{output}: {len(page.html.encode()):,} bytes")
