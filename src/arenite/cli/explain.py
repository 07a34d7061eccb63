"""``arenite explain``: what CMSIS-NN does with a model, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arenite.cli.common import AsJson, ModelPath, is_ascii, show
from arenite.cli.cost import check_operator
from arenite.cli.device import RELEASES, DeviceOptions
from arenite.cli.operators import Ops, load_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from arenite import Model
    from arenite.analysis.convolution_walk import ConvolutionWalk
    from arenite.analysis.explanation import Explanation

OperatorIndex = Annotated[
    int | None,
    typer.Option(
        "--op",
        min=0,
        metavar="N",
        help="Operator N alone; an int8 CONV_2D is followed number by number.",
    ),
]
InputFiles = Annotated[
    list[Path] | None,
    typer.Option("--input", "-i", metavar="FILE", help="As for arenite run; for --op."),
]
Seed = Annotated[int, typer.Option(min=0, metavar="S", help="Seed of random inputs, for --op.")]


def explain(
    model: ModelPath,
    *,
    op: OperatorIndex = None,
    firmware: Annotated[DeviceOptions, RELEASES],
    inputs: InputFiles = None,
    seed: Seed = 0,
    ops: Ops = None,
    as_json: AsJson = False,
) -> None:
    """Show which CMSIS-NN function every operator takes, why, and what it computes.

    Example: arenite explain model.tflite --op 0
    """
    from arenite.analysis.ethos_u import command_facts, npu_operators
    from arenite.analysis.explanation import explanation, explanation_facts
    from arenite.report.ethos_u import render_commands
    from arenite.report.explain import ASCII, UNICODE, render_explanation
    from arenite.report.walk import render_operator

    firmware.check()
    loaded = load_model(model, ops)
    device = firmware.chosen(model=loaded)
    what = explanation(loaded, device.target)
    check_operator(op, len(loaded.main.operators))
    if inputs and op is None:
        raise typer.BadParameter("expected --op N, whose walk it is for", param_hint="--input")
    walk = None if op is None else _walk(loaded, what, op, inputs, seed)
    npu = [one for one in npu_operators(loaded) if op in (None, one.operator)]

    def facts(what: Explanation) -> dict[str, Any]:
        found = explanation_facts(what) if op is None else _facts(what, op, walk)
        return found | ({"npu": [command_facts(one) for one in npu]} if npu else {})

    def lines(what: Explanation, width: int) -> Iterator[Text]:
        marks = ASCII if is_ascii() else UNICODE
        if op is None:
            yield from render_explanation(what, width, marks)
        else:
            yield from render_operator(what, op, walk, width, marks)
        for one in npu:
            yield from render_commands(one, width)

    show(what, facts, lines, device.note(), as_json=as_json)


def _walk(
    model: Model, what: Explanation, op: int, files: list[Path] | None, seed: int
) -> ConvolutionWalk | None:
    """The way through one convolution, on inputs from files or on random ones."""
    from arenite.analysis.convolution_walk import convolution_walk, has_walk
    from arenite.analysis.inputs.files import random_inputs, read_inputs

    operator = what.operators[op]
    if not has_walk(operator, what.target):
        return None
    fed = read_inputs(model, files) if files else random_inputs(model, seed)
    return convolution_walk(model, operator, what.target, [one.array for one in fed])


def _facts(what: Explanation, op: int, walk: ConvolutionWalk | None) -> dict[str, Any]:
    from arenite.analysis.convolution_walk import walk_facts
    from arenite.analysis.explanation import operator_facts

    facts = operator_facts(what, what.operators[op])
    return {**facts, "walk": None if walk is None else walk_facts(walk)}
