"""A short run of the fuzzer: broken files are refused, or load and run."""

from __future__ import annotations

import os
import signal
import sys
import time

import numpy as np
import pytest

if sys.platform == "win32":
    pytest.skip("needs fork()", allow_module_level=True)

from arenite.errors import ModelError
from arenite.formats import load
from arenite.model import flexbuffer
from arenite.ops import custom_names
from tests.fuzz import flex, workers
from tests.fuzz.__main__ import Report, fuzz, prepare
from tests.fuzz.bytes import places_of
from tests.fuzz.cases import Cases
from tests.fuzz.rows import copied, rows_of, schema_of, write
from tests.fuzz.seeds import classifier, tflite_models
from tests.fuzz.workers import Case, handled
from tests.ops.flexbuffers import packed


@pytest.mark.parametrize("corpus", ["tflite", "mnn"])
def test_broken_files_do_no_harm(corpus: str) -> None:
    report = fuzz(count=800, seed=0, corpus=corpus)
    bugs = {name: cases for name, cases in report.bugs.items() if not name.startswith("DIFFERENT")}
    assert not bugs, str(report)
    assert report.outcomes["ModelError in load"] > 50
    assert report.outcomes["runs"] > 100


def test_cases_depend_on_their_seed_and_number_only() -> None:
    first, second, other = Cases(3), Cases(3), Cases(4)
    numbers = range(20)
    assert [first.file(n) for n in numbers] == [second.file(n) for n in reversed(numbers)][::-1]
    assert first.file(7) != other.file(7)


def test_numbers_are_found_where_they_are() -> None:
    data = tflite_models()["classifier"]
    found = places_of(data).numbers.tolist()
    assert data.index(b"a small classifier") in found
    assert 0 < min(found) <= max(found) < len(data)


def test_rows_are_written_as_they_were_read() -> None:
    from arenite.formats import tflite

    data = tflite.write(classifier())
    again = write(schema_of(data), copied(rows_of(data)))
    assert repr(load(again)) == repr(load(data))
    assert load(again).main.operators[0].options == load(data).main.operators[0].options


def test_a_bug_is_reported_with_its_cases() -> None:
    report = Report()
    report.add(Case(0, "ModelError in load"))
    report.add(Case(5, "FOREIGN KeyError at tflite.py:1"))
    assert str(report).endswith("cases of FOREIGN KeyError at tflite.py:1: [5]")


# -- the processes that handle cases


def outcomes(handle: workers.Handle, count: int = 3) -> list[str]:
    return [case.outcome for case in handled(range(count), handle, prepare)]


def test_a_crash_is_an_outcome_of_its_case_only() -> None:
    def handle(number: int) -> str:
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return "fine"

    assert outcomes(handle) == ["fine", "CRASH, SIGKILL", "fine"]


def test_a_case_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "SECONDS", 0.5)

    def handle(number: int) -> str:
        while number == 1:
            time.sleep(0)
        return "fine"

    assert outcomes(handle) == ["fine", "HANG, more than 0.5 s", "fine"]


def test_memory_is_counted_for_its_case_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "MEMORY", 20 << 20)

    def handle(number: int) -> str:
        return f"fine {np.ones(64 << 20, np.uint8)[0] if number == 1 else 1}"

    assert outcomes(handle) == ["fine 1", "MEMORY, more than 20 MB", "fine 1"]


def test_a_report_of_a_sanitizer_is_named() -> None:
    log = "=1=ERROR: ...\n    #0 0x1 in f /x/csrc/a/gather.c:42:3\n"
    log += "SUMMARY: AddressSanitizer: heap-buffer-overflow /x/csrc/a/gather.c:42:3 in f"
    assert workers.blame(log) == ", heap-buffer-overflow, gather.c:42"


# -- options of custom operators


def test_options_of_custom_operators_are_changed_by_their_meaning() -> None:
    rng, data = np.random.default_rng(0), packed({"cycles_max": 3, "scale": 0.5, "list": [1, "x"]})
    outcomes = {"read": 0, "refused": 0}
    others = set()
    for _ in range(500):
        try:
            others.add(repr(flexbuffer.read(flex.another(data, rng))))
            outcomes["read"] += 1
        except ModelError:
            outcomes["refused"] += 1
    assert outcomes["read"] > 250
    assert outcomes["refused"] > 30
    assert len(others) > 150


def test_seeds_hold_every_custom_operator() -> None:
    names = {node.name for file in tflite_models().values() for node in load(file).main.operators}
    assert set(custom_names()) <= names
