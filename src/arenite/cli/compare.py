"""``arenite compare``: where two computations of a network part."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arenite.cli.common import AsJson, bar, progress, require_suffix, show, usage_errors
from arenite.cli.device import no_revision
from arenite.cli.engine import IsaOption
from arenite.cli.operators import Ops, chosen_operators
from arenite.cores import DEFAULT

if TYPE_CHECKING:
    from arenite.model import Model
    from arenite.model.model import Array

First = Annotated[
    str, typer.Argument(metavar="MODEL[@ENGINE]", help="A .tflite or .mnn file, and who computes.")
]
Second = Annotated[
    str | None,
    typer.Argument(
        metavar="[OTHER]",
        help="MODEL[@ENGINE], @ENGINE, or a dump of a board's tensors (.npz or text). Engines: "
        f"{DEFAULT} and other processors, litert, litert-reference, tflm.",
    ),
]
Inputs = Annotated[
    list[Path] | None,
    typer.Option("--input", "-i", metavar="FILE", help="One per input, as arenite run takes it."),
]
Runs = Annotated[int, typer.Option(min=1, max=10_000, help="Random inferences, besides extremes.")]
Seed = Annotated[int, typer.Option(min=0, help="Of the random inputs.")]
SvgFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Draw error against depth into this .svg file.")
]
Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="PATH",
        help="Compare on samples: a folder, a .npz or a .csv as arenite evaluate takes them; the "
        "first --runs of them.",
    ),
]
MinSqnr = Annotated[
    float | None,
    typer.Option(
        "--min-sqnr",
        metavar="DB",
        help="Exit with code 0 if the last layer's signal to error is at least this, 1 if not.",
    ),
]
Snippet = Annotated[
    bool, typer.Option("--snippet", help="Print the C++ lines that make a board send its tensors.")
]


NoRevision = Annotated[
    str | None,
    no_revision("sides are compared in the bits of today; arenite run has those of a revision"),
]


def compare(
    first: First,
    second: Second = None,
    *,
    inputs: Inputs = None,
    data: Data = None,
    runs: Runs = 10,
    seed: Seed = 0,
    min_sqnr: MinSqnr = None,
    svg: SvgFile = None,
    snippet: Snippet = False,
    isa: IsaOption = None,
    tflm_version: NoRevision = None,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Find the first operator whose numbers differ: exit code 0 if none does, 1 if one does.

    Example: arenite compare model.tflite @litert
    """
    from arenite.analysis.compare import compare as compared
    from arenite.analysis.compare import compare_facts
    from arenite.analysis.engines.dumps import snippet as lines_of
    from arenite.analysis.engines.sides import side_of
    from arenite.files import replace_file
    from arenite.report.compare import comparison_svg, render_comparison

    require_suffix(svg, ".svg", "--svg")
    with usage_errors():
        operators = chosen_operators(ops)
        a = side_of(first, operators=operators, isa=isa)
        if snippet:
            typer.echo(lines_of(a.model), nl=False)
            return
        if second is None:
            raise ValueError("expected what to compare with: MODEL, @ENGINE or a dump")
        b = side_of(second, a.model, operators, isa)
        given = _given(a.model, inputs)
        if given is not None and data is not None:
            raise ValueError("expected --input or --data, got both")
        if b.dump is not None and given is None:
            raise ValueError("a dump has one inference: give its input with --input")
    with progress("comparing", 2, 2.0) as advance:
        found = compared(a, b, given, data=data, runs=runs, seed=seed, progress=advance)
    if svg is not None:
        replace_file(svg, comparison_svg(found))
    show(found, compare_facts, partial(render_comparison, bar=bar()), as_json=as_json)
    is_near = found.equal if min_sqnr is None else found.sqnr >= min_sqnr
    raise typer.Exit(0 if is_near else 1)


def _given(model: Model, files: list[Path] | None) -> list[list[Array]] | None:
    from arenite.analysis.inputs.files import read_inputs

    return [[one.array for one in read_inputs(model, files)]] if files else None
