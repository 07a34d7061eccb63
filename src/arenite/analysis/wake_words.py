"""Whether streaming models fit a chip side by side, and what their manifests have to say.

A manifest is microWakeWord's: JSON beside a model, whose ``micro.tensor_arena_size`` is how large
an arena the program that loads it allocates. What is needed depends on the kernels' release.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from arenite.analysis.arena_use import Firmware, needed_by
from arenite.analysis.runtimes import Runtime
from arenite.boards import Board
from arenite.boards.board import board_facts
from arenite.documents import read_json
from arenite.errors import AreniteError, UndefinedWarning
from arenite.formats import load
from arenite.library_facts import facts_of
from arenite.model import Model
from arenite.target import Target

_MOST_BYTES = 1 << 20


class ManifestError(AreniteError, ValueError):
    """A manifest is no JSON object of microWakeWord's, or names no model beside it."""


@dataclass(frozen=True)
class Manifest:
    """Contents of a manifest: its file, the model beside it, the arena's size."""

    file: str
    model: Path
    arena: int


@dataclass(frozen=True)
class WakeWord:
    """A model's arena with every known release of the library.

    Attributes:
        file: The model's.
        target: The firmware.
        smallest: Bytes of the smallest arena, by release; one with the target's if it has none.
        asked: Bytes that a manifest should ask for with the target's release.
        manifest: What there is of it; None without one.
        faults: What the library is known to do wrong with the model, each once.
        safe_at: What to add to a smallest arena to be right wherever it begins.
    """

    file: str
    target: Target
    smallest: dict[str, int]
    asked: int
    manifest: Manifest | None = None
    faults: tuple[str, ...] = ()
    safe_at: int = 16

    @property
    def needed(self) -> int:
        """Bytes of the smallest arena with the target's release."""
        return self.smallest[self.target.library_version]

    @property
    def fits(self) -> bool:
        """Whether the manifest asks for enough; true without one."""
        return self.manifest is None or self.manifest.arena >= self.needed + self.safe_at

    @property
    def wrong_since(self) -> str:
        """The first release of which, and of all later ones, the manifest asks for too little."""
        first = ""
        for version, smallest in self.smallest.items():
            enough = self.manifest is None or self.manifest.arena >= smallest + self.safe_at
            first = "" if enough else first or version
        return first


@dataclass(frozen=True)
class WakeWords:
    """Several models on one board. True in a condition if all fit, and every manifest is right."""

    words: tuple[WakeWord, ...]
    runtime: Runtime
    board: Board | None

    @property
    def arenas(self) -> list[int]:
        """Bytes of each: every model keeps its state in one, and its variables beside it."""
        given = [one.asked if one.manifest is None else one.manifest.arena for one in self.words]
        return given + [self.runtime.variables_arena] * len(self.words)

    @property
    def ram(self) -> int:
        """Bytes of all arenas."""
        return sum(self.arenas)

    @property
    def in_internal(self) -> bool | None:
        """Whether the chip's own RAM holds them, were it empty; None without a board."""
        if self.board is None:
            return None
        return _have_room(self.arenas, [one.size for one in self.board.rooms])

    @property
    def in_psram(self) -> bool | None:
        """Whether RAM beside the chip holds them; None without a board or without such."""
        if self.board is None or not self.board.external:
            return None
        outside = [bank.size for bank in self.board.banks if bank.holds == "external"]
        return _have_room(self.arenas, outside)

    def __bool__(self) -> bool:
        has_room = self.board is None or bool(self.in_internal or self.in_psram)
        return has_room and all(one.fits for one in self.words)


def _have_room(sizes: list[int], spaces: list[int]) -> bool:
    """Whether each goes into one space: the largest first, each into the first with room."""
    free = list(spaces)
    for size in sorted(sizes, reverse=True):
        place = next((n for n, room in enumerate(free) if room >= size), None)
        if place is None:
            return False
        free[place] -= size
    return True


class UnlistedOperatorError(AreniteError, ValueError):
    """A program's resolver lacks operators of a model."""


