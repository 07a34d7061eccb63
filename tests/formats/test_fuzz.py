"""A short run of the loader's fuzz: broken files are refused, or load and run."""

from __future__ import annotations

import sys

import pytest

from tests.formats.corpus import tflite_models
from tests.formats.fuzz import Cases, Report, fuzz
from tests.formats.mutate import places_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs pipes that select() takes")


@pytest.mark.parametrize("corpus", ["tflite", "mnn"])
def test_broken_files_do_no_harm(corpus: str) -> None:
    report = fuzz(count=400, seed=0, corpus=corpus)
    assert not report.bugs, str(report)
    assert report.outcomes["ModelError"] > 50
    assert report.outcomes["loads and runs"] > 20


def test_cases_depend_on_their_seed_and_number_only() -> None:
    assert Cases(3).file(7) == Cases(3).file(7)
    assert Cases(3).file(7) != Cases(4).file(7)


def test_numbers_are_found_where_they_are() -> None:
    data = tflite_models()["classifier"]
    found = places_of(data).numbers.tolist()
    assert data.index(b"a small classifier") in found
    assert 0 < min(found) <= max(found) < len(data)


def test_a_bug_is_reported_with_its_cases() -> None:
    report = Report()
    report.add(0, "ModelError")
    report.add(5, "FOREIGN KeyError at tflite.py:1")
    assert str(report).endswith("cases of FOREIGN KeyError at tflite.py:1: [5]")
