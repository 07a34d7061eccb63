"""Every file that fuzzing found worth keeping, once more: bugs that were, and ways through code."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

if sys.platform == "win32":
    pytest.skip("needs fork()", allow_module_level=True)

from tests.fuzz import trial
from tests.fuzz.__main__ import prepare
from tests.fuzz.targets import CORPUS, TARGETS, seeds
from tests.fuzz.workers import handled


@pytest.mark.parametrize("name", TARGETS)
def test_the_corpus_does_no_harm(name: str) -> None:
    paths = sorted((CORPUS / name).glob("*"))
    files = [path.read_bytes() for path in paths]
    TARGETS[name](seeds(name)[0])  # what is made once, the sound models, is no case's time
    cases = handled(range(len(files)), lambda number: TARGETS[name](files[number]), prepare)
    bugs = {paths[case.number].name: case.outcome for case in cases if _is_bug(case.outcome)}
    assert not bugs


def _is_bug(outcome: str) -> bool:
    return outcome.startswith(trial.BUGS)


def test_the_corpus_is_small() -> None:
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 1 << 20


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("tflite", "runs"),
        ("mnn", "runs"),
        ("options", "runs"),
        ("inputs", "read"),
        ("archives", "read"),
        ("manifests", "read, written"),
    ],
)
def test_a_target_gets_through_with_its_seeds(name: str, outcome: str) -> None:
    found = Counter(TARGETS[name](data) for data in seeds(name)[:60])
    assert found[outcome] >= 6
    assert not any(map(_is_bug, found))
