"""Scripts for other packages, run with those and, their import changed, with Arenite's."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

SCRIPTS = Path(__file__).parent / "scripts"
Results = dict[str, np.ndarray[Any, Any]]


def both_ways(
    script: str, model: Path, folder: Path, swap: tuple[str, str]
) -> tuple[Results, Results, str, str]:
    """Results of a script with Arenite and with the original, and what they said on stderr.

    ``swap`` is what the import says, and what it says for Arenite.
    """
    text = (SCRIPTS / f"{script}.py").read_text(encoding="utf-8")
    assert text.count(swap[0]) == 1
    changed = folder / "changed.py"
    changed.write_text(text.replace(*swap), encoding="utf-8")
    ours, our_words = _run(changed, model, folder / "ours.npz")
    theirs, their_words = _run(SCRIPTS / f"{script}.py", model, folder / "theirs.npz")
    assert ours.keys() == theirs.keys()
    return ours, theirs, our_words, their_words


def _run(script: Path, model: Path, target: Path) -> tuple[Results, str]:
    command = [sys.executable, "-W", "ignore", str(script), str(model), str(target)]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(np.load(target)), done.stderr
