"""``arenite info``: what a model is made of."""

from __future__ import annotations

from arenite.cli.common import AsJson, ModelPath, console, print_json
from arenite.cli.operators import Ops, load_model


def info(model: ModelPath, ops: Ops = None, as_json: AsJson = False) -> None:
    """Show a model's inputs, outputs, operators, sizes and C++ resolver.

    Example: arenite info model.tflite
    """
    from arenite.analysis.facts import model_facts
    from arenite.report.model import render_model

    loaded = load_model(model, ops)
    if as_json:
        print_json(model_facts(loaded))
        return
    terminal = console()
    for line in render_model(loaded, terminal.width):
        terminal.print(line, soft_wrap=True)