def read_manifest(path: str | Path) -> Manifest:
    """A manifest of microWakeWord's.

    Raises:
        ManifestError: It is no such manifest, or its model lies elsewhere.
        OSError: It cannot be read.
    """
    place = Path(path)
    try:
        said = read_json(place, _MOST_BYTES)
    except ValueError as error:
        raise ManifestError(f"{place}: expected JSON: {error}") from None
    micro = said.get("micro") if isinstance(said, dict) else None
    size = micro.get("tensor_arena_size") if isinstance(micro, dict) else None
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise ManifestError(f"{place}: expected micro.tensor_arena_size in bytes, got {size!r}")
    name = said.get("model")
    if not isinstance(name, str) or not name or PurePosixPath(name).name != name or "\\" in name:
        raise ManifestError(f"{place}: expected the name of a model beside it, got {name!r}")
    return Manifest(str(place), place.parent / name, size)


def wake_words(
    models: list[Model | Manifest], target: Target, runtime: Runtime, board: Board | None
) -> WakeWords:
    """Needs of models, or of the models of manifests, side by side.

    Args:
        models: Models, or manifests with their models.
        target: The firmware; its release of the library counts for verdicts.
        runtime: The program that loads them.
        board: Where they run; None if only manifests are looked at.

    Raises:
        UnlistedOperatorError: The runtime's resolver lacks operators.
        AreniteError: A model cannot be read, or cannot run on the target.
    """
    return WakeWords(tuple(_word(one, target, runtime) for one in models), runtime, board)


def _word(given: Model | Manifest, target: Target, runtime: Runtime) -> WakeWord:
    manifest, model = None, given
    if isinstance(given, Manifest):
        manifest, model = given, load(given.model)
    assert isinstance(model, Model)
    _check_operators(model, runtime)
    smallest, faults = {}, {}
    for version in facts_of(target.library).versions or ("",):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UndefinedWarning)
            smallest[version] = _smallest(model, replace(target, library_version=version))
        faults[version] = tuple(dict.fromkeys(_fault(str(one.message)) for one in caught))
    asked = runtime.arena_for(smallest[target.library_version])
    found = faults[target.library_version]
    return WakeWord(model.source, target, smallest, asked, manifest, found)


def _fault(message: str) -> str:
    """A warning without its operator's place and without whose results are computed here."""
    return message.partition("): ")[2].partition("; results here")[0] or message


def is_streaming(model: Model) -> bool:
    """Whether a model keeps state in variables, as wake words do."""
    return any(operator.name == "VAR_HANDLE" for operator in model.main.operators)


def _check_operators(model: Model, runtime: Runtime) -> None:
    names = {operator.name for graph in model.subgraphs for operator in graph.operators}
    if missing := sorted(names - runtime.operators):
        raise UnlistedOperatorError(
            f"{model.source}: {runtime.title} has no {', '.join(missing)}; it has "
            f"{', '.join(sorted(runtime.operators))}"
        )


def _smallest(model: Model, target: Target) -> int:
    return needed_by(model, Firmware("greedy", target)).smallest_arena


# -- facts -------------------------------------------------------------------------------


def wake_word_facts(found: WakeWords) -> dict[str, Any]:
    """Everything that ``arenite fit`` prints of them; see ``docs/cli.md`` for the keys."""
    return {
        "fits": bool(found),
        "runtime": found.runtime.name,
        "target": vars(found.words[0].target),
        "board": None if found.board is None else board_facts(found.board),
        "ram": found.ram,
        "internal_ram": found.in_internal,
        "psram": found.in_psram,
        "models": [_facts(one) for one in found.words],
    }


def _facts(one: WakeWord) -> dict[str, Any]:
    return {
        "file": one.file,
        "smallest_arena": one.needed,
        "tensor_arena_size": one.asked,
        "by_version": one.smallest,
        "manifest": None if one.manifest is None else one.manifest.file,
        "manifest_arena": None if one.manifest is None else one.manifest.arena,
        "manifest_fits": None if one.manifest is None else one.fits,
        "wrong_since": one.wrong_since or None,
        "faults": list(one.faults),
    }
