"""``arenite info``: what a model is made of."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from arenite.cli.common import AsJson, ModelPath, console, print_json, print_lines
from arenite.cli.device import SdkName, TflmVersion
from arenite.cli.operators import Ops, load_model
from arenite.files import naming, open_regular, read_whole


def info(
    model: ModelPath,
    *,
    sdk: SdkName = None,
    tflm_version: TflmVersion = None,
    is_whole: Annotated[
        bool, typer.Option("--all", help="List every operator, however many there are.")
    ] = False,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Show a model's inputs, outputs, operators, sizes and C++ resolver; first what TFLM refuses.

    With --sdk or --tflm-version, also which operators that TFLM does not have.

    Example: arenite info model.tflite
    """
    from arenite.analysis.facts import model_facts
    from arenite.analysis.revision import lacking
    from arenite.report.model import render_model
    from arenite.report.net import render_net
    from arenite.report.revision import render_lacking

    loaded = load_model(model, ops)
    revision = tflm_version or sdk
    lacks = None if revision is None else lacking(loaded, revision)
    if as_json:
        facts = model_facts(loaded) | ({} if lacks is None else {"revision": lacks._asdict()})
        print_json(facts | ({"net": _net(model)} if loaded.format == "mnn" else {}))
        return
    terminal = console()
    lines = render_model(loaded, terminal.width, *([sys.maxsize] if is_whole else []))
    print_lines(terminal, lines)
    if loaded.format == "mnn":
        print_lines(terminal, render_net(_net(model)))
    if lacks is not None:
        print_lines(terminal, render_lacking(lacks, terminal.width))


def _net(path: str) -> dict[str, Any]:
    """The fields of a ``.mnn`` file's Net."""
    from arenite.mnn.file.net import net_facts, read_net

    with naming(Path(path)), open_regular(Path(path)) as file:
        return net_facts(read_net(read_whole(file), source=path))
