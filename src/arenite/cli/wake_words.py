"""The part of ``arenite fit`` for streaming models: several at once, manifests, their program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from arenite.cli.common import chosen_target, show
from arenite.cli.device import DeviceOptions
from arenite.cli.operators import load_model
from arenite.library_facts import facts_of

if TYPE_CHECKING:
    from arenite.analysis.devices import Device
    from arenite.analysis.wake_words import WakeWords
    from arenite.model import Model

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


def wake_word_of(model: Model, device: Device) -> WakeWords | None:
    """The verdict of such a program on a model, if it is made for that kind and the library."""
    from arenite.analysis.runtimes import ESPHOME
    from arenite.analysis.wake_words import wake_words

    if not device.target.library_version or not ESPHOME.is_for(model):
        return None
    return wake_words([model], device.target, ESPHOME, device.board)


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
    from arenite.report.wake_words import render_wake_words

    device = firmware.chosen(ESPHOME.processor)
    processor, library = device.target.processor, firmware.library
    has_releases = library is None or facts_of(library).versions
    usual = ESPHOME.parts if has_releases else {"variables_arena": ESPHOME.variables_arena}
    if firmware.sdk is not None:
        usual = {}
    meant = chosen_target(processor, **{**usual, **firmware.parts})
    words = [load_model(model, None) for model in models]
    result = wake_words([*words, *map(read_manifest, manifests)], meant, ESPHOME, device.board)
    show(result, wake_word_facts, render_wake_words, as_json=as_json)
    raise typer.Exit(0 if result else 1)
