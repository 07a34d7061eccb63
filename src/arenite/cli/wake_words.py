"""The part of ``arenite fit`` for streaming models: several at once, manifests, their program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from arenite.cli.common import chosen_target, show
from arenite.cli.device import DeviceOptions
from arenite.cli.operators import load_model
from arenite.cli.quantity import checked
from arenite.library_facts import facts_of

RuntimeName = Literal["esphome"]
RuntimeOption = Annotated[
    RuntimeName | None,
    typer.Option(
        "--runtime",
        help="The program that loads the models: its operators, its releases, its arena for "
        "variables.",
    ),
]
Manifests = Annotated[
    list[Path] | None,
    typer.Option(
        "--manifest",
        metavar="FILE.json",
        help="A manifest of microWakeWord's, to check; its model lies beside it. Repeatable.",
    ),
]


def are_wake_words(models: list[str], board: str | None, target: str | None) -> bool:
    """Whether one model alone is meant for such a program: it streams, on a chip with releases."""
    from arenite.analysis.wake_words import is_streaming
    from arenite.boards import find_board

    if len(models) != 1 or not (board or target):
        return False
    try:
        meant = chosen_target(target or find_board(str(board)).processor)
    except ValueError:
        return False  # the command says it
    return bool(meant.library_version) and is_streaming(load_model(models[0], None))


def fit_wake_words(
    models: list[str],
    manifests: list[Path],
    firmware: DeviceOptions,
    *,
    as_json: bool,
) -> None:
    """Say what the models need side by side, with every release of the library.

    Raises:
        typer.Exit: Always: with 0 if all fit and every manifest asks for enough, else with 1.
    """
    from arenite.analysis.runtimes import ESPHOME
    from arenite.analysis.wake_words import read_manifest, wake_word_facts, wake_words
    from arenite.boards import find_board
    from arenite.report.wake_words import render_wake_words

    board = firmware.board
    found = None if board is None else checked(find_board, board, option="--board")
    processor = firmware.target or (ESPHOME.processor if found is None else found.processor)
    usual: dict[str, Any] = {
        "library_version": ESPHOME.library_version,
        "glue_version": ESPHOME.glue_version,
        "variables_arena": ESPHOME.variables_arena,
    }
    if firmware.library is not None and not facts_of(firmware.library).versions:
        usual = {"variables_arena": ESPHOME.variables_arena}
    meant = chosen_target(processor, **{**usual, **firmware.parts})
    words = [load_model(model, None) for model in models]
    result = wake_words([*words, *map(read_manifest, manifests)], meant, ESPHOME, found)
    show(result, wake_word_facts, render_wake_words, as_json=as_json)
    raise typer.Exit(0 if result else 1)
