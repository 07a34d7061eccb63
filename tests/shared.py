"""Real models and samples: one in the repository, the others beside it.

Those lie in ``../shared`` next to the repository, or where ``ARENITE_SHARED`` says. Tests
that need them skip where they are not.
"""

import os
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).resolve().parents[1]
ROOT = Path(os.environ.get("ARENITE_SHARED", _REPOSITORY.parent / "shared"))
DIGITS = _REPOSITORY / "examples" / "digits" / "digits_int8.tflite"


def shared_models() -> list[Path]:
    """Every ``.tflite`` file there is, sorted; empty where there are none.

    Made for ``parametrize``: a test over an empty list is skipped.
    """
    return sorted(ROOT.glob("models/*/*.tflite"))


def shared_model(name: str) -> Path:
    """The model ``name.tflite``; skips the test where it is not there."""
    return _there(next(ROOT.glob(f"models/*/{name}.tflite"), None), f"models/*/{name}.tflite")


def shared_sample(name: str) -> Path:
    """The sample at ``samples/name``; skips the test where it is not there."""
    path = ROOT / "samples" / name
    return _there(path if path.exists() else None, f"samples/{name}")


def _there(path: Path | None, name: str) -> Path:
    if path is None:
        pytest.skip(f"there is no {name} in {ROOT}")
    return path


def shared_wake_word(name: str) -> Path:
    """The wake word's model ``name.tflite``; skips the test where it is not there."""
    path = ROOT / "wake_words" / f"{name}.tflite"
    return _there(path if path.exists() else None, f"wake_words/{name}.tflite")
