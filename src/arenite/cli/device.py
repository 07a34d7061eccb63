"""``--board`` and ``--target``: the device that a command is about, the same in every command."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arenite.cli.common import (
    Compiler,
    GlueVersion,
    Library,
    LibraryVersion,
    Optimization,
    Rounding,
    StructSizes,
    VariablesArena,
)
from arenite.cli.quantity import checked, read_megahertz
from arenite.cores import CORES, DEFAULT, devices, listed

if TYPE_CHECKING:
    from arenite.analysis.devices import Device
    from arenite.model import Model


def _begins(names: list[str], begun: str) -> list[str]:
    return [name for name in names if name.startswith(begun.lower())]


def complete_boards(incomplete: str) -> list[str]:
    """Boards and chips that begin so, for the shell."""
    from arenite.boards import boards

    names = {board.name for board in boards()}
    names |= {board.chip.lower().replace(" ", "-") for board in boards()}
    return _begins(sorted(names), incomplete)


def complete_targets(incomplete: str) -> list[str]:
    """Processors that begin so, for the shell."""
    return _begins(list(CORES), incomplete)


BoardName = Annotated[
    str | None,
    typer.Option(
        "--board",
        metavar="NAME",
        autocompletion=complete_boards,
        help="A board or a chip of arenite boards, or a .toml file of your own: its processor, "
        "clock and memory.",
    ),
]
TargetName = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="PROCESSOR",
        autocompletion=complete_targets,
        help=f"Firmware for {listed(devices())} (or m4, {DEFAULT}f ...): TFLM with CMSIS-NN, "
        "built with GCC, on a Cortex-M; other families have libraries of their own. By default the "
        "board's.",
    ),
]


def _revision(name: str) -> str:
    """A revision's name as it is; refused where there is none."""
    from arenite.revisions.known import revision_of

    checked(revision_of, name)
    return name


def _sdk(name: str) -> str:
    """A release's name with its SDK's; refused where there is none."""
    from arenite.sdks import find

    return checked(find, name).name


def complete_sdks(incomplete: str) -> list[str]:
    """SDKs and their releases that begin so, for the shell."""
    from arenite.sdks import releases, sdks

    return _begins([*sdks(), *releases()], incomplete)


SdkName = Annotated[
    str | None,
    typer.Option(
        "--sdk",
        parser=_sdk,
        metavar="NAME[@RELEASE]",
        autocompletion=complete_sdks,
        help="What the firmware is built with, of arenite sdks: its TFLM, kernel library, glue, "
        "compiler and struct sizes at once; the last release by default.",
    ),
]


TflmVersion = Annotated[
    str | None,
    typer.Option(
        "--tflm-version",
        parser=_revision,
        metavar="REVISION",
        autocompletion=complete_sdks,
        help="The firmware's TFLM alone: a date such as 2024-06, or an SDK whose TFLM it is; by "
        "default the SDK's.",
    ),
]


def _release(name: str) -> str:
    """A release's name as it is; refused where there is none."""
    from arenite.revisions.cmsis_nn import day_of

    checked(day_of, name)
    return name


def complete_releases(incomplete: str) -> list[str]:
    """Releases of CMSIS-NN that begin so, for the shell."""
    from arenite.revisions.cmsis_nn import releases

    return _begins(list(releases()), incomplete)


CmsisNnVersion = Annotated[
    str | None,
    typer.Option(
        "--cmsis-nn-version",
        parser=_release,
        metavar="RELEASE",
        autocompletion=complete_releases,
        help="The firmware's CMSIS-NN alone: a release such as 6.0.0, or a date; by default the "
        "SDK's.",
    ),
]


def no_revision(why: str) -> Any:
    """``--tflm-version`` and ``--sdk`` of a command that has none, which says why."""

    def refuse(name: str | None) -> None:
        if name is not None:
            raise typer.BadParameter(f"{why}: expected none, got {name!r}")

    return typer.Option("--tflm-version", "--sdk", hidden=True, callback=refuse)


Clock = Annotated[
    float | None,
    typer.Option(
        parser=read_megahertz,
        metavar="MHZ",
        help="The processor's clock: 168, 168MHz or 1.2GHz; by default the board's highest.",
    ),
]


@dataclass(frozen=True)
class DeviceOptions:
    """The options that say which firmware is meant; a command has some of them."""

    board: BoardName = None
    target: TargetName = None
    sdk: SdkName = None
    tflm_version: TflmVersion = None
    cmsis_nn_version: CmsisNnVersion = None
    library: Library = None
    library_version: LibraryVersion = None
    glue_version: GlueVersion = None
    variables_arena: VariablesArena = None
    compiler: Compiler = None
    optimization: Optimization = None
    rounding: Rounding = None
    abi: StructSizes = None
    clock: Clock = None

    def check(self) -> None:
        """Refuse a board or a target that there is not, before a model is read."""
        self.chosen(None)

    def chosen(self, default: str | None = DEFAULT, model: Model | None = None) -> Device:
        """The device that they mean for a model; see :func:`chosen_device`."""
        return chosen_device(
            self.board, self.target, self.clock, default=default, model=model, **self.parts
        )

    @property
    def parts(self) -> dict[str, Any]:
        """Fields of a target that were given, without its processor."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        given["tflm"] = given.pop("tflm_version")
        given["cmsis_nn"] = given.pop("cmsis_nn_version")
        given["optimize"] = given.pop("optimization")
        return {
            name: value
            for name, value in given.items()
            if value is not None and name not in ("board", "target", "clock")
        }


#: Options of a command that computes as a firmware does, and of one about its memory.
RESULTS = ("board", "target", "sdk", "tflm_version", "library", "compiler", "rounding", "abi")
REVISIONS = ("target", "sdk", "tflm_version", "cmsis_nn_version")
_VERSIONS = ("board", *REVISIONS, "library", "library_version", "glue_version")
RELEASES = (*_VERSIONS, "compiler", "optimization", "abi")
MEMORY = (*_VERSIONS, "variables_arena", "compiler", "abi")
TIMES = (
    *("board", "target", "sdk", "tflm_version", "library", "compiler", "optimization", "abi"),
    "clock",
)


def chosen_device(
    board: str | None,
    target: str | None,
    clock: float | None = None,
    *,
    default: str | None = DEFAULT,
    model: Model | None = None,
    **parts: str | int | None,
) -> Device:
    """The device of a command's options; see :func:`arenite.analysis.devices.device_of`.

    Raises:
        typer.BadParameter: There is no such board or target.
    """
    from arenite.analysis.devices import device_of
    from arenite.boards import find_board

    given = {part: value for part, value in parts.items() if value is not None}
    try:
        found = None if board is None else find_board(board)
    except (ValueError, OSError) as error:
        raise typer.BadParameter(str(error), param_hint="--board") from None
    return checked(
        lambda: device_of(found, target, clock, model=model, default=default, **given),
        option="--target",
    )
