"""Where TFLM's sources and those of its third parties lie in a folder.

Two kinds of folders are taken: what TFLM's ``create_tflm_tree.py`` writes, and a checkout whose
``tools/make/downloads`` are filled (as ``make -f tensorflow/lite/micro/tools/make/Makefile
OPTIMIZED_KERNEL_DIR=cmsis_nn third_party_downloads`` does).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from arenite.errors import BoardError

_MICRO = Path("tensorflow/lite/micro")
#: Where third parties may lie, in this order.
_PLACES = (Path("third_party"), _MICRO / "tools/make/downloads")
#: A file of each, from the folder that goes on the include path.
_PARTIES = {
    "cmsis_nn": "Include/arm_nnfunctions.h",
    "flatbuffers/include": "flatbuffers/flatbuffers.h",
    "gemmlowp": "fixedpoint/fixedpoint.h",
    "ruy": "ruy/profiler/instrumentation.h",
}
#: Those that only some operators need.
_MORE = {"kissfft": "kiss_fft.h"}


@dataclass(frozen=True)
class Tree:
    """TFLM's sources.

    Attributes:
        root: What includes such as ``"tensorflow/lite/micro/..."`` begin at.
        includes: All folders of the include path, the root first.
        cmsis_nn: The folder with CMSIS-NN's ``Include`` and ``Source``.
    """

    root: Path
    includes: tuple[Path, ...]
    cmsis_nn: Path


def find_tree(folder: str | os.PathLike[str]) -> Tree:
    """The sources in a folder.

    Raises:
        BoardError: Something is missing; names all of it.
    """
    root = Path(os.fspath(folder)).resolve()
    found = {party: _party(root, party, file) for party, file in (_PARTIES | _MORE).items()}
    missing = [party for party in _PARTIES if found[party] is None]
    if not (root / _MICRO / "micro_interpreter.h").is_file():
        missing.insert(0, str(_MICRO))
    if missing:
        raise BoardError(
            f"'{folder}' has no {', '.join(missing)}: expected what TFLM's create_tflm_tree.py "
            "writes with OPTIMIZED_KERNEL_DIR=cmsis_nn, or a checkout of tflite-micro with its "
            f"third parties in {' or '.join(map(str, _PLACES))}"
        )
    parties = [path for path in found.values() if path is not None]
    cmsis_nn = parties[0]
    return Tree(root, (root, *parties, cmsis_nn / "Include"), cmsis_nn)


def _party(root: Path, party: str, file: str) -> Path | None:
    folders = (root / place / party for place in _PLACES)
    return next((path for path in folders if (path / file).is_file()), None)
